// Arrays of float16 and bfloat16 from and to float32, and element-wise functions of them.
#include "binding/halved.hpp"

#include <algorithm>
#include <vector>

namespace wengert {
namespace {

Twin converted_twin("converted");

// converted(array, dtype)
PyObject* converted(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    if (nargs == 2 && !kwnames && PyArray_CheckExact(args[0]) && PyArray_DescrCheck(args[1])) {
        PyObject* result =
            half_converted(reinterpret_cast<PyArrayObject*>(args[0]), reinterpret_cast<PyArray_Descr*>(args[1]));
        if (result || PyErr_Occurred()) return result;
    }
    return converted_twin.call(args, nargs, kwnames);
}

Methods half_methods({
    {"converted", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(converted)), METH_FASTCALL | METH_KEYWORDS,
     "converted(array, dtype)"},
});

PyArrayObject* new_like(PyArrayObject* x, PyArray_Descr* descr) {
    Py_INCREF(descr);  // which the array takes over
    return reinterpret_cast<PyArrayObject*>(PyArray_NewLikeArray(x, NPY_KEEPORDER, descr, 0));
}

// Whether two arrays of one shape have the same strides where a length is above 1.
bool have_same_strides(PyArrayObject* x, PyArrayObject* other) {
    const npy_intp size = PyArray_ITEMSIZE(x), other_size = PyArray_ITEMSIZE(other);
    for (int i = 0; i < PyArray_NDIM(x); ++i)
        if (PyArray_DIM(x, i) > 1 && PyArray_STRIDE(x, i) / size != PyArray_STRIDE(other, i) / other_size) return false;
    return true;
}

}  // namespace

int half_of(const PyArray_Descr* descr) {
    if (descr->type_num == NPY_HALF) return PyArray_ISNBO(descr->byteorder) ? FLOAT16 : HALF_COUNT;
    const bool known = PyTypeNum_ISUSERDEF(descr->type_num) && descr->kind == 'V' && descr->type == 'E' &&
                       PyDataType_ELSIZE(descr) == 2;
    return known ? BFLOAT16 : HALF_COUNT;
}

PyObject* half_converted(PyArrayObject* x, PyArray_Descr* descr) {
    const bool widens = descr == float_descr;
    if (!widens && PyArray_DESCR(x) != float_descr) return nullptr;
    const int half = half_of(widens ? PyArray_DESCR(x) : descr);
    if (half == HALF_COUNT || !(PyArray_FLAGS(x) & NPY_ARRAY_ALIGNED)) return nullptr;
    const bool in_rows = PyArray_FLAGS(x) & NPY_ARRAY_C_CONTIGUOUS;
    const Owned result(in_rows ? new_array(descr, PyArray_NDIM(x), PyArray_DIMS(x)) : new_like(x, descr));
    if (!result || (!in_rows && !have_same_strides(x, result.get())))
        return nullptr;  // the result is dense, and an array of the same strides is, too
    const npy_intp count = PyArray_SIZE(result.get());
    ReleaseGil unlocked(count >= thread_threshold);
    if (widens) {
        const auto loop = chosen_loops.widen[half];
        const auto* from = data_of<uint16_t>(x);
        auto* to = data_of<float>(result.get());
        parallel_for(count, 1, [=](npy_intp begin, npy_intp end) { loop(from + begin, to + begin, end - begin); });
    } else {
        const auto loop = chosen_loops.narrow[half];
        const auto* from = data_of<float>(x);
        auto* to = data_of<uint16_t>(result.get());
        parallel_for(count, 1, [=](npy_intp begin, npy_intp end) { loop(from + begin, to + begin, end - begin); });
    }
    return reinterpret_cast<PyObject*>(Py_NewRef(result.get()));
}

