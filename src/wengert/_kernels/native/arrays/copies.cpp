// Copies of arrays, and the arguments for `flatten`, `chunk` and `narrow`.
#include "binding/memory_order.hpp"
#include "binding/moves.hpp"
#include "arrays/views.hpp"

#include <cstring>
#include <initializer_list>

namespace wengert {
void put(PyArrayObject* target, const ViewGeometry& geometry, PyArrayObject* from) {
    move_elements(geometry.ndim, geometry.shape, PyArray_BYTES(target) + geometry.offset, geometry.strides,
                  PyArray_BYTES(from), PyArray_STRIDES(from), PyArray_ITEMSIZE(from));
}

PyArrayObject* new_copy(PyArrayObject* x) {
    if (PyDataType_REFCHK(PyArray_DESCR(x)))
        return reinterpret_cast<PyArrayObject*>(with_python([&] { return PyArray_NewCopy(x, NPY_CORDER); }));
    ViewGeometry rows = geometry_of(x);
    Owned copy(new_array(PyArray_DESCR(x), rows.ndim, rows.shape));
    if (!copy || !fill_rows(rows, PyArray_ITEMSIZE(x))) return nullptr;
    put(copy.get(), rows, x);
    return copy.take();
}

namespace {

// A contiguous array of numbers in the machine's byte order.
PyArrayObject* numbers(PyObject* object) {
    if (!PyArray_CheckExact(object)) return nullptr;
    auto* array = reinterpret_cast<PyArrayObject*>(object);
    const bool known = !PyDataType_REFCHK(PyArray_DESCR(array)) && PyArray_ISNOTSWAPPED(array);
    return known && PyArray_ITEMSIZE(array) > 0 && PyArray_SIZE(array) > 0 ? array : nullptr;
}
PyObject* copy_in_rows(PyArrayObject* array) {
    ViewGeometry rows = geometry_of(array);
    Owned result(new_array(PyArray_DESCR(array), rows.ndim, rows.shape));
    if (!result) return nullptr;
    if (!fill_rows(rows, PyArray_ITEMSIZE(array))) Py_RETURN_NOTIMPLEMENTED;
    put(result.get(), rows, array);
    return result.give();
}

// Whether a memory format, which has a name, is row-major order.
bool asks_for_rows(PyObject* memory_format) {
    static PyObject* const name = PyUnicode_InternFromString("name");
    PyObject* text = memory_format == Py_None ? nullptr : PyObject_GetAttr(memory_format, name);
    if (!text) PyErr_Clear();
    const bool rows = text && is_text(text, "contiguous_format");
    Py_XDECREF(text);
    return rows;
}
// clone(x, memory_format): of a row-major array, or to row-major order, which copies of a repeated single element have.
PyObject* clone(PyObject*, Arguments args, Py_ssize_t nargs) {
    PyArrayObject* x = nargs == 2 ? numbers(args[0]) : nullptr;
    if (!x || !(args[1] == Py_None ? is_row_major(x) || (PyArray_SIZE(x) > 1 && repeats_one_element(x))
                                   : asks_for_rows(args[1])))
        Py_RETURN_NOTIMPLEMENTED;
    return copy_in_rows(x);
}
// contiguous(x, memory_format): the array itself if it is.
PyObject* contiguous(PyObject*, Arguments args, Py_ssize_t nargs) {
    PyArrayObject* x = nargs == 2 && args[1] == Py_None ? numbers(args[0]) : nullptr;
    if (!x) Py_RETURN_NOTIMPLEMENTED;
    return PyArray_IS_C_CONTIGUOUS(x) ? Py_NewRef(args[0]) : copy_in_rows(x);
}

// flatten(x, start_dim, end_dim): a view of dense memory; the array itself if nothing changes.
PyObject* flatten(PyObject*, Arguments args, Py_ssize_t nargs) {
    PyArrayObject* x = nargs == 3 ? viewable(args[0]) : nullptr;
    int first, last;
    if (!x || !PyArray_IS_C_CONTIGUOUS(x) || !as_axis(args[1], PyArray_NDIM(x), first) ||
        !as_axis(args[2], PyArray_NDIM(x), last) || first > last)
        Py_RETURN_NOTIMPLEMENTED;
    if (first == last) return Py_NewRef(args[0]);
    ViewGeometry geometry;
    npy_intp length = 1;  // the array has as many elements: it fits
    for (int dim = 0; dim < PyArray_NDIM(x); ++dim) {
        if (dim >= first && dim <= last) length *= PyArray_DIM(x, dim);
        if (dim < first || dim >= last) geometry.add(dim == last ? length : PyArray_DIM(x, dim), 0);
    }
    if (!fill_strides(geometry, x)) Py_RETURN_NOTIMPLEMENTED;
    return take(x, geometry);
}

// ---- arguments ------------------------------------------------------------------------------------------------------

// A tuple of None and the integers.
PyObject* behind_none(std::initializer_list<npy_intp> numbers) {
    PyObject* arguments = PyTuple_New(1 + static_cast<Py_ssize_t>(numbers.size()));
    if (!arguments) return nullptr;
    PyTuple_SET_ITEM(arguments, 0, Py_NewRef(Py_None));
    Py_ssize_t at = 1;
    for (const npy_intp number : numbers) {
        PyObject* item = PyLong_FromSsize_t(number);
        if (!item) return Py_DECREF(arguments), nullptr;
        PyTuple_SET_ITEM(arguments, at++, item);
    }
    return arguments;
}

// chunk_arguments(x, chunks, dim): (None, split_size, dim), of `split`.
PyObject* chunk_arguments(PyObject*, Arguments args, Py_ssize_t nargs) {
    PyArrayObject* x = nargs == 3 ? viewable(args[0]) : nullptr;
    int dim;
    npy_intp chunks = 0, dim_argument = 0;
    if (!x || !as_axis(args[2], PyArray_NDIM(x), dim) || !as_index(args[2], dim_argument) ||
        !as_index(args[1], chunks) || chunks < 1 || PyArray_DIM(x, dim) == 0)
        Py_RETURN_NOTIMPLEMENTED;
    return behind_none({(PyArray_DIM(x, dim) - 1) / chunks + 1, dim_argument});
}

// narrow_arguments(x, dim, start, length): (None, dim, start, end, step), of `slice`.
PyObject* narrow_arguments(PyObject*, Arguments args, Py_ssize_t nargs) {
    PyArrayObject* x = nargs == 4 ? viewable(args[0]) : nullptr;
    int dim;
    npy_intp start = 0, length = 0, dim_argument = 0;
    if (!x || !as_axis(args[1], PyArray_NDIM(x), dim) || !as_index(args[1], dim_argument) ||
        !as_index(args[2], start) || !as_index(args[3], length))
        Py_RETURN_NOTIMPLEMENTED;
    const npy_intp have = PyArray_DIM(x, dim);
    if (start < -have || start > have || length < 0) Py_RETURN_NOTIMPLEMENTED;
    if (start < 0) start += have;
    if (length > have - start) Py_RETURN_NOTIMPLEMENTED;
    return behind_none({dim_argument, start, start + length, 1});
}

Methods copy_methods({
    WENGERT_ENTRY(clone, "(x, memory_format), the format None or row-major", in_operand_order<clone>),
    WENGERT_ENTRY(contiguous, "(x, memory_format)", contiguous),
    WENGERT_ENTRY(flatten, "(x, start_dim, end_dim)", flatten),
    WENGERT_ENTRY(chunk_arguments, "(x, chunks, dim)", chunk_arguments),
    WENGERT_ENTRY(narrow_arguments, "(x, dim, start, length)", narrow_arguments),
});

}  // namespace
}  // namespace wengert
