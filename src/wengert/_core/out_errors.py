"""The texts of errors of `out=` of a wrong dtype, which are torch's."""

from __future__ import annotations

from .types.dtypes import dtype

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
QUANTILE = "quantile() out tensor must be same dtype as the input tensor"
HISTOGRAM = "torch.histogram: input tensor and hist tensor should have the same dtype"

MATCHING = (
    "Expected the dtype for input and out to match, but got {wanted} for input's dtype and {found} for out's dtype."
)


def of_dtype(words: str, wanted: dtype, found: dtype) -> str:
    """An output of another dtype than the result's, `wanted`, in the words of the operator."""
    return words.format(
        wanted=wanted.legacy[:-6], found=found.legacy[:-6], wanted_type=wanted.c_name, found_type=found.c_name
    )