PyArray_Descr* half_among(PyObject* const* args, Py_ssize_t nargs) {
    PyArray_Descr* half = nullptr;
    for (Py_ssize_t i = 0; i < nargs; ++i) {
        if (!PyArray_CheckExact(args[i])) continue;
        auto* array = reinterpret_cast<PyArrayObject*>(args[i]);
        const bool one_type = !half || PyArray_TYPE(array) == half->type_num;
        if (!one_type || half_of(PyArray_DESCR(array)) == HALF_COUNT || PyArray_SIZE(array) == 0) return nullptr;
        half = PyArray_DESCR(array);
    }
    return half;
}

bool widen_all(ReplacedArguments& exchanged, Py_ssize_t nargs) {
    for (Py_ssize_t i = 0; i < nargs; ++i) {
        if (!PyArray_CheckExact(exchanged.arguments[i])) continue;
        PyObject* wide = half_converted(reinterpret_cast<PyArrayObject*>(exchanged.arguments[i]), float_descr);
        if (!wide) return false;
        exchanged.put(i, reinterpret_cast<PyArrayObject*>(wide));
    }
    return true;
}

// Of one result; a new reference.
static PyObject* narrow_array(PyObject* computed, PyArray_Descr* half) {
    const bool wide =
        PyArray_CheckExact(computed) && PyArray_DESCR(reinterpret_cast<PyArrayObject*>(computed)) == float_descr;
    if (!wide) return Py_NewRef(computed);
    PyObject* result = half_converted(reinterpret_cast<PyArrayObject*>(computed), half);
    if (result || PyErr_Occurred()) return result;
    auto* wanted = reinterpret_cast<PyArray_Descr*>(Py_NewRef(half));
    return with_python([&] { return PyArray_CastToType(reinterpret_cast<PyArrayObject*>(computed), wanted, 0); });
}

PyObject* narrowed(PyObject* computed, PyArray_Descr* half) {
    if (!computed || computed == Py_NotImplemented) return computed;
    PyObject* result =
        PyTuple_CheckExact(computed) ? PyTuple_New(PyTuple_GET_SIZE(computed)) : narrow_array(computed, half);
    for (Py_ssize_t i = 0; result && PyTuple_CheckExact(computed) && i < PyTuple_GET_SIZE(computed); ++i) {
        PyObject* item = narrow_array(PyTuple_GET_ITEM(computed, i), half);
        if (item)
            PyTuple_SET_ITEM(result, i, item);
        else
            Py_CLEAR(result);
    }
    Py_DECREF(computed);
    return result;
}

namespace {

constexpr npy_intp near_count = 2048;  // floats that stay in the first cache

// Runs body(at, count) over pieces, those of one thread one by one.
template <class Body> void in_pieces(npy_intp count, npy_intp cost, const Body& body) {
    ReleaseGil unlocked(count >= thread_threshold);
    parallel_for_elements(count, cost, [&](npy_intp begin, npy_intp end) {
        for (npy_intp at = begin; at < end; at += near_count) body(at, std::min(near_count, end - at));
    });
}

// A row-major array of halves with elements; null for anything else.
PyArrayObject* plain_halves(PyObject* object, int& half) {
    PyArrayObject* array = plain(object);
    half = array && PyArray_SIZE(array) > 0 ? half_of(PyArray_DESCR(array)) : HALF_COUNT;
    return half == HALF_COUNT ? nullptr : array;
}

// A number beside halves: rounded to their dtype, except as a factor or a divisor.
bool number_beside(Binary op, int half, PyObject* object, float& value) {
    if (!weak_value(object, value)) return false;
    uint16_t rounded;
    if (op == MULTIPLY || op == DIVIDE) return true;
    chosen_loops.narrow[half](&value, &rounded, 1);
    chosen_loops.widen[half](&rounded, &value, 1);
    return true;
}

}  // namespace

