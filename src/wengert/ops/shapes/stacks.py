"""NumPy's names for `cat` along several dimensions: hstack, vstack, dstack, concatenate; atleast_1d."""

from __future__ import annotations

from typing import Any

from ..._core.cards.arguments import check_elements, tensors_of
from ..._core.cards.card import Sample, composite
from ..._core.cards.plain_case import plain_case
from ..family import describes
from .join import cat, native


def two_rows(make: Any) -> Any:
    """Samples of the functions below."""
    yield Sample([make(2, 3), make(2, 3)])
    yield Sample([make(3), make(3)])


def joined(tensors: Any, dim: int, out: Any) -> Any:
    """Call `cat`, with `out` if there is one."""
    return cat(tensors, dim) if out is None else cat(tensors, dim, out=out)


@composite(method=False)
def concat(tensors: Any, dim: int = 0, *, out: Any = None) -> Any:
    """Alias of `cat`.

    Examples:
        >>> import wengert as wg
        >>> wg.concat([wg.tensor([1, 2]), wg.tensor([3])])
        tensor([1, 2, 3])
    """
    return joined(tensors, dim, out)


@composite(method=False)
def concatenate(tensors: Any, dim: int = 0, *, out: Any = None) -> Any:
    """NumPy's name for `cat`.

    Examples:
        >>> import wengert as wg
        >>> wg.concatenate([wg.tensor([1, 2]), wg.tensor([3])])
        tensor([1, 2, 3])
    """
    return joined(tensors, dim, out)


LIFTED = """
    Args:
        tensors: one tensor, several, or a list.

    Returns:
        Views, or the tensors themselves: one, or a tuple for several.
    """


@composite(method=False)
@describes(LIFTED)
def atleast_1d(*tensors: Any) -> Any:
    """Return tensors with at least one dimension; 0-dim ones get shape (1,).

    Examples:
        >>> import wengert as wg
        >>> wg.atleast_1d(wg.tensor(2.0))
        tensor([2.])
    """
    return lifted(tensors, lambda tensor: tensor if tensor._array_.ndim else tensor.reshape((1,)))


@composite(method=False)
@describes(LIFTED)
def atleast_2d(*tensors: Any) -> Any:
    """Return tensors with at least two dimensions; vectors become rows.

    Examples:
        >>> import wengert as wg
        >>> wg.atleast_2d(wg.tensor([1.0, 2.0])).shape
        torch.Size([1, 2])
    """
    return lifted(tensors, as_rows)


@composite(method=False)
@describes(LIFTED)
def atleast_3d(*tensors: Any) -> Any:
    """Return tensors with at least three dimensions.

    New dimensions are in front of a vector and behind it, and behind a matrix.

    Examples:
        >>> import wengert as wg
        >>> wg.atleast_3d(wg.tensor([1.0, 2.0])).shape
        torch.Size([1, 2, 1])
    """
    return lifted(tensors, as_sheets)


def as_rows(tensor: Any) -> Any:
    """Return a tensor with at least two dimensions."""
    ndim = tensor._array_.ndim
    return tensor if ndim > 1 else tensor.unsqueeze(0) if ndim else tensor.reshape((1, 1))


def as_sheets(tensor: Any) -> Any:
    """Return a tensor with at least three dimensions."""
    ndim = tensor._array_.ndim
    if ndim > 2:
        return tensor
    return (
        tensor.unsqueeze(-1) if ndim == 2 else tensor.unsqueeze(0).unsqueeze(-1) if ndim else tensor.reshape((1, 1, 1))
    )


def lifted(tensors: Any, lift: Any) -> Any:
    """Apply `lift` to one tensor, or to each of several."""
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        check_elements(tensors[0], 0)
        return tuple([lift(tensor) for tensor in tensors[0]])
    check_elements(tensors, 0)
    return lift(tensors[0]) if len(tensors) == 1 else tuple([lift(tensor) for tensor in tensors])


STACKED = """
    Args:
        tensors: a list of tensors.
        out: where to write the result.

    Returns:
        A new tensor.
    """


@composite(method=False)
@describes(STACKED)
def hstack(tensors: Any, *, out: Any = None) -> Any:
    """Concatenate tensors along the second dimension, vectors along their only one.

    Examples:
        >>> import wengert as wg
        >>> wg.hstack([wg.tensor([[1], [2]]), wg.tensor([[3], [4]])])
        tensor([[1, 3],
                [2, 4]])
    """
    raised = atleast_1d(tensors_of("hstack", tensors))
    return joined(raised, 0 if raised[0]._array_.ndim == 1 else 1, out)


@composite(method=False)
@describes(STACKED)
def vstack(tensors: Any, *, out: Any = None) -> Any:
    """Concatenate tensors along the first dimension; vectors are rows.

    Examples:
        >>> import wengert as wg
        >>> wg.vstack([wg.tensor([1, 2]), wg.tensor([3, 4])])
        tensor([[1, 2],
                [3, 4]])
    """
    return joined(atleast_2d(tensors_of("vstack", tensors)), 0, out)


@composite(method=False)
@describes(STACKED)
def dstack(tensors: Any, *, out: Any = None) -> Any:
    """Concatenate tensors along the third dimension.

    Examples:
        >>> import wengert as wg
        >>> wg.dstack([wg.tensor([1, 2]), wg.tensor([3, 4])])
        tensor([[[1, 3],
                 [2, 4]]])
    """
    return joined(atleast_3d(tensors_of("dstack", tensors)), 2, out)


for card in (concat, concatenate, hstack, vstack, dstack, atleast_2d, atleast_3d, atleast_1d):
    card.samples(two_rows)
for card in (concat, concatenate):
    plain_case(card, cat, cat.native)
for card in (hstack, vstack, dstack):
    plain_case(card, cat, cat.native, translate=native(f"{card.__name__}_arguments"))
