// Views of arrays: their geometry, and the arguments that determine it. Unsupported and wrong arguments are left to the
// card's body.
#pragma once

#include "binding/common.hpp"

#include <algorithm>

namespace wengert {

using Arguments = PyObject* const*;

// Shape, strides in bytes, and offset in bytes from the first element of the base.
struct ViewGeometry {
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

inline ViewGeometry geometry_of(PyArrayObject* array) {
    ViewGeometry geometry;
    for (int dim = 0; dim < PyArray_NDIM(array); ++dim)
        geometry.add(PyArray_DIM(array, dim), PyArray_STRIDE(array, dim));
    return geometry;
}

// A view of `array`, as elements of type `descr` if one is given. NumPy makes the end of the chain of bases its base.
PyObject* take(PyArrayObject* array, const ViewGeometry& geometry, PyArray_Descr* descr = nullptr);

// Row-major strides for `geometry.shape`; false if so many elements have no room in any memory.
bool fill_rows(ViewGeometry& geometry, npy_intp itemsize);
// Strides under which `array` is seen as `geometry.shape`, which has as many elements; false if that needs a copy.
bool fill_strides(ViewGeometry& geometry, PyArrayObject* array);

// Copies `from` into the part of `target` that is `geometry`, of the same shape.
void put(PyArrayObject* target, const ViewGeometry& geometry, PyArrayObject* from);

// Integers of a tuple or list, one for each dimension; how many, or -1.
int as_lengths(PyObject* object, npy_intp* lengths);
// `dims` as an order of all `ndim` dimensions.
bool as_order(PyObject* dims, int ndim, int* order);

// A range of a dimension: `count` slices from `first` on, `step` apart.
struct Range {
    npy_intp first = 0, count = 0, step = 1;
};
bool as_range(PyObject* start, PyObject* end, PyObject* step, npy_intp length, Range& range);
// `geometry` with only a range of one dimension, or without a dimension, at an index; false if no memory is so large.
bool narrow(ViewGeometry& geometry, int dim, const Range& range);
void drop(ViewGeometry& geometry, int dim);
// The diagonal of two dimensions as the last one; false if it has no elements.
bool fill_diagonal(ViewGeometry& geometry, PyObject* offset, PyObject* dim1, PyObject* dim2);
// `index` counted from the front, if there is such a slice.
inline bool as_position(PyObject* object, npy_intp length, npy_intp& index) {
    if (!as_index(object, index) || index < -length || index >= length) return false;
    index += index < 0 ? length : 0;
    return true;
}

}  // namespace wengert
