"""Views with rearranged dimensions: expand, permute, transpose, squeeze, unsqueeze."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import _kernels as kernels
from ..._core.cards.arguments import integer, integers
from ..._core.cards.card import WIDE, Array, Bad, Sample, Sizes, nodes, op
from ..._core.errors import shown, type_name
from ..._core.operators.batch_rules import along, shifted
from ..._core.operators.declaration import OLDER, ONE_BY_ONE
from ..._core.tensor.base import OPERATORS
from ..._core.types.sizes import normalise
from ..._kernels.layout import strided
from ..family import on_sequence
from .view_shape import alias, layouts

native = kernels.direct_function


def distinct(name: str, dims: Sequence[Any], ndim: int) -> list[int]:
    """Return dimensions counted from the front, without duplicates.

    Raises:
        RuntimeError: if a dimension occurs twice.
    """
    result: list[int] = []
    for dim in integers(name, "dims", dims):
        at = normalise(dim, ndim)
        if at in result:
            raise RuntimeError(f"dim {at} appears multiple times in the list of dims")
        result.append(at)
    return result


@op(dtypes=WIDE, view=True, linear="self", larger=True, native=native("expand"))
def expand(self: Array, size: Sizes, *, implicit: bool = False) -> Any:
    """Expand dimensions of length 1, and new ones in front, without a copy.

    Args:
        size: the new shape; -1 keeps a length.
        implicit: has no effect.

    Returns:
        A view; several of its elements may share memory, so clone it before writing to it.

    Raises:
        RuntimeError: if a length other than 1 would change.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([[1], [2]]).expand(2, 3)
        tensor([[1, 1, 1],
                [2, 2, 2]])
    """
    wanted, have = integers("expand", "size", size), self.shape
    lead = len(wanted) - len(have)
    if lead < 0:
        raise not_expanded(self, wanted)
    shape, strides = list(wanted), [0] * lead + list(self.strides)
    for at in reversed(range(len(wanted))):
        length = wanted[at]
        old_length = have[at - lead] if at >= lead else 1
        if length == -1 and at >= lead:
            shape[at] = old_length
        elif length < 0 and at < lead:
            raise RuntimeError(
                f"The expanded size of the tensor ({length}) isn't allowed in a leading, non-existing dimension {at}"
            )
        elif length != old_length:
            if old_length != 1 or length < 0:
                raise not_expanded(self, wanted, at)
            strides[at] = 0
        elif at < lead and have:
            strides[at] = shape[at + 1] * strides[at + 1]
    return strided(self, tuple(shape), tuple(strides))


expand.shows(self_sym_sizes="as shape of the first input")


def not_expanded(array: Any, wanted: tuple[int, ...], at: int | None = None) -> RuntimeError:
    """Return the error for an array that has too many dimensions for a shape, or another length at dimension `at`."""
    have = array.shape
    if at is None:
        return RuntimeError(
            f"expand({type_name(array)}{{{shown(have)}}}, size={shown(wanted)}): the number of sizes provided "
            f"({len(wanted)}) must be greater or equal to the number of dimensions in the tensor ({len(have)})"
        )
    return RuntimeError(
        f"The expanded size of the tensor ({wanted[at]}) must match the existing size ({have[at - len(wanted)]}) at "
        f"non-singleton dimension {at}.  Target sizes: {shown(wanted)}.  Tensor sizes: {shown(have)}"
    )


@expand.vjp("self")
def expand_vjp(grad: Any) -> Any:
    return grad


@expand.batched
def expand_batched(self: Any, size: Any, implicit: bool) -> Any:
    for _ in range(len(size) - self.ndim + 1):
        self = self.unsqueeze(1)
    return expand.call((self, (self.shape[0], *size), implicit))


@expand.samples
def expand_samples(make: Any) -> Any:
    yield Sample(make(3, 1), (2, 3, 4))
    yield Sample(make(3, 1), -1, 4)
    yield Sample(make(), (2,))
    yield Bad(make(3), (2,), raises=RuntimeError, says="must match the existing size (3) at non-singleton dimension 0")


@on_sequence
@op(dtypes=WIDE, view=True, linear="self", native=native("permute"))
def permute(self: Array, dims: Sizes) -> Any:
    """Permute the dimensions.

    Args:
        dims: every dimension once.

    Raises:
        RuntimeError: if `dims` is not a permutation.

    Examples:
        >>> import wengert as wg
        >>> wg.permute(wg.zeros(2, 3, 5), (2, 0, 1)).shape
        torch.Size([5, 2, 3])
    """
    return self.transpose(order_of(dims, self.ndim))


def order_of(dims: Sequence[Any], ndim: int) -> list[int]:
    """Return `dims`, counted from the front; refuse anything but a permutation of all dimensions."""
    wanted = integers("permute", "dims", dims)
    if len(wanted) != ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {ndim} is not equal to len(dims) = {len(wanted)}"
        )
    order = [normalise(dim, ndim) for dim in wanted]
    if len(set(order)) != ndim:
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return order


@permute.vjp("self", native=native("permute_rule"))
def permute_vjp(grad: Any, dims: Any) -> Any:
    order = order_of(dims, len(dims))
    return grad.permute([order.index(at) for at in range(len(order))])


@permute.batched
def permute_batched(self: Any, dims: Any) -> Any:
    return permute.call((self, (0, *[1 + dim for dim in distinct("permute", dims, self.ndim - 1)])))


@permute.samples
def permute_samples(make: Any) -> Any:
    yield Sample(make(2, 3, 4), (2, 0, 1))
    yield Sample(make(2, 3), -1, 0)
    yield Bad(make(2, 3), (0, 0), raises=RuntimeError, says="duplicate dims are not allowed")
    yield Bad(make(2), dims=0, raises=TypeError, says="permute(): argument 'dims' must be tuple of ints, not int")
    yield Bad(make(2), None, raises=TypeError, says="must be tuple of ints, not NoneType")


@op(dtypes=WIDE, view=True, inplace=True, linear="self", batching=along("dim0", "dim1"), native=native("transpose"))
def transpose(self: Array, dim0: int, dim1: int) -> Any:
    """Swap two dimensions.

    Args:
        dim0, dim1: the dimensions.

    Examples:
        >>> import wengert as wg
        >>> wg.transpose(wg.tensor([[1, 2, 3], [4, 5, 6]]), 0, 1)
        tensor([[1, 4],
                [2, 5],
                [3, 6]])
    """
    ndim = self.ndim
    first, second = normalise(dim0, ndim), normalise(dim1, ndim)
    return self.swapaxes(first, second) if ndim else self[...]


@transpose.vjp("self", native=native("transpose"))
def transpose_vjp(grad: Any, dim0: int, dim1: int) -> Any:
    return grad.transpose(dim0, dim1)


@transpose.samples
def transpose_samples(make: Any) -> Any:
    yield Sample(make(2, 3, 4), 0, -1)
    yield Bad(make(2, 3), 0, 2, raises=IndexError, says="Dimension out of range")


@op(dtypes=WIDE, view=True, inplace=True, linear="self", node="TBackward0", native=native("t"))
def t(self: Array) -> Any:
    """Transpose of a matrix; vectors and scalars do not change.

    Args:
        self: tensor with at most two dimensions.

    Raises:
        RuntimeError: if `self` has more than two dimensions.

    Examples:
        >>> import wengert as wg
        >>> wg.t(wg.tensor([[1, 2, 3], [4, 5, 6]]))
        tensor([[1, 4],
                [2, 5],
                [3, 6]])
    """
    if self.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
    return self.T if self.ndim == 2 else self[...]


@t.vjp("self", native=native("t"))
def t_vjp(grad: Any) -> Any:
    return grad.t()


@t.batched
def t_batched(self: Any) -> Any:
    if self.ndim > 3:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {self.ndim - 1}D")
    return self.transpose(1, 2) if self.ndim == 3 else alias.call((self,))


t.samples(layouts)


@op(dtypes=WIDE, view=True, inplace=True, linear="self", native=native("unsqueeze"))
def unsqueeze(self: Array, dim: int) -> Any:
    """Insert a new dimension of length 1 in front of `dim`.

    Args:
        dim: between `-ndim - 1` and `ndim`.

    Examples:
        >>> import wengert as wg
        >>> wg.unsqueeze(wg.tensor([1, 2]), 1)
        tensor([[1],
                [2]])
    """
    at = normalise(integer("unsqueeze", "dim", dim), self.ndim + 1)
    shape = (*self.shape[:at], 1, *self.shape[at:])
    if self.flags.c_contiguous and 1 not in self.shape:
        return self.reshape(shape)
    step = self.shape[at] * self.strides[at] if at < self.ndim else self.itemsize
    return strided(self, shape, (*self.strides[:at], step, *self.strides[at:]))


@unsqueeze.vjp("self", native=native("squeeze"))
def unsqueeze_vjp(grad: Any, dim: int) -> Any:
    return grad.squeeze(dim)


OPERATORS.unsqueeze = unsqueeze


@unsqueeze.batched
def unsqueeze_batched(self: Any, dim: Any) -> Any:
    return unsqueeze.call((self, 1 + normalise(dim, self.ndim)))


@unsqueeze.samples
def unsqueeze_samples(make: Any) -> Any:
    yield Sample(make(2, 3), 1)
    yield Sample(make(), -1)
    yield Bad(make(2), 2, raises=IndexError, says="Dimension out of range")


def squeeze_form(args: tuple[Any, ...]) -> int:
    """Return which of torch's three overloads a call is."""
    return 1 if type(args[1]) is int else 0 if args[1] is None else 2 if isinstance(args[1], (tuple, list)) else 1