PyObject* half_unary(Unary op, npy_intp cost, PyObject* object) {
    int half;
    PyArrayObject* x = plain_halves(object, half);
    PyArrayObject* result = x ? new_array(PyArray_DESCR(x), PyArray_NDIM(x), PyArray_DIMS(x)) : nullptr;
    if (!result) return nullptr;
    const auto loop = loops<float>().unary[op];
    const auto widen = chosen_loops.widen[half];
    const auto narrow = chosen_loops.narrow[half];
    const auto* from = data_of<uint16_t>(x);
    auto* to = data_of<uint16_t>(result);
    in_pieces(PyArray_SIZE(x), cost + 2, [=](npy_intp at, npy_intp count) {
        float values[near_count];
        widen(from + at, values, count);
        loop(values, values, count);
        narrow(values, to + at, count);
    });
    return reinterpret_cast<PyObject*>(result);
}

PyObject* half_binary(Binary op, npy_intp cost, PyObject* a_object, PyObject* b_object) {
    int half, other;
    PyArrayObject *a = plain_halves(a_object, half), *b = plain_halves(b_object, other);
    float number = 0;
    if (a && b ? half != other || !same_shape(a, b) : !a && !b) return nullptr;
    if (!a) half = other;
    if (!(a && b) && !number_beside(op, half, a ? b_object : a_object, number)) return nullptr;
    PyArrayObject* model = a ? a : b;
    PyArrayObject* result = new_array(PyArray_DESCR(model), PyArray_NDIM(model), PyArray_DIMS(model));
    if (!result) return nullptr;
    const auto loop = loops<float>().binary[op];
    const auto widen = chosen_loops.widen[half];
    const auto narrow = chosen_loops.narrow[half];
    const auto *left = a ? data_of<uint16_t>(a) : nullptr, *right = b ? data_of<uint16_t>(b) : nullptr;
    auto* to = data_of<uint16_t>(result);
    in_pieces(PyArray_SIZE(model), cost + 3, [=](npy_intp at, npy_intp count) {
        float lefts[near_count], rights[near_count];
        if (left)
            widen(left + at, lefts, count);
        else
            lefts[0] = number;
        if (right)
            widen(right + at, rights, count);
        else
            rights[0] = number;
        loop(lefts, left != nullptr, rights, right != nullptr, lefts, count);
        narrow(lefts, to + at, count);
    });
    return reinterpret_cast<PyObject*>(result);
}

PyObject* half_sum(PyArrayObject* x, const Block& block, bool mean) {
    const int half = half_of(PyArray_DESCR(x));
    if (half == HALF_COUNT || block.inner != 1 || block.reduced == 0) return nullptr;
    Owned result(new_array(PyArray_DESCR(x), block.ndim, block.shape));
    if (!result) return nullptr;
    const npy_intp reduced = block.reduced,
                   parts = (reduced - 1) / near_count + 1;  // of each row, for any number of threads
    std::vector<double> sums(static_cast<size_t>(block.outer) * static_cast<size_t>(parts));
    const auto widen = chosen_loops.widen[half];
    const auto row_sum = loops<float>().row_sum[OF_VALUES];
    const auto* from = data_of<uint16_t>(x);
    double* sum = sums.data();
    auto* to = data_of<uint16_t>(result.get());
    ReleaseGil unlocked(PyArray_SIZE(x) >= thread_threshold);
    parallel_for(block.outer * parts, std::min(reduced, near_count) * 2, [=](npy_intp begin, npy_intp end) {
        float values[near_count];
        for (npy_intp i = begin; i < end; ++i) {
            const npy_intp at = i % parts * near_count, count = std::min(near_count, reduced - at);
            widen(from + i / parts * reduced + at, values, count);
            sum[i] = row_sum(values, count);
        }
    });
    const double divisor = mean ? static_cast<double>(reduced) : 1;
    for (npy_intp row = 0; row < block.outer; ++row) {
        double total = 0;
        for (npy_intp i = 0; i < parts; ++i) total += sum[row * parts + i];
        const auto value = static_cast<float>(total / divisor);
        chosen_loops.narrow[half](&value, to + row, 1);
    }
    return result.give();
}

}  // namespace wengert
