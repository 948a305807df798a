"""Sparse tensors in `gradcheck`: a function of dense tensors is checked in the place of one of sparse tensors."""

from __future__ import annotations

from typing import Any

from ..._core import flags
from ..._core.cards.card import find
from ..._core.tensor.base import Tensor, wrap
from . import errors
from .subject import AnyFunction


def is_sparse(value: Any) -> bool:
    """Whether a value is a sparse tensor."""
    return isinstance(value, Tensor) and value._flags_ & flags.SPARSE != 0


def of_dense(func: AnyFunction, inputs: tuple[Any, ...], masked: bool | None) -> tuple[AnyFunction, tuple[Any, ...]]:
    """The function and its arguments, where dense leaves stand for sparse ones.

    Args:
        masked: only entries are arguments, and only they have derivatives; otherwise all elements of a sparse tensor.
    """
    sparse = {at: input_ for at, input_ in enumerate(inputs) if is_sparse(input_) and input_.requires_grad}
    if not sparse:
        return func, inputs
    remade = with_entries if masked else with_elements

    def function(*args: Any) -> Any:
        return func(*[remade(sparse[at], arg) if at in sparse else arg for at, arg in enumerate(args)])

    return function, tuple(leaf_of(input_, masked) if at in sparse else input_ for at, input_ in enumerate(inputs))


def leaf_of(sparse: Any, masked: bool | None) -> Any:
    """The dense leaf that stands for a sparse one: its entries, or all elements."""
    whole = ordered(sparse)
    return (whole.values().clone() if masked else whole.to_dense()).requires_grad_()


def ordered(sparse: Any) -> Any:
    """A sparse tensor without history, each of whose places comes once if it is in coordinates."""
    return sparse.detach().coalesce() if sparse.is_sparse else sparse.detach()


def with_entries(sparse: Any, values: Any) -> Any:
    """A sparse tensor with other entries."""
    if not sparse.is_sparse:
        array: Any = sparse._array_
        places = [wrap(index) for index in array.indices]
        return find("_sparse_compressed_tensor").call((*places, values, sparse.shape, array.layout))  # type: ignore[union-attr]
    places = sparse.detach().coalesce()
    whole = values.new_zeros(sparse.shape).index_put(places.indices().unbind(0), values)
    return whole.sparse_mask(places)


def with_elements(sparse: Any, whole: Any) -> Any:
    """A sparse tensor of all elements, with entries where the first one has some, and where others are not zero."""
    if not sparse.is_sparse:
        batches = sparse.ndim - 2 - sparse.dense_dim()
        blocks = sparse.values().shape[batches + 1 : batches + 3] if sparse.layout.blocks else None
        return whole.to_sparse(layout=sparse.layout, blocksize=blocks, dense_dim=sparse.dense_dim())
    places = (sparse.detach() * 0 + whole.detach().to_sparse(sparse.sparse_dim())).coalesce()
    return whole.sparse_mask(places)


def check_outputs(results: tuple[Any, ...]) -> None:
    """Refuse sparse results.

    Raises:
        ValueError: one is sparse.
    """
    if any(map(is_sparse, results)):
        raise ValueError(errors.SPARSE_OUTPUT)
