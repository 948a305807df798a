// Products of complex arrays in row-major order, for the functions that meet them.
#pragma once

#include "binding/memory_order.hpp"

namespace wengert {

// Whether an array, or null, is one of complex numbers of which the parts can be read.
inline bool is_complex(PyArrayObject* x) {
    return x && (PyArray_TYPE(x) == NPY_CFLOAT || PyArray_TYPE(x) == NPY_CDOUBLE) && !PyArray_ISBYTESWAPPED(x);
}

template <class T> PyObject* complex_product_of(PyArrayObject* a, PyArrayObject* b, bool conjugated) {
    Owned result(new_array(PyArray_DESCR(a), PyArray_NDIM(a), PyArray_DIMS(a)));
    if (!result) return nullptr;
    const npy_intp count = PyArray_SIZE(a);
    const T *left = data_of<T>(a), *right = data_of<T>(b);
    T* out = data_of<T>(result.get());
    const auto form = loops<T>().complex_product[conjugated];
    ReleaseGil unlocked(count >= thread_threshold);
    parallel_for(count, 2, [=](npy_intp begin, npy_intp end) {
        form(left + 2 * begin, right + 2 * begin, out + 2 * begin, end - begin);
    });
    return result.give();
}
// a b, or a times the conjugate of b, of one dtype and shape; null without an error for other operands.
inline PyObject* complex_product(PyArrayObject* a, PyArrayObject* b, bool conjugated) {
    if (!is_complex(a) || !is_complex(b) || PyArray_TYPE(a) != PyArray_TYPE(b) || !same_shape(a, b) ||
        PyArray_SIZE(a) == 0)
        return nullptr;
    if (PyArray_TYPE(a) == NPY_CFLOAT) return complex_product_of<float>(a, b, conjugated);
    return complex_product_of<double>(a, b, conjugated);
}

// The complex conjugates of a row-major array; null without an error for others.
PyObject* conjugate_of(PyObject* x);

// Products of small complex matrices, with the arguments of the cards; null without an error for other operands.
PyObject* complex_mm(PyObject* const* args);
PyObject* complex_mv(PyObject* const* args);
PyObject* complex_dot(PyObject* const* args);
PyObject* complex_bmm(PyObject* const* args);
PyObject* complex_matmul(PyObject* const* args);
PyObject* complex_first_rule(PyObject* const* args);
PyObject* complex_second_rule(PyObject* const* args);
PyObject* complex_bmm_first_rule(PyObject* const* args);
PyObject* complex_bmm_second_rule(PyObject* const* args);
PyObject* complex_mv_first_rule(PyObject* const* args);
PyObject* complex_mv_second_rule(PyObject* const* args);
PyObject* complex_dot_rule(PyObject* const* args);

}  // namespace wengert
