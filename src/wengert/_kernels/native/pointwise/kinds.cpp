// Element-wise functions of dtypes without loops of our own: integers other than int64, bool, complex numbers. For few
// elements, by NumPy's inner loops.
#include "binding/complex_products.hpp"
#include "pointwise/pointwise.hpp"
#include "binding/promoted.hpp"
#include "pointwise/ufuncs.hpp"

#include <cstring>

namespace wengert {
namespace {

constexpr npy_intp few = 4096;  // beyond, the call around a loop no longer counts

Ufunc arithmetic[] = {{"numpy", "add"}, {"numpy", "subtract"}, {"numpy", "multiply"}, {"numpy", "divide"}};

PyArrayObject* few_complex(PyObject* object) {
    PyArrayObject* array = plain(object);
    return is_complex(array) && PyArray_SIZE(array) > 0 && PyArray_SIZE(array) <= few ? array : nullptr;
}

// A number of Python as one complex element.
class Element {
public:
    bool read(PyObject* object, int type) {
        double parts[2] = {0, 0};
        if (PyComplex_CheckExact(object)) {
            parts[0] = PyComplex_RealAsDouble(object), parts[1] = PyComplex_ImagAsDouble(object);
        } else if (!weak_value(object, parts[0])) {
            return false;
        }
        if (type == NPY_CDOUBLE) return std::memcpy(data, parts, sizeof parts), true;
        constexpr double most = std::numeric_limits<float>::max();
        float halves[2];
        for (int i = 0; i < 2; ++i) {
            if (std::isfinite(parts[i]) && std::fabs(parts[i]) > most) return false;
            halves[i] = static_cast<float>(parts[i]);
        }
        return std::memcpy(data, halves, sizeof halves), true;
    }
    alignas(double) char data[2 * sizeof(double)];
};

// Real numbers beside a complex number of Python, as complex ones; null for others.
PyArrayObject* as_complex(PyObject* object, PyObject* other) {
    PyArrayObject* array = PyComplex_CheckExact(other) ? plain(object) : nullptr;
    if (!array || PyArray_SIZE(array) == 0 || PyArray_SIZE(array) > few) return nullptr;
    if (PyArray_DESCR(array) != float_descr && PyArray_DESCR(array) != double_descr) return nullptr;
    PyArray_Descr* descr = PyArray_DescrFromType(PyArray_DESCR(array) == float_descr ? NPY_CFLOAT : NPY_CDOUBLE);
    PyArrayObject* result = converted(array, descr);
    Py_DECREF(descr);
    return result;
}

Ufunc division[] = {{"numpy", "floor_divide"}, {"numpy", "remainder"}};

// Whether integers may be divided by these.
bool without_zeros(PyObject* object) {
    if (!PyArray_CheckExact(object)) return PyLong_CheckExact(object) && PyObject_IsTrue(object) == 1;
    PyArrayObject* x = plain(object);
    if (!x || PyArray_SIZE(x) > few) return false;
    static const char zero[16] = {};
    const npy_intp size = PyArray_ITEMSIZE(x);
    for (npy_intp at = 0; at < PyArray_NBYTES(x); at += size)
        if (size > 16 || std::memcmp(PyArray_BYTES(x) + at, zero, static_cast<size_t>(size)) == 0) return false;
    return true;
}

bool has_arithmetic(PyObject* object) {
    const int type = PyArray_CheckExact(object) ? PyArray_TYPE(reinterpret_cast<PyArrayObject*>(object)) : NPY_NOTYPE;
    return PyTypeNum_ISINTEGER(type) || type == NPY_BOOL;
}

}  // namespace

PyObject* of_two_complex(Ufunc& ufunc, PyObject* first, PyObject* second) {
    const Owned copies[2] = {Owned(as_complex(first, second)), Owned(as_complex(second, first))};
    if (PyErr_Occurred()) return nullptr;
    PyObject* const operands[2] = {copies[0] ? reinterpret_cast<PyObject*>(copies[0].get()) : first,
                                   copies[1] ? reinterpret_cast<PyObject*>(copies[1].get()) : second};
    PyArrayObject* const arrays[2] = {few_complex(operands[0]), few_complex(operands[1])};
    PyArrayObject* like = arrays[0] ? arrays[0] : arrays[1];
    InnerLoop loop;
    if (!like || !loop.find(ufunc, 2, PyArray_TYPE(like))) return nullptr;
    Element numbers[2];
    char* elements[3];
    npy_intp steps[3];
    for (int i = 0; i < 2; ++i) {
        const bool fits = arrays[i] ? PyArray_TYPE(arrays[i]) == PyArray_TYPE(like) && same_shape(arrays[i], like)
                                    : numbers[i].read(operands[i], PyArray_TYPE(like));
        if (!fits) return nullptr;
        elements[i] = arrays[i] ? PyArray_BYTES(arrays[i]) : numbers[i].data;
        steps[i] = arrays[i] ? PyArray_ITEMSIZE(like) : 0;
    }
    Owned result(new_array(loop.result_type == NPY_BOOL ? bool_descr : PyArray_DESCR(like), PyArray_NDIM(like),
                           PyArray_DIMS(like)));
    if (!result) return nullptr;
    elements[2] = PyArray_BYTES(result.get()), steps[2] = PyArray_ITEMSIZE(result.get());
    return loop.run(elements, steps, PyArray_SIZE(like)) ? result.give() : nullptr;
}

static_assert(ADD == 0 && SUBTRACT == 1 && MULTIPLY == 2 && DIVIDE == 3, "the order of `arithmetic`");
PyObject* of_other_numbers(Binary op, PyObject* a, PyObject* b) {
    if (op <= MULTIPLY && has_arithmetic(a)) return of_two(arithmetic[op], a, b, true);
    if ((op == FLOOR_DIVIDE || op == REMAINDER) && has_arithmetic(a))
        return without_zeros(b) ? of_two(division[op == REMAINDER], a, b, true) : nullptr;
    return op <= DIVIDE ? of_two_complex(arithmetic[op], a, b) : nullptr;
}

PyObject* of_other_numbers(Unary op, PyObject* object) {
    static Ufunc negative{"numpy", "negative"}, absolute{"numpy", "absolute"}, square{"numpy", "square"},
        root{"numpy", "sqrt"}, exponential{"numpy", "exp"};
    static Ufunc logarithm{"numpy", "log"}, sine{"numpy", "sin"}, cosine{"numpy", "cos"};
    PyArrayObject* x = plain(object);
    if (!x || PyArray_SIZE(x) == 0 || !PyArray_ISNOTSWAPPED(x)) return nullptr;
    const bool is_signed = PyTypeNum_ISSIGNED(PyArray_TYPE(x));
    if (!is_signed && !is_complex(x)) return nullptr;
    if (!is_signed && op == RECIPROCAL) {
        static PyObject* const one = PyLong_FromLong(1);
        return one ? of_two_complex(arithmetic[DIVIDE], one, object) : nullptr;
    }
    Ufunc* ufunc = nullptr;
    if (op == NEGATIVE) ufunc = &negative;
    if (op == SQUARE) ufunc = &square;
    if (is_signed && op == ABSOLUTE) ufunc = &absolute;
    if (!is_signed && op == SQRT) ufunc = &root;
    if (!is_signed && op == EXP) ufunc = &exponential;
    if (!is_signed && op == LOG) ufunc = &logarithm;
    if (!is_signed && op == SIN) ufunc = &sine;
    if (!is_signed && op == COS) ufunc = &cosine;
    InnerLoop loop;
    return ufunc && loop.find(*ufunc, 1, PyArray_TYPE(x)) ? run_one(loop, x) : nullptr;
}

// Sums and differences, as those of vectors of real and imaginary parts.
template <class T> static PyObject* joined_parts(Binary op, PyArrayObject* a, PyArrayObject* b) {
    Owned result(new_array(PyArray_DESCR(a), PyArray_NDIM(a), PyArray_DIMS(a)));
    if (!result) return nullptr;
    const auto loop = loops<T>().binary[op];
    const T *left = data_of<T>(a), *right = data_of<T>(b);
    T* out = data_of<T>(result.get());
    const npy_intp count = 2 * PyArray_SIZE(a);
    ReleaseGil unlocked(count >= thread_threshold);
    parallel_for(count, 1, [=](npy_intp begin, npy_intp end) {
        loop(left + begin, 1, right + begin, 1, out + begin, end - begin);
    });
    return result.give();
}
PyObject* of_complex(Binary op, PyArrayObject* a, PyArrayObject* b) {
    if (!plain(reinterpret_cast<PyObject*>(a)) || !plain(reinterpret_cast<PyObject*>(b))) return nullptr;
    if (op == MULTIPLY) return complex_product(a, b, false);
    if (op > SUBTRACT || !is_complex(a) || !same_shape(a, b) || PyArray_SIZE(a) <= few) return nullptr;
    return PyArray_TYPE(a) == NPY_CFLOAT ? joined_parts<float>(op, a, b) : joined_parts<double>(op, a, b);
}

}  // namespace wengert
