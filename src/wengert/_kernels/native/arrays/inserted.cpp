// Arrays as a part of larger ones: diagonals in zeros, replaced parts. For the dispatcher only.
#include "arrays/views.hpp"

#include "binding/memory_order.hpp"

namespace wengert {
namespace {

// An array of numbers.
PyArrayObject* values(PyObject* object) {
    PyArrayObject* array = viewable(object);
    return array && !PyDataType_REFCHK(PyArray_DESCR(array)) && PyArray_ISNOTSWAPPED(array) && PyArray_SIZE(array) > 0
               ? array
               : nullptr;
}
bool has_shape(PyArrayObject* array, const ViewGeometry& geometry) {
    return PyArray_NDIM(array) == geometry.ndim &&
           std::equal(geometry.shape, geometry.shape + geometry.ndim, PyArray_DIMS(array));
}

// diag_embed(self, offset, dim1, dim2): the last dimension as a diagonal of two, zeros elsewhere
PyObject* diag_embed(PyObject* const* args) {
    PyArrayObject* x = values(args[0]);
    npy_intp offset = 0;
    int first, second;
    const int ndim = x ? PyArray_NDIM(x) + 1 : 0;
    if (ndim < 2 || ndim > most_dims || !as_index(args[1], offset) || !as_axis(args[2], ndim, first) ||
        !as_axis(args[3], ndim, second))
        return nullptr;
    const Size length = (offset < 0 ? Size(0) - offset : Size(offset)) + PyArray_DIM(x, ndim - 2);
    if (first == second || !length.fits()) return nullptr;
    ViewGeometry full;
    for (int dim = 0, next = 0; dim < ndim; ++dim)
        full.add(dim == first || dim == second ? length.value() : PyArray_DIM(x, next++), 0);
    if (!fill_rows(full, PyArray_ITEMSIZE(x))) return nullptr;
    ViewGeometry geometry = full;
    if (!fill_diagonal(geometry, args[1], args[2], args[3]) || !has_shape(x, geometry)) return nullptr;
    Owned result(new_zeros(PyArray_DESCR(x), full.ndim, full.shape));
    if (!result) return nullptr;
    put(result.get(), geometry, x);
    return result.give();
}

// diagonal_copy(self, offset, dim1, dim2)
PyObject* diagonal_copy(PyObject* const* args) {
    PyArrayObject* x = values(args[0]);
    if (!x || PyArray_NDIM(x) < 2) return nullptr;
    ViewGeometry geometry = geometry_of(x);
    if (!fill_diagonal(geometry, args[1], args[2], args[3])) return nullptr;
    const Owned view(reinterpret_cast<PyArrayObject*>(take(x, geometry)));
    return view ? reinterpret_cast<PyObject*>(new_copy(view.get())) : nullptr;
}

// A copy of a row-major array in which the viewed part is replaced by `part`, of its shape and dtype.
PyObject* with_part(PyArrayObject* x, PyObject* object, const ViewGeometry& geometry) {
    PyArrayObject* part = values(object);
    if (!part || PyArray_DESCR(part) != PyArray_DESCR(x) || !has_shape(part, geometry)) return nullptr;
    Owned result(new_copy(x));
    if (!result) return nullptr;
    put(result.get(), geometry, part);
    return result.give();
}
PyArrayObject* in_row_major(PyObject* object) {
    PyArrayObject* x = values(object);
    return x && is_row_major(x) ? x : nullptr;
}
// diagonal_scatter(self, src, offset, dim1, dim2)
PyObject* diagonal_scatter(PyObject* const* args) {
    PyArrayObject* x = in_row_major(args[0]);
    if (!x) return nullptr;
    ViewGeometry geometry = geometry_of(x);
    return fill_diagonal(geometry, args[2], args[3], args[4]) ? with_part(x, args[1], geometry) : nullptr;
}
// select_scatter(self, src, dim, index)
PyObject* select_scatter(PyObject* const* args) {
    PyArrayObject* x = in_row_major(args[0]);
    int dim;
    npy_intp index = 0;
    if (!x || !as_axis(args[2], PyArray_NDIM(x), dim) || !as_position(args[3], PyArray_DIM(x, dim), index))
        return nullptr;
    ViewGeometry geometry = geometry_of(x);
    geometry.offset = index * geometry.strides[dim];
    drop(geometry, dim);
    return with_part(x, args[1], geometry);
}
// slice_scatter(self, src, dim, start, end, step)
PyObject* slice_scatter(PyObject* const* args) {
    PyArrayObject* x = in_row_major(args[0]);
    int dim;
    Range range;
    if (!x || !as_axis(args[2], PyArray_NDIM(x), dim) ||
        !as_range(args[3], args[4], args[5], PyArray_DIM(x, dim), range))
        return nullptr;
    ViewGeometry geometry = geometry_of(x);
    return narrow(geometry, dim, range) ? with_part(x, args[1], geometry) : nullptr;
}

// Matrices, rows and numbers along the diagonal of a matrix of zeros: _block_diag(tensors)
PyObject* block_diag(PyObject* const* args) {
    if (!PyList_CheckExact(args[0]) || PyList_GET_SIZE(args[0]) == 0) return nullptr;
    const Py_ssize_t count = PyList_GET_SIZE(args[0]);
    const auto block = [=](Py_ssize_t at) { return values(PyList_GET_ITEM(args[0], at)); };
    const auto rows = [](PyArrayObject* x) { return PyArray_NDIM(x) == 2 ? PyArray_DIM(x, 0) : 1; };
    const auto columns = [](PyArrayObject* x) { return PyArray_NDIM(x) ? PyArray_DIM(x, PyArray_NDIM(x) - 1) : 1; };
    Size height(0), width(0);
    for (Py_ssize_t at = 0; at < count; ++at) {
        PyArrayObject* x = block(at);
        if (!x || PyArray_NDIM(x) > 2 || PyArray_DESCR(x) != PyArray_DESCR(block(0))) return nullptr;
        height = height + rows(x), width = width + columns(x);
    }
    ViewGeometry full;
    if (!height.fits() || !width.fits()) return nullptr;
    full.add(height.value(), 0), full.add(width.value(), 0);
    if (!fill_rows(full, PyArray_ITEMSIZE(block(0)))) return nullptr;
    Owned result(new_zeros(PyArray_DESCR(block(0)), 2, full.shape));
    npy_intp row = 0, column = 0;
    for (Py_ssize_t at = 0; result && at < count; ++at) {
        PyArrayObject* x = block(at);
        ViewGeometry geometry;
        if (!x || rows(x) > height.value() - row || columns(x) > width.value() - column)
            return nullptr;  // whose shape has changed meanwhile
        geometry.offset = row * full.strides[0] + column * full.strides[1];
        for (int dim = 0; dim < PyArray_NDIM(x); ++dim)
            geometry.add(PyArray_DIM(x, dim), full.strides[2 - PyArray_NDIM(x) + dim]);
        put(result.get(), geometry, x);
        row += rows(x), column += columns(x);
    }
    return result.give();
}

Methods inserted_methods({
    WENGERT_ENTRY(diag_embed, "(self, offset, dim1, dim2)", on_contiguous<direct<4, diag_embed>, few_with_gaps>),
    WENGERT_ENTRY(diagonal_copy, "(self, offset, dim1, dim2)", on_contiguous<direct<4, diagonal_copy>, few_with_gaps>),
    WENGERT_ENTRY(diagonal_scatter, "(self, src, offset, dim1, dim2)", direct<5, diagonal_scatter>),
    WENGERT_ENTRY(select_scatter, "(self, src, dim, index)", direct<4, select_scatter>),
    WENGERT_ENTRY(slice_scatter, "(self, src, dim, start, end, step)", direct<6, slice_scatter>),
    WENGERT_ENTRY(block_diag, "(tensors)", direct<1, block_diag>),
});

}  // namespace
}  // namespace wengert
