"""Broadcasting: broadcast_to, broadcast_tensors, expand_as, and the reverse, sum_to_size."""

from __future__ import annotations

from typing import Any

from ..._core.cards.arguments import check_elements, integers
from ..._core.cards.card import Bad, Sample, composite
from ..._core.errors import shown
from ..._core.tensor.base import Tensor
from ..._core.types.sizes import Size, broadcast
from ..family import as_function_of
from .shape import spread


@composite(function=False)
def expand_as(self: Any, other: Tensor) -> Any:
    """Return `self.expand(other.shape)`.

    Args:
        self, other: tensors.

    Returns:
        A view.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([[1], [2]]).expand_as(wg.zeros(2, 3))
        tensor([[1, 1, 1],
                [2, 2, 2]])
    """
    return self.expand(other._array_.shape)


@expand_as.samples
def expand_as_samples(make: Any) -> Any:
    yield Sample(make(3, 1), make(2, 3, 4))


@composite()
def broadcast_to(input: Any, *sizes: Any, size: Any = None) -> Any:
    """Return `input.expand(size)`.

    Args:
        input: tensor.
        sizes, size: the new shape, as one sequence or as integers.

    Returns:
        A view.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([1, 2]).broadcast_to(3, 2)
        tensor([[1, 2],
                [1, 2],
                [1, 2]])
    """
    return input.expand(integers("broadcast_to", "size", spread("broadcast_to", sizes, size, "size")))


@as_function_of(broadcast_to)
def broadcast_to_function(input: Any, size: Any) -> Any:
    return broadcast_to(input, size=size)


@broadcast_to.samples
def broadcast_to_samples(make: Any) -> Any:
    yield Sample(make(3, 1), (2, 3, 4))
    yield Sample(make(3, 1), size=(2, 3, 4))
    yield Bad(make(2), size=2, raises=TypeError, says="argument 'size' must be tuple of ints, not int")


@composite(method=False)
def broadcast_tensors(*tensors: Any) -> tuple[Any, ...]:
    """Expand all tensors to their common shape.

    Args:
        tensors: tensors, or one list of them.

    Returns:
        Views, in the same order.

    Raises:
        RuntimeError: if the shapes do not broadcast.

    Examples:
        >>> import wengert as wg
        >>> a, b = wg.broadcast_tensors(wg.ones(3, 1), wg.ones(2))
        >>> a.shape, b.shape
        (torch.Size([3, 2]), torch.Size([3, 2]))
    """
    operands = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else tensors
    check_elements(operands, 0)
    common: tuple[int, ...] = ()
    for operand in operands:
        common = broadcast(common, operand._array_.shape)
    return tuple([operand if operand._array_.shape == common else operand.expand(common) for operand in operands])


@broadcast_tensors.samples
def broadcast_tensors_samples(make: Any) -> Any:
    yield Bad(make(2, 3), make(5), make(4, 3), raises=RuntimeError, says="The size of tensor a (3) must match the size")
    yield Sample(make(3, 1), make(2, 1, 4))


@composite(method=False)
def broadcast_shapes(*shapes: Any) -> Size:
    """Return the common shape of several shapes.

    Args:
        shapes: sequences of integers, or integers.

    Returns:
        A size.

    Raises:
        RuntimeError: if the shapes do not broadcast, or an argument is not a shape.

    Examples:
        >>> import wengert as wg
        >>> wg.broadcast_shapes((3, 1), (2,))
        torch.Size([3, 2])
    """
    common: tuple[int, ...] = ()
    for at, shape in enumerate(shapes):
        if not isinstance(shape, (int, tuple, list)):
            raise RuntimeError(
                f"Input shapes should be of type ints, a tuple of ints, or a list of ints, got {shape!r}"
            )
        sizes = (int(shape),) if isinstance(shape, int) else tuple(map(int, shape))
        for back, (length, other) in enumerate(zip(reversed(sizes), reversed(common)), 1):
            if length != other and 1 not in (length, other):
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {length} at -{back}! Mismatching argument at index "
                    f"{at} had {sizes}; but expected shape should be broadcastable to {list(common)}"
                )
        if any(length < 0 for length in sizes):
            raise ValueError("Attempting to broadcast a dimension with negative length!")
        common = broadcast(common, sizes)
    return Size(common)


@broadcast_shapes.samples
def broadcast_shapes_samples(make: Any) -> Any:
    yield Sample((3, 1), (2, 1, 4))
    yield Bad((5,), -1, raises=RuntimeError, says="Attempting to broadcast a dimension of length -1 at -1")
    yield Bad((5, 1), -1, raises=ValueError, says="Attempting to broadcast a dimension with negative length!")


@composite(function=False)
def sum_to_size(self: Any, *sizes: Any, size: Any = None) -> Any:
    """Sum over the dimensions that a broadcast from `size` to the tensor's shape would stretch.

    Args:
        self: tensor.
        sizes, size: a shape that broadcasts to the tensor's, as one sequence or as integers.

    Returns:
        The tensor itself if it has that shape, otherwise a new one; without dimensions always a new one.

    Raises:
        RuntimeError: if the shape does not broadcast to the tensor's.

    Examples:
        >>> import wengert as wg
        >>> wg.ones(3, 2).sum_to_size(1, 2)
        tensor([[3., 3.]])
    """
    wanted, have = integers("sum_to_size", "size", spread("sum_to_size", sizes, size, "size")), self._array_.shape
    if not wanted:
        return self.sum()
    if wanted == have:
        return self
    lead = len(have) - len(wanted)
    if lead < 0 or any(length not in (1, have[lead + at]) for at, length in enumerate(wanted)):
        raise RuntimeError(f"size {{{shown(wanted)}}} is not expandable to size {{{shown(have)}}}.")
    dims = [*range(lead), *[lead + at for at, length in enumerate(wanted) if length == 1 and have[lead + at] != 1]]
    summed = self.sum(dims, True)
    return summed.view(wanted) if lead else summed


@sum_to_size.samples
def sum_to_size_samples(make: Any) -> Any:
    yield Sample(make(2, 3, 4), (3, 1))
    yield Sample(make(2, 3, 4), size=(4,))
    yield Bad(make(2, 3), (2,), raises=RuntimeError, says="is not expandable to size")
