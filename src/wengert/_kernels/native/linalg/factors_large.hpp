// Factors of larger matrices, and systems solved by them: the functions of linalg/factors.cpp, with the same arguments.
#pragma once

#include <cmath>

#include "binding/direct.hpp"

namespace wengert {

template <class T> PyObject* large_cholesky_factor(PyObject* const* args);
template <class T> PyObject* large_triangular(PyObject* const* args);
template <class T> PyObject* large_cholesky_solve(PyObject* const* args);
template <class T> PyObject* large_lu_factor(PyObject* const* args);
template <class T> PyObject* large_solve(PyObject* const* args);
template <class T> PyObject* large_inverse(PyObject* const* args);
template <class T> PyObject* large_determinant(PyObject* const* args);
template <class T> PyObject* large_log_determinant(PyObject* const* args);

// The determinant of a matrix from its factors P L U; its sign, 0 for a singular matrix, and the logarithm of its
// absolute value.
template <class T> inline T determinant_of(const T* lu, npy_intp side, const int32_t* pivots) {
    T total = 1;
    for (npy_intp i = 0; i < side; ++i) total *= pivots[i] - 1 == i ? lu[i * side + i] : -lu[i * side + i];
    return total;
}
template <class T>
inline void log_determinant_of(const T* lu, npy_intp side, const int32_t* pivots, T& sign, T& logarithm) {
    double total = 0;
    sign = 1;
    for (npy_intp i = 0; i < side; ++i) {
        const T pivot = lu[i * side + i];
        if ((pivot < 0) != (pivots[i] - 1 != i)) sign = -sign;
        if (pivot == 0) sign = 0;
        total += std::log(std::fabs(static_cast<double>(pivot)));
    }
    logarithm = static_cast<T>(total);
}

}  // namespace wengert
