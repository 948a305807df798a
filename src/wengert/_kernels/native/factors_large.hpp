// Factors of matrices that are not small, and systems solved by them: the same calls as in factors.cpp.
#pragma once

#include "direct.hpp"

namespace wengert {

template <class T> PyObject* large_cholesky_factor(PyObject* const* args);
template <class T> PyObject* large_triangular(PyObject* const* args);
template <class T> PyObject* large_cholesky_solve(PyObject* const* args);
template <class T> PyObject* large_lu_factor(PyObject* const* args);
template <class T> PyObject* large_solve(PyObject* const* args);
template <class T> PyObject* large_inverse(PyObject* const* args);
template <class T> PyObject* large_determinant(PyObject* const* args);

}  // namespace wengert
