// Functions of float32 that are asked for halves: their operands are widened, and what they make in float32 is rounded
// once, as `_core/operators/halves.py` does for all others.
#pragma once

#include "binding/halves.hpp"
#include "binding/laid.hpp"

namespace wengert {

// The dtype of the arrays among the arguments, if all are halves of one kind and have elements; null for anything else.
PyArray_Descr* half_among(PyObject* const* args, Py_ssize_t nargs);

// Puts float32 in the place of halves; false if one has gaps, or with an error.
bool widen_all(Exchanged& exchanged, Py_ssize_t nargs);

// What was made of them, or each of several, in the place of which there are halves; takes over the reference.
PyObject* narrowed(PyObject* made, PyArray_Descr* half);

// `none_at`: the number of an argument that asks for a dtype, and must be None.
template <DirectFunction function, Py_ssize_t none_at = -1>
PyObject* of_halves(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
    PyObject* result = function(self, args, nargs);
    if (result != Py_NotImplemented || nargs > Exchanged::most ||
        (none_at >= 0 && (nargs <= none_at || args[none_at] != Py_None)))
        return result;
    PyArray_Descr* half = half_among(args, nargs);
    if (!half) return result;
    Exchanged wide(args, nargs);
    if (!widen_all(wide, nargs)) return PyErr_Occurred() ? (Py_DECREF(result), nullptr) : result;
    Py_DECREF(result);
    return narrowed(function(self, wide.given, nargs), half);
}

}  // namespace wengert
