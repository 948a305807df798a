// Fourier transforms along one axis of arrays; false, with nothing written, for what is not known.
#pragma once

#include "binding/common.hpp"

namespace wengert {

// `scale` is 0 for the sums as they are, 1 to divide by the square root of the number of points, 2 by it. `to` has the
// lengths of the result, and may be `from` for complex numbers.
bool fft_along(PyArrayObject* from, int axis, index_t scale, bool forward, PyArrayObject* to);
bool rfft_along(PyArrayObject* from, int axis, index_t scale, bool onesided,
                PyArrayObject* to);  // the terms 0 to n / 2, or all
bool irfft_along(PyArrayObject* from, int axis, index_t scale, PyArrayObject* to);

}  // namespace wengert
