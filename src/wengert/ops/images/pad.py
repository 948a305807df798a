"""Padding: constant, reflected, replicated and circular."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from ..._core import errors
from ..._core.cards.arguments import integers
from ..._core.cards.card import NUMBERS, WIDE, Array, Bad, Sample, composite, nodes, op
from ..._core.cards.plain_case import FUNCTIONAL, plain_case
from ..._core.errors import shown
from ..._core.operators import layouts
from ..._core.tensor.base import Tensor, wrap
from ..._core.types.dtypes import from_numpy
from ..._kernels import direct_function as native, positions
from ..dtype_checks import check_number, checked_number
from ..memory.memory_formats import copied, in_order_of

Ints = tuple[int, ...]
Sides = tuple[tuple[int, int], ...]
FEW = 1024
"""Largest number of elements that are gathered at once: looking each up costs less than copying part by part."""
MODES = ("reflect", "replicate", "circular")
SUPPORTED = (
    "\nSupported combinations for non-constant padding:\n"
    "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
    "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
    "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"
)


def read_pad(pad: Any, ndim: int) -> Sides:
    """Return the widths before and behind each dimension, first to last; `pad` begins with the last dimension.

    Raises:
        TypeError: if `pad` is not a sequence of integers.
        RuntimeError: if the number of widths is odd, or more than two for each dimension.
    """
    return sides_of(integers("pad", "pad", pad), ndim)


@lru_cache(maxsize=256)
def sides_of(pad: Ints, ndim: int) -> Sides:
    """`read_pad` of integers."""
    if len(pad) % 2:
        raise RuntimeError(f"Padding length must be divisible by 2, got {len(pad)}")
    if len(pad) > 2 * ndim:
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(pad)} and input of dimension {ndim}"
        )
    sides = [(pad[at], pad[at + 1]) for at in range(0, len(pad), 2)]
    return ((0, 0),) * (ndim - len(sides)) + tuple(sides[::-1])


@lru_cache(maxsize=256)
def places_of(shape: Ints, sides: Sides) -> tuple[Any, Any, Ints | None]:
    """Return the kept part of an array, its place in the result, and the padded shape; None if nothing is added.

    Raises:
        RuntimeError: if more is cut off than there is.
    """
    padded_shape = tuple([length + before + behind for (before, behind), length in zip(sides, shape)])
    for (before, behind), length, size in zip(sides, shape, padded_shape):
        if size < 0 or length - max(0, -before) - max(0, -behind) < 0:
            raise RuntimeError("narrow(): length must be non-negative.")
    inner = tuple([slice(max(0, -a), length - max(0, -b)) for (a, b), length in zip(sides, shape)])
    there = tuple([slice(max(0, a), size - max(0, b)) for (a, b), size in zip(sides, padded_shape)])
    return inner, there, padded_shape if max(map(max, sides), default=0) > 0 else None


@op(layout="own", dtypes=WIDE, node="ConstantPadNdBackward0", public="function", native=native("constant_pad_nd"))
def constant_pad_nd(self: Array, pad: Any, value: Any = 0) -> Any:
    """`self` with a border of `value`; a negative width cuts off.

    Args:
        pad: widths before and behind, of the last dimension, then of the one before it, and so on.
        value: a number.

    Raises:
        RuntimeError: if the number of widths is odd or too large, or no element would be left.

    Examples:
        >>> import wengert as wg
        >>> wg.constant_pad_nd(wg.tensor([1, 2]), (1, 2))
        tensor([0, 1, 2, 0, 0])
    """
    if value is None:
        raise TypeError(errors.wrong_type("constant_pad_nd", "value", 3, "Number", value))
    sides = read_pad(pad, self.ndim)
    inner, there, shape = places_of(self.shape, sides)
    if shape is None:
        return copied(self[inner], None)
    result = np.empty(shape, self.dtype)
    result.fill(checked_number(value, from_numpy(self.dtype)))
    result[there] = self[inner]
    images = self.ndim > 3 and layouts.suggests_channels(self)
    return layouts.with_strides(result, layouts.channels_last(shape)) if images else result


@constant_pad_nd.vjp("self")
def constant_pad_nd_vjp(grad: Any, pad: Any) -> Any:
    return constant_pad_nd(grad, [-width for width in pad])


@constant_pad_nd.jvp("self")
def constant_pad_nd_jvp(tangent: Any, pad: Any) -> Any:
    return constant_pad_nd(tangent, pad)


@constant_pad_nd.batched
def constant_pad_nd_batched(self: Any, pad: Any, value: Any) -> Any:
    read_pad(pad, self.ndim - 1)
    return constant_pad_nd.call((self, pad, value))


@constant_pad_nd.samples
def constant_pad_nd_samples(make: Any) -> Any:
    yield Bad(
        make(2), (1, 1), None, raises=TypeError, says="argument 'value' (position 3) must be Number, not NoneType"
    )
    yield Sample(make(2, 3), (1, 2))
    yield Sample(make(2, 3), (1, -1, 0, 2), 1)
    yield Sample(make(0, 3), (1, 1))
    yield Bad(make(2, 3), (1,), raises=RuntimeError, says="Padding length must be divisible by 2")
    yield Bad(make(2), (1, 1, 1, 1), raises=RuntimeError, says="less than or equal to two times the input dimension")


@lru_cache(maxsize=256)
def few_sources(shape: Ints, sides: Sides, mode: str) -> Any:
    """For each place of a small padded array the index of the element of the flat array that it repeats."""
    numbers = positions.arange(math.prod(shape)).reshape(shape)
    for dim, (length, side) in enumerate(zip(shape, sides)):
        numbers = positions.take(numbers, source_of(length, *side, mode), dim)
    numbers.flags.writeable = False
    return numbers


def source_of(length: int, before: int, behind: int, mode: str) -> Any:
    """For each place along a padded dimension the index of the element that it repeats."""
    at = positions.arange(-before, length + behind)
    if mode == "replicate":
        return np.clip(at, 0, length - 1)
    if mode == "circular":  # elements that negative widths cut off do not reappear at the other end
        first, last = max(0, -before), length - max(0, -behind)
        return first + (at - first) % max(last - first, 1)
    at = np.abs(at)
    return np.where(at >= length, 2 * (length - 1) - at, at)


def node_of(args: tuple[Any, ...]) -> int:
    """Return the index of the node class of a call: by mode and number of padded dimensions."""
    return 6 if args[2] == "circular" else 3 * MODES.index(args[2]) + len(args[1]) // 2 - 1


native_edge_pad: Any = native("edge_pad")
TITLES = (
    *(f"ReflectionPad{count}DBackward0" for count in (1, 2, 3)),
    *(f"ReplicationPad{count}DBackward0" for count in (1, 2, 3)),
    "torch::autograd::CopySlices",
)
SLOPE_TITLES = (*(title.replace("Backward", "BackwardBackward") for title in TITLES[:-1]), "SliceBackwardBackward0")


def edge_pad_of_numbers(array: Any, pad: Any, mode: str) -> Any:
    """`native_edge_pad`; NotImplemented where torch has no kernel, and for unusual arguments."""
    result = native_edge_pad(array, pad, mode)
    few = result is not NotImplemented and mode != "circular" and result.dtype.kind in "bu" and result.dtype != np.uint8
    return NotImplemented if few else result


@op(
    layout="own",
    dtypes=NUMBERS,
    explained=WIDE,
    linear="self",
    node=nodes(*TITLES, by=node_of),
    public="neither",
    native=native_edge_pad and edge_pad_of_numbers,
)
def edge_pad(self: Array, pad: Any, mode: str) -> Any:
    """`self` with a border of its own elements: mode "reflect", "replicate" or "circular"."""
    if mode != "circular":
        word = "reflection" if mode == "reflect" else "replication"
        check_number("pad", f"{word}_pad{len(pad) // 2}d", self)
    sides = read_pad(pad, self.ndim)
    if max(self.size, math.prod([length + sum(side) for length, side in zip(self.shape, sides)])) <= FEW:
        result = positions.take(self.reshape(-1), few_sources(self.shape, sides, mode))
    else:
        result = bordered(self, sides, mode)
    suggested = mode != "circular" and self.ndim > 3 and layouts.suggests_channels(self)
    if result.size and not suggested:  # as made
        return result
    return layouts.with_strides(
        result, layouts.channels_last(result.shape) if suggested else layouts.row_major(result.shape)
    )


edge_pad.shows(padding="pad")


def bordered(x: Any, sides: Sides, mode: str) -> Any:
    """Copy an array and add borders: its elements first, then the borders of one dimension after the other, each from
    the elements present by then."""
    padded = [(dim, *side) for dim, side in enumerate(sides) if side != (0, 0)]
    for dim, before, behind in padded:
        if min(before, behind) < 0:  # elements that are cut off may be repeated on the other side
            x = positions.take(x, source_of(x.shape[dim], before, behind, mode), axis=dim)
    padded = [item for item in padded if min(item[1:]) >= 0]
    shape, region = list(x.shape), [slice(None)] * x.ndim
    for dim, before, behind in padded:
        shape[dim] += before + behind
        region[dim] = slice(before, before + x.shape[dim])
    result = np.empty(shape, x.dtype)
    result[tuple(region)] = x
    for dim, before, behind in padded:
        sources = source_of(x.shape[dim], before, behind, mode) + before
        region[dim] = slice(None)
        there = result[tuple(region)]
        ahead = (slice(None),) * dim
        for border in (slice(before), slice(before + x.shape[dim], None)):
            if sources[border].size:
                there[(*ahead, border)] = positions.take(there, sources[border], dim)
    return result


@edge_pad.vjp("self", native=native("edge_pad_rule"))
def edge_pad_vjp(grad: Any, pad: Any, mode: str, self_shape: Any, self_strides: Any) -> Any:
    grad = grad if mode == "circular" else in_order_of(grad, (self_shape, self_strides))
    return edge_pad_backward(grad, pad, mode, self_shape)


@edge_pad.batched
def edge_pad_batched(self: Any, pad: Any, mode: str) -> Any:
    return edge_pad.call((self, pad, mode))


@edge_pad.samples
def edge_pad_samples(make: Any) -> Any:
    yield Sample(make(2, 3, 4), (2, 1), "reflect")
    yield Sample(make(2, 3, 4), (2, 1, 1, 3), "replicate")
    yield Sample(make(2, 3, 4), (2, 1), "circular")
    yield Sample(make(2, 3, 4), (-1, 1, 2, -1), "circular")


@op(
    layout="suggested",
    dtypes=WIDE,
    linear="grad",
    public="neither",
    native=native("edge_pad_backward"),
    node=nodes(*SLOPE_TITLES, by=lambda args: node_of((None, args[1], args[2]))),
)
def edge_pad_backward(grad: Array, pad: Any, mode: str, shape: Any) -> Any:
    """Transpose of `edge_pad`: the border is added to the elements that it came from."""
    result = grad
    for dim, (before, behind) in enumerate(read_pad(pad, len(shape))):
        if before or behind:
            result = folded(result, dim, shape[dim], before, behind, mode)
    return np.ascontiguousarray(result) if result is not grad else grad.copy()


def folded(grad: Any, dim: int, length: int, before: int, behind: int, mode: str) -> Any:
    """Transpose of the padding of one dimension, for `edge_pad_backward`."""
    sources = source_of(length, before, behind, mode)
    ahead = (slice(None),) * dim
    inside = slice(max(0, before), before + length - max(0, -behind))
    borders = [border for border in (slice(inside.start), slice(inside.stop, None)) if sources[border].size]
    if min(before, behind) < 0:
        result = np.zeros((*grad.shape[:dim], length, *grad.shape[dim + 1 :]), grad.dtype)
        result[(*ahead, sources[inside])] = grad[(*ahead, inside)]
    else:
        result = grad[(*ahead, inside)].copy()
    for border in borders:
        part, targets = grad[(*ahead, border)], sources[border]
        if mode == "replicate":
            part, targets = part.sum(dim, keepdims=True), targets[:1]
        result[(*ahead, targets)] += part  # in the other modes all places of a border repeat different elements
    return result


@edge_pad_backward.vjp("grad")
def edge_pad_backward_vjp(cotangent: Any, pad: Any, mode: str) -> Any:
    return edge_pad(cotangent, pad, mode)


@edge_pad_backward.batched
def edge_pad_backward_batched(grad: Any, pad: Any, mode: str, shape: Any) -> Any:
    return edge_pad_backward.call((grad, pad, mode, (grad.shape[0], *shape)))


@edge_pad_backward.samples
def edge_pad_backward_samples(make: Any) -> Any:
    yield Sample(make(2, 3, 7), (2, 1), "reflect", (2, 3, 4))


@composite(method=False, function=False)
def pad(input: Tensor, pad: Any, mode: str = "constant", value: float | None = None) -> Tensor:
    """Add a border to `input`.

    Args:
        input: tensor; for modes other than "constant" with one or two dimensions more than are padded.
        pad: widths before and behind, of the last dimension, then of the one before it, and so on.
        mode: "constant", "reflect" (without repeating the edge), "replicate" (the edge), "circular".
        value: value of a "constant" border; 0 by default.

    Returns:
        A new tensor.

    Raises:
        NotImplementedError: if the mode is unknown, or does not pad so many dimensions.
        RuntimeError: if the widths do not fit.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.pad(wg.tensor([[1.0, 2.0, 3.0]]), (2, 1), mode="reflect")
        tensor([[3., 2., 1., 2., 3., 2.]])
    """
    if not isinstance(input, Tensor):
        raise TypeError(errors.wrong_type("pad", "input", 1, "Tensor", input))
    if mode != "constant" and mode not in MODES:
        raise NotImplementedError(
            f"Unrecognised padding mode {mode}; expected constant, reflect, replicate or circular"
        )
    sides = read_pad(pad, input.ndim)
    if mode == "constant":
        return constant_pad_nd(input, tuple(pad), 0 if value is None else value)
    if value is not None and value != 0:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if len(pad) not in (2, 4, 6) or input.ndim - len(pad) // 2 not in (1, 2):
        raise NotImplementedError(
            f"Padding size {len(pad)} is not supported for {input.ndim}D input tensor.{SUPPORTED}"
        )
    check_sides(input.shape, sides, len(pad) // 2, mode)
    return edge_pad(input, tuple(pad), mode)


@lru_cache(maxsize=256)
def check_sides(shape: Ints, sides: Sides, count: int, mode: str) -> None:
    """Refuse borders wider than their source along the last `count` dimensions.

    Raises:
        RuntimeError: if a border is too wide, or the source is empty.
    """
    if mode != "circular" and 0 in shape[len(shape) - count - 1 :]:
        raise RuntimeError(
            f"Expected {count + 1}D or {count + 2}D (batch mode) tensor with possibly 0 batch size and other non-zero "
            f"dimensions for input, but got: {shown(shape)}"
        )
    for dim in range(len(shape) - count, len(shape)):
        (before, behind), length = sides[dim], shape[dim]
        where = f"padding ({before}, {behind}) at dimension {dim} of input {shown(shape)}"
        if mode == "circular":
            check_circle(length, before, behind, where)
        elif length + before + behind < 1:
            raise RuntimeError(
                f"input (dimension {dim}: {length}) is too small. Calculated output: {length + before + behind}; "
                f"{where}"
            )
        elif mode == "reflect" and max(before, behind) >= length:
            raise RuntimeError(
                f"Argument #{4 + 2 * (len(shape) - 1 - dim)}: Padding size should be less than the corresponding "
                f"input dimension, but got: {where}"
            )


def check_circle(length: int, before: int, behind: int, where: str) -> None:
    """Refuse circular borders that wrap more than once, or cut off more than there is."""
    if length + before + behind < 0:
        raise RuntimeError(f"Negative padding value is resulting in an empty dimension: {where}")
    if max(before, behind, 0) > length - max(0, -before) - max(0, -behind):
        raise RuntimeError(f"Padding value causes wrapping around more than once: {where}")


@pad.samples
def pad_samples(make: Any) -> Any:
    yield Sample(make(2, 3), (1, 1), value=2)
    yield Sample(make(2, 3, 4), (2, 1), mode="reflect")
    yield Sample(make(2, 3, 4), (2, 1, 1, 3), mode="replicate")
    yield Sample(make(2, 3, 4), (2, 1), mode="circular")
    yield Sample(make(2, 3, 4), (-1, 3), mode="circular")
    yield Sample(make(0, 3, 4), (2, 1), mode="reflect")
    yield Bad(make(2, 4), (-2, 3), mode="circular", raises=RuntimeError, says="wrapping around more than once")
    yield Bad(make(2, 4), (-3, -2), mode="replicate", raises=RuntimeError, says="is too small. Calculated output: -1")
    yield Bad(make(2, 0, 4), (1, 1), mode="reflect", raises=RuntimeError, says="tensor with possibly 0 batch size")
    yield Bad(make(2, 3), (1, 1), mode="other", raises=NotImplementedError, says="Unrecognised padding mode other")
    yield Bad(*(wrap(np.ones((2, 4), bool)), (1, 1), "reflect"), raises=NotImplementedError, says="reflection_pad1d")
    yield Bad(make(2, 3), (3, 1), mode="reflect", raises=RuntimeError, says="Padding size should be less than")


pad = plain_case(pad, edge_pad, places=(0, 1, 2), module=FUNCTIONAL)
pad = plain_case(pad, constant_pad_nd, places=(0, 1, 3), native=native("pad_constant"), module=FUNCTIONAL)

__all__ = ["constant_pad_nd"]
