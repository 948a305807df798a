// float16 and bfloat16 as memory: what other kernels need of halves.cpp.
#pragma once

#include "common.hpp"

namespace wengert {

// A new array of float32 from one of halves, or the other way round, its elements in the same order; null, without a
// Python error, for other dtypes, and for arrays with gaps.
PyObject* half_converted(PyArrayObject* x, PyArray_Descr* descr);

}  // namespace wengert
