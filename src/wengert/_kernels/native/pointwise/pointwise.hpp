// The element-wise functions by their place among the loops, for other files.
#pragma once

#include "binding/common.hpp"

namespace wengert {

// The card of these takes no numbers beside tensors; that of FMOD none in the first place.
constexpr bool arrays_only(Binary op) { return op > DIVIDE && (op < FMOD || op > FLOOR_DIVIDE); }

// The result, or null: with a Python error set, or unknown. `out` may be null or None.
PyObject* pointwise_unary(Unary op, PyObject* x, PyObject* out);
PyObject* pointwise_binary(Binary op, PyObject* a, PyObject* b, PyObject* out);
// The same of ADD or SUBTRACT, with `alpha` times the second operand.
PyObject* pointwise_scaled(Binary op, PyObject* a, PyObject* b, PyObject* alpha, PyObject* out);
// The same for the dispatcher, of halves and of memory in other orders, too.
PyObject* direct_unary(Unary op, PyObject* x);
PyObject* direct_binary(Binary op, PyObject* a, PyObject* b);

// For arrays with gaps, whose dimensions lie in their order; `cost` is the work of one element in additions. The last writes what is
// made into an array of few elements that lies so.
PyObject* row_unary(Unary op, npy_intp cost, PyObject* x);
PyObject* row_binary(Binary op, npy_intp cost, PyObject* a, PyObject* b);
PyObject* row_binary_into(Binary op, npy_intp cost, PyObject* a, PyObject* b, PyObject* out);

// Of few integers of any size, truth values or complex numbers, also beside a number; products of any number of complex ones. Null
// without a Python error for others.
PyObject* of_other_numbers(Binary op, PyObject* a, PyObject* b);
PyObject* of_other_numbers(Unary op, PyObject* x);
PyObject* of_complex(Binary op, PyArrayObject* a, PyArrayObject* b);

}  // namespace wengert
