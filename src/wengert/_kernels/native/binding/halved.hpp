// Functions of float32 applied to halves: operands are widened and the float32 result is rounded once, as
// `_core/operators/halves.py` does for other operators.
#pragma once

#include "binding/halves.hpp"
#include "binding/memory_order.hpp"

namespace wengert {

// The dtype of the arrays among the arguments, if all are halves of one kind and have elements; null for anything else.
PyArray_Descr* half_among(PyObject* const* args, Py_ssize_t nargs);

// Replaces halves by float32; false if one has gaps, or with an error.
bool widen_all(ReplacedArguments& exchanged, Py_ssize_t nargs);

// Rounds a result, or each of several, to halves; takes over the reference.
PyObject* narrowed(PyObject* computed, PyArray_Descr* half);

// `none_at`: the number of the argument `dtype`, which must be None.
template <DirectFunction function, Py_ssize_t none_at = -1>
PyObject* of_halves(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
    PyObject* result = function(self, args, nargs);
    if (result != Py_NotImplemented || nargs > ReplacedArguments::most ||
        (none_at >= 0 && (nargs <= none_at || args[none_at] != Py_None)))
        return result;
    PyArray_Descr* half = half_among(args, nargs);
    if (!half) return result;
    ReplacedArguments wide(args, nargs);
    if (!widen_all(wide, nargs)) return PyErr_Occurred() ? (Py_DECREF(result), nullptr) : result;
    Py_DECREF(result);
    return narrowed(function(self, wide.arguments, nargs), half);
}

}  // namespace wengert
