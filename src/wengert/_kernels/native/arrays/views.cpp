// Views: shape and strides are computed here, and one array is made. No element is read.
#include "arrays/views.hpp"

#include <utility>

namespace wengert {
namespace {

PyObject* alias(PyObject*, Arguments args, Py_ssize_t nargs) {
    PyArrayObject* x = nargs == 1 ? viewable(args[0]) : nullptr;
    if (!x) Py_RETURN_NOTIMPLEMENTED;
    return take(x, geometry_of(x));
}

// Fills in the length given as -1; false if the lengths do not make `count` elements.
bool infer(ViewGeometry& geometry, npy_intp count) {
    Size known(1);
    int open = -1;
    for (int dim = 0; dim < geometry.ndim; ++dim) {
        if (geometry.shape[dim] >= 0)
            known = known * geometry.shape[dim];
        else if (geometry.shape[dim] == -1 && open < 0)
            open = dim;
        else
            return false;
    }
    if (!known.fits()) return false;
    if (open < 0) return known.value() == count;
    if (known.value() == 0 || count % known.value()) return false;
    geometry.shape[open] = count / known.value();
    return true;
}

PyObject* view_as(PyArrayObject* x, PyObject* size, bool rows) {
    ViewGeometry geometry;
    geometry.ndim = as_lengths(size, geometry.shape);
    if (geometry.ndim < 0 || !infer(geometry, PyArray_SIZE(x)) ||
        !(rows ? fill_rows(geometry, PyArray_ITEMSIZE(x)) : fill_strides(geometry, x)))
        Py_RETURN_NOTIMPLEMENTED;
    return take(x, geometry);
}
PyObject* view_shape(PyObject*, Arguments args, Py_ssize_t nargs) {
    PyArrayObject* x = nargs == 2 ? viewable(args[0]) : nullptr;
    if (!x) Py_RETURN_NOTIMPLEMENTED;
    return view_as(x, args[1], false);
}
// `reshape` of dense memory.
PyObject* view_dense(PyObject* self, Arguments args, Py_ssize_t nargs) {
    PyArrayObject* x = nargs == 2 ? viewable(args[0]) : nullptr;
    if (!x || !PyArray_IS_C_CONTIGUOUS(x)) Py_RETURN_NOTIMPLEMENTED;
    return view_shape(self, args, nargs);
}
// The same for a result that is not a view: its strides are row-major even if the shape is the same.
PyObject* unsafe_view(PyObject*, Arguments args, Py_ssize_t nargs) {
    PyArrayObject* x = nargs == 2 ? viewable(args[0]) : nullptr;
    if (!x || !PyArray_IS_C_CONTIGUOUS(x)) Py_RETURN_NOTIMPLEMENTED;
    return view_as(x, args[1], true);
}

PyObject* transpose(PyObject*, Arguments args, Py_ssize_t nargs) {
    PyArrayObject* x = nargs == 3 ? viewable(args[0]) : nullptr;
    int first, second;
    if (!x || !as_axis(args[1], PyArray_NDIM(x), first) || !as_axis(args[2], PyArray_NDIM(x), second))
        Py_RETURN_NOTIMPLEMENTED;
    ViewGeometry geometry = geometry_of(x);
    std::swap(geometry.shape[first], geometry.shape[second]);
    std::swap(geometry.strides[first], geometry.strides[second]);
    return take(x, geometry);
}
PyObject* t(PyObject*, Arguments args, Py_ssize_t nargs) {
    PyArrayObject* x = nargs == 1 ? viewable(args[0]) : nullptr;
    if (!x || PyArray_NDIM(x) > 2) Py_RETURN_NOTIMPLEMENTED;
    ViewGeometry geometry;
    for (int dim = PyArray_NDIM(x) - 1; dim >= 0; --dim) geometry.add(PyArray_DIM(x, dim), PyArray_STRIDE(x, dim));
    return take(x, geometry);
}
PyObject* permute(PyObject*, Arguments args, Py_ssize_t nargs) {
    PyArrayObject* x = nargs == 2 ? viewable(args[0]) : nullptr;
    int order[NPY_MAXDIMS];
    if (!x || !as_order(args[1], PyArray_NDIM(x), order)) Py_RETURN_NOTIMPLEMENTED;
    ViewGeometry geometry;
    for (int at = 0; at < PyArray_NDIM(x); ++at) geometry.add(PyArray_DIM(x, order[at]), PyArray_STRIDE(x, order[at]));
    return take(x, geometry);
}

PyObject* unsqueeze(PyObject*, Arguments args, Py_ssize_t nargs) {
    PyArrayObject* x = nargs == 2 ? viewable(args[0]) : nullptr;
    const int ndim = x ? PyArray_NDIM(x) : 0;
    int at;
    if (!x || ndim == NPY_MAXDIMS || PyArray_SIZE(x) == 0 || !as_axis(args[1], ndim + 1, at)) Py_RETURN_NOTIMPLEMENTED;
    const Size step = at < ndim ? Size(PyArray_DIM(x, at)) * PyArray_STRIDE(x, at) : Size(PyArray_ITEMSIZE(x));
    if (!step.fits()) Py_RETURN_NOTIMPLEMENTED;
    ViewGeometry geometry;
    for (int dim = 0; dim <= ndim; ++dim) {
        if (dim == at) geometry.add(1, step.value());
        if (dim < ndim) geometry.add(PyArray_DIM(x, dim), PyArray_STRIDE(x, dim));
    }
    return take(x, geometry);
}

// Marks the dimensions that `squeeze` may drop.
bool mark(PyObject* dims, int ndim, bool* marked) {
    int dim;
    if (dims == Py_None) return std::fill_n(marked, ndim, true), true;
    if (!PyTuple_Check(dims)) return as_axis(dims, ndim, dim) && (marked[dim] = true);
    for (Py_ssize_t at = 0; at < PyTuple_GET_SIZE(dims); ++at) {
        if (!as_axis(PyTuple_GET_ITEM(dims, at), ndim, dim) || marked[dim]) return false;
        marked[dim] = true;
    }
    return true;
}
PyObject* squeeze(PyObject*, Arguments args, Py_ssize_t nargs) {
    PyArrayObject* x = nargs == 2 ? viewable(args[0]) : nullptr;
    bool marked[NPY_MAXDIMS] = {};
    if (!x || !mark(args[1], PyArray_NDIM(x), marked)) Py_RETURN_NOTIMPLEMENTED;
    ViewGeometry geometry;
    for (int dim = 0; dim < PyArray_NDIM(x); ++dim)
        if (!marked[dim] || PyArray_DIM(x, dim) != 1) geometry.add(PyArray_DIM(x, dim), PyArray_STRIDE(x, dim));
    return take(x, geometry);
}

// `implicit`, the last argument, has no effect.
PyObject* expand(PyObject*, Arguments args, Py_ssize_t nargs) {
    PyArrayObject* x = nargs == 3 ? viewable(args[0]) : nullptr;
    ViewGeometry geometry;
    if (!x || PyArray_SIZE(x) == 0) Py_RETURN_NOTIMPLEMENTED;
    geometry.ndim = as_lengths(args[1], geometry.shape);
    const int ndim = PyArray_NDIM(x), lead = geometry.ndim - ndim;
    if (lead < 0) Py_RETURN_NOTIMPLEMENTED;
    Size bytes(PyArray_ITEMSIZE(x));
    for (int at = geometry.ndim - 1; at >= 0; --at) {
        const npy_intp dim_length = at < lead ? 1 : PyArray_DIM(x, at - lead);
        npy_intp& length = geometry.shape[at];
        if (length == -1 && at >= lead) length = dim_length;
        if (length < 0 || (length != dim_length && dim_length != 1)) Py_RETURN_NOTIMPLEMENTED;
        Size stride(0);
        if (length == dim_length && at >= lead)
            stride = PyArray_STRIDE(x, at - lead);
        else if (length == 1 && ndim)
            stride = Size(geometry.shape[at + 1]) * geometry.strides[at + 1];
        bytes = bytes * std::max<npy_intp>(length, 1);
        if (!stride.fits() || !bytes.fits()) Py_RETURN_NOTIMPLEMENTED;
        geometry.strides[at] = stride.value();
    }
    return take(x, geometry);
}

PyObject* select(PyObject*, Arguments args, Py_ssize_t nargs) {
    PyArrayObject* x = nargs == 3 ? viewable(args[0]) : nullptr;
    int dim;
    npy_intp index = 0;
    if (!x || !as_axis(args[1], PyArray_NDIM(x), dim) || !as_position(args[2], PyArray_DIM(x, dim), index))
        Py_RETURN_NOTIMPLEMENTED;
    ViewGeometry geometry = geometry_of(x);
    geometry.offset = index * geometry.strides[dim];
    drop(geometry, dim);
    return take(x, geometry);
}
PyObject* slice(PyObject*, Arguments args, Py_ssize_t nargs) {
    PyArrayObject* x = nargs == 5 ? viewable(args[0]) : nullptr;
    int dim;
    Range range;
    if (!x || !as_axis(args[1], PyArray_NDIM(x), dim) ||
        !as_range(args[2], args[3], args[4], PyArray_DIM(x, dim), range))
        Py_RETURN_NOTIMPLEMENTED;
    ViewGeometry geometry = geometry_of(x);
    if (!narrow(geometry, dim, range)) Py_RETURN_NOTIMPLEMENTED;
    return take(x, geometry);
}
PyObject* diagonal(PyObject*, Arguments args, Py_ssize_t nargs) {
    PyArrayObject* x = nargs == 4 ? viewable(args[0]) : nullptr;
    if (!x || PyArray_SIZE(x) == 0) Py_RETURN_NOTIMPLEMENTED;
    ViewGeometry geometry = geometry_of(x);
    if (!fill_diagonal(geometry, args[1], args[2], args[3])) Py_RETURN_NOTIMPLEMENTED;
    return take(x, geometry);
}

// Windows of `size` elements, `step` apart, along a dimension; their elements become the last dimension.
PyObject* unfold(PyObject*, Arguments args, Py_ssize_t nargs) {
    PyArrayObject* x = nargs == 4 ? viewable(args[0]) : nullptr;
    int dim;
    npy_intp size = 0, step = 0;
    if (!x || PyArray_SIZE(x) == 0 || PyArray_NDIM(x) == NPY_MAXDIMS || !as_axis(args[1], PyArray_NDIM(x), dim))
        Py_RETURN_NOTIMPLEMENTED;
    ViewGeometry geometry = geometry_of(x);
    const npy_intp stride = geometry.strides[dim];
    const Size window_step = Size(stride) * (as_index(args[3], step) ? step : 0);
    if (!as_index(args[2], size) || size < 0 || size > geometry.shape[dim] || step < 1 || !window_step.fits())
        Py_RETURN_NOTIMPLEMENTED;
    geometry.shape[dim] = (geometry.shape[dim] - size) / step + 1;
    geometry.strides[dim] = window_step.value();
    geometry.add(size, stride);
    return take(x, geometry);
}
// unflatten(x, dim, sizes): one dimension as several, one of which may be -1
PyObject* unflatten(PyObject*, Arguments args, Py_ssize_t nargs) {
    PyArrayObject* x = nargs == 3 ? viewable(args[0]) : nullptr;
    int dim;
    ViewGeometry parts, geometry;
    if (!x || !as_axis(args[1], PyArray_NDIM(x), dim)) Py_RETURN_NOTIMPLEMENTED;
    parts.ndim = as_lengths(args[2], parts.shape);
    if (parts.ndim < 1 || parts.ndim + PyArray_NDIM(x) > NPY_MAXDIMS || !infer(parts, PyArray_DIM(x, dim)))
        Py_RETURN_NOTIMPLEMENTED;
    for (int at = 0; at < PyArray_NDIM(x); ++at)
        for (int part = 0; part < (at == dim ? parts.ndim : 1); ++part)
            geometry.add(at == dim ? parts.shape[part] : PyArray_DIM(x, at), 0);
    if (!fill_strides(geometry, x)) Py_RETURN_NOTIMPLEMENTED;
    return take(x, geometry);
}

// A tuple of `count` views; `see(number)` is the geometry of each.
template <class See> PyObject* take_all(PyArrayObject* x, Py_ssize_t count, See see) {
    PyObject* views = PyTuple_New(count);
    for (Py_ssize_t at = 0; views && at < count; ++at) {
        PyObject* view = take(x, see(at));
        if (view)
            PyTuple_SET_ITEM(views, at, view);
        else
            Py_CLEAR(views);
    }
    return views;
}

// Parts of the lengths in a tuple, which must make up the whole; how many, or -1.
Py_ssize_t count_parts(PyObject* lengths, npy_intp total) {
    Size sum(0);
    for (Py_ssize_t at = 0; at < PyTuple_GET_SIZE(lengths); ++at) {
        npy_intp length = 0;
        if (!as_index(PyTuple_GET_ITEM(lengths, at), length) || length < 0) return -1;
        sum = sum + length;
    }
    return sum.fits() && sum.value() == total ? PyTuple_GET_SIZE(lengths) : -1;
}
PyObject* split(PyObject*, Arguments args, Py_ssize_t nargs) {
    PyArrayObject* x = nargs == 3 ? viewable(args[0]) : nullptr;
    int dim;
    if (!x || !as_axis(args[2], PyArray_NDIM(x), dim)) Py_RETURN_NOTIMPLEMENTED;
    const npy_intp total = PyArray_DIM(x, dim);
    const bool single = !PyTuple_Check(args[1]);
    npy_intp most = 0, start = 0;
    if (single && (!as_index(args[1], most) || most < 1)) Py_RETURN_NOTIMPLEMENTED;
    Py_ssize_t count = 1;
    if (!single)
        count = count_parts(args[1], total);
    else if (total)
        count = (total - 1) / most + 1;
    if (count < 0) Py_RETURN_NOTIMPLEMENTED;
    const ViewGeometry all = geometry_of(x);
    return take_all(x, count, [&](Py_ssize_t at) {
        npy_intp length = std::min(most, total - start);
        if (!single) as_index(PyTuple_GET_ITEM(args[1], at), length);
        ViewGeometry geometry = all;
        narrow(geometry, dim, {start, length, 1});
        start += length;
        return geometry;
    });
}
PyObject* unbind(PyObject*, Arguments args, Py_ssize_t nargs) {
    PyArrayObject* x = nargs == 2 ? viewable(args[0]) : nullptr;
    int dim;
    if (!x || !as_axis(args[1], PyArray_NDIM(x), dim)) Py_RETURN_NOTIMPLEMENTED;
    ViewGeometry geometry = geometry_of(x);
    const npy_intp count = geometry.shape[dim], stride = geometry.strides[dim];
    drop(geometry, dim);
    return take_all(x, count, [&](Py_ssize_t at) -> const ViewGeometry& {
        geometry.offset = at * stride;
        return geometry;
    });
}

// The type of the parts of complex numbers, or of the numbers whose parts these are; null for all others.
PyArray_Descr* real_descr(PyArrayObject* x) {
    const int type = PyArray_ISNOTSWAPPED(x) ? PyArray_TYPE(x) : NPY_VOID;
    if (type == NPY_CFLOAT) return float_descr;
    return type == NPY_CDOUBLE ? double_descr : nullptr;
}
PyObject* view_as_real(PyObject*, Arguments args, Py_ssize_t nargs) {
    PyArrayObject* x = nargs == 1 ? viewable(args[0]) : nullptr;
    if (!x || !real_descr(x) || PyArray_NDIM(x) == NPY_MAXDIMS || PyArray_SIZE(x) == 0) Py_RETURN_NOTIMPLEMENTED;
    ViewGeometry geometry = geometry_of(x);
    geometry.add(2, PyArray_ITEMSIZE(x) / 2);
    return take(x, geometry, real_descr(x));
}
PyObject* view_as_complex(PyObject*, Arguments args, Py_ssize_t nargs) {
    PyArrayObject* x = nargs == 1 ? viewable(args[0]) : nullptr;
    if (!x || (PyArray_DESCR(x) != float_descr && PyArray_DESCR(x) != double_descr)) Py_RETURN_NOTIMPLEMENTED;
    const npy_intp step = PyArray_ITEMSIZE(x);
    const int last = PyArray_NDIM(x) - 1;
    if (last < 0 || PyArray_SIZE(x) == 0 || PyArray_DIM(x, last) != 2 || PyArray_STRIDE(x, last) != step)
        Py_RETURN_NOTIMPLEMENTED;
    ViewGeometry geometry = geometry_of(x);
    for (int dim = 0; dim < last; ++dim)
        if (geometry.strides[dim] % (2 * step)) Py_RETURN_NOTIMPLEMENTED;
    drop(geometry, last);
    static PyArray_Descr* const complexes[2] = {PyArray_DescrFromType(NPY_CFLOAT), PyArray_DescrFromType(NPY_CDOUBLE)};
    return take(x, geometry, complexes[PyArray_DESCR(x) == double_descr]);
}

Methods view_methods({
    WENGERT_ENTRY(alias, "(x)", alias),
    WENGERT_ENTRY(view_shape, "(x, size)", view_shape),
    WENGERT_ENTRY(view_dense, "(x, size)", view_dense),
    WENGERT_ENTRY(unsafe_view, "(x, size)", unsafe_view),
    WENGERT_ENTRY(transpose, "(x, dim0, dim1)", transpose),
    WENGERT_ENTRY(t, "(x)", t),
    WENGERT_ENTRY(permute, "(x, dims)", permute),
    WENGERT_ENTRY(unsqueeze, "(x, dim)", unsqueeze),
    WENGERT_ENTRY(squeeze, "(x, dim)", squeeze),
    WENGERT_ENTRY(expand, "(x, size, implicit)", expand),
    WENGERT_ENTRY(select, "(x, dim, index)", select),
    WENGERT_ENTRY(slice, "(x, dim, start, end, step)", slice),
    WENGERT_ENTRY(diagonal, "(x, offset, dim1, dim2)", diagonal),
    WENGERT_ENTRY(unfold, "(x, dimension, size, step)", unfold),
    WENGERT_ENTRY(unflatten, "(x, dim, sizes)", unflatten),
    WENGERT_ENTRY(split, "(x, split_size, dim)", split),
    WENGERT_ENTRY(unbind, "(x, dim)", unbind),
    WENGERT_ENTRY(view_as_real, "(x)", view_as_real),
    WENGERT_ENTRY(view_as_complex, "(x)", view_as_complex),
});

}  // namespace
}  // namespace wengert
