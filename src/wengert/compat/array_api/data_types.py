"""Data types of `wengert.array_api`: promotion, kinds and limits of dtypes."""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from typing import Any

import wengert as wg

from ..._tensor import Tensor

SIGNED = (wg.int8, wg.int16, wg.int32, wg.int64)
UNSIGNED = (wg.uint8, wg.uint16, wg.uint32, wg.uint64)
REAL = (wg.float32, wg.float64)
COMPLEX = (wg.complex64, wg.complex128)
SCALARS = (int, float, complex)  # bool is an int
WIDE = UNSIGNED[1:]
"""Unsigned integers without promotion in torch, which has few functions for them."""

KINDS: dict[str, tuple[Any, ...]] = {
    "bool": (wg.bool,),
    "signed integer": SIGNED,
    "unsigned integer": UNSIGNED,
    "integral": (*SIGNED, *UNSIGNED),
    "real floating": REAL,
    "complex floating": COMPLEX,
    "numeric": (*SIGNED, *UNSIGNED, *REAL, *COMPLEX),
}
FAMILIES = (KINDS["bool"], KINDS["integral"], (*REAL, *COMPLEX))
"""Families of dtypes within which the standard defines promotion."""


@dataclass(frozen=True)
class FloatLimits:
    """Result of `finfo`: limits of a floating-point dtype."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: Any


@dataclass(frozen=True)
class IntegerLimits:
    """Result of `iinfo`: limits of an integer dtype."""

    bits: int
    max: int
    min: int
    dtype: Any


def dtype_of(function: str, operand: Any) -> Any:
    """Return the dtype of an array; a dtype is returned unchanged.

    Raises:
        TypeError: if `operand` is neither.
    """
    if isinstance(operand, Tensor):
        return operand.dtype
    if isinstance(operand, wg.dtype):
        return operand
    raise TypeError(f"{function}: an array or a dtype is expected, not {operand!r}")


def astype(x: Tensor, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Tensor:
    """Return `x` with another dtype; the same array if nothing changes and `copy` is false.

    Raises:
        TypeError: if complex numbers would become real, which the standard forbids.
    """
    if x.is_complex() and dtype in KINDS["numeric"] and dtype not in COMPLEX:
        raise TypeError(f"astype: {x.dtype} cannot become {dtype}; take real(x), imag(x) or abs(x)")
    return x.to(device=device, dtype=dtype, copy=copy)


def can_cast(from_: Any, to: Any, /) -> bool:
    """Return whether the standard promotes both dtypes to the second.

    Args:
        from_: an array or a dtype.
        to: the target dtype.
    """
    dtype = dtype_of("can_cast", from_)
    if not builtins.any(dtype in family and to in family for family in FAMILIES):
        return dtype is to
    return common_dtype(dtype, to) is to


def finfo(type: Any, /) -> FloatLimits:
    """Return the limits of a floating dtype, or of the components of a complex one.

    Args:
        type: a dtype, or an array.
    """
    limits = wg.finfo(dtype_of("finfo", type))
    dtype = getattr(wg, limits.dtype)
    return FloatLimits(limits.bits, limits.eps, limits.max, limits.min, limits.smallest_normal, dtype)


def iinfo(type: Any, /) -> IntegerLimits:
    """Return the limits of an integer dtype.

    Args:
        type: a dtype, or an array.
    """
    dtype = dtype_of("iinfo", type)
    limits = wg.iinfo(dtype)
    return IntegerLimits(limits.bits, limits.max, limits.min, dtype)


def isdtype(dtype: Any, kind: Any) -> bool:
    """Return whether a dtype is of a kind: a dtype, a name such as 'integral', or a tuple of these.

    Raises:
        ValueError: if no kind has that name.
        TypeError: if `kind` is none of these, or a tuple within a tuple.
    """
    if isinstance(kind, tuple):
        if builtins.any(isinstance(part, tuple) for part in kind):
            raise TypeError(f"isdtype: a tuple of dtypes and names is expected, not {kind!r}")
        return builtins.any(isdtype(dtype, part) for part in kind)
    if isinstance(kind, str):
        if kind not in KINDS:
            raise ValueError(f"isdtype: no kind {kind!r}; there are {', '.join(KINDS)}")
        return dtype in KINDS[kind]
    if not isinstance(kind, wg.dtype):
        raise TypeError(f"isdtype: a dtype, a name or a tuple of these is expected, not {kind!r}")
    return dtype is kind


def result_type(*arrays_and_dtypes: Any) -> Any:
    """Return the dtype that arrays, dtypes and Python scalars promote to.

    Unlike in torch, a 0-dim array is treated as any other. A scalar changes the dtype only if its kind is higher; this
    is torch's rule, the standard leaves it open.

    Raises:
        ValueError: if there is neither an array nor a dtype.
        TypeError: if no dtype holds the values of all, as of int64 and uint64.
    """
    return joint_dtype("result_type", arrays_and_dtypes)


def joint_dtype(function: str, operands: Any) -> Any:
    """Return the dtype that the operands of a function promote to, see `result_type`."""
    scalars = [operand for operand in operands if isinstance(operand, SCALARS)]
    dtypes = [dtype_of(function, operand) for operand in operands if not isinstance(operand, SCALARS)]
    if not dtypes:
        raise ValueError(f"{function}: at least one array or dtype is needed")
    result = dtypes[0]
    for dtype in dtypes[1:]:
        if common_dtype(result, dtype) is None:
            raise TypeError(f"{function}: no integer dtype holds both {result} and {dtype}")
        result = common_dtype(result, dtype)
    for scalar in scalars:
        result = wg.result_type(wg.empty(1, dtype=result), scalar)
    return result


def common_dtype(first: Any, second_dtype: Any) -> Any:
    """Return the dtype that two dtypes promote to; None if there is none."""
    if first is second_dtype:
        return first
    if first not in WIDE and second_dtype not in WIDE:
        return wg.promote_types(first, second_dtype)
    for dtype, second in ((first, second_dtype), (second_dtype, first)):
        if second not in KINDS["integral"]:
            return dtype if second is wg.bool else second
    if first in UNSIGNED and second_dtype in UNSIGNED:
        return first if first.itemsize > second_dtype.itemsize else second_dtype
    signed, unsigned = (first, second_dtype) if first in SIGNED else (second_dtype, first)
    if signed.itemsize > unsigned.itemsize:
        return signed
    return {2: wg.int32, 4: wg.int64}.get(unsigned.itemsize)
