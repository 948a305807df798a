// Views of arrays: how one sees memory, and the arguments that say so. Whatever is unusual or wrong is left to the
// card's body.
#pragma once

#include "binding/common.hpp"

#include <algorithm>

namespace wengert {

using Arguments = PyObject* const*;

// Shape and strides (in bytes) under which memory is seen, from `offset` bytes after an array's first element on.
struct Geometry {
    int ndim = 0;
    npy_intp offset = 0;
    npy_intp shape[NPY_MAXDIMS], strides[NPY_MAXDIMS];

    void add(npy_intp length, npy_intp stride) {
        shape[ndim] = length;
        strides[ndim++] = stride;
    }
};

// An array that views are taken of. One that may not be written to is unusual: its memory may still be writeable.
inline PyArrayObject* viewable(PyObject* object) {
    if (!PyArray_CheckExact(object)) return nullptr;
    auto* array = reinterpret_cast<PyArrayObject*>(object);
    return writeable(array) && PyArray_ITEMSIZE(array) > 0 ? array : nullptr;
}

inline Geometry geometry_of(PyArrayObject* array) {
    Geometry seen;
    for (int dim = 0; dim < PyArray_NDIM(array); ++dim) seen.add(PyArray_DIM(array, dim), PyArray_STRIDE(array, dim));
    return seen;
}

// A view of `array`, as elements of type `descr` if one is given. NumPy makes the end of the chain of bases its base.
PyObject* take(PyArrayObject* array, const Geometry& seen, PyArray_Descr* descr = nullptr);

// Row-major strides for `seen.shape`; false if so many elements have no room in any memory.
bool fill_rows(Geometry& seen, npy_intp itemsize);
// Strides under which `array` is seen as `seen.shape`, which has as many elements; false if that needs a copy.
bool fill_strides(Geometry& seen, PyArrayObject* array);

// Copies `from` into the part of `whole` that is `seen`, of the same shape.
void put(PyArrayObject* whole, const Geometry& seen, PyArrayObject* from);

// Integers of a tuple or list, one for each dimension; how many, or -1.
int as_lengths(PyObject* object, npy_intp* lengths);
// `dims` as an order of all `ndim` dimensions.
bool as_order(PyObject* dims, int ndim, int* order);

// The parts of a dimension that are seen: `count` slices from `first` on, `step` apart.
struct Range {
    npy_intp first = 0, count = 0, step = 1;
};
bool as_range(PyObject* start, PyObject* end, PyObject* step, npy_intp length, Range& range);
// `seen` with only a range of one dimension, or without a dimension, at an index; false if no memory is so large.
bool narrow(Geometry& seen, int dim, const Range& range);
void drop(Geometry& seen, int dim);
// The diagonal of two dimensions as the last one; false if it has no elements.
bool fill_diagonal(Geometry& seen, PyObject* offset, PyObject* dim1, PyObject* dim2);
// `index` counted from the front, if there is such a slice.
inline bool as_place(PyObject* object, npy_intp length, npy_intp& index) {
    if (!as_index(object, index) || index < -length || index >= length) return false;
    index += index < 0 ? length : 0;
    return true;
}

}  // namespace wengert
