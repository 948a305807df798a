// Views by shape and strides, and what `as_strided` and `movedim` are made of: for the dispatcher only.
#include "arrays/views.hpp"

namespace wengert {
namespace {

// The array at the end of the chain of bases, if it is dense: it spans all the memory that `x` lies in.
PyArrayObject* memory_of(PyArrayObject* x) {
    PyObject* base = PyArray_BASE(x);
    while (base && PyArray_CheckExact(base)) {
        x = reinterpret_cast<PyArrayObject*>(base);
        base = PyArray_BASE(x);
    }
    const bool dense = PyArray_IS_C_CONTIGUOUS(x) || PyArray_IS_F_CONTIGUOUS(x);
    return dense && writeable(x) && !(base && PyArray_Check(base)) ? x : nullptr;
}

// as_strided_from(x, size, stride, offset), all counted in elements from the first one of `x`
PyObject* as_strided(PyObject*, Arguments args, Py_ssize_t nargs) {
    PyArrayObject* x = nargs == 4 ? viewable(args[0]) : nullptr;
    PyArrayObject* memory = x ? memory_of(x) : nullptr;
    ViewGeometry geometry;
    npy_intp steps[NPY_MAXDIMS], offset = 0;
    if (!memory || !as_index(args[3], offset)) Py_RETURN_NOTIMPLEMENTED;
    geometry.ndim = as_lengths(args[1], geometry.shape);
    if (geometry.ndim < 0 || as_lengths(args[2], steps) != geometry.ndim) Py_RETURN_NOTIMPLEMENTED;
    const npy_intp bytes = PyArray_ITEMSIZE(x);
    const Size start = Size(offset) * bytes + (PyArray_BYTES(x) - PyArray_BYTES(memory));
    Size end = start + bytes, room(bytes);
    for (int i = 0; i < geometry.ndim; ++i) {
        const Size stride = Size(steps[i]) * bytes;
        if (geometry.shape[i] < 1 || steps[i] < 0 || !stride.fits()) Py_RETURN_NOTIMPLEMENTED;
        geometry.strides[i] = stride.value();
        end = end + stride * (geometry.shape[i] - 1);
        room = room * geometry.shape[i];
    }
    if (!start.fits() || !end.fits() || !room.fits() || start.value() < 0 || end.value() > PyArray_NBYTES(memory))
        Py_RETURN_NOTIMPLEMENTED;
    geometry.offset = offset * bytes;
    return take(x, geometry);
}

// as_strided_arguments(x, size, stride, storage_offset): (None, size, stride, 0), of `as_strided_from`, where the view
// lies within the elements of `x`, so that it sees no memory that `x` does not.
PyObject* as_strided_arguments(PyObject*, Arguments args, Py_ssize_t nargs) {
    PyArrayObject* x = nargs == 4 && args[3] == Py_None ? viewable(args[0]) : nullptr;
    npy_intp shape[NPY_MAXDIMS], steps[NPY_MAXDIMS];
    const int ndim = x && PyArray_IS_C_CONTIGUOUS(x) ? as_lengths(args[1], shape) : -1;
    if (ndim < 0 || as_lengths(args[2], steps) != ndim) Py_RETURN_NOTIMPLEMENTED;
    Size last(0);
    for (int dim = 0; dim < ndim; ++dim) {
        if (shape[dim] < 1 || steps[dim] < 0) Py_RETURN_NOTIMPLEMENTED;
        last = last + Size(shape[dim] - 1) * steps[dim];
    }
    if (!last.fits() || last.value() >= PyArray_SIZE(x)) Py_RETURN_NOTIMPLEMENTED;
    static PyObject* const start = PyLong_FromLong(0);
    return PyTuple_Pack(4, Py_None, args[1], args[2], start);
}

// movedim_arguments(x, source, destination): (None, dims), of `permute`, where one dimension is moved
PyObject* movedim_arguments(PyObject*, Arguments args, Py_ssize_t nargs) {
    PyArrayObject* x = nargs == 3 ? viewable(args[0]) : nullptr;
    int from, to;
    if (!x || !as_axis(args[1], PyArray_NDIM(x), from) || !as_axis(args[2], PyArray_NDIM(x), to))
        Py_RETURN_NOTIMPLEMENTED;
    const int ndim = PyArray_NDIM(x);
    PyObject* dims = PyTuple_New(ndim);
    for (int at = 0, next = 0; dims && at < ndim; ++at) {
        if (next == from) ++next;
        PyObject* dim = PyLong_FromLong(at == to ? from : next++);
        if (!dim)
            Py_CLEAR(dims);
        else
            PyTuple_SET_ITEM(dims, at, dim);
    }
    if (!dims) return nullptr;
    PyObject* arguments = PyTuple_Pack(2, Py_None, dims);
    Py_DECREF(dims);
    return arguments;
}

Methods strided_methods({
    WENGERT_ENTRY(as_strided_arguments, "(x, size, stride, storage_offset)", as_strided_arguments),
    direct_method("direct_as_strided", as_strided, "as_strided_from(x, size, stride, offset)"),
    WENGERT_ENTRY(movedim_arguments, "(x, source, destination)", movedim_arguments),
});

}  // namespace
}  // namespace wengert
