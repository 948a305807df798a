"""Reversal of dimensions: flip, fliplr, flipud."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.cards.card import WIDE, Array, Bad, Sample, Sizes, composite, op
from ..._core.operators.batch_rules import along
from ..._kernels import direct_function as native
from ..family import describes, on_sequence
from .views import distinct


def flip_native() -> Any:
    """Native function of `flip`, which would accept an integer as a sequence of one; None without the extension."""
    function = native("flip")
    return function and (lambda array, dims: function(array, dims) if type(dims) in (tuple, list) else NotImplemented)


@on_sequence
@op(layout="like", dtypes=WIDE, batching=along("dims", none=True), linear="self", native=flip_native())
def flip(self: Array, dims: Sizes) -> Any:
    """Reverse the order of elements along dimensions.

    Args:
        dims: the dimensions.

    Returns:
        A new tensor (a copy: no stride is negative).

    Examples:
        >>> import wengert as wg
        >>> wg.flip(wg.tensor([[1, 2], [3, 4]]), (1,))
        tensor([[2, 1],
                [4, 3]])
    """
    axes = tuple(distinct("flip", dims, self.ndim))
    return np.flip(self, axes) if axes and self.ndim else self.copy()


@flip.vjp("self")
def flip_vjp(grad: Any, dims: Any) -> Any:
    return grad.flip(dims)


@flip.samples
def flip_samples(make: Any) -> Any:
    yield Sample(make(2, 3), (0, -1))
    yield Sample(make(3), (0,))
    yield Sample(make(), (0,))
    yield Bad(make(2), dims=0, raises=TypeError, says="flip(): argument 'dims' must be tuple of ints, not int")
    yield Bad(make(2), (0, 0), raises=RuntimeError, says="dim 0 appears multiple times in the list of dims")


REVERSED = """
    Args:
        input: tensor with at least {dimensions}.

    Returns:
        A new tensor.

    Raises:
        RuntimeError: if `input` has fewer dimensions.
    """


@composite()
@describes(REVERSED, dimensions="two dimensions")
def fliplr(input: Any) -> Any:
    """Reverse the second dimension.

    Examples:
        >>> import wengert as wg
        >>> wg.fliplr(wg.tensor([[1, 2], [3, 4]]))
        tensor([[2, 1],
                [4, 3]])
    """
    if input._array_.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return input.flip((1,))


@composite()
@describes(REVERSED, dimensions="one dimension")
def flipud(input: Any) -> Any:
    """Reverse the first dimension.

    Examples:
        >>> import wengert as wg
        >>> wg.flipud(wg.tensor([[1, 2], [3, 4]]))
        tensor([[3, 4],
                [1, 2]])
    """
    if input._array_.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return input.flip((0,))


@fliplr.samples
@flipud.samples
def matrices(make: Any) -> Any:
    """A matrix as sample."""
    yield Sample(make(2, 3))
