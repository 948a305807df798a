"""NumPy's functions that rearrange elements, on tensors.

Most of them are computed from positions: NumPy's own function, applied to the numbers 0, 1, 2, ... in the shape of the
array, returns the position of each element of the result, so that all arguments mean the same as in NumPy. Views are
used where tensors have them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....ops.shapes.join import cat, stack as stack_tensors
from ..boxes import RULES, ArrayBox, boxed, getval, has_box, rule, shape_of, tensor_of
from .pointwise import converted, kind_of, promoted, where


def gathered(tensor: Any, places: Any) -> Any:
    """Return the elements at positions of the flattened tensor, in the shape of the array of positions."""
    return tensor.reshape(-1).index_select(0, tensor_of(places.reshape(-1))).view(places.shape)


def places_of(shape: Any, start: int = 0) -> Any:
    """Return the positions of the elements of an array of a shape."""
    return np.arange(start, start + int(np.prod(shape))).reshape(shape)


def rearranging(function: Any) -> Callable[..., Any]:
    """Return a function that only moves, repeats or omits elements of its first argument."""

    def rearrange(a: Any, *args: Any, **options: Any) -> Any:
        tensor = tensor_of(a)
        places = function(places_of(tensor.shape), *args, **options)
        if isinstance(places, (list, tuple)):
            return type(places)(gathered(tensor, part) for part in places)
        return gathered(tensor, np.asarray(places))

    return rearrange


def zero_filling(function: Any) -> Callable[..., Any]:
    """Return a function that also fills in zeros, which have a separate position before the others."""

    def rearrange(a: Any, *args: Any, **options: Any) -> Any:
        tensor = tensor_of(a)
        places = function(places_of(tensor.shape, 1), *args, **options)
        return gathered(joined([tensor.new_zeros(1), tensor]), places)

    return rearrange


def joined(tensors: list[Any]) -> Any:
    """Concatenate all elements of tensors."""
    return cat([tensor.reshape(-1) for tensor in tensors])


def joining(function: Any) -> Callable[..., Any]:
    """Return a function that only combines the elements of several arrays, its first argument."""

    def join(arrays: Any, *args: Any, **options: Any) -> Any:
        tensors = promoted(*arrays)
        starts = np.cumsum([0, *(tensor.numel() for tensor in tensors)])
        places = [places_of(tensor.shape, int(start)) for tensor, start in zip(tensors, starts)]
        return gathered(joined(tensors), function(places, *args, **options))

    return join


def sorting(order_of: Any) -> Callable[..., Any]:
    """Return a function that orders elements by the result of another function for their values."""

    def arrange(a: Any, *args: Any, axis: Any = -1, **options: Any) -> Any:
        if len(args) > (1 if order_of is np.argpartition else 0):
            *args, axis = args  # type: ignore[assignment]
        values, tensor = getval(a), tensor_of(a)
        if axis is None:
            values, tensor, axis = values.reshape(-1), tensor.reshape(-1), 0
        order = order_of(values, *args, axis=axis, **options)
        return gathered(tensor, np.take_along_axis(places_of(tensor.shape), order, axis))

    return arrange


MOVED = (
    np.rollaxis,
    np.repeat,
    np.tile,
    np.roll,
    np.flip,
    np.flipud,
    np.fliplr,
    np.rot90,
    np.diagonal,
    np.split,
    np.array_split,
    np.hsplit,
    np.vsplit,
    np.dsplit,
    np.take,
    np.take_along_axis,
    np.delete,
    np.resize,
    np.fft.fftshift,
    np.fft.ifftshift,
)
PUT_TOGETHER = (np.hstack, np.vstack, np.dstack, np.column_stack)
RULES.update({function: rearranging(function) for function in MOVED})
RULES.update({function: zero_filling(function) for function in (np.diag, np.diagflat, np.triu, np.tril)})
RULES.update({function: joining(function) for function in PUT_TOGETHER})
RULES.update({np.sort: sorting(np.argsort), np.partition: sorting(np.argpartition)})


@rule(np.reshape)
def reshape(a: Any, shape: Any = None, order: Any = "C", *, newshape: Any = None, copy: Any = None) -> Any:
    """Return the elements in another shape."""
    lengths = newshape if shape is None else shape
    if order != "C":
        return rearranging(np.reshape)(a, lengths, order=order)
    return tensor_of(a).reshape(np.broadcast_to(0, shape_of(a)).reshape(lengths).shape)


@rule(np.ravel)
def ravel(a: Any, order: Any = "C") -> Any:
    """Return the elements in one dimension."""
    return tensor_of(a).reshape(-1) if order == "C" else rearranging(np.ravel)(a, order=order)


@rule(np.transpose)
def transpose(a: Any, axes: Any = None) -> Any:
    """Permute the dimensions, by default to the reversed order."""
    tensor = tensor_of(a)
    return tensor.permute(*(reversed(range(tensor.ndim)) if axes is None else axes)) if tensor.ndim else tensor


@rule(np.swapaxes)
def swapaxes(a: Any, axis1: int, axis2: int) -> Any:
    """Swap two dimensions."""
    return tensor_of(a).transpose(axis1, axis2)


@rule(np.moveaxis)
def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    """Move dimensions to other positions."""
    return tensor_of(a).movedim(source, destination)


@rule(np.compress)
def compress(condition: Any, a: Any, axis: Any = None, out: None = None) -> Any:
    """Return the parts of an array where the condition is true."""
    tensor = tensor_of(a)
    return gathered(tensor, np.compress(getval(condition), places_of(tensor.shape), axis))


def reshaping(function: Any) -> Callable[..., Any]:
    """Return a function that only adds or removes dimensions of length 1."""

    def change(a: Any, *args: Any, **options: Any) -> Any:
        return tensor_of(a).reshape(function(np.broadcast_to(0, shape_of(a)), *args, **options).shape)

    return change


RULES.update({np.squeeze: reshaping(np.squeeze), np.expand_dims: reshaping(np.expand_dims)})


def at_least(function: Any) -> Callable[..., Any]:
    """Return a function that adds dimensions, and takes any number of arrays."""

    def change(*arrays: Any) -> Any:
        results = [reshaping(function)(operand) for operand in arrays]
        return results[0] if len(results) == 1 else tuple(results)

    return change


RULES.update({function: at_least(function) for function in (np.atleast_1d, np.atleast_2d, np.atleast_3d)})


@rule(np.broadcast_to)
def broadcast_to(array: Any, shape: Any, subok: bool = False) -> Any:
    """Broadcast an array to a shape."""
    return tensor_of(array).expand(np.broadcast_to(0, shape).shape)


@rule(np.broadcast_arrays)
def broadcast_arrays(*arrays: Any, subok: bool = False) -> Any:
    """Broadcast arrays to their common shape."""
    shape = np.broadcast_shapes(*map(shape_of, arrays))
    return tuple(tensor_of(operand).expand(shape) for operand in arrays)


@rule(np.meshgrid)
def meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> Any:
    """Coordinates of a grid."""
    places = np.meshgrid(
        *(places_of(int(np.prod(shape_of(vector)))) for vector in xi), sparse=sparse, indexing=indexing
    )  # type: ignore[call-overload]
    return tuple(gathered(tensor_of(vector), place) for vector, place in zip(xi, places))


@rule(np.concatenate)
def concatenate(arrays: Any, axis: Any = 0) -> Any:
    """Concatenate arrays along a dimension."""
    tensors = promoted(*arrays)
    return joined(tensors) if axis is None else cat(tensors, axis)


@rule(np.stack)
def stack(arrays: Any, axis: int = 0) -> Any:
    """Stack arrays of one shape along a new dimension."""
    return stack_tensors(promoted(*arrays), axis)


@rule(np.append)
def append(arr: Any, values: Any, axis: Any = None) -> Any:
    """Append values to an array."""
    return concatenate((arr, values), axis)


@rule(np.pad)
def pad(array: Any, pad_width: Any, mode: Any = "constant", **options: Any) -> Any:
    """Pad an array with numbers or its own elements."""
    if mode == "constant":
        tensor = tensor_of(array)
        values = options.get("constant_values", 0)
        rim = np.pad(np.zeros(tensor.shape, tensor._array_.dtype), pad_width, constant_values=values)
        places = np.pad(places_of(tensor.shape, 1), pad_width)
        return gathered(joined([tensor.new_zeros(1), tensor]), places).where(tensor_of(places > 0), tensor_of(rim))
    if mode in ("edge", "reflect", "symmetric", "wrap") and options.get("reflect_type") != "odd":
        return rearranging(np.pad)(array, pad_width, mode=mode)
    raise NotImplementedError(f"pad: mode {mode!r} has no derivative in wengert.compat.hips")


@rule(np.diff)
def diff(a: Any, n: int = 1, axis: int = -1) -> Any:
    """Differences of neighbours, `n` times."""
    tensor = tensor_of(a)
    for _ in range(n):
        count = tensor.shape[axis] - 1
        tensor = tensor.narrow(axis, 1, count) - tensor.narrow(axis, 0, count)
    return tensor


@rule(np.gradient)
def gradient(f: Any, *spacing: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Central differences, one-sided at the edges.

    Raises:
        NotImplementedError: if the points are not equally spaced, or `edge_order` is not 1.
    """
    tensor = tensor_of(f)
    axes = np.lib.array_utils.normalize_axis_tuple(range(tensor.ndim) if axis is None else axis, tensor.ndim)
    steps = spacing * len(axes) if len(spacing) == 1 else spacing or (1.0,) * len(axes)
    if edge_order != 1 or len(steps) != len(axes) or any(shape_of(step) for step in steps):
        raise NotImplementedError("gradient: of boxes, only with one number for each axis, and edge_order=1")
    results = [central(tensor, dim, step) for dim, step in zip(axes, steps)]
    return results[0] if len(results) == 1 else tuple(results)


