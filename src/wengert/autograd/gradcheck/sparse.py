"""Sparse tensors in `gradcheck`: a function of dense tensors is checked in place of a function of sparse ones."""

from __future__ import annotations

from typing import Any

from ..._core import flags
from ..._core.cards.card import find
from ..._core.tensor.base import Tensor, wrap
from . import errors
from .subject import AnyFunction


def is_sparse(value: Any) -> bool:
    """Return whether a value is a sparse tensor."""
    return isinstance(value, Tensor) and value._flags_ & flags.SPARSE != 0


def of_dense(func: AnyFunction, inputs: tuple[Any, ...], masked: bool | None) -> tuple[AnyFunction, tuple[Any, ...]]:
    """Return the function and its arguments with dense leaves in place of sparse ones.

    Args:
        masked: whether only the specified entries of a sparse tensor are arguments, or all elements.
    """
    sparse = {at: input_ for at, input_ in enumerate(inputs) if is_sparse(input_) and input_.requires_grad}
    if not sparse:
        return func, inputs
    remade = with_entries if masked else with_elements

    def function(*args: Any) -> Any:
        return func(*[remade(sparse[at], arg) if at in sparse else arg for at, arg in enumerate(args)])

    return function, tuple(leaf_of(input_, masked) if at in sparse else input_ for at, input_ in enumerate(inputs))


def leaf_of(sparse: Any, masked: bool | None) -> Any:
    """Return the dense leaf that stands for a sparse one: its entries, or all elements."""
    tensor = ordered(sparse)
    return (tensor.values().clone() if masked else tensor.to_dense()).requires_grad_()


def ordered(sparse: Any) -> Any:
    """Return a sparse tensor without history, coalesced if it is in coordinates."""
    return sparse.detach().coalesce() if sparse.is_sparse else sparse.detach()


def with_entries(sparse: Any, values: Any) -> Any:
    """Return a sparse tensor with other entries."""
    if not sparse.is_sparse:
        array: Any = sparse._array_
        places = [wrap(index) for index in array.indices]
        return find("_sparse_compressed_tensor").call((*places, values, sparse.shape, array.layout))  # type: ignore[union-attr]
    places = sparse.detach().coalesce()
    dense = values.new_zeros(sparse.shape).index_put(places.indices().unbind(0), values)
    return dense.sparse_mask(places)


def with_elements(sparse: Any, dense: Any) -> Any:
    """Return a sparse tensor of dense elements, with entries where `sparse` has them or an element is not zero."""
    if not sparse.is_sparse:
        batches = sparse.ndim - 2 - sparse.dense_dim()
        blocks = sparse.values().shape[batches + 1 : batches + 3] if sparse.layout.blocks else None
        return dense.to_sparse(layout=sparse.layout, blocksize=blocks, dense_dim=sparse.dense_dim())
    places = (sparse.detach() * 0 + dense.detach().to_sparse(sparse.sparse_dim())).coalesce()
    return dense.sparse_mask(places)


def check_outputs(results: tuple[Any, ...]) -> None:
    """Refuse sparse results.

    Raises:
        ValueError: if a result is sparse.
    """
    if any(map(is_sparse, results)):
        raise ValueError(errors.SPARSE_OUTPUT)
