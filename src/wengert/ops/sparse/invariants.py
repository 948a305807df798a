"""Invariants of the parts of compressed sparse tensors, with torch's error texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core.state.modes import Modes
from ..._core.state.regions import Region
from ..._core.types import dtypes
from .layouts import Compressed as Layout


class check_sparse_tensor_invariants(Region):  # noqa: N801 - torch's name
    """Switch of the check that indices of new compressed tensors are in order and distinct; others are always checked.

    A context manager and a decorator, as in torch: inside it the check is on, or off for `enable=False`.

    Args:
        enable: whether the check is on.

    Examples:
        >>> import wengert as wg
        >>> wg.sparse.check_sparse_tensor_invariants.is_enabled()
        False
        >>> with wg.sparse.check_sparse_tensor_invariants():
        ...     wg.sparse_csr_tensor([0, 2], [1, 0], [1.0, 2.0])
        Traceback (most recent call last):
        RuntimeError: `col_indices[..., crow_indices[..., i - 1]:crow_indices[..., i]] for all i = 1, ..., nrows are ...
    """

    _on = False

    def __init__(self, enable: bool = True) -> None:
        self.wanted = enable

    @staticmethod
    def is_enabled() -> bool:
        """Return whether the check is on."""
        return check_sparse_tensor_invariants._on

    @staticmethod
    def enable() -> None:
        """Switch the check on."""
        check_sparse_tensor_invariants._on = True

    @staticmethod
    def disable() -> None:
        """Switch the check off."""
        check_sparse_tensor_invariants._on = False

    def _before_(self, modes: Modes) -> bool:
        if getattr(self, "_entries_", None) is not None:
            raise RuntimeError(
                "This context manager instance is already activated. Use a different context manager instance for "
                "context nesting."
            )
        return self.is_enabled()

    def _begin_(self, modes: Modes, before: Any) -> None:
        check_sparse_tensor_invariants._on = bool(self.wanted)

    def _end_(self, modes: Modes, before: bool) -> None:
        check_sparse_tensor_invariants._on = before

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Decorate a function, in which the check is on or off."""
        from functools import wraps

        @wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            with type(self)(self.wanted):
                return function(*args, **kwargs)

        return checked


def check(form: Layout, bounds: Any, plain: Any, values: Any, size: Any, ordered: bool) -> None:
    """Refuse arrays that do not make a tensor of the layout and shape.

    Args:
        form: the layout.
        bounds, plain, values: parts of the tensor.
        size: the shape.
        ordered: whether indices must be in order and distinct.

    Raises:
        RuntimeError: if they do not.
    """
    check_dimensions(form, bounds, plain, values, size)
    check_lengths(form, bounds, plain, values, size)
    first, second = form.words
    kinds = [dtypes.from_numpy(array.dtype).legacy.removesuffix("Tensor") for array in (bounds, plain)]
    if kinds[0] != kinds[1]:
        raise RuntimeError(
            f"{first} and {second} must have the same dtype, bot got {kinds[0]} and {kinds[1]}, respectively"
        )
    if kinds[0] not in ("Int", "Long"):
        raise RuntimeError(f"{first} and {second} dtype must be Int or Long, but got {kinds[0]}")
    check_places(form, bounds, plain, across_of(form, bounds, values, size), ordered)


def check_dimensions(form: Layout, bounds: Any, plain: Any, values: Any, size: Any) -> None:
    """Refuse parts of wrong numbers of dimensions.

    Raises:
        RuntimeError: if a number of dimensions is wrong.
    """
    (first, second), block = form.words, 2 if form.blocks else 0
    batches = bounds.ndim - 1
    if any(length < 0 for length in size):
        raise RuntimeError(f"size must have no negative lengths, but got {[*size]}")
    if batches < 0:
        raise RuntimeError(f"{first} must have dimensionality >= 1 but got 0")
    if plain.ndim != bounds.ndim:
        raise RuntimeError(
            f"{first} and {second} dimensionalities must be equal but got {bounds.ndim} and {plain.ndim}, respectively"
        )
    if values.ndim <= batches + block:
        raise RuntimeError(
            f"values must have dimensionality > sum of batch and block dimensionalities (={batches} + {block}) but got "
            f"{values.ndim}"
        )
    dense = values.ndim - batches - block - 1
    if len(size) != batches + 2 + dense:
        raise RuntimeError(
            f"tensor dimensionality must be sum of batch, base, and dense dimensionalities (={batches} + 2 + {dense}) "
            f"but got {len(size)}"
        )
    leading = [[*shape[:batches]] for shape in (bounds.shape, plain.shape, values.shape, size)]
    if any(shape != leading[3] for shape in leading):
        raise RuntimeError(
            f"all batch dimensions of {first} (={leading[0]}), {second} (={leading[1]}), and values (={leading[2]}) "
            f"must be equal to tensor batch dimensions (={leading[3]})"
        )


def check_lengths(form: Layout, bounds: Any, plain: Any, values: Any, size: Any) -> None:
    """Refuse parts of wrong lengths.

    Raises:
        RuntimeError: if a length is wrong.
    """
    first, second = form.words
    batches = bounds.ndim - 1
    for at in (0, 1) if form.blocks else ():
        length, block = size[batches + at], values.shape[batches + 1 + at]
        if not block or length % block:
            raise RuntimeError(
                f"tensor shape[{batches + at}] (={length}) must be divisible with blocksize[{at}] (={block}) as "
                "defined by values shape"
            )
    lines = lines_of(form, bounds, values, size, form.rows)
    if bounds.shape[-1] != lines + 1:
        what = ("row" if form.rows else "column") + (" block" if form.blocks else "")
        raise RuntimeError(
            f"{first}.shape[-1] must be equal to the number of {what}s + 1 (={lines + 1}), but got {bounds.shape[-1]}"
        )
    count = values.shape[batches]
    if plain.shape[-1] != count:
        raise RuntimeError(
            f"{second}.shape[-1] must be equal to nnz (={count}) as defined by values.shape[{batches}], but got "
            f"{plain.shape[-1]}"
        )
    rest = values.shape[batches + (3 if form.blocks else 1) :]
    if tuple(rest) != tuple(size[batches + 2 :]):
        raise RuntimeError(f"values must have dense dimensions {[*size[batches + 2 :]]}, but got {[*rest]}")


def lines_of(form: Layout, bounds: Any, values: Any, size: Any, rows: bool) -> int:
    """Return the number of rows (or columns), of elements or blocks."""
    batches, at = bounds.ndim - 1, 0 if rows else 1
    block = values.shape[batches + 1 + at] if form.blocks else 1
    return int(size[batches + at]) // int(block)


def across_of(form: Layout, bounds: Any, values: Any, size: Any) -> int:
    """Return the number of indices in a line."""
    return lines_of(form, bounds, values, size, not form.rows)


def check_places(form: Layout, bounds: Any, plain: Any, across: int, ordered: bool) -> None:
    """Refuse indices out of range, and, if requested, those that are not in order.

    Raises:
        RuntimeError: if an index is refused.
    """
    first, second = form.words
    lines, places = ("nrows", "ncols") if form.rows else ("ncols", "nrows")
    count = plain.shape[-1]
    if (bounds[..., 0] != 0).any():
        raise RuntimeError(f"`{first}[..., 0] == 0` is not satisfied.")
    if (bounds[..., -1] != count).any():
        raise RuntimeError(f"`{first}[..., -1] == nnz` is not satisfied.")
    steps = np.diff(bounds, axis=-1)
    if (steps < 0).any() or (ordered and (steps > across).any()):
        raise RuntimeError(f"`0 <= {first}[..., 1:] - {first}[..., :-1] <= {places}` is not satisfied.")
    if (plain < 0).any() or (plain >= across).any():
        raise RuntimeError(f"`0 <= {second} < {places}` is not satisfied.")
    if not ordered or count < 2:
        return
    begins = np.zeros((*plain.shape[:-1], count + 1), bool)
    np.put_along_axis(begins, bounds[..., :-1].astype(np.int64), True, axis=-1)
    if ((np.diff(plain, axis=-1) <= 0) & ~begins[..., 1:count]).any():
        raise RuntimeError(
            f"`{second}[..., {first}[..., i - 1]:{first}[..., i]] for all i = 1, ..., {lines} are sorted and distinct "
            "along the last dimension values` is not satisfied."
        )
