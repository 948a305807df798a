// Factories: new arrays from plain numbers and lengths. The first argument is the default dtype. NotImplemented for
// whatever is unusual, wrong or large.
#include "binding/lengths.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <complex>
#include <cstring>
#include <type_traits>
#include <vector>

namespace wengert {
namespace {

// Python numbers, read before memory is allocated: code that runs then may change the lists that they come from.
struct Numbers {
    std::vector<double> floats;
    std::vector<int64_t> integers;
    bool has_floats = false, has_integers = false;
    double largest = 0;

    bool read(PyObject* number) {
        if (PyFloat_CheckExact(number)) {
            const double value = PyFloat_AS_DOUBLE(number);
            if (std::isfinite(value)) largest = std::fmax(largest, std::fabs(value));
            floats.push_back(value);
            return has_floats = true;
        }
        npy_intp value = 0;
        if (!as_index(number, value)) return false;
        integers.push_back(value);
        floats.push_back(static_cast<double>(value));
        return has_integers = true;
    }
    // A row of a list of lists, or a list of numbers.
    bool read_all(PyObject* list) {
        for (Py_ssize_t at = 0; at < PyList_GET_SIZE(list); ++at)
            if (!read(PyList_GET_ITEM(list, at))) return false;
        return true;
    }
    PyObject* array(PyArray_Descr* real, int ndim, const npy_intp* shape) const {
        if (!has_floats) return filled(int64_descr, integers, ndim, shape);
        if (real == double_descr) return filled(double_descr, floats, ndim, shape);
        if (real != float_descr || largest > FLT_MAX) return nullptr;
        return filled(float_descr, std::vector<float>(floats.begin(), floats.end()), ndim, shape);
    }
    template <class T>
    static PyObject* filled(PyArray_Descr* descr, const std::vector<T>& values, int ndim, const npy_intp* shape) {
        PyArrayObject* result = new_array(descr, ndim, shape);
        if (result) std::memcpy(PyArray_DATA(result), values.data(), values.size() * sizeof(T));
        return reinterpret_cast<PyObject*>(result);
    }
};

// tensor(default, data): a number, a list of numbers, or a list of such lists of one length.
PyObject* tensor(PyObject* const* args) {
    auto* real = reinterpret_cast<PyArray_Descr*>(args[0]);
    Numbers numbers;
    npy_intp shape[2];
    if (!PyList_CheckExact(args[1])) return numbers.read(args[1]) ? numbers.array(real, 0, shape) : nullptr;
    const Py_ssize_t count = PyList_GET_SIZE(args[1]);
    if (count == 0 || count > most_bytes / static_cast<npy_intp>(sizeof(double))) return nullptr;
    shape[0] = count;
    PyObject* first = PyList_GET_ITEM(args[1], 0);
    if (!PyList_CheckExact(first)) return numbers.read_all(args[1]) ? numbers.array(real, 1, shape) : nullptr;
    shape[1] = PyList_GET_SIZE(first);
    if (shape[1] == 0 || shape[1] > most_bytes / count) return nullptr;
    for (Py_ssize_t at = 0; at < count; ++at) {
        PyObject* row = PyList_GET_ITEM(args[1], at);
        if (!PyList_CheckExact(row) || PyList_GET_SIZE(row) != shape[1] || !numbers.read_all(row)) return nullptr;
    }
    return numbers.array(real, 2, shape);
}

template <class T> void fill(PyArrayObject* array, T value) {
    T* data = data_of<T>(array);
    const npy_intp count = PyArray_SIZE(array);
    ReleaseGil unlocked(count >= thread_threshold);
    parallel_for(count, 1, [=](npy_intp begin, npy_intp end) {
        if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, int64_t>)
            loops<T>().fill(value, data + begin, end - begin);
        else
            std::fill(data + begin, data + end, value);
    });
}

// A number of Python in every element, or left as memory is (null); NotImplemented for what the element cannot hold
// exactly, but for real numbers, which are rounded.
PyObject* filled_with(PyObject* number, PyArray_Descr* descr, int ndim, const npy_intp* shape) {
    double real = 0;
    npy_intp integer = 0;
    const bool complex = PyTypeNum_ISCOMPLEX(descr->type_num);
    const auto read = [&] {
        if (is_real(descr) || complex) return as_number(number, real);
        return descr == int64_descr ? as_index(number, integer) : descr == bool_descr && PyBool_Check(number);
    };
    const bool known = !number || read();
    const bool narrow = descr == float_descr || descr->type_num == NPY_CFLOAT;
    if (!known || (narrow && std::isfinite(real) && std::fabs(real) > FLT_MAX)) Py_RETURN_NOTIMPLEMENTED;
    const bool zeros = number && real == 0 && !std::signbit(real) && integer == 0 && number != Py_True;
    PyArrayObject* result =
        zeros && !is_large(descr, ndim, shape) ? new_zeros(descr, ndim, shape) : new_array(descr, ndim, shape);
    if (!result || !number) return reinterpret_cast<PyObject*>(result);
    if (descr == float_descr)
        fill<float>(result, static_cast<float>(real));
    else if (descr == double_descr)
        fill<double>(result, real);
    else if (descr == int64_descr)
        fill<int64_t>(result, integer);
    else if (complex && narrow)
        fill<std::complex<float>>(result, static_cast<float>(real));
    else if (complex)
        fill<std::complex<double>>(result, real);
    else
        fill<npy_bool>(result, number == Py_True);
    return reinterpret_cast<PyObject*>(result);
}
PyObject* small_number(int value) {  // -1: none, memory is left as it is
    static PyObject* const numbers[] = {PyLong_FromLong(0), PyLong_FromLong(1)};
    return value < 0 ? nullptr : numbers[value];
}

// zeros(default, *lengths), ones(default, *lengths), empty(default, *lengths)
template <int value> PyObject* constant(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
    auto* descr = reinterpret_cast<PyArray_Descr*>(nargs ? args[0] : nullptr);
    npy_intp shape[NPY_MAXDIMS];
    const int ndim = is_real(descr) ? read_lengths(args + 1, nargs - 1, descr, shape) : -1;
    if (ndim < 0) Py_RETURN_NOTIMPLEMENTED;
    return filled_with(small_number(value), descr, ndim, shape);
}

// full(default, size, value)
PyObject* full(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
    auto* descr = reinterpret_cast<PyArray_Descr*>(nargs == 3 ? args[0] : nullptr);
    npy_intp shape[NPY_MAXDIMS];
    if (!is_real(descr) || !(PyTuple_Check(args[1]) || PyList_CheckExact(args[1]))) Py_RETURN_NOTIMPLEMENTED;
    if (!PyFloat_CheckExact(args[2])) descr = PyBool_Check(args[2]) ? bool_descr : int64_descr;
    const int ndim = read_lengths(args + 1, 1, descr, shape);
    if (ndim < 0) Py_RETURN_NOTIMPLEMENTED;
    return filled_with(args[2], descr, ndim, shape);
}

// Dtypes of which elements can be filled in.
bool can_fill(PyArray_Descr* descr) {
    const bool complex = descr->type_num == NPY_CFLOAT || descr->type_num == NPY_CDOUBLE;
    return is_real(descr) || descr == int64_descr || (complex && PyArray_ISNBO(descr->byteorder));
}
// What `zeros_like` and its family support: small row-major arrays.
PyArrayObject* model(PyObject* object) {
    PyArrayObject* array = plain(object);
    if (!array || PyArray_SIZE(array) == 0 || PyArray_NBYTES(array) > most_bytes) return nullptr;
    npy_intp step = PyArray_ITEMSIZE(array);
    for (int dim = PyArray_NDIM(array) - 1; dim >= 0; --dim) {
        if (PyArray_STRIDE(array, dim) != step) return nullptr;
        step *= PyArray_DIM(array, dim);
    }
    return array;
}
PyObject* filled_like(PyArrayObject* array, PyObject* number) {
    PyArray_Descr* descr = PyArray_DESCR(array);
    if (!can_fill(descr)) Py_RETURN_NOTIMPLEMENTED;
    return filled_with(number, descr, PyArray_NDIM(array), PyArray_DIMS(array));
}
// zeros_like(default, x), ones_like(default, x), empty_like(default, x)
template <int value> PyObject* constant_like(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
    PyArrayObject* array = nargs == 2 ? model(args[1]) : nullptr;
    if (!array) Py_RETURN_NOTIMPLEMENTED;
    return filled_like(array, small_number(value));
}
// full_like(default, x, value)
PyObject* full_like(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
    PyArrayObject* array = nargs == 3 ? model(args[1]) : nullptr;
    if (!array) Py_RETURN_NOTIMPLEMENTED;
    return filled_like(array, args[2]);
}

// Methods: what they make has the dtype of a tensor. new_zeros(default, x, *lengths), new_ones, new_empty
PyArray_Descr* dtype_of(PyObject* object) {
    if (!PyArray_CheckExact(object)) return nullptr;
    PyArray_Descr* descr = PyArray_DESCR(reinterpret_cast<PyArrayObject*>(object));
    return can_fill(descr) ? descr : nullptr;
}
template <int value> PyObject* constant_of(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
    PyArray_Descr* descr = nargs > 1 ? dtype_of(args[1]) : nullptr;
    npy_intp shape[NPY_MAXDIMS];
    const int ndim = descr ? read_lengths(args + 2, nargs - 2, descr, shape) : -1;
    if (ndim < 0) Py_RETURN_NOTIMPLEMENTED;
    return filled_with(small_number(value), descr, ndim, shape);
}
// new_full(default, x, size, value)
PyObject* full_of(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
    PyArray_Descr* descr = nargs == 4 ? dtype_of(args[1]) : nullptr;
    npy_intp shape[NPY_MAXDIMS];
    if (!descr || !(PyTuple_Check(args[2]) || PyList_CheckExact(args[2]))) Py_RETURN_NOTIMPLEMENTED;
    const int ndim = read_lengths(args + 2, 1, descr, shape);
    if (ndim < 0) Py_RETURN_NOTIMPLEMENTED;
    return filled_with(args[3], descr, ndim, shape);
}

// ---- ranges --------------------------------------------------------------------------------------------------------
PyObject* integer_range(npy_intp start, npy_intp end, npy_intp step) {
    const Size distance = Size(end) - start;
    if (step < 1 || !distance.fits() || distance.value() < 0) return nullptr;
    const npy_intp count = distance.value() ? (distance.value() - 1) / step + 1 : 0;
    if (count > most_bytes / static_cast<npy_intp>(sizeof(int64_t))) return nullptr;
    PyArrayObject* result = new_array(int64_descr, 1, &count);
    if (!result) return nullptr;
    int64_t* data = data_of<int64_t>(result);
    for (npy_intp at = 0; at < count; ++at) data[at] = start + at * step;  // below `end`
    return reinterpret_cast<PyObject*>(result);
}
// A finite number that an element can hold.
bool as_bound(PyObject* object, PyArray_Descr* descr, double& value) {
    const double most = descr == float_descr ? FLT_MAX : DBL_MAX;
    return as_number(object, value) && std::fabs(value) <= most;
}
// A new vector whose elements `fill(data, begin, end)` writes, in threads, `width` at once.
template <class T, class Fill> PyObject* vector_of(PyArray_Descr* descr, npy_intp count, npy_intp width, Fill fill) {
    PyArrayObject* result = new_array(descr, 1, &count);
    if (!result) return nullptr;
    T* data = data_of<T>(result);
    ReleaseGil unlocked(count >= thread_threshold);
    parallel_for((count + width - 1) / width, 4 * width,
                 [=](npy_intp begin, npy_intp end) { fill(data, begin * width, std::min(end * width, count)); });
    return reinterpret_cast<PyObject*>(result);
}
// Counted from the first element of each block, in pairs of blocks, and from `start` behind the last pair; see
// ranges.py.
template <class T> PyObject* counted(PyArray_Descr* descr, double start, double step, npy_intp count) {
    constexpr npy_intp pair = 64 / sizeof(T);
    return vector_of<T>(descr, count, pair, [=](T* data, npy_intp begin, npy_intp end) {
        const npy_intp pairs_end = end - end % pair;  // only the last block of all is less than a pair
        const auto write = [=](npy_intp at, npy_intp some) {
            loops<T>().counted(start, step, static_cast<int32_t>(at), data + at, some);
        };
        write(begin, pairs_end - begin);
        for (npy_intp at = pairs_end; at < end; ++at) write(at, 1);
    });
}
PyObject* real_range(PyArray_Descr* descr, double start, double end, double step) {
    if (!(step != 0) || (end - start) / step < 0) return nullptr;
    const double count = std::ceil((end - start) / step);
    constexpr npy_intp most_count = most_bytes / static_cast<npy_intp>(sizeof(double));
    if (!(count <= static_cast<double>(most_count))) return nullptr;
    const double last = start + count * step;
    if (descr == float_descr && !(std::fabs(last) <= FLT_MAX)) return nullptr;
    return (descr == float_descr ? counted<float> : counted<double>)(descr, start, step, static_cast<npy_intp>(count));
}
// arange(default, end), arange(default, start, end), arange(default, start, end, step)
PyObject* arange(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
    return answer([=]() -> PyObject* {
        if (nargs < 2 || nargs > 4) return nullptr;
        npy_intp start = 0, end = 0, step = 1;
        PyObject *first = nargs > 2 ? args[1] : nullptr, *last = args[nargs > 2 ? 2 : 1],
                 *pace = nargs > 3 ? args[3] : nullptr;
        if (as_index(first, start) && as_index(last, end) && as_index(pace, step))
            return integer_range(start, end, step);
        auto* descr = reinterpret_cast<PyArray_Descr*>(args[0]);
        double low = 0, high = 0, distance = 1;
        if (!is_real(descr) || (first && !as_bound(first, descr, low)) || !as_bound(last, descr, high)) return nullptr;
        return !pace || as_bound(pace, descr, distance) ? real_range(descr, low, high, distance) : nullptr;
    });
}
// Counted from the start in the first half, and from the end in the second, in the precision of the elements; of a base
// these are the exponents, and powers are computed in double precision.
template <class T>
PyObject* even_steps(PyArray_Descr* descr, double start, double end, npy_intp count, const double* base) {
    const T first = static_cast<T>(start), last = static_cast<T>(end),
            pace = (last - first) / static_cast<T>(count - 1);
    return vector_of<T>(descr, count, 1, [=](T* data, npy_intp begin, npy_intp end) {
        const npy_intp middle = std::min(std::max(count / 2, begin), end);
        loops<T>().spread(first, pace, static_cast<int32_t>(begin), 1, data + begin, middle - begin);
        loops<T>().spread(last, -pace, static_cast<int32_t>(count - 1 - middle), -1, data + middle, end - middle);
        for (npy_intp at = begin; base && at < end; ++at)
            data[at] = static_cast<T>(std::pow(*base, static_cast<double>(data[at])));
    });
}
// `steps` numbers from `start` to `end`: the arguments behind the default dtype.
PyObject* spaced(PyObject* const* args, const double* base) {
    auto* descr = reinterpret_cast<PyArray_Descr*>(args[0]);
    double start = 0, end = 0;
    npy_intp count = 0;
    if (!is_real(descr) || !as_bound(args[1], descr, start) || !as_bound(args[2], descr, end)) return nullptr;
    if (!as_index(args[3], count) || count < 2 || count > most_bytes / static_cast<npy_intp>(sizeof(double)))
        return nullptr;
    return (descr == float_descr ? even_steps<float> : even_steps<double>)(descr, start, end, count, base);
}
// linspace(default, start, end, steps)
PyObject* linspace(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
    return answer([=] { return nargs == 4 ? spaced(args, nullptr) : nullptr; });
}
// logspace(default, start, end, steps), logspace(default, start, end, steps, base)
PyObject* logspace(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
    return answer([=]() -> PyObject* {
        double base = 10;
        return (nargs == 4 || nargs == 5) && (nargs == 4 || as_number(args[4], base)) ? spaced(args, &base) : nullptr;
    });
}

PyObject* direct_tensor(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
    return answer([&] { return nargs == 2 && PyArray_DescrCheck(args[0]) ? tensor(args) : nullptr; });
}

Methods create_methods({
    WENGERT_ENTRY(tensor, "(default, data)", direct_tensor),
    WENGERT_ENTRY(zeros, "(default, *lengths)", constant<0>),
    WENGERT_ENTRY(ones, "(default, *lengths)", constant<1>),
    WENGERT_ENTRY(empty, "(default, *lengths)", constant<-1>),
    WENGERT_ENTRY(full, "(default, size, value)", full),
    WENGERT_ENTRY(zeros_like, "(default, x)", constant_like<0>),
    WENGERT_ENTRY(ones_like, "(default, x)", constant_like<1>),
    WENGERT_ENTRY(empty_like, "(default, x)", constant_like<-1>),
    WENGERT_ENTRY(full_like, "(default, x, value)", full_like),
    WENGERT_ENTRY(new_zeros, "(default, x, *lengths)", constant_of<0>),
    WENGERT_ENTRY(new_ones, "(default, x, *lengths)", constant_of<1>),
    WENGERT_ENTRY(new_empty, "(default, x, *lengths)", constant_of<-1>),
    WENGERT_ENTRY(new_full, "(default, x, size, value)", full_of),
    WENGERT_ENTRY(linspace, "(default, start, end, steps)", linspace),
    WENGERT_ENTRY(logspace, "(default, start, end, steps, base?)", logspace),
    WENGERT_ENTRY(arange, "(default, *bounds)", arange),
});

}  // namespace
}  // namespace wengert