@op(
    dtypes=WIDE,
    view=True,
    inplace=True,
    linear="self",
    node=nodes("SqueezeBackward0", "SqueezeBackward1", "SqueezeBackward2", by=squeeze_form),
    native=native("squeeze"),
)
def squeeze(self: Array, dim: Any = None) -> Any:
    """Remove dimensions of length 1.

    Args:
        dim: the dimension or dimensions to remove if they have length 1; None for all.

    Examples:
        >>> import wengert as wg
        >>> wg.squeeze(wg.zeros(1, 3, 1)).shape
        torch.Size([3])
    """
    shape = self.shape
    if dim is None:
        dims = list(range(self.ndim))
    elif isinstance(dim, (tuple, list)):
        dims = distinct("squeeze", dim, self.ndim)
    else:
        dims = [normalise(integer("squeeze", "dim", dim), self.ndim)]
    axes = tuple([axis for axis in dims if self.ndim and shape[axis] == 1])
    return self.squeeze(axes) if axes else self[...]


squeeze.shows(dim="as argument of the view")


OLDER[squeeze.name] = {ONE_BY_ONE: ()}


@squeeze.vjp("self", native=native("reshape_rule"))
def squeeze_vjp(grad: Any, self_shape: Any) -> Any:
    return grad.reshape(self_shape)


@squeeze.batched
def squeeze_batched(self: Any, dim: Any) -> Any:
    if self.ndim == 1 or dim in ((), []):
        return alias.call((self,))
    return squeeze.call((self, shifted(dim, self.ndim - 1)))


@squeeze.samples
def squeeze_samples(make: Any) -> Any:
    yield Sample(make(1, 3, 1))
    yield Sample(make(1, 3, 1), 0)
    yield Sample(make(1, 3, 1), (0, 2))
    yield Sample(make(), 0)
    yield Bad(make(2), 1, raises=IndexError, says="Dimension out of range")
