// Complex arrays as real ones with one dimension more, of length 2: what is linear in complex numbers is done by the
// functions of real ones.
#pragma once

#include "binding/complex_products.hpp"

namespace wengert {

// An array of another dtype and shape in the memory of one that is dense.
PyArrayObject* seen_in(PyArrayObject* array, PyArray_Descr* descr, int ndim, const npy_intp* shape);
// The parts of a row-major complex array that may have a dimension more, in its memory; null with an error.
PyArrayObject* parts_of(PyArrayObject* x);
// A row-major real array, whose last dimension holds parts, as complex numbers in its memory. Takes the reference; null
// for null.
PyObject* complex_of(PyObject* parts);
// All dimensions that are named, from the front, and `further` ones behind them; null without an error for what names
// none. None names all.
PyObject* named_dims(PyObject* dim, int ndim, int further);

// The quotient of a complex array and the number of elements that its own stand for. Takes the reference; null for
// null.
PyObject* over_count(PyObject* sums, npy_intp count);

// A function of real numbers that did not know the complex array it was asked for, asked for its parts: along the
// dimensions that argument `at` names and `further` ones behind them. NotImplemented for whatever else.
template <DirectFunction function>
PyObject* asked_for_parts(PyObject* self, PyObject* const* args, Py_ssize_t nargs, Py_ssize_t at, int further) {
    PyArrayObject* x = nargs > at && nargs <= Exchanged::most ? plain(args[0]) : nullptr;
    const bool known = is_complex(x) && PyArray_NDIM(x) > 0 && PyArray_NDIM(x) < NPY_MAXDIMS && PyArray_SIZE(x) > 0;
    PyObject* dims = known ? named_dims(args[at], PyArray_NDIM(x), further) : nullptr;
    if (!dims) return PyErr_Occurred() ? nullptr : Py_NewRef(Py_NotImplemented);
    Exchanged exchanged(args, nargs);
    exchanged.given[at] = dims;
    PyObject* made = exchanged.put(0, parts_of(x)) ? function(self, exchanged.given, nargs) : nullptr;
    Py_DECREF(dims);
    return made;
}
// A sum (x, dim, keepdim, ...) of real numbers, asked for complex ones, or with that their mean: a quotient of complex
// numbers.
template <DirectFunction function, bool mean = false>
PyObject* of_parts(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
    PyObject* result = function(self, args, nargs);
    if (result != Py_NotImplemented) return result;
    Py_DECREF(result);
    PyObject* made = asked_for_parts<function>(self, args, nargs, 1, 0);
    if (made == Py_NotImplemented) return made;
    return mean ? over_count(complex_of(made), PyArray_SIZE(plain(args[0]))) : complex_of(made);
}
template <DirectFunction sum, DirectFunction mean>
PyObject* mean_of_parts(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
    return nargs > 0 && is_complex(plain(args[0])) ? of_parts<sum, true>(self, args, nargs) : mean(self, args, nargs);
}
// vector_norm(self, ord, dim, keepdim, dtype), likewise of order 2: the norm of all parts.
template <DirectFunction function> PyObject* norm_of_parts(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
    PyObject* result = function(self, args, nargs);
    double order = 0;
    if (result != Py_NotImplemented || nargs != 5 || !as_number(args[1], order) || order != 2 || args[3] != Py_False)
        return result;
    Py_DECREF(result);
    return asked_for_parts<function>(self, args, nargs, 2, 1);
}

}  // namespace wengert
