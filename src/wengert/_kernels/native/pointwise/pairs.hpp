// How two operands of an element-wise function broadcast, and the loop over them in pieces.
#pragma once

#include <algorithm>

#include "binding/common.hpp"

namespace wengert {

// How two C-contiguous operands broadcast: one is `large` (the shape of the result), the other fills the block `middle`
// of outer x middle x inner and is repeated over the rest: a row has inner 1, a column outer 1, a channel bias neither.
struct Layout {
    PyArrayObject* shape_of;  // the operand whose shape the result has
    npy_intp outer, middle, inner;
};

inline bool block_layout(PyArrayObject* large, PyArrayObject* small, Layout& layout) {
    const int ndim = PyArray_NDIM(large), pad = ndim - PyArray_NDIM(small);
    if (pad < 0) return false;
    const npy_intp *shape = PyArray_DIMS(large), *part = PyArray_DIMS(small);
    layout = {large, 1, 1, 1};
    int axis = 0;
    while (axis < ndim && (axis < pad || part[axis - pad] == 1)) layout.outer *= shape[axis++];
    while (axis < ndim && part[axis - pad] == shape[axis]) layout.middle *= shape[axis++];
    while (axis < ndim && part[axis - pad] == 1) layout.inner *= shape[axis++];
    if (axis < ndim) return false;
    if (layout.middle == 1) {  // one value for all
        layout.inner *= layout.outer;
        layout.outer = 1;
    }
    return true;
}

inline bool is_in_rows(PyArrayObject* array) { return (PyArray_FLAGS(array) & NPY_ARRAY_C_CONTIGUOUS) != 0; }

// How two operands broadcast, and which of them are contiguous along the result; false for other shapes.
inline bool arrange(PyArrayObject* a, PyArrayObject* b, Layout& layout, bool& a_large, bool& b_large) {
    const bool a_repeated = !is_in_rows(a), b_repeated = !is_in_rows(b);
    if (a_repeated || b_repeated) {
        if ((a_repeated && b_repeated) || !same_shape(a, b)) return false;
        layout = {a_repeated ? b : a, 1, 1, PyArray_SIZE(a)};
        a_large = !a_repeated, b_large = !b_repeated;
    } else if (same_shape(a, b)) {
        layout = {a, 1, PyArray_SIZE(a), 1};
    } else if (PyArray_NDIM(a) >= PyArray_NDIM(b) && block_layout(a, b, layout)) {
        b_large = false;
    } else if (block_layout(b, a, layout)) {
        a_large = false;
    } else {
        return false;
    }
    return true;
}

constexpr npy_intp row_room = 512;  // elements

template <class T>
void run(BinaryLoop<T> loop, npy_intp cost, const T* a, const T* b, T* out, bool a_large, bool b_large,
         const Layout& layout) {
    const npy_intp outer = layout.outer, middle = layout.middle, inner = layout.inner;
    if (a_large == b_large || middle == 1) {
        const npy_intp count = a_large == b_large ? outer * middle * inner : inner;
        parallel_for(count, cost, [=](npy_intp begin, npy_intp end) {
            loop(a_large ? a + begin : a, a_large, b_large ? b + begin : b, b_large, out + begin, end - begin);
        });
    } else if (inner == 1) {
        parallel_for(outer, middle * cost, [=](npy_intp begin, npy_intp end) {
            T several[row_room];
            const npy_intp most = std::min(end - begin, row_room / middle),
                           together = most < 4 ? 1 : most;  // so many rows at a time
            const npy_intp step = together * middle;
            const T* row = a_large ? b : a;
            if (together > 1) {
                for (npy_intp at = 0; at < step; at += middle) std::copy_n(row, middle, several + at);
                row = several;
            }
            for (npy_intp o = begin * middle; o < end * middle; o += step)
                loop(a_large ? a + o : row, 1, b_large ? b + o : row, 1, out + o, std::min(step, end * middle - o));
        });
    } else {
        parallel_for(outer * middle, inner * cost, [=](npy_intp begin, npy_intp end) {
            for (npy_intp r = begin; r < end; ++r)
                loop(a_large ? a + r * inner : a + r % middle, a_large, b_large ? b + r * inner : b + r % middle,
                     b_large, out + r * inner, inner);
        });
    }
}

}  // namespace wengert
