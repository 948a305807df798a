// Arrays offered to the next function that creates one.
#include "binding/spare.hpp"

namespace wengert {

PyArrayObject* offered_array = nullptr;

PyArrayObject* take_offered(PyArray_Descr* descr, int ndim, const npy_intp* shape) {
    PyArrayObject* array = offered_array;
    if (PyArray_DESCR(array) != descr || PyArray_NDIM(array) != ndim) return nullptr;
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

bool can_be_offered(PyArrayObject* array) {
    constexpr int wanted = NPY_ARRAY_OWNDATA | NPY_ARRAY_WRITEABLE | NPY_ARRAY_ALIGNED;
    auto* object = reinterpret_cast<PyObject*>(array);
    if (!PyArray_CheckExact(object) || (PyArray_FLAGS(array) & wanted) != wanted || PyArray_BASE(array)) return false;
    if (PyArray_NBYTES(array) >= static_cast<npy_intp>(least_kept) || !is_row_major(array)) return false;
    PyObject* const* watchers = reinterpret_cast<PyObject**>(reinterpret_cast<char*>(object) +
                                                             Py_TYPE(object)->tp_weaklistoffset);
    return is_unique(object) && Py_TYPE(object)->tp_weaklistoffset > 0 && !*watchers;
}

}  // namespace wengert
