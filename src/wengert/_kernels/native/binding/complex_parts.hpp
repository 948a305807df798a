// Complex arrays as real ones with one more dimension, of length 2, so that functions of real arrays compute what is
// linear.
#pragma once

#include "binding/complex_products.hpp"

namespace wengert {

// The memory of a dense array, viewed with another dtype and shape.
PyArrayObject* reinterpreted_as(PyArrayObject* array, PyArray_Descr* descr, int ndim, const npy_intp* shape);
// The parts of a row-major complex array that may have a dimension more, in its memory; null with an error.
PyArrayObject* parts_of(PyArrayObject* x);
// A row-major real array, whose last dimension holds parts, as complex numbers in its memory. Takes the reference; null
// for null.
PyObject* complex_of(PyObject* parts);
// The dimensions named by `dim`, counted from the front (None: all), and `further` ones behind them; null without an
// error for another object.
PyObject* named_dims(PyObject* dim, int ndim, int further);

// A complex array divided by the number of elements in each sum. Takes the reference; null for null.
PyObject* over_count(PyObject* sums, npy_intp count);

// Calls a function of real numbers, which does not support complex arrays, on the parts of one: along the dimensions
// named by argument `at` and `further` ones behind them. NotImplemented for other arrays.
template <DirectFunction function>
PyObject* call_on_parts(PyObject* self, PyObject* const* args, Py_ssize_t nargs, Py_ssize_t at, int further) {
    PyArrayObject* x = nargs > at && nargs <= ReplacedArguments::most ? plain(args[0]) : nullptr;
    const bool known = is_complex(x) && PyArray_NDIM(x) > 0 && PyArray_NDIM(x) < NPY_MAXDIMS && PyArray_SIZE(x) > 0;
    PyObject* dims = known ? named_dims(args[at], PyArray_NDIM(x), further) : nullptr;
    if (!dims) return PyErr_Occurred() ? nullptr : Py_NewRef(Py_NotImplemented);
    ReplacedArguments exchanged(args, nargs);
    exchanged.arguments[at] = dims;
    PyObject* result = exchanged.put(0, parts_of(x)) ? function(self, exchanged.arguments, nargs) : nullptr;
    Py_DECREF(dims);
    return result;
}
// A sum (x, dim, keepdim, ...) of real numbers, applied to complex ones; `mean`: divided by their number.
template <DirectFunction function, bool mean = false>
PyObject* of_parts(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
    PyObject* result = function(self, args, nargs);
    if (result != Py_NotImplemented) return result;
    Py_DECREF(result);
    PyObject* sums = call_on_parts<function>(self, args, nargs, 1, 0);
    if (sums == Py_NotImplemented) return sums;
    return mean ? over_count(complex_of(sums), PyArray_SIZE(plain(args[0]))) : complex_of(sums);
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
    return call_on_parts<function>(self, args, nargs, 2, 1);
}

}  // namespace wengert
