// Elements at the positions that an index array gives along an axis: shared by gather, scatter and related functions.
#pragma once

#include "binding/memory_order.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

namespace wengert {

// A contiguous index beside a contiguous array of as many dimensions: along the other dimensions it is as long, or
// shorter.
class Over {
public:
    // False where the index is longer, or the array has no elements.
    bool find(int ndim, const npy_intp* shape, PyArrayObject* index, int axis) {
        if (ndim < 1 || PyArray_NDIM(index) != ndim) return false;
        for (int dim = 0; dim < ndim; ++dim) {
            if (shape[dim] == 0 || (dim != axis && PyArray_DIM(index, dim) > shape[dim])) return false;
            shorter_ = shorter_ || (dim != axis && PyArray_DIM(index, dim) != shape[dim]);
        }
        line = line_of(PyArray_DIMS(index), ndim, axis);
        length = shape[axis], step = 1;
        for (int dim = axis + 1; dim < ndim; ++dim) step *= shape[dim];
        if (shorter_) {
            fill(before_, line.outer, shape, PyArray_DIMS(index), 0, axis, length * step);
            fill(behind_, line.inner, shape, PyArray_DIMS(index), axis + 1, ndim, 1);
        }
        return true;
    }
    bool is_shorter() const { return shorter_; }
    // Where a line begins in an array that is longer.
    npy_intp start(npy_intp outer, npy_intp inner) const {
        return before_[static_cast<size_t>(outer)] + behind_[static_cast<size_t>(inner)];
    }

    Line line;                      // of the index
    npy_intp length = 0, step = 0;  // of the array along the axis

private:
    // The offsets of the positions of an index along some dimensions, with `inner` as the step along the last of them.
    static void fill(std::vector<npy_intp>& positions, npy_intp count, const npy_intp* shape, const npy_intp* lengths,
                     int first, int last, npy_intp inner) {
        positions.reserve(static_cast<size_t>(count));
        for (npy_intp number = 0; number < count; ++number) {
            npy_intp rest = number, position = 0, stride = inner;
            for (int dim = last - 1; dim >= first; stride *= shape[dim--]) {
                position += rest % lengths[dim] * stride;
                rest /= lengths[dim];
            }
            positions.push_back(position);
        }
    }

    bool shorter_ = false;
    std::vector<npy_intp> before_, behind_;
};

// The part of an array that has the shape of an index of as many dimensions, contiguous: itself or a copy, owned by the
// caller; null without an error if the index is longer.
inline PyArrayObject* part_under(PyArrayObject* array, PyArrayObject* index) {
    if (same_shape(array, index) && PyArray_IS_C_CONTIGUOUS(array)) return Py_INCREF(array), array;
    if (PyArray_NDIM(array) != PyArray_NDIM(index)) return nullptr;
    for (int dim = 0; dim < PyArray_NDIM(array); ++dim)
        if (PyArray_DIM(index, dim) > PyArray_DIM(array, dim)) return nullptr;
    const Owned part(view_as(array, PyArray_NDIM(index), PyArray_DIMS(index), PyArray_STRIDES(array)));
    return part ? new_copy(part.get()) : nullptr;
}

constexpr npy_intp strip_bytes = 1 << 16;  // of the indexed array that one strip of neighbouring lines may reach
constexpr npy_intp strip_least = 64;       // lines in a strip: with fewer, reading the index waits for each of its rows

// body(offset in the indexed array, offset in the index) for each index, in the order of the indices for each place. An
// index is loaded once, checked and used; false if one lies outside. Lines are visited in strips, so that the elements
// at their indices stay in the cache.
template <class Body> bool at_positions(const int64_t* index, const Over& over, npy_intp bytes, const Body& body) {
    const Line& line = over.line;
    if (line.outer == 0 || line.inner == 0) return true;
    const npy_intp fitting = strip_bytes / std::max<npy_intp>((Size(over.length) * bytes).value_or_most(), 1);
    const npy_intp width = std::min(line.inner, std::max(fitting, strip_least)),
                   strips = (line.inner + width - 1) / width;
    std::atomic<bool> inside{true};
    parallel_for(line.outer * strips, (Size(line.length) * width).value_or_most(),
                 [=, &inside, &over](npy_intp begin, npy_intp end) {
                     // Local copies: the compiler must assume that stores change what was captured.
                     const Body visit = body;
                     const int64_t* const indices = index;
                     const npy_intp length = over.length, step = over.step, inner = over.line.inner,
                                    many = over.line.length;
                     bool all_inside = true;
                     const auto visit_index = [&](npy_intp at, npy_intp start, npy_intp stride) {
                         const int64_t position = load_once(indices + at);
                         if (static_cast<uint64_t>(position) < static_cast<uint64_t>(length))
                             visit(start + static_cast<npy_intp>(position) * stride, at);
                         else
                             all_inside = false;
                     };
                     for (npy_intp strip = begin; strip < end; ++strip) {
                         const npy_intp o = strips == 1 ? strip : strip / strips,  // a division takes long
                             first = (strip - o * strips) * width, last = std::min(first + width, inner);
                         if (over.is_shorter())
                             for (npy_intp i = 0; i < many; ++i)
                                 for (npy_intp j = first; j < last; ++j)
                                     visit_index((o * many + i) * inner + j, over.start(o, j), step);
                         else if (inner == 1)
                             for (npy_intp i = 0; i < many; ++i) visit_index(o * many + i, o * length, 1);
                         else
                             for (npy_intp i = 0; i < many; ++i)
                                 for (npy_intp j = first; j < last; ++j)
                                     visit_index((o * many + i) * inner + j, o * length * inner + j, inner);
                     }
                     if (!all_inside) inside.store(false, std::memory_order_relaxed);
                 });
    return inside.load();
}

}  // namespace wengert
