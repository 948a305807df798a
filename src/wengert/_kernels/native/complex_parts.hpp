// Complex arrays as real ones with one dimension more, of length 2: what is linear in complex numbers is done by the functions of real ones.
#pragma once

#include "complex_products.hpp"

namespace wengert {

// An array of another dtype and shape in the memory of one that is dense.
PyArrayObject* seen_in(PyArrayObject* array, PyArray_Descr* descr, int ndim, const npy_intp* shape);
// The parts of a row-major complex array, in its memory; null with an error.
PyArrayObject* parts_of(PyArrayObject* x);
// A row-major real array, whose last dimension holds parts, as complex numbers in its memory. Takes the reference; null for null.
PyObject* complex_of(PyObject* parts);
// All dimensions that are named, from the front, and `further` ones behind them; null without an error for what names none. None names all.
PyObject* named_dims(PyObject* dim, int ndim, int further);

// The quotient of a complex array and the number of elements that its own stand for. Takes the reference; null for null.
PyObject* over_count(PyObject* sums, npy_intp count);

// A sum (x, dim, keepdim, ...) of real numbers, asked for complex ones, or with that their mean: a quotient of complex numbers.
template <DirectFunction function, bool mean = false>
PyObject* of_parts(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
    PyObject* result = function(self, args, nargs);
    if (result != Py_NotImplemented || nargs < 3 || nargs > Exchanged::most) return result;
    PyArrayObject* x = plain(args[0]);
    if (!is_complex(x) || PyArray_NDIM(x) == 0 || PyArray_SIZE(x) == 0) return result;
    PyObject* dims = named_dims(args[1], PyArray_NDIM(x), 0);
    if (!dims) return PyErr_Occurred() ? (Py_DECREF(result), nullptr) : result;
    Exchanged exchanged(args, nargs);
    exchanged.given[1] = dims;
    PyObject* made = exchanged.put(0, parts_of(x)) ? function(self, exchanged.given, nargs) : nullptr;
    Py_DECREF(dims);
    if (made == Py_NotImplemented) return Py_DECREF(made), result;
    Py_DECREF(result);
    return mean ? over_count(complex_of(made), PyArray_SIZE(x)) : complex_of(made);
}
template <DirectFunction sum, DirectFunction mean>
PyObject* mean_of_parts(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
    return nargs > 0 && is_complex(plain(args[0])) ? of_parts<sum, true>(self, args, nargs) : mean(self, args, nargs);
}
// vector_norm(self, ord, dim, keepdim, dtype), likewise of order 2: the norm of all parts.
template <DirectFunction function>
PyObject* norm_of_parts(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
    PyObject* result = function(self, args, nargs);
    double order = 0;
    if (result != Py_NotImplemented || nargs != 5 || !as_number(args[1], order) || order != 2 || args[3] != Py_False) return result;
    PyArrayObject* x = plain(args[0]);
    if (!is_complex(x) || PyArray_NDIM(x) == 0 || PyArray_SIZE(x) == 0) return result;
    PyObject* dims = named_dims(args[2], PyArray_NDIM(x), 1);
    if (!dims) return PyErr_Occurred() ? (Py_DECREF(result), nullptr) : result;
    Exchanged exchanged(args, nargs);
    exchanged.given[2] = dims;
    PyObject* made = exchanged.put(0, parts_of(x)) ? function(self, exchanged.given, nargs) : nullptr;
    Py_DECREF(dims);
    Py_DECREF(result);
    return made;
}

}  // namespace wengert
