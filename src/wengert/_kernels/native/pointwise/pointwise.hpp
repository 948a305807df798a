// The element-wise functions by the enumerators of their loops, for other files.
#pragma once

#include "binding/common.hpp"

namespace wengert {

// What a function of two operands takes.
enum class OperandKind {
    PROMOTED,         // arrays of two dtypes, or a number
    PROMOTED_ARRAYS,  // arrays of two dtypes
    NUMBERS,          // arrays of one dtype, or a number
    ARRAYS,           // arrays of one dtype, as all that follow
    GRAD_AND_RESULT,  // `grad` and the result of the function that it is the derivative of
    GRAD_AND_INPUT,   // `grad` and what was given to that
};
enum class Doubles { OURS, LIBRARY };

struct UnaryRow {
    npy_intp cost;  // of one element, in additions
    Doubles doubles;
};
struct BinaryRow {
    npy_intp cost;
    OperandKind operands;
};
// The rows of base/pointwise.inc, by their enumerators.
constexpr UnaryRow unary_rows[] = {
#define WENGERT_UNARY(op, name, cost, binding, doubles, ...) {cost, Doubles::doubles},
#include "base/pointwise.inc"
};
constexpr BinaryRow binary_rows[] = {
#define WENGERT_BINARY(op, name, cost, binding, operands, ...) {cost, OperandKind::operands},
#include "base/pointwise.inc"
};
constexpr npy_intp cost_of(Unary op) { return unary_rows[op].cost; }
constexpr npy_intp cost_of(Binary op) { return binary_rows[op].cost; }
constexpr bool is_promoted(Binary op) { return binary_rows[op].operands <= OperandKind::PROMOTED_ARRAYS; }
// The card of these takes no numbers beside tensors; that of FMOD none in the first place.
constexpr bool arrays_only(Binary op) {
    return binary_rows[op].operands != OperandKind::PROMOTED && binary_rows[op].operands != OperandKind::NUMBERS;
}

// The result, or null: with a Python error set, or unknown. `out` may be null or None.
PyObject* pointwise_unary(Unary op, PyObject* x, PyObject* out);
PyObject* pointwise_binary(Binary op, PyObject* a, PyObject* b, PyObject* out);
// The same of ADD or SUBTRACT, with `alpha` times the second operand.
PyObject* pointwise_scaled(Binary op, PyObject* a, PyObject* b, PyObject* alpha, PyObject* out);
// The same for the dispatcher, of halves and of memory in other orders, too.
PyObject* direct_unary(Unary op, PyObject* x);
PyObject* direct_binary(Binary op, PyObject* a, PyObject* b);

// For row-major arrays with gaps; `cost` is the work of one element in additions. The last one writes the result into
// such an array of few elements.
PyObject* row_unary(Unary op, npy_intp cost, PyObject* x);
PyObject* row_binary(Binary op, npy_intp cost, PyObject* a, PyObject* b);
PyObject* row_binary_into(Binary op, npy_intp cost, PyObject* a, PyObject* b, PyObject* out);

// Of few integers of any size, truth values or complex numbers, also beside a number; products of any number of complex
// ones. Null without a Python error for others.
PyObject* of_other_numbers(Binary op, PyObject* a, PyObject* b);
PyObject* of_other_numbers(Unary op, PyObject* x);
PyObject* of_complex(Binary op, PyArrayObject* a, PyArrayObject* b);

}  // namespace wengert
