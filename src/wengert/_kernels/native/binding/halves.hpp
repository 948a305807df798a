// float16 and bfloat16 as memory: what other kernels need of binding/halves.cpp.
#pragma once

#include "binding/block.hpp"
#include "binding/common.hpp"

namespace wengert {

// Which of the loops knows a dtype: that of NumPy, or that of ml_dtypes, whose type number differs from process to
// process.
int half_of(const PyArray_Descr* descr);

// A new array of float32 from one of halves, or the other way round, its elements in the same order; null, without a
// Python error, for other dtypes, and for arrays with gaps.
PyObject* half_converted(PyArrayObject* x, PyArray_Descr* descr);

// Element-wise functions of halves in row-major order, computed in float32 and rounded once; null, without a Python
// error, for what is unknown. Operands have one shape, or one is a number. `cost` is the work of one element in
// additions.
PyObject* half_unary(Unary op, npy_intp cost, PyObject* x);
PyObject* half_binary(Binary op, npy_intp cost, PyObject* a, PyObject* b);

// The sum or mean of a row-major array of halves over its last dimensions, in float32; null for anything else.
PyObject* half_sum(PyArrayObject* x, const Block& block, bool mean);

}  // namespace wengert
