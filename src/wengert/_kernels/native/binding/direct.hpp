// Shared by the functions that dispatch calls instead of the bodies of cards and rules: `direct_<name>`. They take all
// arguments by position, and return NotImplemented for arguments that they do not support, wrong ones included.
#pragma once

#include "binding/common.hpp"

namespace wengert {

// A function of exactly `count` arguments. `compute` returns null without a Python error for what it does not know.
template <Py_ssize_t count, PyObject* (*compute)(PyObject* const*)>
PyObject* direct(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
    if (nargs == count) {
        try {
            PyObject* result = compute(args);
            if (result || PyErr_Occurred()) return result;
        } catch (const std::bad_alloc&) {
            return PyErr_NoMemory();
        }
    }
    Py_RETURN_NOTIMPLEMENTED;
}

// Whether an array is in row-major order, possibly with gaps, as a part of a matrix is, and has no element twice:
// results that follow its order are row-major, too.
inline bool is_row_major_with_gaps(PyArrayObject* array) {
    npy_intp least = PyArray_ITEMSIZE(array);
    for (int dim = PyArray_NDIM(array) - 1; dim >= 0; --dim) {
        if (PyArray_DIM(array, dim) == 1) continue;
        if (PyArray_STRIDE(array, dim) < least) return false;
        least = PyArray_STRIDE(array, dim) * PyArray_DIM(array, dim);
    }
    return true;
}
// A function with an in-place form: compute(args, target) writes into `target`, or returns a new array if it is null.
using Written = PyObject* (*)(PyObject* const*, PyArrayObject* target);
template <Written compute> PyObject* newly(PyObject* const* args) { return compute(args, nullptr); }
// The in-place form: writes into the first argument and returns None.
template <Written compute> PyObject* in_place(PyObject* const* args) {
    PyArrayObject* target = plain(args[0]);
    PyObject* result = target && writeable(target) ? compute(args, target) : nullptr;
    if (!result) return nullptr;
    Py_DECREF(result);
    Py_RETURN_NONE;
}
// The target, or a new array like `x`; owned by the caller.
inline PyArrayObject* target_or_new(PyArrayObject* target, PyArrayObject* x) {
    if (!target) return new_array(PyArray_DESCR(x), PyArray_NDIM(x), PyArray_DIMS(x));
    Py_INCREF(target);
    return target;
}

// Picks the form for the dtype of argument number `at`, an array.
template <PyObject* (*for_float)(PyObject* const*), PyObject* (*for_double)(PyObject* const*), int at = 0>
PyObject* by_element(PyObject* const* args) {
    if (!PyArray_CheckExact(args[at])) return nullptr;
    PyArray_Descr* descr = PyArray_DESCR(reinterpret_cast<PyArrayObject*>(args[at]));
    if (descr == float_descr) return for_float(args);
    return descr == double_descr ? for_double(args) : nullptr;
}

// An exact, aligned array of this dtype, of any strides.
inline PyArrayObject* aligned(PyObject* object, PyArray_Descr* descr) {
    if (!PyArray_CheckExact(object)) return nullptr;
    auto* array = reinterpret_cast<PyArrayObject*>(object);
    return PyArray_DESCR(array) == descr && (PyArray_FLAGS(array) & NPY_ARRAY_ALIGNED) ? array : nullptr;
}
// The same as a contiguous array: itself or a copy, owned by the caller; null without an error for another object.
inline PyArrayObject* as_contiguous(PyObject* object, PyArray_Descr* descr) {
    PyArrayObject* array = aligned(object, descr);
    if (!array) return nullptr;
    if (PyArray_FLAGS(array) & NPY_ARRAY_C_CONTIGUOUS) {
        Py_INCREF(array);
        return array;
    }
    return new_copy(array);
}

// As `plain`, for functions whose result has the order of the operand: strides that are ambiguous because of lengths of
// 1 are refused.
inline PyArrayObject* row_major_only(PyObject* object, PyArray_Descr* descr) {
    PyArrayObject* array = plain(object, descr);
    return array && is_row_major(array) ? array : nullptr;
}
// Whether an array was expanded from one element, as the gradient of a sum is.
inline bool repeats_one_element(PyArrayObject* array) {
    for (int i = 0; i < PyArray_NDIM(array); ++i)
        if (PyArray_STRIDE(array, i) != 0) return false;
    return true;
}
// A row-major gradient, or a copy of one that repeats a single element: owned by the caller.
inline PyArrayObject* contiguous_gradient(PyObject* object, PyArray_Descr* descr) {
    PyArrayObject* array = aligned(object, descr);
    if (!array || PyArray_SIZE(array) == 0) return nullptr;
    if (is_row_major(array)) {
        Py_INCREF(array);
        return array;
    }
    return repeats_one_element(array) ? new_copy(array) : nullptr;
}
template <class T> inline bool all_finite(const T* x, npy_intp count) {
    int strange = 0;
#pragma omp simd reduction(| : strange)
    for (npy_intp i = 0; i < count; ++i) strange |= x[i] - x[i] != T(0);
    return !strange;
}

// The gradient of the first of several results, if no other has one; null otherwise.
inline PyObject* first_alone(PyObject* gradients) {
    if (!PyList_CheckExact(gradients) || PyList_GET_SIZE(gradients) == 0) return nullptr;
    for (Py_ssize_t at = 1; at < PyList_GET_SIZE(gradients); ++at)
        if (PyList_GET_ITEM(gradients, at) != Py_None) return nullptr;
    PyObject* first = PyList_GET_ITEM(gradients, 0);
    return first == Py_None ? nullptr : first;
}

constexpr int most_dims = 32;  // of arrays made here; NumPy 1 allows no more

// The lengths in a tuple; how many, or -1 if it is none, or more than memory can hold.
inline int as_shape(PyObject* object, npy_intp* shape) {
    if (!PyTuple_Check(object) || PyTuple_GET_SIZE(object) > most_dims) return -1;
    const int ndim = static_cast<int>(PyTuple_GET_SIZE(object));
    Size count(16);  // bytes of the largest element
    for (int i = 0; i < ndim; ++i) {
        if (!as_index(PyTuple_GET_ITEM(object, i), shape[i]) || shape[i] < 0) return -1;
        count = count * shape[i];
    }
    return count.fits() ? ndim : -1;
}

// (outer, length, inner): the lengths before, along and behind an axis, multiplied.
struct Line {
    npy_intp outer = 1, length = 1, inner = 1;
};
inline Line line_of(const npy_intp* shape, int ndim, int axis) {
    Line line;
    for (int i = 0; i < ndim; ++i) {
        npy_intp& lengths = i < axis ? line.outer : line.inner;
        (i == axis ? line.length : lengths) *= shape[i];
    }
    return line;
}

}  // namespace wengert
