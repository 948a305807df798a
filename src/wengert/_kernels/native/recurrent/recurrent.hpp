// The arguments of the functions of recurrent networks, checked before memory is touched.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "binding/common.hpp"
#include "recurrent/steps.hpp"

namespace wengert {

// (rows, columns), or null; a number below 0 is any length.
inline PyArrayObject* matrix_of(PyObject* object, PyArray_Descr* descr, npy_intp rows, npy_intp columns) {
    PyArrayObject* array = plain(object, descr);
    if (!array || PyArray_NDIM(array) != 2 || PyArray_SIZE(array) == 0) return nullptr;
    const bool fits = (rows < 0 || PyArray_DIM(array, 0) == rows) && (columns < 0 || PyArray_DIM(array, 1) == columns);
    return fits ? array : nullptr;
}
template <class T> bool read_matrix(PyObject* object, npy_intp rows, npy_intp columns, const T*& data) {
    PyArrayObject* array = matrix_of(object, descr_of<T>(), rows, columns);
    data = array ? data_of<T>(array) : nullptr;
    return array != nullptr;
}
template <class T> bool read_optional(PyObject* object, npy_intp rows, npy_intp columns, const T*& data) {
    data = nullptr;
    return absent(object) || read_matrix(object, rows, columns, data);
}

// `sizes` is a tuple of the numbers of sequences that reach each step, or None where all do; there are `rows` steps in
// all.
inline bool read_steps(PyObject* sizes, PyObject* reverse, npy_intp rows, npy_intp batch, Steps& steps) {
    if (!as_flag(reverse, steps.reverse) || rows < 1 || batch < 1) return false;
    steps.batch = batch;
    if (absent(sizes)) {
        if (rows % batch) return false;
        steps.sizes.assign(static_cast<size_t>(rows / batch), batch);
    } else {
        if (!PyTuple_CheckExact(sizes)) return false;
        for (Py_ssize_t t = 0; t < PyTuple_GET_SIZE(sizes); ++t) {
            npy_intp size = 0;
            if (!as_index(PyTuple_GET_ITEM(sizes, t), size) || size < 1 || size > (t ? steps.sizes.back() : batch))
                return false;
            steps.sizes.push_back(size);
        }
        if (steps.sizes.empty() || steps.sizes[0] != batch) return false;
    }
    Size total(0);
    for (const index_t size : steps.sizes) {
        steps.offsets.push_back(total.value_or_most());
        total = total + size;
    }
    return total.fits() && total.value() == rows;
}

// A network of `gates` gates of `size` units, whose state that is multiplied has `width` numbers.
struct Recurrence {
    npy_intp rows = 0, batch = 0, size = 0, width = 0;
    Steps steps;
};
// From what the inputs contribute, or its gradient, (rows, gates * size), and the state, (batch, width).
inline bool read_shape(PyArrayObject* inputs, PyArrayObject* state, npy_intp gates, PyObject* sizes, PyObject* reverse,
                       Recurrence& shape) {
    if (!inputs || !state || PyArray_DIM(inputs, 1) % gates) return false;
    shape.rows = PyArray_DIM(inputs, 0), shape.size = PyArray_DIM(inputs, 1) / gates;
    shape.batch = PyArray_DIM(state, 0), shape.width = PyArray_DIM(state, 1);
    return read_steps(sizes, reverse, shape.rows, shape.batch, shape.steps);
}
inline npy_intp cost_of(const Recurrence& s, npy_intp gates) {  // of a sequence
    return (Size(gates) * s.size * (Size(s.width) + 32) * (s.rows / s.batch)).value_or_most() / 8;
}
inline bool is_long(const Recurrence& s, npy_intp gates) { return cost_of(s, gates) >= thread_threshold / s.batch; }

template <class T> PyArrayObject* new_matrix(npy_intp rows, npy_intp columns) {
    const npy_intp shape[2] = {rows, columns};
    return new_array(descr_of<T>(), 2, shape);
}
// A new (rows, columns) with the numbers of `from`, or zeros.
template <class T> PyArrayObject* copy_of(const T* from, npy_intp rows, npy_intp columns) {
    PyArrayObject* result = new_matrix<T>(rows, columns);
    if (result && from) std::copy(from, from + rows * columns, data_of<T>(result));
    if (result && !from) std::fill(data_of<T>(result), data_of<T>(result) + rows * columns, T(0));
    return result;
}
template <int count> bool all_allocated(const Owned (&items)[count]) {
    for (const Owned& item : items)
        if (!item) return false;
    return true;
}
template <class T> void add_row(const T* from, T* to, npy_intp count) {
    if (from) loops<T>().binary[ADD](to, 1, from, 1, to, count);
}

}  // namespace wengert