def central(tensor: Any, axis: int, step: Any) -> Any:
    """Central differences along a dimension, divided by the distance."""
    count = tensor.shape[axis]
    single = diff(tensor, axis=axis)
    inner = (tensor.narrow(axis, 2, count - 2) - tensor.narrow(axis, 0, count - 2)) / 2
    return cat([single.narrow(axis, 0, 1), inner, single.narrow(axis, count - 2, 1)], axis) / tensor_of(step)


@rule(np.select)
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """Elements of the first array whose condition is true."""
    result = default
    for condition, choice in reversed(list(zip(condlist, choicelist))):
        result = where(condition, choice, result)
    return tensor_of(result)


@rule(ArrayBox.__getitem__)
def getitem(a: Any, index: Any) -> Any:
    """Index an array with any of NumPy's indices."""
    tensor = tensor_of(a)
    parts = index if isinstance(index, tuple) else (index,)
    if all(is_basic(part) for part in parts):
        return tensor[index]
    index = tuple(getval(part) for part in parts) if isinstance(index, tuple) else getval(index)
    return gathered(tensor, np.asarray(places_of(tensor.shape)[index]))


def is_basic(index: Any) -> bool:
    """Return whether an index creates a view, also of tensors."""
    if isinstance(index, slice):
        return index.step is None or index.step > 0
    return index is None or index is Ellipsis or type(index) is int


def array(object: Any, dtype: Any = None, *, ndmin: int = 0, **options: Any) -> Any:
    """`numpy.array`, also of lists with boxes in them."""
    if not has_box(object):
        return np.array(object, dtype, ndmin=ndmin, **options)
    result = nested(object)
    if dtype is not None:
        result = result.astype(dtype) if isinstance(result, ArrayBox) else result
    return result.reshape((1,) * (ndmin - result.ndim) + result.shape) if result.ndim < ndmin else result


def nested(value: Any) -> Any:
    """Convert nested lists to an array."""
    if not isinstance(value, (list, tuple)):
        return value
    parts = [nested(item) for item in value]
    kinds = np.result_type(*map(kind_of, parts))
    return np.stack([boxed(converted(part, kinds)) for part in parts])
