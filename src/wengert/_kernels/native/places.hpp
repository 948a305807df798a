// Where an index array or a mask points in an array.
#pragma once

#include "elements.hpp"

#include <vector>

namespace wengert {

// What one int64 array names in a dimension, or one mask in as many as it has, behind `lead` others that are whole. Each
// index is loaded once and checked; what is found stays as it was.
struct Places {
    int lead = 0, taken = 0, ndim = 0;  // dimensions before, those that the index stands for, those that it gives
    bool once = false;                  // no place is named twice
    npy_intp shape[most_dims];          // of what it gives
    std::vector<npy_intp> offsets;      // in bytes, for each place

    // `indices`: a list of arrays, of which only the last is not None. False for whatever is unusual or wrong.
    bool find(PyObject* indices, PyArrayObject* array) {
        if (!PyList_CheckExact(indices) || PyList_GET_SIZE(indices) == 0 || PyList_GET_SIZE(indices) > most_dims) return false;
        lead = static_cast<int>(PyList_GET_SIZE(indices)) - 1;
        for (int i = 0; i < lead; ++i)
            if (PyList_GET_ITEM(indices, i) != Py_None) return false;
        PyObject* last = PyList_GET_ITEM(indices, lead);
        if (PyArrayObject* index = aligned(last, int64_descr)) return find_indices(index, array);
        PyArrayObject* mask = aligned(last, bool_descr);
        return mask && find_held(mask, array);
    }
    npy_intp count() const { return static_cast<npy_intp>(offsets.size()); }
    // What is left of an array behind the indexed dimensions.
    int rest(PyArrayObject* array) const { return PyArray_NDIM(array) - lead - taken; }
    // The shape of the indexed part of an array; how many dimensions, or -1 if there are too many.
    int shape_of_part(PyArrayObject* array, npy_intp* whole) const {
        if (lead + ndim + rest(array) > most_dims) return -1;
        npy_intp* end = std::copy_n(PyArray_DIMS(array), lead, whole);
        end = std::copy_n(shape, ndim, end);
        end = std::copy_n(PyArray_DIMS(array) + lead + taken, rest(array), end);
        return static_cast<int>(end - whole);
    }

private:
    bool find_indices(PyArrayObject* index, PyArrayObject* array) {
        if (lead >= PyArray_NDIM(array) || PyArray_NDIM(index) > most_dims) return false;
        const npy_intp length = PyArray_DIM(array, lead), step = PyArray_STRIDE(array, lead);
        taken = 1, ndim = PyArray_NDIM(index);
        std::copy_n(PyArray_DIMS(index), ndim, shape);
        offsets.reserve(static_cast<size_t>(PyArray_SIZE(index)));
        bool inside = true;
        const char* data = PyArray_BYTES(index);
        walk(ndim, shape, PyArray_STRIDES(index), PyArray_STRIDES(index), 0, 0, [&](npy_intp at, npy_intp) {
            npy_intp place = load_once(reinterpret_cast<const int64_t*>(data + at));
            if (place < 0) place += length;
            if (place < 0 || place >= length) inside = false;
            else offsets.push_back(place * step);
        });
        return inside;
    }
    bool find_held(PyArrayObject* mask, PyArrayObject* array) {
        taken = PyArray_NDIM(mask), ndim = 1, once = true;
        if (taken == 0 || lead + taken > PyArray_NDIM(array)) return false;
        for (int i = 0; i < taken; ++i)
            if (PyArray_DIM(mask, i) != PyArray_DIM(array, lead + i)) return false;
        const char* data = PyArray_BYTES(mask);
        walk(taken, PyArray_DIMS(mask), PyArray_STRIDES(mask), PyArray_STRIDES(array) + lead, 0, 0, [&](npy_intp at, npy_intp offset) {
            if (data[at]) offsets.push_back(offset);
        });
        shape[0] = static_cast<npy_intp>(offsets.size());
        return true;
    }
};

}  // namespace wengert
