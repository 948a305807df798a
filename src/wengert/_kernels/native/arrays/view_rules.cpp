// The gradients of views: a view of the gradient with the shape of the input, or zeros with the gradient in one part.
#include "arrays/views.hpp"
#include "binding/work.hpp"

namespace wengert {
namespace {

// An array of numbers, as gradients are.
PyArrayObject* gradient(PyObject* object) {
    PyArrayObject* array = viewable(object);
    return array && !PyDataType_REFCHK(PyArray_DESCR(array)) && PyArray_ISNOTSWAPPED(array) ? array : nullptr;
}
bool has_shape(PyArrayObject* array, const ViewGeometry& geometry) {
    return PyArray_NDIM(array) == geometry.ndim &&
           std::equal(geometry.shape, geometry.shape + geometry.ndim, PyArray_DIMS(array));
}

// The row-major geometry of an array of shape `shape`; false if there is none.
bool as_full(PyObject* shape, npy_intp itemsize, ViewGeometry& full) {
    full.ndim = as_lengths(shape, full.shape);
    if (full.ndim < 0) return false;
    for (int dim = 0; dim < full.ndim; ++dim)
        if (full.shape[dim] < 0) return false;
    return fill_rows(full, itemsize);
}
PyArrayObject* new_zeros(PyArray_Descr* descr, const ViewGeometry& full) {
    return wengert::new_zeros(descr, full.ndim, full.shape);
}
// The same where the part is one small run of elements.
PyObject* zeros_but_run(PyArrayObject* grad, const ViewGeometry& full, npy_intp offset) {
    Owned result(new_array(PyArray_DESCR(grad), full.ndim, full.shape));
    if (!result) return nullptr;
    char* const out = PyArray_BYTES(result.get());
    const char* const part = PyArray_BYTES(grad);
    const auto size = static_cast<size_t>(PyArray_NBYTES(result.get())),
               part_size = static_cast<size_t>(PyArray_NBYTES(grad));
    const auto work = [=] {
        std::memset(out, 0, size);
        std::memcpy(out + offset, part, part_size);
    };
    do_work(work, {part, out});
    return result.give();
}
bool is_run(const ViewGeometry& geometry, npy_intp itemsize) {
    ViewGeometry rows = geometry;
    return fill_rows(rows, itemsize) && std::equal(rows.strides, rows.strides + rows.ndim, geometry.strides);
}
// Zeros with the gradient in the viewed part.
PyObject* zeros_but(PyArrayObject* grad, const ViewGeometry& full, const ViewGeometry& geometry) {
    if (!has_shape(grad, geometry)) Py_RETURN_NOTIMPLEMENTED;
    constexpr npy_intp few = 4096;
    if (PyArray_SIZE(grad) > 0 && PyArray_IS_C_CONTIGUOUS(grad) && is_run(geometry, PyArray_ITEMSIZE(grad)) &&
        PyArray_MultiplyList(full.shape, full.ndim) <= few)
        return zeros_but_run(grad, full, geometry.offset);
    Owned result(new_zeros(PyArray_DESCR(grad), full));
    if (!result) return nullptr;
    put(result.get(), geometry, grad);
    return result.give();
}

// reshape_rule(grad, shape): a view of the gradient where its memory allows it, otherwise a copy.
PyObject* reshape_rule(PyObject*, Arguments args, Py_ssize_t nargs) {
    PyArrayObject* grad = nargs == 2 ? gradient(args[0]) : nullptr;
    ViewGeometry full;
    if (!grad || !as_full(args[1], PyArray_ITEMSIZE(grad), full)) Py_RETURN_NOTIMPLEMENTED;
    Size count(1);
    for (int dim = 0; dim < full.ndim; ++dim) count = count * full.shape[dim];
    if (!count.fits() || count.value() != PyArray_SIZE(grad)) Py_RETURN_NOTIMPLEMENTED;
    ViewGeometry geometry = full;
    if (fill_strides(geometry, grad)) return take(grad, geometry);
    ViewGeometry rows = geometry_of(grad);
    if (!fill_rows(rows, PyArray_ITEMSIZE(grad))) Py_RETURN_NOTIMPLEMENTED;
    Owned result(new_array(PyArray_DESCR(grad), full.ndim, full.shape));
    if (!result) return nullptr;
    put(result.get(), rows, grad);
    return result.give();
}

// permute_rule(grad, dims): the dimensions back in their places.
PyObject* permute_rule(PyObject*, Arguments args, Py_ssize_t nargs) {
    PyArrayObject* grad = nargs == 2 ? gradient(args[0]) : nullptr;
    int order[NPY_MAXDIMS];
    if (!grad || !as_order(args[1], PyArray_NDIM(grad), order)) Py_RETURN_NOTIMPLEMENTED;
    ViewGeometry geometry;
    geometry.ndim = PyArray_NDIM(grad);
    for (int at = 0; at < geometry.ndim; ++at) {
        geometry.shape[order[at]] = PyArray_DIM(grad, at);
        geometry.strides[order[at]] = PyArray_STRIDE(grad, at);
    }
    return take(grad, geometry);
}

PyObject* select_backward(PyObject*, Arguments args, Py_ssize_t nargs) {
    PyArrayObject* grad = nargs == 4 ? gradient(args[0]) : nullptr;
    ViewGeometry full;
    int dim;
    npy_intp index = 0;
    if (!grad || !as_full(args[1], PyArray_ITEMSIZE(grad), full) || !as_axis(args[2], full.ndim, dim) ||
        !as_position(args[3], full.shape[dim], index))
        Py_RETURN_NOTIMPLEMENTED;
    ViewGeometry geometry = full;
    geometry.offset = index * geometry.strides[dim];
    drop(geometry, dim);
    return zeros_but(grad, full, geometry);
}
PyObject* slice_backward(PyObject*, Arguments args, Py_ssize_t nargs) {
    PyArrayObject* grad = nargs == 6 ? gradient(args[0]) : nullptr;
    ViewGeometry full;
    int dim;
    Range range;
    if (!grad || !as_full(args[1], PyArray_ITEMSIZE(grad), full) || !as_axis(args[2], full.ndim, dim) ||
        !as_range(args[3], args[4], args[5], full.shape[dim], range))
        Py_RETURN_NOTIMPLEMENTED;
    ViewGeometry geometry = full;
    if (!narrow(geometry, dim, range)) Py_RETURN_NOTIMPLEMENTED;
    return zeros_but(grad, full, geometry);
}
PyObject* diagonal_backward(PyObject*, Arguments args, Py_ssize_t nargs) {
    PyArrayObject* grad = nargs == 5 ? gradient(args[0]) : nullptr;
    ViewGeometry full;
    if (!grad || !as_full(args[1], PyArray_ITEMSIZE(grad), full)) Py_RETURN_NOTIMPLEMENTED;
    ViewGeometry geometry = full;
    if (!fill_diagonal(geometry, args[2], args[3], args[4])) Py_RETURN_NOTIMPLEMENTED;
    return zeros_but(grad, full, geometry);
}

// A part along `dim` that lies inside of the whole, and where it starts.
bool as_part(PyObject* object, PyObject* start, const ViewGeometry& full, int dim, PyArray_Descr* descr,
             ViewGeometry& geometry) {
    PyArrayObject* part = gradient(object);
    npy_intp first = 0;
    if (!part || PyArray_DESCR(part) != descr || PyArray_NDIM(part) != full.ndim || !as_index(start, first))
        return false;
    const npy_intp length = PyArray_DIM(part, dim);
    if (first < 0 || length > full.shape[dim] || first > full.shape[dim] - length) return false;
    geometry = full;
    return narrow(geometry, dim, {first, length, 1}) && has_shape(part, geometry);
}
// split_backward(parts, shape, dim, starts): zeros with the parts in their places.
PyObject* split_backward(PyObject*, Arguments args, Py_ssize_t nargs) {
    if (nargs != 4 || !PyList_CheckExact(args[0]) || !PyTuple_CheckExact(args[3]) || PyList_GET_SIZE(args[0]) == 0 ||
        PyTuple_GET_SIZE(args[3]) != PyList_GET_SIZE(args[0]))
        Py_RETURN_NOTIMPLEMENTED;
    PyArrayObject* first = gradient(PyList_GET_ITEM(args[0], 0));
    ViewGeometry full, geometry;
    int dim;
    if (!first || !as_full(args[1], PyArray_ITEMSIZE(first), full) || !as_axis(args[2], full.ndim, dim))
        Py_RETURN_NOTIMPLEMENTED;
    Owned result(new_zeros(PyArray_DESCR(first), full));
    for (Py_ssize_t at = 0; result && at < PyList_GET_SIZE(args[0]); ++at) {
        PyObject* part = PyList_GET_ITEM(args[0], at);
        if (!as_part(part, PyTuple_GET_ITEM(args[3], at), full, dim, PyArray_DESCR(first), geometry))
            Py_RETURN_NOTIMPLEMENTED;
        put(result.get(), geometry, reinterpret_cast<PyArrayObject*>(part));
    }
    return result ? result.give() : nullptr;
}

// The geometry of part number `at` of a whole that was split or unbound along `dim`; it comes behind `start`.
struct Split {
    ViewGeometry full;
    int dim;
    npy_intp start = 0;
    bool dropped;  // each part is a slice without the dimension
    PyArray_Descr* descr = nullptr;

