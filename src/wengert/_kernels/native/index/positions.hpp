// Where an index array or a mask points in an array.
#pragma once

#include "binding/elements.hpp"

#include <vector>

namespace wengert {

// The positions given by int64 arrays that broadcast, one for each dimension, or by one mask for as many dimensions as
// it has, behind `lead` dimensions that are taken whole. Each index is loaded once and checked; a later change of the
// index arrays has no effect.
struct IndexedPositions {
    int lead = 0, taken = 0, ndim = 0;  // dimensions before the indices, that they replace, that they broadcast to
    bool once = false;                  // no position is repeated
    npy_intp shape[most_dims];          // of the positions
    std::vector<npy_intp> offsets;      // in bytes, of each position

    // `indices`: a list of arrays, None in front of them. False for whatever is unusual or wrong.
    bool find(PyObject* indices, PyArrayObject* array) {
        if (!PyList_CheckExact(indices) || PyList_GET_SIZE(indices) > most_dims) return false;
        const int index_count = static_cast<int>(PyList_GET_SIZE(indices));
        while (lead < index_count && PyList_GET_ITEM(indices, lead) == Py_None) ++lead;
        if (lead == index_count) return false;
        if (lead == index_count - 1)
            if (PyArrayObject* mask = aligned(PyList_GET_ITEM(indices, lead), bool_descr))
                return find_held(mask, array);
        taken = index_count - lead;
        PyArrayObject* arrays[most_dims];
        for (int k = 0; k < taken; ++k)
            if (!(arrays[k] = aligned(PyList_GET_ITEM(indices, lead + k), int64_descr))) return false;
        return lead + taken <= PyArray_NDIM(array) && find_shape(arrays) && find_indices(arrays, array);
    }
    npy_intp count() const { return static_cast<npy_intp>(offsets.size()); }
    // What is left of an array behind the indexed dimensions.
    int rest(PyArrayObject* array) const { return PyArray_NDIM(array) - lead - taken; }
    // The shape of the indexed part of an array; how many dimensions, or -1 if there are too many.
    int shape_of_part(PyArrayObject* array, npy_intp* part_shape) const {
        if (lead + ndim + rest(array) > most_dims) return -1;
        npy_intp* end = std::copy_n(PyArray_DIMS(array), lead, part_shape);
        end = std::copy_n(shape, ndim, end);
        end = std::copy_n(PyArray_DIMS(array) + lead + taken, rest(array), end);
        return static_cast<int>(end - part_shape);
    }

private:
    // Index arrays may be expanded: more positions than this are left to NumPy.
    static constexpr npy_intp most_bytes = npy_intp{1} << 30;

    // The shape that the index arrays broadcast to, with an offset of zero for each position.
    bool find_shape(PyArrayObject* const* arrays) {
        for (int k = 0; k < taken; ++k) ndim = std::max(ndim, PyArray_NDIM(arrays[k]));
        if (ndim > most_dims) return false;
        std::fill_n(shape, ndim, 1);
        for (int k = 0; k < taken; ++k)
            for (int i = 0, pad = ndim - PyArray_NDIM(arrays[k]); i < PyArray_NDIM(arrays[k]); ++i)
                if (PyArray_DIM(arrays[k], i) != 1) shape[pad + i] = PyArray_DIM(arrays[k], i);
        Size size(static_cast<npy_intp>(sizeof(npy_intp)));
        for (int i = 0; i < ndim; ++i) size = size * shape[i];
        if (!size.fits() || size.value() > most_bytes) return false;
        offsets.assign(static_cast<size_t>(size.value()) / sizeof(npy_intp), 0);
        return true;
    }
    bool find_indices(PyArrayObject* const* arrays, PyArrayObject* array) {
        npy_intp strides[most_dims];
        bool inside = true;
        for (int k = 0; k < taken; ++k) {
            if (!stretch(arrays[k], ndim, shape, strides)) return false;
            const npy_intp length = PyArray_DIM(array, lead + k), step = PyArray_STRIDE(array, lead + k);
            const char* data = PyArray_BYTES(arrays[k]);
            npy_intp* offset = offsets.data();
            const npy_intp count = ndim ? shape[ndim - 1] : 1, last_stride = ndim ? strides[ndim - 1] : 0;
            walk(std::max(ndim - 1, 0), shape, strides, strides, 0, 0, [&](npy_intp at, npy_intp) {
                bool all = true;
                for (npy_intp i = 0; i < count; ++i) {
                    const int64_t index = load_once(reinterpret_cast<const int64_t*>(data + at + i * last_stride));
                    const int64_t position = index < 0 ? index + length : index;
                    const bool fits = static_cast<uint64_t>(position) < static_cast<uint64_t>(length);
                    offset[i] += fits ? static_cast<npy_intp>(position) * step : 0;
                    all &= fits;
                }
                inside = inside && all;
                offset += count;
            });
        }
        return inside;
    }
    bool find_held(PyArrayObject* mask, PyArrayObject* array) {
        taken = PyArray_NDIM(mask), ndim = 1, once = true;
        if (taken == 0 || lead + taken > PyArray_NDIM(array)) return false;
        for (int i = 0; i < taken; ++i)
            if (PyArray_DIM(mask, i) != PyArray_DIM(array, lead + i)) return false;
        const char* data = PyArray_BYTES(mask);
        walk(taken, PyArray_DIMS(mask), PyArray_STRIDES(mask), PyArray_STRIDES(array) + lead, 0, 0,
             [&](npy_intp at, npy_intp offset) {
                 if (data[at]) offsets.push_back(offset);
             });
        shape[0] = static_cast<npy_intp>(offsets.size());
        return true;
    }
};

}  // namespace wengert
