// What a reduction works along: one block of neighbouring axes, (outer, reduced, inner) -> (outer, inner).
#pragma once

#include "binding/dense.hpp"

#include <algorithm>

namespace wengert {

constexpr npy_intp piece =
    65536;  // elements that are summed together; neither they nor the result depend on the threads

// The sum of what part(first, count) gives for the pieces of a long row, by threads.
template <class Part> double in_pieces(npy_intp count, Part part) {
    constexpr npy_intp together = 256;
    if (count <= piece) return part(npy_intp{0}, count);
    double piece_sums[together], total = 0;
    for (npy_intp start = 0; start < count; start += together * piece) {
        const npy_intp pieces = std::min(together, (count - start + piece - 1) / piece);
        double* parts = piece_sums;
        parallel_for(pieces, piece, [=](npy_intp begin, npy_intp end) {
            for (npy_intp i = begin; i < end; ++i)
                parts[i] = part(start + i * piece, std::min(piece, count - start - i * piece));
        });
        for (npy_intp i = 0; i < pieces; ++i) total += piece_sums[i];
    }
    return total;
}

// The sum of `count` elements with a step of `step`.
template <class T> double sum_of(const T* x, npy_intp count, npy_intp step) {
    if (step == 1)
        return in_pieces(count, [=](npy_intp at, npy_intp some) { return loops<T>().row_sum_double(x + at, some); });
    double sum = 0;
    for (npy_intp i = 0; i < count; ++i) sum += static_cast<double>(x[i * step]);
    return sum;
}

struct Block {
    npy_intp outer = 1, reduced = 1, inner = 1;
    npy_intp shape[NPY_MAXDIMS];  // of the result
    int ndim = 0;
};

inline bool mark_axis(PyObject* object, int ndim, bool* marked) {
    npy_intp axis = 0;
    if (!object || !as_index(object, axis)) return false;
    if (axis < 0) axis += ndim;
    if (axis < 0 || axis >= ndim || marked[axis]) return false;
    marked[axis] = true;
    return true;
}

// None, or a tuple or list with nothing in it.
inline bool names_nothing(PyObject* dim) {
    return dim == Py_None ||
           ((PyTuple_CheckExact(dim) || PyList_CheckExact(dim)) && PySequence_Fast_GET_SIZE(dim) == 0);
}

// Whether `object` names dimensions as cards take them: an integer, or a tuple or list of them; None or nothing in it
// for all. A 0-dim array has one dimension to name.
inline bool mark_dims(PyObject* object, int ndim, bool* marked) {
    const bool several = PyTuple_CheckExact(object) || PyList_CheckExact(object);
    const Py_ssize_t count = several ? PySequence_Fast_GET_SIZE(object) : 1;
    if (names_nothing(object)) {
        for (int i = 0; i < ndim; ++i) marked[i] = true;
        return true;
    }
    for (Py_ssize_t i = 0; i < count; ++i)
        if (!mark_axis(several ? PySequence_Fast_GET_ITEM(object, i) : object, ndim ? ndim : 1, marked)) return false;
    return true;
}

// False unless the marked axes are neighbours.
inline bool make_block(PyArrayObject* x, const bool* marked, bool keepdims, Block& block) {
    int state = 0;  // 0: before the block, 1: in it, 2: behind
    for (int i = 0; i < PyArray_NDIM(x); ++i) {
        const npy_intp size = PyArray_DIM(x, i);
        if (marked[i]) {
            if (state == 2) return false;
            state = 1;
            block.reduced *= size;
            if (keepdims) block.shape[block.ndim++] = 1;
        } else {
            if (state == 1) state = 2;
            (state == 2 ? block.inner : block.outer) *= size;
            block.shape[block.ndim++] = size;
        }
    }
    return true;
}

// For `axis` as kernels take it: an int, a tuple of them, or None for all.
inline bool find_axes(PyArrayObject* x, PyObject* axes, bool keepdims, Block& block) {
    const int ndim = PyArray_NDIM(x);
    bool marked[NPY_MAXDIMS] = {};
    if (absent(axes)) {
        for (int i = 0; i < ndim; ++i) marked[i] = true;
    } else if (PyTuple_CheckExact(axes)) {
        if (PyTuple_GET_SIZE(axes) == 0) return false;  // nothing to reduce: a copy, which the twin makes
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(axes); ++i)
            if (!mark_axis(PyTuple_GET_ITEM(axes, i), ndim, marked)) return false;
    } else if (!mark_axis(axes, ndim, marked)) {
        return false;
    }
    return ndim > 0 && make_block(x, marked, keepdims, block);
}

// For `dim` and `keepdim` as cards take them; false also where the result has no elements, whose strides are not
// NumPy's.
inline bool find_dims(PyArrayObject* x, PyObject* dim, PyObject* keepdim, Block& block) {
    bool marked[NPY_MAXDIMS] = {}, keepdims = false;
    return as_flag(keepdim, keepdims) && mark_dims(dim, PyArray_NDIM(x), marked) &&
           make_block(x, marked, keepdims, block) && block.outer * block.inner > 0;
}

// The block of an array that is not row-major, with its dimensions in memory order; false if the reduced ones are not
// neighbours there, or the others change their order.
inline bool find_block_in_memory(PyArrayObject* x, PyObject* dim, PyObject* keepdim, Block& block) {
    bool marked[NPY_MAXDIMS] = {}, keepdims = false;
    int order[NPY_MAXDIMS], last = -1, state = 0;  // 0: before the block, 1: in it, 2: behind
    const int ndim = PyArray_NDIM(x);
    if (!as_flag(keepdim, keepdims) || !mark_dims(dim, ndim, marked) || !memory_order(x, order)) return false;
    for (int i = 0; i < ndim; ++i) {
        const npy_intp size = PyArray_DIM(x, order[i]);
        if (size == 1) continue;
        if (marked[order[i]]) {
            if (state == 2) return false;
            state = 1;
            block.reduced *= size;
        } else {
            if (order[i] < last) return false;
            last = order[i];
            if (state == 1) state = 2;
            (state == 2 ? block.inner : block.outer) *= size;
        }
    }
    for (int i = 0; i < ndim; ++i)
        if (!marked[i] || keepdims) block.shape[block.ndim++] = marked[i] ? 1 : PyArray_DIM(x, i);
    return true;
}

// An array without gaps, whatever the order of its dimensions, and the block that is reduced; null for others.
inline PyArrayObject* reduced_along(PyObject* object, PyObject* dim, PyObject* keepdim, Block& block) {
    if (PyArrayObject* x = plain(object)) return find_dims(x, dim, keepdim, block) ? x : nullptr;
    PyArrayObject* x = dense(object);
    return x && find_block_in_memory(x, dim, keepdim, block) ? x : nullptr;
}

}  // namespace wengert
