"""What nothing defines: which of several equal elements an operator names, and what it makes of singular matrices.

torch's choice is an accident of how its kernels sort, or of how its LAPACK rounds.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from .agree import array_of

# The operators that name places of elements, and where `dim` stands among their arguments after the input.
PLACES = {"kthvalue": 1, "topk": 1, "median": 0, "nanmedian": 0, "mode": 0, "sort": 0, "argsort": 0}

# Operators that factorise or invert matrices.
FACTORS = re.compile(
    r"(linalg\.)?(lu|ldl|qr|geqrf|ormqr|householder|svd|eig|cholesky|inv|pinv|lstsq|cond|det|logdet|slogdet|solve|tensorinv"
    r"|tensorsolve|triangular_solve|matrix_rank)(s|h|vals|valsh|erse|dvals|_[a-z_]+)?"
)

# Those that divide by a standard deviation.
NORMALISING = re.compile(r"(batch|group|instance|layer)_norm")

# Those that reflect columns.
ORTHOGONAL = re.compile(r"qr|householder")

LARGE = 1e20
"""What is larger leaves no digit of what stands beside it."""


def singular(name: str, sample: Any) -> bool:
    """Whether an operator that factorises matrices is given some that have no factors of their own.

    So are matrices that are singular to rounding (repeated rows, elements of 1e30 beside others: pivots are drawn by
    the last digit, what is divided by them is anything), and those with equal singular values, whose vectors may be
    turned.
    """
    nuclear = any(isinstance(array, str) and array == "nuc" for array in (*sample.args, *sample.kwargs.values()))
    if not (FACTORS.fullmatch(name) or nuclear):
        return False
    parts = [array_of(array) for array in (sample.input, *sample.args) if hasattr(array, "detach")]
    arrays = [array for array in parts if array.dtype.kind in "fcV" and array.size]
    if name.startswith("cholesky_"):  # of these one triangle is read
        arrays = [part for array in arrays if array.ndim > 1 for part in (array, np.tril(array), np.triu(array))]
    return any(is_singular(array) or (ORTHOGONAL.search(name) and begins_with_zero(array)) for array in arrays)


def begins_with_zero(matrices: Any) -> bool:
    """Whether the first element of one is 0: libraries choose the first reflection by its sign, or do not."""
    return matrices.ndim > 1 and bool((matrices[..., 0, 0] == 0).any())


def overflowing(name: str, sample: Any) -> bool:
    """Whether a transform is given elements that are infinite, NaN or so large that all others are lost beside them.

    Which parts of its sums are NaN then depends on their order; so it is with the statistics of what is normalised,
    where the squares may be infinite in one precision and not in another.
    """
    if not (name.startswith(("fft.", "stft", "istft")) or NORMALISING.search(name)):
        return False
    parts = (sample.input, *sample.args, *sample.kwargs.values())
    arrays = [array_of(array) for array in parts if hasattr(array, "detach")]
    wide = [array.astype(np.complex128) for array in arrays if array.dtype.kind in "fcV" and array.size]
    return any(not np.isfinite(array).all() or np.abs(array).max() > LARGE for array in wide)


def is_singular(matrices: Any) -> bool:
    """Whether one of them is, to the rounding of its dtype; or has two singular values that are equal to 5 digits."""
    if matrices.dtype.kind == "V":
        matrices = matrices.astype(np.float32)
    rounding = float(np.finfo(matrices.dtype).eps)
    wide = matrices.astype(np.complex128)
    if not np.isfinite(wide).all() or np.abs(wide).max() > LARGE:
        return True
    if matrices.ndim < 2:
        return False
    values = np.linalg.svd(wide, compute_uv=False)
    largest = values[..., :1]
    near = values[..., -1:] <= largest * rounding * 100 * max(matrices.shape[-2:])
    equal = -np.diff(values, axis=-1) <= largest * 1e-5
    return bool(near.any() or equal.any())


def without_ties(library: Any, name: str, sample: Any, result: Any) -> Any:
    """`result` with the elements that lie there in the place of the places that it names.

    What is stable names the first of equal elements, and is left as it is; so are results that name no places.

    Args:
        library: the one that the result is of.
        name: the operator.
        sample: torch's, as the operator was called with.
        result: what it gave, or the error.
    """
    if name not in PLACES or sample.kwargs.get("stable") or isinstance(result, BaseException):
        return result
    at = PLACES[name]
    dim = sample.kwargs.get("dim", sample.args[at] if len(sample.args) > at else -1)
    if hasattr(dim, "detach") and not dim.ndim:
        dim = dim.item()
    if name == "topk" and not is_sorted(sample):
        return tuple(part.sort(dim)[0] for part in (result[0], elements_at(library, sample.input, result[1], dim)))
    if hasattr(result, "detach"):
        return elements_at(library, sample.input, result, dim) if name == "argsort" else result
    return (result[0], elements_at(library, sample.input, result[1], dim))


def is_sorted(sample: Any) -> bool:
    """Whether `topk` is asked for an order."""
    return bool(sample.kwargs.get("sorted", sample.args[3] if len(sample.args) > 3 else True))


def tied(name: str, sample: Any) -> bool:
    """Whether elements of a sample are equal where an operator chooses between them: so are their gradients then."""
    if (name not in PLACES and name != "msort") or sample.kwargs.get("stable"):
        return False
    if name == "topk" and not is_sorted(sample):
        return True
    values = array_of(sample.input)
    if values.dtype.name == "bfloat16":
        values = values.astype(np.float32)
    return bool(np.unique(values, equal_nan=True).size < values.size)


def elements_at(library: Any, tensor: Any, places: Any, dim: int) -> Any:
    """The elements of `tensor` at `places` along `dim`; what is no place of `tensor` is left as it is."""
    values, index = array_of(tensor), array_of(places)
    if type(dim) is not int or not -values.ndim <= dim < values.ndim or not values.size:
        return places
    if index.ndim < values.ndim:
        index = np.expand_dims(index, dim)
    length = values.shape[dim]
    if index.dtype != np.int64 or index.ndim != values.ndim or ((index < 0) | (index >= length)).any():
        return places
    taken = np.take_along_axis(values, index, dim)
    return library.from_numpy(taken.astype(np.float32) if taken.dtype.name == "bfloat16" else taken)
