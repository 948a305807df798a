"""The texts of errors of `out=` of a wrong dtype, which are torch's."""

from __future__ import annotations

from typing import Any

from .types.dtypes import bool_, dtype, uint8

EXACT = "Expected out tensor to have dtype {wanted_type}, but got {found_type} instead"
DECIDING = f"{EXACT}: the argument dtype says so"
"""Of operators that compute in the dtype of `out`, unless they are asked for another."""
FOUND = "Found dtype {found} but expected {wanted}"

SCALAR_TYPE = "expected scalar type {wanted} but found {found}"
PAIRS = "tensordot: Expected the output tensor to have dtype {wanted}, but got an output tensor with dtype {found}"
OF_VECDOT = "linalg.vecdot: Expected out of dtype{wanted} but found {found}"
CHAIN = "multi_dot(): expected out tensor to have dtype {wanted_type} but got {found_type}"
NORM = "linalg.norm expected out tensor dtype {wanted} but got: {found}"
MATRIX_NORM = "linalg.matrix_norm expected out tensor dtype {wanted} but got: {found}"
PLACES = "nonzero: Expected out tensor to have scalar type {wanted} but got scalar type{found}"
OF_TRUTH = "only supports bool tensor for result, got: {found}"
QUANTILE = "quantile() out tensor must be same dtype as the input tensor"
HISTOGRAM = "torch.histogram: input tensor and hist tensor should have the same dtype"

MATCHING = (
    "Expected the dtype for input and out to match, but got {wanted} for input's dtype and {found} for out's dtype."
)

KERNELS = {"unbind_copy": "unbind_copy_int_out", "split_copy": "split_copy_Tensor_out()"}
"""By the name of an operator of several results, torch's name of what writes them, where it is not called after it."""


def of_truth(name: str) -> Any:
    """How a truth value is written: into an output of bool or uint8 only."""
    return lambda args, found: None if found is bool_ or found is uint8 else f"{name} {OF_TRUTH}"


def of_length(name: str, wanted: int, found: int) -> str:
    """Another number of outputs than of results."""
    return f"{KERNELS.get(name, f'{name}_out')} expected an out= argument of size {wanted}, got size {found}"


def of_layout(name: str, wanted: Any, found: Any) -> str:
    """An output that is sparse, or in another way, where the result is not."""
    return f"{name}: the result is of layout {wanted} and cannot be written into a tensor of layout {found}"


def of_dtype(words: str, wanted: dtype, found: dtype) -> str:
    """An output of another dtype than the result's, `wanted`, in the words of the operator."""
    return words.format(
        wanted=wanted.legacy[:-6], found=found.legacy[:-6], wanted_type=wanted.c_name, found_type=found.c_name
    )
