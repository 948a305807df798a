"""In-place changes of the shape of sparse tensors in coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._core import sparse_errors
from ..._core.calls.sparse import replace
from ..._core.cards.arguments import integer, integers
from ..._core.cards.card import composite
from ..._core.tensor.base import Tensor
from ..._core.tensor.coordinates import coordinates
from ..._core.tensor.storage import count
from .compressed import is_compressed
from .parts import is_sparse, none
from .reading import title_of

ADVICE = (
    " on a non-empty sparse tensor is not supported. Make an empty one of that size, sparse_coo_tensor(size), or a new "
    "one of these indices and values."
)


def check_writable(name: str, self: Any) -> None:
    """Refuse a tensor whose shape cannot be changed.

    Raises:
        NotImplementedError: if the tensor is not in coordinates.
        RuntimeError: if the tensor requires a gradient.
    """
    if not is_sparse(self) or is_compressed(self):
        kind = "CPU" if not is_sparse(self) else f"{self.layout.title}CPU"
        raise NotImplementedError(sparse_errors.no_kernel(name, kind))
    if self.requires_grad:
        raise RuntimeError(
            f"{name}: a leaf Variable that requires grad, or a result of one, is being used in an in-place operation; "
            "detach() it first"
        )


def read_size(name: str, size: Any, sparse_dim: Any, dense_dim: Any) -> tuple[tuple[int, ...], int]:
    """Return the shape, and the number of sparse dimensions.

    Raises:
        RuntimeError: if they do not fit, or a length is negative.
    """
    shape = tuple(integers(name, "size", size))
    lead, rest = integer(name, "sparse_dim", sparse_dim), integer(name, "dense_dim", dense_dim)
    if len(shape) != lead + rest or min(lead, rest) < 0:
        raise RuntimeError(
            f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(shape)}, sparse_dim = {lead}, "
            f"dense_dim = {rest}"
        )
    if any(length < 0 for length in shape):
        raise RuntimeError(f"{name}: size must have no negative lengths, but got {[*shape]}")
    return shape, lead


def sparse_resize_(self: Any, size: Sequence[int], sparse_dim: int, dense_dim: int) -> Any:
    """Change the shape of a tensor in coordinates in place; new elements are zero.

    Args:
        self: tensor in coordinates that requires no gradient.
        size: the shape; no length may decrease, unless there are no entries.
        sparse_dim, dense_dim: numbers of sparse and dense dimensions: unchanged, unless there are no entries.

    Raises:
        NotImplementedError: if the tensor is not in coordinates.
        RuntimeError: if there are entries that would not fit.

    Examples:
        >>> import wengert as wg
        >>> wg.eye(2).to_sparse().sparse_resize_((3, 3), 2, 0).shape
        torch.Size([3, 3])
    """
    check_writable("sparse_resize_", self)
    shape, lead = read_size("sparse_resize_", size, sparse_dim, dense_dim)
    resize(self, shape, lead)
    return self


def resize(self: Any, shape: tuple[int, ...], lead: int) -> None:
    """Change the shape of a tensor in coordinates; arguments that do not fit are refused first."""
    array = self._array_
    if not array.indices.shape[1]:
        clear(self, shape, lead)
        return
    dims = len(array.indices)
    for kind, had, wanted in (("sparse", dims, lead), ("dense", array.ndim - dims, len(shape) - lead)):
        if had != wanted:
            raise RuntimeError(f"changing the number of {kind} dimensions (from {had} to {wanted}){ADVICE}")
    for kind, part in (("sparse", slice(lead)), ("dense", slice(lead, None))):
        old, new = array.shape[part], shape[part]
        if any(after < before for before, after in zip(old, new, strict=True)):
            raise RuntimeError(f"shrinking the size of {kind} dimensions (from {[*old]} to {[*new]}){ADVICE}")
    if array.shape[lead:] == shape[lead:]:
        self._array_ = coordinates(array.indices, array.values, shape, array.coalesced)
    else:
        values = array.values.new_zeros((array.indices.shape[1], *shape[lead:]))
        values[tuple(slice(length) for length in array.values.shape)] = array.values
        replace(self, coordinates(array.indices, values, shape, array.coalesced))
    count(self._storage_)


def clear(self: Any, shape: tuple[int, ...], lead: int) -> None:
    """Set a tensor in coordinates to zero, with another shape."""
    array = self._array_
    values = array.values.new_zeros((0, *shape[lead:]))
    replace(self, coordinates(np.zeros((lead, 0), np.int64), values, shape, True))
    count(self._storage_)


def sparse_resize_and_clear_(self: Any, size: Sequence[int], sparse_dim: int, dense_dim: int) -> Any:
    """Change the shape of a tensor in coordinates in place, and set it to zero.

    Args:
        self: tensor in coordinates that requires no gradient.
        size: the shape.
        sparse_dim, dense_dim: numbers of sparse and dense dimensions.

    Raises:
        NotImplementedError: if the tensor is not in coordinates.
        RuntimeError: if size and dimensions do not fit.

    Examples:
        >>> import wengert as wg
        >>> wg.eye(2).to_sparse().sparse_resize_and_clear_((3, 3), 2, 0).values()
        tensor([])
    """
    check_writable("sparse_resize_and_clear_", self)
    clear(self, *read_size("sparse_resize_and_clear_", size, sparse_dim, dense_dim))
    return self


@composite()
def resize_as_sparse_(input: Tensor, the_template: Tensor) -> Tensor:
    """Change the shape of a tensor in coordinates to that of another one, in place; see `sparse_resize_`.

    Args:
        input: tensor in coordinates that requires no gradient.
        the_template: tensor in coordinates.

    Returns:
        The tensor `input`.

    Raises:
        NotImplementedError: if `input` is not in coordinates.
        RuntimeError: if `the_template` is not in coordinates, or entries would not fit.

    Examples:
        >>> import wengert as wg
        >>> matrix = wg.tensor([[0.0, 2.0]]).to_sparse()
        >>> wg.resize_as_sparse_(matrix, wg.zeros(2, 3).to_sparse()).to_dense()
        tensor([[0., 2., 0.],
                [0., 0., 0.]])
    """
    check_writable("resize_as_sparse_", input)
    if not is_sparse(the_template) or is_compressed(the_template):
        raise RuntimeError(
            f"resize_as_sparse_ expected sparse coordinate tensor layout but got {title_of(the_template)}"
        )
    resize(input, tuple(the_template.shape), the_template.sparse_dim())
    return input


resize_as_sparse_.samples(none)

METHODS: dict[str, Any] = {card.__name__: card for card in (sparse_resize_, sparse_resize_and_clear_)}
"""Methods of Tensor, by name."""
