// Arrays in a part of larger ones: diagonals of zeros, parts replaced. For the dispatcher only.
#include "arrays/views.hpp"

#include "binding/laid.hpp"

namespace wengert {
namespace {

// Numbers, as all that is copied here.
PyArrayObject* values(PyObject* object) {
    PyArrayObject* array = viewable(object);
    return array && !PyDataType_REFCHK(PyArray_DESCR(array)) && PyArray_ISNOTSWAPPED(array) && PyArray_SIZE(array) > 0
               ? array
               : nullptr;
}
bool has_shape(PyArrayObject* array, const Geometry& seen) {
    return PyArray_NDIM(array) == seen.ndim && std::equal(seen.shape, seen.shape + seen.ndim, PyArray_DIMS(array));
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
    Geometry whole;
    for (int dim = 0, next = 0; dim < ndim; ++dim)
        whole.add(dim == first || dim == second ? length.value() : PyArray_DIM(x, next++), 0);
    if (!fill_rows(whole, PyArray_ITEMSIZE(x))) return nullptr;
    Geometry seen = whole;
    if (!fill_diagonal(seen, args[1], args[2], args[3]) || !has_shape(x, seen)) return nullptr;
    Owned result(new_zeros(PyArray_DESCR(x), whole.ndim, whole.shape));
    if (!result) return nullptr;
    put(result.get(), seen, x);
    return result.give();
}

// diagonal_copy(self, offset, dim1, dim2)
PyObject* diagonal_copy(PyObject* const* args) {
    PyArrayObject* x = values(args[0]);
    if (!x || PyArray_NDIM(x) < 2) return nullptr;
    Geometry seen = geometry_of(x);
    if (!fill_diagonal(seen, args[1], args[2], args[3])) return nullptr;
    const Owned view(reinterpret_cast<PyArrayObject*>(take(x, seen)));
    return view ? reinterpret_cast<PyObject*>(new_copy(view.get())) : nullptr;
}

// A copy of a row-major array with `part` at what is seen of it, of its shape and dtype.
PyObject* with_part(PyArrayObject* x, PyObject* object, const Geometry& seen) {
    PyArrayObject* part = values(object);
    if (!part || PyArray_DESCR(part) != PyArray_DESCR(x) || !has_shape(part, seen)) return nullptr;
    Owned result(new_copy(x));
    if (!result) return nullptr;
    put(result.get(), seen, part);
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
    Geometry seen = geometry_of(x);
    return fill_diagonal(seen, args[2], args[3], args[4]) ? with_part(x, args[1], seen) : nullptr;
}
// select_scatter(self, src, dim, index)
PyObject* select_scatter(PyObject* const* args) {
    PyArrayObject* x = in_row_major(args[0]);
    int dim;
    npy_intp index = 0;
    if (!x || !as_axis(args[2], PyArray_NDIM(x), dim) || !as_place(args[3], PyArray_DIM(x, dim), index)) return nullptr;
    Geometry seen = geometry_of(x);
    seen.offset = index * seen.strides[dim];
    drop(seen, dim);
    return with_part(x, args[1], seen);
}
// slice_scatter(self, src, dim, start, end, step)
PyObject* slice_scatter(PyObject* const* args) {
    PyArrayObject* x = in_row_major(args[0]);
    int dim;
    Range range;
    if (!x || !as_axis(args[2], PyArray_NDIM(x), dim) ||
        !as_range(args[3], args[4], args[5], PyArray_DIM(x, dim), range))
        return nullptr;
    Geometry seen = geometry_of(x);
    return narrow(seen, dim, range) ? with_part(x, args[1], seen) : nullptr;
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
    Geometry whole;
    if (!height.fits() || !width.fits()) return nullptr;
    whole.add(height.value(), 0), whole.add(width.value(), 0);
    if (!fill_rows(whole, PyArray_ITEMSIZE(block(0)))) return nullptr;
    Owned result(new_zeros(PyArray_DESCR(block(0)), 2, whole.shape));
    npy_intp row = 0, column = 0;
    for (Py_ssize_t at = 0; result && at < count; ++at) {
        PyArrayObject* x = block(at);
        Geometry seen;
        if (!x || rows(x) > height.value() - row || columns(x) > width.value() - column)
            return nullptr;  // of another shape by now
        seen.offset = row * whole.strides[0] + column * whole.strides[1];
        for (int dim = 0; dim < PyArray_NDIM(x); ++dim)
            seen.add(PyArray_DIM(x, dim), whole.strides[2 - PyArray_NDIM(x) + dim]);
        put(result.get(), seen, x);
        row += rows(x), column += columns(x);
    }
    return result.give();
}

PyMethodDef inserted_methods[] = {
    direct_method("direct_diag_embed", laid<direct<4, diag_embed>, few_with_gaps>,
                  "diag_embed(self, offset, dim1, dim2), or NotImplemented"),
    direct_method("direct_diagonal_copy", laid<direct<4, diagonal_copy>, few_with_gaps>,
                  "diagonal_copy(self, offset, dim1, dim2), or NotImplemented"),
    direct_method("direct_diagonal_scatter", direct<5, diagonal_scatter>,
                  "diagonal_scatter(self, src, offset, dim1, dim2), or NotImplemented"),
    direct_method("direct_select_scatter", direct<4, select_scatter>,
                  "select_scatter(self, src, dim, index), or NotImplemented"),
    direct_method("direct_slice_scatter", direct<6, slice_scatter>,
                  "slice_scatter(self, src, dim, start, end, step), or NotImplemented"),
    direct_method("direct_block_diag", direct<1, block_diag>, "block_diag(tensors), or NotImplemented"),
    {nullptr, nullptr, 0, nullptr},
};
MethodList inserted_list(inserted_methods);

}  // namespace
}  // namespace wengert
