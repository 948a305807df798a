"""Names of torch's methods for Python's operators, for modes, subclasses of Tensor and types of the program.

Loaded when the first of these is called (`_core/calls/overriding.py`).
"""

from __future__ import annotations

METHODS = {
    "__add__": "add",
    "__radd__": "add",
    "__sub__": "sub",
    "__mul__": "mul",
    "__rmul__": "mul",
    "__truediv__": "div",
    "__mod__": "remainder",
    "__pow__": "pow",
    "__matmul__": "matmul",
    "__neg__": "neg",
    "__abs__": "abs",
    "__lt__": "lt",
    "__le__": "le",
    "__gt__": "gt",
    "__ge__": "ge",
    "__ne__": "ne",
    "__iadd__": "add_",
    "__isub__": "sub_",
    "__imul__": "mul_",
    "__itruediv__": "div_",
    "__ipow__": "pow_",
    "__rtruediv__": "__rdiv__",
    "__ifloordiv__": "floor_divide_",
    "__imod__": "remainder_",
    "__pos__": "positive",
    "__rand__": "bitwise_and",
    "__ror__": "bitwise_or",
    "__rxor__": "bitwise_xor",
    "ndimension": "dim",
}
"""Functions that are passed for a method of Tensor, if torch does not pass the method itself."""
REFLECTED_METHODS = {
    "__radd__": "add",
    "__rsub__": "sub",
    "__rmul__": "mul",
    "__rtruediv__": "div",
    "__rfloordiv__": "floor_divide",
    "__rmod__": "remainder",
    "__rpow__": "pow",
    "__rmatmul__": "matmul",
    "__rand__": "bitwise_and",
    "__ror__": "bitwise_or",
    "__rxor__": "bitwise_xor",
}
"""By reflected method: the operator, if the left operand is a tensor, too; Python calls a subclass's method first."""
SLOTS = {
    "abs": "abs",
    "add": "add",
    "bitwise_and": "__and__",
    "bitwise_not": "__invert__",
    "bitwise_or": "__or__",
    "bitwise_xor": "__xor__",
    "div": "div",
    "eq": "__eq__",
    "floor_divide": "__floordiv__",
    "ge": "ge",
    "gt": "gt",
    "getitem": "__getitem__",
    "le": "le",
    "lshift": "__lshift__",
    "lt": "lt",
    "matmul": "matmul",
    "mul": "mul",
    "ne": "ne",
    "neg": "neg",
    "pow": "pow",
    "reciprocal": "reciprocal",
    "remainder": "remainder",
    "rshift": "__rshift__",
    "rsub": "__rsub__",
    "setitem": "__setitem__",
    "sub": "sub",
    "iadd": "add_",
    "iand": "__iand__",
    "idiv": "div_",
    "ifloor_divide": "floor_divide_",
    "ilshift": "__ilshift__",
    "imul": "mul_",
    "ior": "__ior__",
    "ipow": "pow_",
    "iremainder": "remainder_",
    "irshift": "__irshift__",
    "isub": "sub_",
    "ixor": "__ixor__",
}
"""Functions that are passed for one of Python's operators, by its position in the table of operators."""
REFLECTED_SLOTS = {
    "floor_divide": "__rfloordiv__",
    "lshift": "__rlshift__",
    "matmul": "__rmatmul__",
    "pow": "__rpow__",
    "remainder": "__rmod__",
    "rshift": "__rrshift__",
}
"""By operator: its method if the tensor is the right operand, called with the operands in the program's order."""
PROTOCOLS = {
    "contains": "__contains__",
    "index": "__index__",
    "length": "__len__",
    "text": "__repr__",
    "to_complex": "__complex__",
    "to_integer": "__int__",
    "to_real": "__float__",
}
"""Functions that are passed for Python's other protocols, which are functions in the table."""
UNPARSED = frozenset(
    (
        *REFLECTED_SLOTS.values(),
        *PROTOCOLS.values(),
        "__floordiv__",
        "__invert__",
        "__rdiv__",
        "__rsub__",
        "abs",
        "neg",
        "pow",
        "pow_",
    )
)
"""Operators for which torch parses no arguments, so that plain tensors are among the types that a mode gets."""
FIRST_HALF = "reciprocal"
"""Position of the first half of `2 / x`, which is not a call of its own."""
OPERATORS = {
    "bitwise_and": "__and__",
    "bitwise_and_": "__iand__",
    "bitwise_left_shift": "__lshift__",
    "bitwise_left_shift_": "__ilshift__",
    "bitwise_or": "__or__",
    "bitwise_or_": "__ior__",
    "bitwise_right_shift": "__rshift__",
    "bitwise_right_shift_": "__irshift__",
    "bitwise_xor": "__xor__",
    "bitwise_xor_": "__ixor__",
    "floor_divide": "__floordiv__",
    "pow": "__pow__",
    "pow_": "__ipow__",
    "rsub": "__rsub__",
    "true_divide": "div",
    "true_divide_": "div_",
}
"""Methods that are passed for an operator with an operand that is not a tensor, if the name is another one."""
REFLECTED_OPERATORS = {
    "bitwise_left_shift": "__rlshift__",
    "bitwise_right_shift": "__rrshift__",
    "floor_divide": "__rfloordiv__",
    "matmul": "__rmatmul__",
    "pow": "__rpow__",
    "remainder": "__rmod__",
    "true_divide": "__rtruediv__",
}
"""By operator: its method if the tensor is the right operand."""
