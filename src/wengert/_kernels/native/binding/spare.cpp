// Arrays offered to the next function that creates one, and notes of the work of functions.
#include "binding/spare.hpp"
#include "binding/work.hpp"

#include <vector>

namespace wengert {

PyArrayObject* offered_array = nullptr;
WorkNotes* work_notes = nullptr;

// Whether a matrix is in column-major order, and not in row-major order as well.
static bool is_by_columns(PyArrayObject* array) {
    return PyArray_NDIM(array) == 2 && PyArray_STRIDE(array, 0) == PyArray_ITEMSIZE(array) &&
           PyArray_STRIDE(array, 1) == PyArray_STRIDE(array, 0) * PyArray_DIM(array, 0) && PyArray_DIM(array, 0) > 1;
}

PyArrayObject* take_offered(PyArray_Descr* descr, int ndim, const npy_intp* shape, bool by_columns) {
    PyArrayObject* array = offered_array;
    if (PyArray_DESCR(array) != descr || PyArray_NDIM(array) != ndim) return nullptr;
    if (!(by_columns ? is_by_columns(array) : is_row_major(array))) return nullptr;
    for (int dim = 0; dim < ndim; ++dim)
        if (PyArray_DIM(array, dim) != shape[dim]) return nullptr;
    offered_array = nullptr;
    return array;
}

void withdraw_offer() {
    PyArrayObject* array = offered_array;
    offered_array = nullptr;
    Py_XDECREF(array);
}

void end_replayed_call() {
    withdraw_offer();
    if (work_notes) work_notes->complete = false;
    work_notes = nullptr;
}

namespace {
std::vector<PyCFunction>& repeatable_functions() {
    static std::vector<PyCFunction> functions;
    return functions;
}
}  // namespace

PyMethodDef repeatable_method(const char* name, DirectFunction function, const char* doc) {
    repeatable_functions().push_back(as_direct(function));
    return direct_method(name, function, doc);
}
bool is_repeatable(PyCFunction function) {
    const std::vector<PyCFunction>& all = repeatable_functions();
    return std::find(all.begin(), all.end(), function) != all.end();
}

bool can_be_offered(PyArrayObject* array) {
    constexpr int wanted = NPY_ARRAY_OWNDATA | NPY_ARRAY_WRITEABLE | NPY_ARRAY_ALIGNED;
    auto* object = reinterpret_cast<PyObject*>(array);
    if (!PyArray_CheckExact(object) || (PyArray_FLAGS(array) & wanted) != wanted || PyArray_BASE(array)) return false;
    if (PyArray_NBYTES(array) >= static_cast<npy_intp>(least_kept)) return false;
    if (!is_row_major(array) && !is_by_columns(array)) return false;
    PyObject* const* watchers =
        reinterpret_cast<PyObject**>(reinterpret_cast<char*>(object) + Py_TYPE(object)->tp_weaklistoffset);
    return is_unique(object) && Py_TYPE(object)->tp_weaklistoffset > 0 && !*watchers;
}

}  // namespace wengert
