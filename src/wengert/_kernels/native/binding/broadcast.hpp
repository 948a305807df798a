// Operands of shapes that broadcast, visited row by row: within a row each operand is one value or contiguous.
#pragma once

#include "binding/common.hpp"

#include <algorithm>

namespace wengert {

// An operand: C-contiguous with row-major strides also where a length of 1 leaves them open, or the same value
// everywhere (`array` null, or an array expanded from one element: `repeated`), or (`expanded`) an array that would be
// C-contiguous without the dimensions along which it is repeated.
struct Operand {
    PyArrayObject* array = nullptr;
    bool repeated = false, expanded = false;
};
inline bool is_repeated_along(PyArrayObject* array, int dim) {
    return PyArray_STRIDE(array, dim) == 0 && PyArray_DIM(array, dim) > 1;
}

// An array whose strides are all 0, as a gradient that was expanded from one element; false if it is something else.
inline bool is_repeated(PyArrayObject* array) {
    if (!(PyArray_FLAGS(array) & NPY_ARRAY_ALIGNED) || PyArray_SIZE(array) == 0) return false;
    for (int i = 0; i < PyArray_NDIM(array); ++i)
        if (PyArray_STRIDE(array, i) != 0) return false;
    return true;
}
inline bool has_row_major_strides(PyArrayObject* array) {
    npy_intp step = PyArray_ITEMSIZE(array);
    for (int i = PyArray_NDIM(array) - 1; i >= 0; --i) {
        if (PyArray_STRIDE(array, i) != step) return false;
        step *= PyArray_DIM(array, i);
    }
    return true;
}
// Whether an array is row-major apart from dimensions along which it is repeated.
inline bool is_expanded(PyArrayObject* array) {
    if (!(PyArray_FLAGS(array) & NPY_ARRAY_ALIGNED) || PyArray_SIZE(array) == 0) return false;
    npy_intp step = PyArray_ITEMSIZE(array);
    bool any = false;
    for (int i = PyArray_NDIM(array) - 1; i >= 0; --i) {
        if (is_repeated_along(array, i)) {
            any = true;
            continue;
        }
        if (PyArray_STRIDE(array, i) != step) return false;
        step *= PyArray_DIM(array, i);  // no more than the bytes of its elements
    }
    return any;
}
// A gradient with this dtype that can be read as an operand.
inline bool read_gradient(PyObject* object, PyArray_Descr* descr, Operand& operand) {
    operand.array = plain(object, descr);
    if (operand.array) return true;
    if (!PyArray_CheckExact(object)) return false;
    operand.array = reinterpret_cast<PyArrayObject*>(object);
    operand.repeated = PyArray_DESCR(operand.array) == descr && is_repeated(operand.array);
    return operand.repeated;
}
// The same of any array that is repeated along some dimensions, for a walk by `Broadcast`.
inline bool read_expanded(PyObject* object, PyArray_Descr* descr, Operand& operand) {
    if (read_gradient(object, descr, operand)) return true;
    operand.expanded =
        PyArray_CheckExact(object) && PyArray_DESCR(operand.array) == descr && is_expanded(operand.array);
    return operand.expanded;
}

template <int count> class Broadcast {
public:
    // False for shapes that do not fit, have no elements or no known layout.
    bool find(const Operand (&operands)[count]) {
        PyArrayObject* first = nullptr;
        bool one_shape = true;
        for (const Operand& operand : operands) {
            if (!operand.array) continue;
            if (!first)
                first = operand.array;
            else
                one_shape = one_shape && same_shape(first, operand.array);
            one_shape = one_shape && !operand.expanded;
        }
        if (!first) return false;
        if (!one_shape) return find_shape(operands) && find_steps(operands);
        ndim_ = PyArray_NDIM(first);
        for (int i = 0; i < ndim_; ++i) shape_[i] = PyArray_DIM(first, i);
        size_ = PyArray_SIZE(first);
        rows_ = 1, width_ = size_, outer_ = 0;
        for (int k = 0; k < count; ++k) inner_[k] = operands[k].array && !operands[k].repeated;
        return size_ > 0;
    }
    PyArrayObject* new_result(PyArray_Descr* descr) const { return new_array(descr, ndim_, shape_); }
    // Whether the result has the shape of an array.
    bool is_like(PyArrayObject* array) const {
        return PyArray_NDIM(array) == ndim_ && std::equal(shape_, shape_ + ndim_, PyArray_DIMS(array));
    }
    npy_intp size() const { return size_; }
    npy_intp inner(int k) const { return inner_[k]; }
    // Whether all operands are one row of elements, or one element.
    bool is_line() const { return rows_ == 1; }

    // body(offset of the result, offsets of the operands, number of elements), in pieces for threads.
    template <class Body> void run(npy_intp cost, const Body& body) const {
        if (rows_ == 1) {
            parallel_for_elements(width_, cost, [&](npy_intp begin, npy_intp end) {
                npy_intp offsets[count];
                for (int k = 0; k < count; ++k) offsets[k] = begin * inner_[k];
                body(begin, offsets, end - begin);
            });
            return;
        }
        parallel_for(rows_, width_ * cost, [&](npy_intp begin, npy_intp end) {
            npy_intp offsets[count] = {}, at[NPY_MAXDIMS], rest = begin;
            for (int i = 1; i <= outer_; ++i) {
                at[i] = rest % lengths_[i];
                rest /= lengths_[i];
                for (int k = 0; k < count; ++k) offsets[k] += at[i] * steps_[k][i];
            }
            for (npy_intp row = begin; row < end; ++row) {
                body(row * width_, offsets, width_);
                for (int i = 1; i <= outer_; ++i) {
                    for (int k = 0; k < count; ++k) offsets[k] += steps_[k][i];
                    if (++at[i] < lengths_[i]) break;
                    at[i] = 0;
                    for (int k = 0; k < count; ++k) offsets[k] -= steps_[k][i] * lengths_[i];
                }
            }
        });
    }

private:
    bool find_shape(const Operand (&operands)[count]) {
        ndim_ = 0;
        for (const Operand& operand : operands)
            if (operand.array && PyArray_NDIM(operand.array) > ndim_) ndim_ = PyArray_NDIM(operand.array);
        for (int i = 0; i < ndim_; ++i) shape_[i] = 1;
        for (const Operand& operand : operands) {
            if (!operand.array) continue;
            if (!operand.repeated && !operand.expanded && !has_row_major_strides(operand.array)) return false;
            const int pad = ndim_ - PyArray_NDIM(operand.array);
            for (int i = pad; i < ndim_; ++i) {
                const npy_intp length = PyArray_DIM(operand.array, i - pad);
                if (length == 1) continue;
                if (shape_[i] != 1 && shape_[i] != length) return false;
                shape_[i] = length;
            }
        }
        Size total(1);
        for (int i = 0; i < ndim_; ++i) total = total * shape_[i];
        if (!(total * Size(16)).fits()) return false;
        size_ = total.value();
        return size_ > 0;
    }
    // The steps of each operand along each dimension; neighbouring dimensions that all operands can walk as one are
    // merged.
    bool find_steps(const Operand (&operands)[count]) {
        npy_intp next[count], steps[count];
        for (int k = 0; k < count; ++k) next[k] = 1;
        int used = 0;  // dimensions found, the innermost first
        for (int i = ndim_ - 1; i >= 0; --i) {
            for (int k = 0; k < count; ++k) {
                const Operand& operand = operands[k];
                const int operand_dim = operand.array ? i - (ndim_ - PyArray_NDIM(operand.array)) : -1;
                const bool moves = operand_dim >= 0 && !operand.repeated &&
                                   !(operand.expanded && is_repeated_along(operand.array, operand_dim));
                const npy_intp length = moves ? PyArray_DIM(operand.array, operand_dim) : 1;
                steps[k] = length == 1 ? 0 : next[k];
                next[k] *= length;
            }
            if (shape_[i] == 1) continue;
            bool goes_on = used > 0;
            for (int k = 0; k < count && goes_on; ++k) goes_on = steps[k] == steps_[k][used - 1] * lengths_[used - 1];
            if (goes_on) {
                lengths_[used - 1] *= shape_[i];
                continue;
            }
            for (int k = 0; k < count; ++k) steps_[k][used] = steps[k];
            lengths_[used++] = shape_[i];
        }
        width_ = used ? lengths_[0] : 1;
        for (int k = 0; k < count; ++k) inner_[k] = used ? steps_[k][0] : 0;
        outer_ = used > 0 ? used - 1 : 0;
        rows_ = size_ / width_;
        return true;
    }

    int ndim_ = 0, outer_ = 0;
    npy_intp size_ = 0, rows_ = 1, width_ = 1;
    npy_intp inner_[count];  // 0 or 1: within a row
    npy_intp shape_[NPY_MAXDIMS];
    npy_intp lengths_[NPY_MAXDIMS],
        steps_[count][NPY_MAXDIMS];  // the innermost first; those of a row, then `outer_` others
};

}  // namespace wengert
