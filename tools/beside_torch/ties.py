"""Which of several equal elements an operator names: torch's choice is an accident of how its kernels sort."""

from __future__ import annotations

from typing import Any

import numpy as np

from .agree import array_of

# The operators that name places of elements, and where `dim` stands among their arguments after the input.
PLACES = {"kthvalue": 1, "topk": 1, "median": 0, "nanmedian": 0, "mode": 0, "sort": 0, "argsort": 0}


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
    if hasattr(result, "detach"):
        return elements_at(library, sample.input, result, dim) if name == "argsort" else result
    return (result[0], elements_at(library, sample.input, result[1], dim))


def tied(name: str, sample: Any) -> bool:
    """Whether elements of a sample are equal where an operator chooses between them: so are their gradients then."""
    if (name not in PLACES and name != "msort") or sample.kwargs.get("stable"):
        return False
    values = array_of(sample.input)
    if values.dtype.name == "bfloat16":
        values = values.astype(np.float32)
    return bool(np.unique(values, equal_nan=True).size < values.size)


def elements_at(library: Any, given: Any, places: Any, dim: int) -> Any:
    """The elements of `given` at `places` along `dim`; what is no place of `given` is left as it is."""
    values, index = array_of(given), array_of(places)
    if type(dim) is not int or not -values.ndim <= dim < values.ndim:
        return places
    if index.ndim < values.ndim:
        index = np.expand_dims(index, dim)
    length = values.shape[dim]
    if index.dtype != np.int64 or index.ndim != values.ndim or ((index < 0) | (index >= length)).any():
        return places
    taken = np.take_along_axis(values, index, dim)
    return library.from_numpy(taken.astype(np.float32) if taken.dtype.name == "bfloat16" else taken)
