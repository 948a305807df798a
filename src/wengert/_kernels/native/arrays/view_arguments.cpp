// The geometry of views, and the arguments that determine it. Sizes that come from arguments are checked.
#include "arrays/views.hpp"

namespace wengert {

PyObject* take(PyArrayObject* array, const ViewGeometry& geometry, PyArray_Descr* descr) {
    if (!descr) descr = PyArray_DESCR(array);
    Py_INCREF(descr);
    PyObject* view = PyArray_NewFromDescr(&PyArray_Type, descr, geometry.ndim, const_cast<npy_intp*>(geometry.shape),
                                          const_cast<npy_intp*>(geometry.strides),
                                          PyArray_BYTES(array) + geometry.offset, NPY_ARRAY_WRITEABLE, nullptr);
    if (!view) return nullptr;
    Py_INCREF(array);
    if (PyArray_SetBaseObject(reinterpret_cast<PyArrayObject*>(view), reinterpret_cast<PyObject*>(array)) < 0)
        Py_CLEAR(view);
    return view;
}

bool fill_rows(ViewGeometry& geometry, npy_intp itemsize) {
    Size stride(itemsize);
    for (int dim = geometry.ndim - 1; dim >= 0; --dim) {
        if (!stride.fits()) return false;
        geometry.strides[dim] = stride.value();
        stride = stride * std::max<npy_intp>(geometry.shape[dim], 1);
    }
    return stride.fits();
}

// The same steps as `layout.view_strides`: contiguous dimensions form one chunk, and the new dimensions must fill chunk
// after chunk.
static bool fill_chunks(ViewGeometry& geometry, PyArrayObject* array) {
    const npy_intp *shape = PyArray_DIMS(array), *strides = PyArray_STRIDES(array);
    int at = geometry.ndim - 1;
    const int last = PyArray_NDIM(array) - 1;
    npy_intp chunk = strides[last], inside = 1, filled = 1;
    for (int dim = last; dim >= 0; --dim) {
        inside *= shape[dim];
        const Size extent = Size(inside) * chunk;
        if (!extent.fits()) return false;
        if (dim && (shape[dim - 1] == 1 || strides[dim - 1] == extent.value())) continue;
        for (; at >= 0 && (filled < inside || geometry.shape[at] == 1); --at) {
            geometry.strides[at] = filled * chunk;
            filled *= geometry.shape[at];
        }
        if (filled != inside) return false;
        if (dim) chunk = strides[dim - 1], inside = filled = 1;
    }
    return at < 0;
}

bool fill_strides(ViewGeometry& geometry, PyArrayObject* array) {
    if (!PyArray_IS_C_CONTIGUOUS(array)) return fill_chunks(geometry, array);
    const int ndim = PyArray_NDIM(array);
    if (geometry.ndim == ndim && std::equal(geometry.shape, geometry.shape + ndim, PyArray_DIMS(array))) {
        std::copy_n(PyArray_STRIDES(array), ndim, geometry.strides);  // dimensions of length 1 keep theirs
        return true;
    }
    return fill_rows(geometry, PyArray_ITEMSIZE(array));
}

int as_lengths(PyObject* object, npy_intp* lengths) {
    if (!PyTuple_Check(object) && !PyList_CheckExact(object)) return -1;
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(object);
    if (count > NPY_MAXDIMS) return -1;
    for (Py_ssize_t at = 0; at < count; ++at)
        if (!as_index(PySequence_Fast_GET_ITEM(object, at), lengths[at])) return -1;
    return static_cast<int>(count);
}

bool as_order(PyObject* dims, int ndim, int* order) {
    npy_intp lengths[NPY_MAXDIMS];
    bool taken[NPY_MAXDIMS] = {};
    if (as_lengths(dims, lengths) != ndim) return false;
    for (int at = 0; at < ndim; ++at) {
        const npy_intp dim = lengths[at] < 0 ? lengths[at] + ndim : lengths[at];
        if (dim < 0 || dim >= ndim || taken[dim]) return false;
        taken[dim] = true;
        order[at] = static_cast<int>(dim);
    }
    return true;
}

bool as_range(PyObject* start, PyObject* end, PyObject* step, npy_intp length, Range& range) {
    npy_intp first = 0, last = length;
    if ((start != Py_None && !as_index(start, first)) || (end != Py_None && !as_index(end, last)) ||
        !as_index(step, range.step) || range.step < 1)
        return false;
    first = std::clamp<npy_intp>(first < 0 ? first + length : first, 0, length);
    last = std::clamp<npy_intp>(last < 0 ? last + length : last, first, length);
    range.first = first;
    range.count = last > first ? (last - first - 1) / range.step + 1 : 0;
    return true;
}

bool narrow(ViewGeometry& geometry, int dim, const Range& range) {
    geometry.shape[dim] = range.count;
    if (range.count == 0) return true;  // NumPy leaves stride and place as they are
    const Size stride = Size(geometry.strides[dim]) * range.step;
    if (!stride.fits()) return false;
    geometry.offset += range.first * geometry.strides[dim];
    geometry.strides[dim] = stride.value();
    return true;
}

void drop(ViewGeometry& geometry, int dim) {
    --geometry.ndim;
    std::copy(geometry.shape + dim + 1, geometry.shape + geometry.ndim + 1, geometry.shape + dim);
    std::copy(geometry.strides + dim + 1, geometry.strides + geometry.ndim + 1, geometry.strides + dim);
}

bool fill_diagonal(ViewGeometry& geometry, PyObject* offset, PyObject* dim1, PyObject* dim2) {
    int first, second;
    npy_intp right = 0;
    if (!as_axis(dim1, geometry.ndim, first) || !as_axis(dim2, geometry.ndim, second) || first == second ||
        !as_index(offset, right))
        return false;
    const npy_intp rows = geometry.shape[first], columns = geometry.shape[second];
    if (right >= columns || right <= -rows) return false;
    const npy_intp stride = geometry.strides[first], other = geometry.strides[second];
    const Size both = Size(stride) + other;
    if (!both.fits()) return false;
    geometry.offset += right >= 0 ? right * other : -right * stride;
    drop(geometry, std::max(first, second));
    drop(geometry, std::min(first, second));
    geometry.add(right >= 0 ? std::min(rows, columns - right) : std::min(rows + right, columns), both.value());
    return true;
}

}  // namespace wengert
