// Arrays whose elements fill their memory without gaps, in any order of the dimensions: transposed ones, images with
// their channels innermost. Element-wise functions treat them as vectors.
#pragma once

#include "binding/common.hpp"

#include <algorithm>

namespace wengert {

// The dimensions from the outermost to the innermost in memory, those of one element first; false for an array with
// gaps, overlaps or no elements.
inline bool memory_order(PyArrayObject* x, int* order) {
    const int ndim = PyArray_NDIM(x);
    const npy_intp *shape = PyArray_DIMS(x), *strides = PyArray_STRIDES(x);
    const auto stride_of = [=](int dim) {
        return shape[dim] == 1 ? std::numeric_limits<npy_intp>::max() : strides[dim];
    };
    for (int i = 0; i < ndim; ++i) {
        int at = i;
        for (; at > 0 && stride_of(order[at - 1]) < stride_of(i); --at) order[at] = order[at - 1];
        order[at] = i;
    }
    npy_intp step = PyArray_ITEMSIZE(x);
    for (int i = ndim - 1; i >= 0; --i) {
        const npy_intp length = shape[order[i]];
        if (length == 0 || (length > 1 && strides[order[i]] != step)) return false;
        step *= length;  // no more than the bytes of the array
    }
    return true;
}

// An exact, aligned array without gaps; null for anything else.
inline PyArrayObject* dense(PyObject* object) {
    int order[NPY_MAXDIMS];
    if (!PyArray_CheckExact(object)) return nullptr;
    auto* array = reinterpret_cast<PyArrayObject*>(object);
    return (PyArray_FLAGS(array) & NPY_ARRAY_ALIGNED) && memory_order(array, order) ? array : nullptr;
}

// Whether two dense arrays of one shape have the same strides.
inline bool same_strides(PyArrayObject* a, PyArrayObject* b) {
    return std::equal(PyArray_STRIDES(a), PyArray_STRIDES(a) + PyArray_NDIM(a), PyArray_STRIDES(b));
}

// A new array with the dtype, shape and strides of a dense one.
inline PyArrayObject* new_dense(PyArrayObject* like) {
    PyArrayObject* result = new_array(PyArray_DESCR(like), PyArray_NDIM(like), PyArray_DIMS(like));
    if (!result) return nullptr;
    std::copy(PyArray_STRIDES(like), PyArray_STRIDES(like) + PyArray_NDIM(like), PyArray_STRIDES(result));
    PyArray_UpdateFlags(result, NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS);
    return result;
}

}  // namespace wengert
