"""The texts of errors of `out=` of a wrong dtype, which are torch's."""

from __future__ import annotations

from .types.dtypes import dtype

EXACT = "Expected out tensor to have dtype {wanted_type}, but got {found_type} instead"
FOUND = "Found dtype {found} but expected {wanted}"

SCALAR_TYPE = "expected scalar type {wanted} but found {found}"
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
