"""Kinds of dtypes, and those in which operators compute."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

from wengert._tensor import Tensor
from wengert._tensor.attributes import dtypes
from wengert.ops.dtype_checks import DType

ORDERED = (bool, int, float, complex)
"""Python's types of numbers, each of which includes those before it."""
BOOL = next(dtype for dtype in dtypes.ALL if dtype.name == "bool")
INTEGERS = frozenset(kind for kind in dtypes.ALL if not (kind.is_floating_point or kind.is_complex or kind is BOOL))
HALF_COMPLEX = dtypes.UNHELD["complex32"]
LOW_PRECISION = frozenset((dtypes.float16, dtypes.bfloat16, HALF_COMPLEX))
WIDER = {dtypes.float16: dtypes.float32, dtypes.bfloat16: dtypes.float32, HALF_COMPLEX: dtypes.complex64}
REAL = {HALF_COMPLEX: dtypes.float16, dtypes.complex64: dtypes.float32, dtypes.complex128: dtypes.float64}
COMPLEX = {real: complex_ for complex_, real in REAL.items()} | {dtypes.bfloat16: dtypes.complex64}


class ELEMENTWISE_TYPE_PROMOTION_KIND(Enum):  # noqa: N801 - torch's name
    """Rules by which an elementwise operator chooses the dtypes of its computation and result."""

    DEFAULT = (0,)
    NO_OPMATH = (1,)
    INT_TO_FLOAT = (2,)
    ALWAYS_BOOL = (3,)
    COMPLEX_TO_FLOAT = (4,)
    BOOL_TO_LONG = (5,)


class REDUCTION_OUTPUT_TYPE_KIND(Enum):  # noqa: N801 - torch's name
    """Rules by which a reduction chooses the dtype of its result."""

    SAME = (0,)
    COMPLEX_TO_FLOAT = (1,)
    KEEP_PROMOTED_TYPE = (2,)
    ALWAYS_BOOL = (3,)


def is_boolean_dtype(dtype: DType) -> bool:
    """Return whether a dtype is bool."""
    return dtype is BOOL


def is_integer_dtype(dtype: DType) -> bool:
    """Return whether a dtype is one of integers; bool is none."""
    return dtype in INTEGERS


def is_low_precision_dtype(dtype: DType) -> bool:
    """Return whether a dtype has fewer digits than float32."""
    return dtype in LOW_PRECISION or (dtype.is_floating_point and dtype.itemsize == 1)


def is_float_dtype(dtype: DType) -> bool:
    """Return whether a dtype is one of real floating-point numbers."""
    return dtype.is_floating_point


def is_complex_dtype(dtype: DType) -> bool:
    """Return whether a dtype is one of complex numbers."""
    return dtype.is_complex


def is_grad_dtype(dtype: DType) -> bool:
    """Return whether tensors of a dtype may require a gradient."""
    return dtype.is_floating_point or dtype.is_complex


def corresponding_real_dtype(dtype: DType) -> DType:
    """The dtype of the parts of complex numbers."""
    return REAL[dtype]


def corresponding_complex_dtype(dtype: DType) -> DType:
    """The dtype of complex numbers with parts of a dtype."""
    return COMPLEX[dtype]


def dtype_to_type(dtype: DType) -> type:
    """Python's type of the numbers of a dtype."""
    if is_boolean_dtype(dtype):
        return bool
    if is_integer_dtype(dtype):
        return int
    return complex if dtype.is_complex else float


def dtype_to_type_ctor(dtype: DType) -> Callable[[Any], Any]:
    """Return the function that makes such a number."""
    return dtype_to_type(dtype)


def type_to_dtype(typ: type) -> DType:
    """Return the dtype of tensors created from numbers of one of Python's types.

    Raises:
        ValueError: if it is another type.
    """
    if typ is bool:
        return BOOL
    if typ is int:
        return dtypes.int64
    if typ is float:
        return dtypes.get_default_dtype()
    if typ is complex:
        return COMPLEX[dtypes.get_default_dtype()]
    raise ValueError(f"Invalid type {typ}!")


def get_dtype(x: Any) -> DType:
    """The dtype of a tensor, or of a tensor of that number."""
    return x.dtype if isinstance(x, Tensor) else type_to_dtype(type(x))


