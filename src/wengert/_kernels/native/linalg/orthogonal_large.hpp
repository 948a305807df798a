// Orthogonal factors and least squares of larger matrices: functions of linalg/orthogonal.cpp, with the same arguments.
#pragma once

#include "binding/direct.hpp"

namespace wengert {

template <class T> PyObject* large_qr(PyObject* const* args);
template <class T> PyObject* large_lstsq(PyObject* const* args);

}  // namespace wengert
