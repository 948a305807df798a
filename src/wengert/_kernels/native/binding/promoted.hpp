// Functions of operands of one dtype, called with two dtypes: on copies in the dtype that both are promoted to.
#pragma once

#include "binding/memory_order.hpp"

namespace wengert {

// The dtype that two arrays are promoted to, by torch's rules: arrays with dimensions decide, others only if their kind
// is higher. A borrowed reference; null for unsupported dtypes.
PyArray_Descr* common_descr(PyArrayObject* a, PyArrayObject* b);
// A copy of a row-major array in another dtype of ours; null without an error for what is not known.
PyArrayObject* converted(PyArrayObject* x, PyArray_Descr* descr);

// `truth`: whether truth values may be among the operands.
template <DirectFunction function, bool truth = true>
PyObject* promoted(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
    PyObject* result = function(self, args, nargs);
    if (result != Py_NotImplemented || nargs < 2 || nargs > ReplacedArguments::most) return result;
    PyArrayObject *a = plain(args[0]), *b = plain(args[1]);
    PyArray_Descr* common = a && b && PyArray_DESCR(a) != PyArray_DESCR(b) ? common_descr(a, b) : nullptr;
    if (!common || (!truth && (PyArray_ISBOOL(a) || PyArray_ISBOOL(b)))) return result;
    ReplacedArguments exchanged(args, nargs);
    for (Py_ssize_t k = 0; k < 2; ++k) {
        PyArrayObject* array = k ? b : a;
        if (PyArray_DESCR(array) != common && !exchanged.put(k, converted(array, common)))
            return PyErr_Occurred() ? (Py_DECREF(result), nullptr) : result;
    }
    Py_DECREF(result);
    return function(self, exchanged.arguments, nargs);
}

// A function of an int64 array, called with shorter integers; its results are int64 as well.
template <DirectFunction function> PyObject* widened(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
    PyObject* result = function(self, args, nargs);
    if (result != Py_NotImplemented || nargs < 1 || nargs > ReplacedArguments::most) return result;
    PyArrayObject* x = plain(args[0]);
    if (!x || !PyArray_ISINTEGER(x) || PyArray_DESCR(x) == int64_descr || PyArray_SIZE(x) == 0 ||
        !PyArray_ISNOTSWAPPED(x))
        return result;
    ReplacedArguments exchanged(args, nargs);
    if (!exchanged.put(0, converted(x, int64_descr))) return PyErr_Occurred() ? (Py_DECREF(result), nullptr) : result;
    Py_DECREF(result);
    return function(self, exchanged.arguments, nargs);
}

}  // namespace wengert