def get_higher_type(a: type, b: type) -> type:
    """Of two of Python's types of numbers the one that holds both.

    Raises:
        RuntimeError: if one is not a type of numbers.
    """
    if a not in ORDERED or b not in ORDERED:
        raise RuntimeError(f"Expected builtin numeric types, found {a}, {b}")
    return max(a, b, key=ORDERED.index)


def is_weakly_lesser_type(a: type, b: type) -> bool:
    """Return whether one of Python's types of numbers holds another one, or is the same."""
    return get_higher_type(a, b) is b


def get_higher_dtype(a: Any, b: Any) -> Any:
    """Return the dtype that two dtypes (or tensors, or numbers) promote to; None if both are None."""
    kinds = [value if isinstance(value, DType) else get_dtype(value) for value in (a, b) if value is not None]
    if not kinds:
        return None
    return kinds[0] if len(kinds) == 1 else dtypes.promote_types(*kinds)


def get_computation_dtype(dtype: DType) -> DType:
    """The dtype in which operators compute with a dtype."""
    return WIDER.get(dtype, dtype)


def get_acc_type(dtype: DType, device: Any) -> DType:
    """The dtype in which sums are taken: double precision on the CPU."""
    if getattr(device, "type", device) == "cpu":
        wide = {dtypes.float32: dtypes.float64, dtypes.complex64: dtypes.complex128}
        return wide.get(get_computation_dtype(dtype), get_computation_dtype(dtype))
    return get_computation_dtype(dtype)


def dtype_or_default(dtype: Any) -> DType:
    """Return a dtype, or the default dtype for None."""
    return dtypes.get_default_dtype() if dtype is None else dtype


def elementwise_dtypes(*_args: Any, type_promotion_kind: ELEMENTWISE_TYPE_PROMOTION_KIND) -> tuple[DType, DType]:
    """The dtypes in which an operator computes with some operands, and of its result.

    Args:
        _args: tensors and numbers; None counts for nothing.
        type_promotion_kind: how the operator chooses.

    >>> import wengert as wg
    >>> kind = ELEMENTWISE_TYPE_PROMOTION_KIND.INT_TO_FLOAT
    >>> elementwise_dtypes(wg.ones(2, dtype=wg.int32), 2, type_promotion_kind=kind)
    (torch.float32, torch.float32)
    """
    kind, result = ELEMENTWISE_TYPE_PROMOTION_KIND, promoted(_args)
    if type_promotion_kind is kind.INT_TO_FLOAT and dtype_to_type(result) in (bool, int):
        result = dtypes.get_default_dtype()
    if type_promotion_kind is kind.BOOL_TO_LONG and is_boolean_dtype(result):
        return dtypes.int64, dtypes.int64
    work = result if type_promotion_kind is kind.NO_OPMATH else get_computation_dtype(result)
    if type_promotion_kind is kind.ALWAYS_BOOL:
        return work, BOOL
    if type_promotion_kind is kind.COMPLEX_TO_FLOAT and result.is_complex:
        return work, corresponding_real_dtype(result)
    return work, result


def promoted(operands: tuple[Any, ...]) -> DType:
    """The dtype that tensors and numbers promote to: numbers, then tensors of no dimensions, count for less.

    The highest kind among all operands counts; of that kind the tensors with dimensions decide, otherwise those
    without, otherwise the default. Where numbers are complex, real ones count as complex of their precision.
    """
    values = [operand for operand in operands if operand is not None]
    highest = max((kind_of(value) for value in values), key=ORDERED.index, default=bool)
    tensors = [value for value in values if isinstance(value, Tensor)]
    for group in ([tensor for tensor in tensors if tensor.ndim], [tensor for tensor in tensors if not tensor.ndim]):
        kinds = [COMPLEX.get(tensor.dtype, tensor.dtype) if highest is complex else tensor.dtype for tensor in group]
        kinds = [kind for kind in kinds if dtype_to_type(kind) is highest]
        if kinds:
            return together(kinds)
    return type_to_dtype(highest)


def kind_of(operand: Any) -> type:
    """Python's type of the numbers of an operand."""
    return dtype_to_type(operand.dtype) if isinstance(operand, Tensor) else type(operand)


def together(kinds: list[DType]) -> DType:
    """Return the dtype that several dtypes promote to; complex32, without tensors here, promotes to any other."""
    kinds = [kind for kind in kinds if kind is not HALF_COMPLEX] or kinds
    result = kinds[0]
    for kind in kinds[1:]:
        result = dtypes.promote_types(result, kind)
    return result
