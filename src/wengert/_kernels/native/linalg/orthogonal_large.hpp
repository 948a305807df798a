// Orthogonal factors and least squares of matrices that are not small: the same calls as in linalg/orthogonal.cpp.
#pragma once

#include "binding/direct.hpp"

namespace wengert {

template <class T> PyObject* large_qr(PyObject* const* args);
template <class T> PyObject* large_lstsq(PyObject* const* args);

}  // namespace wengert
