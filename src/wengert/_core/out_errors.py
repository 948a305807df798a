"""Error texts about the dtype of `out=`, which are torch's."""

from __future__ import annotations

from typing import Any

from . import errors
from .types.dtypes import bool_, dtype, uint8

EXACT = "Expected out tensor to have dtype {wanted_type}, but got {found_type} instead"
DECIDING = EXACT.replace("_type}", "_type:s}")
"""`EXACT` for operators that compute in the dtype of `out`, unless another is requested."""
FOUND = "Found dtype {found} but expected {wanted}"

CROSSING = "Attempting to copy from device {} to device {}, but cross-device copies are not allowed!"
SCALAR = "expected scalar_type {wanted} but found {found}"
SCALAR_TYPE = "expected scalar type {wanted} but found {found}"
PAIRS = "tensordot: Expected the output tensor to have dtype {wanted}, but got an output tensor with dtype {found}"
OF_TRUTH = "only supports bool tensor for result, got: {found}"

MATCHING = (
    "Expected the dtype for input and out to match, but got {wanted} for input's dtype and {found} for out's dtype."
)

OF_PRODUCT = "result dtype {found} does not match input dtype {wanted}"
OF_VECTOR = "addmv input tensors must have the same dtype, but got {found}, {wanted}, and {wanted}"

PART = "Expected {0} to be safely castable from {{wanted}} dtype, but got {0} with dtype {{found}}"
CASTABLE = PART.format("result")


def requires_grad(name: str, *, recorded: bool = True) -> str:
    """A call with `out=` that would have to be recorded, or whose output requires a gradient.

    Args:
        name: of the operator, or of the function that writes for it.
        recorded: whether torch has a derivative of it that could be recorded.
    """
    name = name.removesuffix("_along")
    return (
        f"{name if recorded else f'aten::{name}'}(): functions with out=... arguments don't support automatic "
        "differentiation, but one of the arguments requires grad."
    )


def of_truth(name: str) -> Any:
    """The `out` rule for bool results: written into an output of bool or uint8 only."""
    return lambda args, out_dtype: None if out_dtype is bool_ or out_dtype is uint8 else f"{name} {OF_TRUTH}"


def uncastable(words: Any, wanted: dtype, out_dtype: dtype) -> Exception:
    """Return the error for an output of a kind of numbers that cannot hold those of the result, `wanted`.

    Args:
        words: the operator's error text, as `Out.uncastable`.
    """
    if callable(words):
        return words(wanted, out_dtype)
    return RuntimeError(of_dtype(words, wanted, out_dtype) if words else errors.uncastable(wanted, out_dtype))


def of_length(name: str, wanted: int, length: int) -> str:
    """Another number of outputs than of results; `name` is that of torch's form that writes them."""
    return f"{name} expected an out= argument of size {wanted}, got size {length}"


def of_layout(name: str, wanted: Any, layout: Any) -> str:
    """An output of another layout than the result's."""
    return f"{name}: the result is of layout {wanted} and cannot be written into a tensor of layout {layout}"


def of_dtype(words: str, wanted: dtype, out_dtype: dtype) -> str:
    """An output of another dtype than the result's, `wanted`, in the words of the operator."""
    return words.format(
        wanted=wanted.legacy[:-6], found=out_dtype.legacy[:-6], wanted_type=wanted.c_name, found_type=out_dtype.c_name
    )
