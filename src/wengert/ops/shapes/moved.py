"""Reordering of dimensions: movedim, NumPy's names of it and of transpose, and the conjugate transpose."""

from __future__ import annotations

from typing import Any

from ... import _kernels as kernels
from ..._core.cards.arguments import some_integers
from ..._core.cards.card import Bad, Sample, composite
from ..._core.cards.plain_case import plain_case
from ..._core.errors import shown
from ..._core.types.sizes import normalise
from .views import permute, transpose

native = kernels.direct_function


@composite()
def movedim(input: Any, source: Any, destination: Any) -> Any:
    """Move dimensions to other positions; the others keep their order.

    Args:
        input: tensor.
        source: a dimension or several.
        destination: their new positions.

    Returns:
        A view.

    Examples:
        >>> import wengert as wg
        >>> wg.movedim(wg.zeros(2, 3, 5), 0, -1).shape
        torch.Size([3, 5, 2])
    """
    ndim = input._array_.ndim
    if not ndim and hasattr(source, "__index__") and hasattr(destination, "__index__"):
        source, destination = ([normalise(dim, ndim)][:0] for dim in (source, destination))
    places = (("source", source), ("destination", destination))
    pairs = [some_integers("movedim", key, place) for key, place in places]
    if len(pairs[0]) != len(pairs[1]):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({shown(pairs[0])} dims) should contain the same "
            "number "
            f"of dims as destination ({shown(pairs[1])} dims)"
        )
    origin, target = ([normalise(dim, ndim) for dim in dims] for dims in pairs)
    for dims, word, raw in ((origin, "source", pairs[0]), (target, "destination", pairs[1])):
        if len(set(dims)) != len(dims):
            raise RuntimeError(f"movedim: repeated dim in `{word}` ({shown(raw)})")
    order = [dim for dim in range(ndim) if dim not in origin]
    for place, dim in sorted(zip(target, origin)):
        order.insert(place, dim)
    return input.permute(order) if ndim else input[...]


plain_case(movedim, permute, permute.native, translate=native("movedim_arguments"))


@movedim.samples
def movedim_samples(make: Any) -> Any:
    yield Sample(make(2, 3, 4), 0, -1)
    yield Sample(make(2, 3, 4), (0, 1), (2, 0))
    yield Sample(make(), 0, -1)
    yield Bad(make(2, 3), (0, 0), (0, 1), raises=RuntimeError, says="repeated dim in `source`")
    yield Bad(make(2, 3), None, 0, raises=TypeError, says="argument 'source' must be tuple of ints, not NoneType")


def swap_samples(make: Any) -> Any:
    """Samples of the other names of `transpose`."""
    yield Sample(make(2, 3, 4), 0, -1)


@composite()
def moveaxis(input: Any, source: Any, destination: Any) -> Any:
    """NumPy's name for `movedim`.

    Examples:
        >>> import wengert as wg
        >>> wg.moveaxis(wg.zeros(2, 3, 5), 0, -1).shape
        torch.Size([3, 5, 2])
    """
    return input.movedim(source, destination)


@composite()
def swapaxes(input: Any, axis0: int, axis1: int) -> Any:
    """NumPy's name for `transpose`.

    Examples:
        >>> import wengert as wg
        >>> wg.swapaxes(wg.zeros(2, 3, 5), 0, 1).shape
        torch.Size([3, 2, 5])
    """
    return input.transpose(axis0, axis1)


@composite()
def swapdims(input: Any, dim0: int, dim1: int) -> Any:
    """Alias of `transpose`.

    Examples:
        >>> import wengert as wg
        >>> wg.swapdims(wg.zeros(2, 3, 5), 0, 1).shape
        torch.Size([3, 2, 5])
    """
    return input.transpose(dim0, dim1)


for alias in (moveaxis, swapaxes, swapdims):
    alias.samples(swap_samples)
for alias in (swapaxes, swapdims):
    plain_case(alias, transpose, native("transpose"))


@composite()
def adjoint(input: Any) -> Any:
    """The conjugate transpose of the last two dimensions.

    Args:
        input: tensor with at least two dimensions, or with none.

    Returns:
        A view.

    Raises:
        RuntimeError: if `input` has one dimension.

    Examples:
        >>> import wengert as wg
        >>> wg.adjoint(wg.tensor([[1 + 1j, 2 + 0j]]))
        tensor([[1.-1.j],
                [2.-0.j]])
    """
    if input._array_.ndim < 2:
        if input._array_.ndim:
            raise RuntimeError("tensor.adjoint() is only supported on matrices or batches of matrices. Got 1-D tensor.")
        return input.conj() if input.is_complex() else input
    swapped = input.transpose(-2, -1)
    return swapped.conj() if input.is_complex() else swapped


@adjoint.samples
def adjoint_samples(make: Any) -> Any:
    yield Sample(make(2, 3))
    yield Sample(make())
    yield Bad(
        make(2), raises=RuntimeError, says="tensor.adjoint() is only supported on matrices or batches of matrices"
    )
