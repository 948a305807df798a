"""What modes, subclasses of Tensor and types of the program are told for Python's signs: names of torch's methods.

Loaded when somebody is asked for the first time (`_core/calls/overriding.py`).
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
"""The function that is told for a method of Tensor, where torch tells not the method itself."""
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
"""The same where the left operand is a tensor, too, and is told first: Python asks that of the subclass first."""
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
"""What is told for an operator behind a sign, by its place in the table of signs."""
REFLECTED_SLOTS = {
    "floor_divide": "__rfloordiv__",
    "lshift": "__rlshift__",
    "matmul": "__rmatmul__",
    "pow": "__rpow__",
    "remainder": "__rmod__",
    "rshift": "__rrshift__",
}
"""The same where the tensor is the right operand: these are called with the operands as they stand in the program."""
PROTOCOLS = {
    "contains": "__contains__",
    "index": "__index__",
    "length": "__len__",
    "text": "__repr__",
    "to_complex": "__complex__",
    "to_integer": "__int__",
    "to_real": "__float__",
}
"""What is told for Python's other protocols, which are functions in the table."""
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
"""Where torch parses no arguments, so that plain tensors are among the types that a mode is told."""
FIRST_HALF = "reciprocal"
"""The place of the first half of `2 / x`, which is no call of its own."""
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
"""The method that is told for an operator beside what is no tensor, where it is not that of the operator's name."""
REFLECTED_OPERATORS = {
    "bitwise_left_shift": "__rlshift__",
    "bitwise_right_shift": "__rrshift__",
    "floor_divide": "__rfloordiv__",
    "matmul": "__rmatmul__",
    "pow": "__rpow__",
    "remainder": "__rmod__",
    "true_divide": "__rtruediv__",
}
"""The same where the tensor is the right operand."""