    bool read(PyObject* shape, PyObject* along, PyObject* grads, bool unbound) {
        dropped = unbound;
        if (!PyList_CheckExact(grads)) return false;
        for (Py_ssize_t at = 0; !descr && at < PyList_GET_SIZE(grads); ++at)
            if (PyArrayObject* first = gradient(PyList_GET_ITEM(grads, at))) descr = PyArray_DESCR(first);
        return descr && as_full(shape, PyDataType_ELSIZE(descr), full) && as_axis(along, full.ndim, dim);
    }
    // Copies a gradient, or None, into its part of `result`, which has `length` slices; false for what does not fit.
    bool take_in(PyArrayObject* result, PyObject* object, npy_intp length) {
        ViewGeometry geometry = full;
        if (length < 0 || length > full.shape[dim] - start) return false;
        narrow(geometry, dim, {start, length, 1});
        if (dropped) drop(geometry, dim);
        start += length;
        if (object == Py_None) return true;
        PyArrayObject* part = gradient(object);
        if (!part || PyArray_DESCR(part) != descr || !has_shape(part, geometry)) return false;
        put(result, geometry, part);
        return true;
    }
};
// split_rule(grads, shape, split_size, dim)
PyObject* split_rule(PyObject*, Arguments args, Py_ssize_t nargs) {
    Split split;
    if (nargs != 4 || !split.read(args[1], args[3], args[0], false)) Py_RETURN_NOTIMPLEMENTED;
    const npy_intp full = split.full.shape[split.dim];
    const Py_ssize_t count = PyList_GET_SIZE(args[0]);
    npy_intp most = 0;
    const bool listed = PyTuple_CheckExact(args[2]);
    if (listed ? PyTuple_GET_SIZE(args[2]) != count : !as_index(args[2], most) || most < 1) Py_RETURN_NOTIMPLEMENTED;
    Owned result(new_zeros(split.descr, split.full));
    for (Py_ssize_t at = 0; result && at < count; ++at) {
        npy_intp length = std::min(most, full - split.start);
        if ((listed && !as_index(PyTuple_GET_ITEM(args[2], at), length)) ||
            !split.take_in(result.get(), PyList_GET_ITEM(args[0], at), length)) {
            if (PyErr_Occurred()) return nullptr;
            Py_RETURN_NOTIMPLEMENTED;
        }
    }
    return result.give();
}
// unbind_rule(grads, shape, dim)
PyObject* unbind_rule(PyObject*, Arguments args, Py_ssize_t nargs) {
    Split split;
    if (nargs != 3 || !split.read(args[1], args[2], args[0], true)) Py_RETURN_NOTIMPLEMENTED;
    Owned result(new_zeros(split.descr, split.full));
    for (Py_ssize_t at = 0; result && at < PyList_GET_SIZE(args[0]); ++at) {
        if (split.take_in(result.get(), PyList_GET_ITEM(args[0], at), 1)) continue;
        if (PyErr_Occurred()) return nullptr;
        Py_RETURN_NOTIMPLEMENTED;
    }
    return result.give();
}

Methods rule_methods({
    WENGERT_ENTRY(reshape_rule, "(grad, shape)", reshape_rule),
    WENGERT_ENTRY(permute_rule, "(grad, dims)", permute_rule),
    WENGERT_REPEATABLE(select_backward, "(grad, shape, dim, index)", select_backward),
    WENGERT_REPEATABLE(slice_backward, "(grad, shape, dim, start, end, step)", slice_backward),
    WENGERT_ENTRY(diagonal_backward, "(grad, shape, offset, dim1, dim2)", diagonal_backward),
    WENGERT_ENTRY(split_rule, "(grads, shape, split_size, dim)", split_rule),
    WENGERT_ENTRY(unbind_rule, "(grads, shape, dim)", unbind_rule),
    WENGERT_ENTRY(split_backward, "(parts, shape, dim, starts)", split_backward),
});

}  // namespace
}  // namespace wengert
