// The element-wise functions by their place among the loops, for other files.
#pragma once

#include "common.hpp"

namespace wengert {

// The result, or null: with a Python error set, or unknown. `out` may be null or None.
PyObject* pointwise_unary(Unary op, PyObject* x, PyObject* out);
PyObject* pointwise_binary(Binary op, PyObject* a, PyObject* b, PyObject* out);
// The same for the dispatcher, of halves and of memory in other orders, too.
PyObject* direct_unary(Unary op, PyObject* x);

}  // namespace wengert
