"""Convolution and transposed convolution in one, two and three dimensions: operators, batches, checks.

Three maps of arrays are linear in both: `forward`, and its transposes `input_gradient` and `weight_gradient`. A
transposed convolution is `input_gradient`.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any, NamedTuple, NoReturn

import numpy as np

from ... import _kernels as kernels
from ..._core import errors
from ..._core.cards.card import NUMBERS, Array, Bad, Sample, op
from ..._core.cards.node_classes import shape_of_input
from ..._core.errors import shown
from ..._core.operators import layouts
from ..._core.operators.batch_rules import Rule, check_member, merged, of_nobody, parted, singled, with_batch
from ..._core.recording.recorded import conjugate
from ..._core.recording.saved_tensor import read_saved
from ..._core.types import dtypes
from ..._kernels import conv as reference, direct_function as native
from ..create.factory import refuse_dtype
from ..memory.memory_formats import in_order_of
from ..neural.grad_history import with_history
from .windows import compact, window_counts

Ints = tuple[int, ...]
"""One number for each dimension, of which there are one to three."""
TITLE = "ConvolutionBackwardBackward0"
LOOPS = ("float32", "float64", "int64")
WITHOUT_RESULT = (
    "2D or 4D weight tensor expected",
    "5D (n_output_plane x n_input_plane x kernel_depth x kernel_height x kernel_width) tensor expected for weight",
)
"""Words of the error for a transposed convolution's weight without output channels, for images and volumes."""
OUTPUT_PADDING = "output padding must be smaller than either stride or dilation"


class Window(NamedTuple):
    """Options of the places of a kernel, one number for each dimension."""

    stride: Ints
    padding: Ints
    dilation: Ints
    output_padding: Ints


# ---- arrays with any strides -----------------------------------------------------------------------------------------


def filled(grad: Any, places: Ints) -> Any:
    """Append zeros to a gradient for places behind its own, which a transposed convolution with output padding may
    omit."""
    if grad.shape[2:] == places:
        return compact(grad)
    result = np.zeros((*grad.shape[:2], *places), grad.dtype)
    result[(slice(None), slice(None), *(slice(length) for length in grad.shape[2:]))] = grad
    return result


def forward(x: Any, weight: Any, bias: Any | None, window: Window, groups: int) -> Any:
    """Convolution of `x` (N, C, ...) with `weight` (O, C / groups, ...): (N, O, ...)."""
    return kernels.convolution(compact(x), compact(weight), bias, *window[:3], groups)


def input_gradient(grad: Any, weight: Any, shape: Ints, window: Window, groups: int) -> Any:
    """Transpose of `forward` with respect to `x`: an array of `shape` (N, C, ...) from `grad` (N, O, ...)."""
    places = window_counts(shape, weight.shape[2:], *window[:3])
    if grad.shape[2:] != places and not np.isfinite(weight).all():  # zero times infinity would not be zero
        return reference.convolution_backward_input(grad, weight, shape, *window[:3], groups)
    return kernels.convolution_backward_input(filled(grad, places), compact(weight), shape, *window[:3], groups)


def weight_gradient(grad: Any, x: Any, shape: Ints, window: Window, groups: int) -> Any:
    """Transpose of `forward` with respect to `weight`: an array of `shape` (O, C / groups, ...) from `grad` (N, O, ...)
    and `x`."""
    grad = filled(grad, window_counts(x.shape, shape[2:], *window[:3]))
    return kernels.convolution_backward_weight(grad, compact(x), shape, *window[:3], groups)


# ---- batches: one convolution with more items, channels or groups ----------------------------------------------------


Place = tuple[int, bool]
"""A dimension that contains the batch, and whether it does so within each group of channels."""


class Folding(NamedTuple):
    """Dimensions that contain the batch in the two operands and in the result."""

    first: Place | None
    second: Place | None
    result: Place


ITEMS = Folding((0, False), None, (0, False))
"""The members are more items."""
GROUPS = Folding((1, False), (0, False), (1, False))
"""Each member has groups of its own."""

PLAIN = {(True, False): ITEMS, (False, True): Folding(None, (0, True), (1, True)), (True, True): GROUPS}
"""For (N, C, ...) and (O, C / groups, ...) to (N, O, ...), by which of the two operands carry the batch."""
TURNED = {(True, False): ITEMS, (False, True): Folding(None, (1, False), (1, True)), (True, True): GROUPS}
"""For (N, O, ...) and (O, C / groups, ...) to (N, C, ...)."""
PRODUCT = {
    (True, False): Folding((1, True), None, (0, True)),
    (False, True): Folding(None, (1, True), (1, False)),
    (True, True): Folding((1, False), (1, False), (0, False)),
}
"""For (N, O, ...) and (N, C, ...) to (O, C / groups, ...)."""


def folding(op: Any, operands: list[Any], carried: list[Any], size: int, plan: Folding) -> Any:
    """Call a bilinear operator once for all members of a batch."""
    names = op.names
    groups = operands[names.index("groups")]
    parts = {True: max(int(groups), 1), False: 1}
    for at, place in ((0, plan.first), (1, plan.second)):
        if place is not None:
            operands[at] = merged(operands[at], place[0], parts[place[1]])
    if plan.first is not None and plan.second is not None:
        operands[names.index("groups")] = groups * size
    dim, within = plan.result
    if "shape" in names:
        shape = operands[names.index("shape")]
        operands[names.index("shape")] = (*shape[:dim], shape[dim] * size, *shape[dim + 1 :])
    if "bias" in names and operands[2] is not None and plan.second is not None:
        operands[2] = merged(with_batch(operands[2], carried[2], size), 0, parts[within])
    return parted(op.call(tuple(operands)), dim, size, parts[within])


def bilinear(plans: dict[tuple[bool, bool], Folding]) -> Rule:
    """Return the batching rule of a transpose of a convolution."""

    def apply(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
        if not size:
            return of_nobody(op, args, carried)
        operands, in_batch = singled(args, carried)
        return folding(op, operands, in_batch, size, plans[in_batch[0], in_batch[1]])

    return apply


def convolved(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of a convolution."""
    if not size:
        return of_nobody(op, args, carried)
    operands, in_batch = singled(args, carried)
    if in_batch[2] and not in_batch[1]:
        return biased(op, size, operands, in_batch)
    plans = TURNED if operands[op.names.index("transposed")] else PLAIN
    return folding(op, operands, in_batch, size, plans[in_batch[0], in_batch[1]])


def biased(op: Any, size: int, operands: list[Any], in_batch: list[Any]) -> Any:
    """Convolution with one kernel and a bias for each member, which is added to the result."""
    bias, input = operands[2], operands[0]
    plain = [*operands[:2], None, *operands[3:]]
    result = folding(op, plain, in_batch, size, ITEMS) if in_batch[0] else op.call(tuple(plain)).unsqueeze(0)
    if bias.dtype is not input.dtype or bias.shape != (size, result.shape[2]):
        check_member(op, size, operands, in_batch)
    return result + bias.reshape((size, 1, result.shape[2], *(1,) * (result.ndim - 3)))


# ---- operators -------------------------------------------------------------------------------------------------------


@op(layout="own", dtypes=NUMBERS, batching=convolved, public="function", native=native("convolution"))
def convolution(
    input: Array,
    weight: Array,
    bias: Array = None,
    stride: Any = (1,),
    padding: Any = (0,),
    dilation: Any = (1,),
    transposed: bool = False,
    output_padding: Any = (0,),
    groups: int = 1,
) -> Any:
    """Convolution (cross-correlation) or transposed convolution in one to three dimensions.

    Args:
        input: (N, C, ...).
        weight: (O, C / groups, ...), transposed (C, O / groups, ...); the dtype of `input`.
        bias: (O,) or None.
        stride: step between places, for each dimension (or one for all).
        padding: zeros on both sides.
        dilation: step from element to element of the kernel.
        transposed: apply the transpose of the convolution with this kernel.
        output_padding: lengthens the result of a transposed convolution.
        groups: number of groups of channels, each with its own kernels.

    Returns:
        A new tensor (N, O, ...).

    Raises:
        RuntimeError: if shapes, dtypes or options do not fit together.

    Source:
        Dumoulin and Visin, A guide to convolution arithmetic for deep learning (2016).

    Examples:
        >>> import wengert as wg
        >>> wg.convolution(wg.ones(1, 1, 4), wg.ones(1, 1, 3), None, [1], [1], [1], False, [0], 1)
        tensor([[[2., 3., 3., 2.]]])
    """
    window = convolution_window(weight.ndim - 2, stride, padding, dilation, output_padding)
    shape = result_shape(input, weight, bias, window, transposed, groups)
    if not transposed:
        result = forward(input, weight, bias, window, groups)
    else:
        result = input_gradient(input, weight, shape, window, groups)
        if bias is not None:
            result = result + bias.astype(input.dtype, copy=False).reshape(-1, *(1,) * (weight.ndim - 2))
    return layouts.with_strides(result, strides_of_result(shape, input, weight))


def shape_of_bias(node: Any) -> tuple[int, ...]:
    """Return the shape of the bias, in torch's form if there is none."""
    return shape_of_input(node, 2) or (0,)


def kept_output_padding(node: Any) -> tuple[int, ...] | None:
    """Return the output padding that a node shows; that of a transposed convolution is not saved."""
    return None if read_saved(node, "transposed") else (0,) * (len(read_saved(node, "input_shape")) - 2)


convolution.shows(bias_sym_sizes_opt=shape_of_bias, output_padding=kept_output_padding)


def strides_of_result(shape: Ints, input: Any, weight: Any) -> Ints:
    """Return the strides of a result: channels-last if a relevant operand is."""
    for memory in order_sources(input.dtype, (input.shape, input.strides), (weight.shape, weight.strides)):
        if layouts.channels_lie_inside(*memory):
            return layouts.channels_last(shape)
    return layouts.row_major(shape)


def order_sources(dtype: Any, input: Any, weight: Any) -> Any:
    """Return the operands whose strides count, of an input's and its kernels' shape and strides.

    For signals only the kernels count; volumes in double precision are row-major, as torch has no other loop for them.
    """
    if len(weight[0]) == 5 and dtype.itemsize >= 8:
        return ()
    return (weight,) if len(weight[0]) == 3 else (input, weight)


@convolution.vjp("input", native=native("convolution_input_rule"))
def convolution_vjp_input(
    grad: Any,
    weight: Any,
    input_shape: Any,
    input_strides: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    groups: int,
) -> Any:
    kernels = weight._array_.shape, weight._array_.strides
    grad = in_order_of(grad, *order_sources(grad.dtype, (input_shape, input_strides), kernels))
    if transposed:
        result = convolution(grad, conjugate(weight), None, stride, padding, dilation, False, (0,), groups)
        return with_history(cropped(result, input_shape), TITLE)
    return convolution_input(grad, conjugate(weight), input_shape, stride, padding, dilation, groups)


@convolution.vjp("weight", native=native("convolution_weight_rule"))
def convolution_vjp_weight(
    grad: Any,
    input: Any,
    weight_shape: Any,
    weight_strides: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    groups: int,
) -> Any:
    image, kernels = (input._array_.shape, input._array_.strides), (weight_shape, weight_strides)
    grad = in_order_of(grad, *order_sources(grad.dtype, image, kernels))
    if transposed:
        input = in_order_of(input, *order_sources(grad.dtype, image, kernels))
        return convolution_weight(conjugate(input), grad, weight_shape, stride, padding, dilation, groups)
    return convolution_weight(grad, conjugate(input), weight_shape, stride, padding, dilation, groups)


@convolution.vjp("bias")
def convolution_vjp_bias(grad: Any, input: Any, weight: Any) -> Any:
    return with_history(grad.sum((0, *range(2, grad.ndim))), TITLE, input, weight)


@convolution.jvp("input")
def convolution_jvp_input(
    tangent: Any,
    weight: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
) -> Any:
    return convolution(tangent, weight, None, stride, padding, dilation, transposed, output_padding, groups)


@convolution.jvp("weight")
def convolution_jvp_weight(
    tangent: Any,
    input: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
) -> Any:
    return convolution(input, tangent, None, stride, padding, dilation, transposed, output_padding, groups)


@convolution.jvp("bias")
def convolution_jvp_bias(tangent: Any, weight: Any) -> Any:
    return tangent.view((-1, *(1,) * (weight.ndim - 2)))


@convolution.samples
def convolution_samples(make: Any) -> Any:
    yield Sample(make(2, 4, 5), make(6, 2, 3), make(6), (2,), (1,), (1,), False, (0,), 2)
    yield Sample(make(2, 3, 6, 5), make(4, 3, 3, 2), make(4), (2, 1), (1, 0), (1, 2))
    yield Sample(make(2, 2, 3, 4), make(2, 3, 2, 3), None, (2, 1), (1, 1), (1, 1), True, (1, 0))
    yield Sample(make(1, 2, 3, 4, 3), make(2, 2, 2, 2, 2), make(2), (1, 1, 1), (1, 0, 0), (1, 1, 1))
    yield Sample(make(0, 3, 4, 4), make(2, 3, 2, 2))
    yield Bad(
        make(2, 3, 4, 4), make(2, 2, 3, 3), raises=RuntimeError, says="to have 2 channels, but got 3 channels instead"
    )
    yield Bad(
        make(2, 3, 4, 4), make(2, 3, 5, 5), raises=RuntimeError, says="Kernel size can't be greater than actual input"
    )


transpose = partial(op, layout="own", dtypes=NUMBERS, node=TITLE, public="neither")
"""Transposes of `convolution`, each linear in two operands."""


@transpose(linear=("grad", "weight"), batching=bilinear(TURNED))
def convolution_input(
    grad: Array, weight: Array, shape: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> Any:
    """Transpose of `convolution` with respect to its input: a tensor of `shape`, linear in `grad` and in `weight`."""
    window = convolution_window(weight.ndim - 2, stride, padding, dilation, (0,))
    check_backward(grad, weight, weight.shape, tuple(shape), window, groups)
    result = input_gradient(grad, weight, shape, window, groups)
    return layouts.with_strides(result, strides_of_result(result.shape, grad, weight))


@convolution_input.vjp("grad")
def convolution_input_vjp_grad(
    grad: Any, weight: Any, grad_shape: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> Any:
    return cropped(
        convolution(grad, conjugate(weight), None, stride, padding, dilation, False, (0,), groups), grad_shape
    )


@convolution_input.vjp("weight")
def convolution_input_vjp_weight(
    cotangent: Any, grad: Any, weight_shape: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> Any:
    return convolution_weight(conjugate(grad), cotangent, weight_shape, stride, padding, dilation, groups)


@convolution_input.samples
def convolution_input_samples(make: Any) -> Any:
    yield Sample(make(2, 4, 3, 3), make(4, 3, 2, 2), (2, 3, 4, 4), (1, 1), (0, 0), (1, 1), 1)
    yield Sample(make(2, 4, 2), make(4, 1, 2), (2, 2, 4), (2,), (0,), (1,), 2)
    yield Bad(
        make(1, 1, 3, 3), make(1, 1, 2, 2), (1, 1, 4, 4), 1, -1, 1, 1, raises=RuntimeError, says="negative padding"
    )


@transpose(linear=("grad", "input"), batching=bilinear(PRODUCT))
def convolution_weight(
    grad: Array, input: Array, shape: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> Any:
    """Transpose of `convolution` with respect to its weight: a tensor of `shape`, linear in `grad` and in `input`."""
    window = convolution_window(input.ndim - 2, stride, padding, dilation, (0,))
    check_backward(grad, input, tuple(shape), input.shape, window, groups)
    result = weight_gradient(grad, input, shape, window, groups)
    return layouts.with_strides(result, strides_of_weight(result.shape, grad, window, groups))


def strides_of_weight(shape: Ints, grad: Any, window: Window, groups: int) -> Ints:
    """Return the strides of the gradient of a weight."""
    if groups > 1 and shape[1] == 1 and max(window.dilation) == 1:
        # torch joins the results of groups, whose order a single channel does not determine.
        return layouts.row_major(shape)
    return strides_of_result(shape, grad, grad)


@convolution_weight.vjp("grad")
def convolution_weight_vjp_grad(
    cotangent: Any, input: Any, grad_shape: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> Any:
    result = convolution(conjugate(input), cotangent, None, stride, padding, dilation, False, (0,), groups)
    return cropped(result, grad_shape)


@convolution_weight.vjp("input")
def convolution_weight_vjp_input(
    cotangent: Any, grad: Any, input_shape: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> Any:
    return convolution_input(conjugate(grad), cotangent, input_shape, stride, padding, dilation, groups)


@convolution_weight.samples
def convolution_weight_samples(make: Any) -> Any:
    yield Sample(make(2, 4, 3, 3), make(2, 3, 4, 4), (4, 3, 2, 2), (1, 1), (0, 0), (1, 1), 1)
    yield Sample(make(2, 4, 2), make(2, 2, 4), (4, 1, 2), (2,), (0,), (1,), 2)
    yield Bad(
        make(1, 1, 3, 3), make(1, 1, 4, 4), (1, 1, 2, 2), 1, 0, -1, 1, raises=RuntimeError, says="dilation should"
    )
    yield Bad(make(1, 1, 9, 9), make(1, 1, 4, 4), (1, 1, 2, 2), 1, 0, 1, 1, raises=RuntimeError, says="[1, 1, 3, 3]")


def cropped(tensor: Any, shape: Ints) -> Any:
    """Crop a result: with output padding, that of a transposed convolution may be larger than its input was."""
    for dim in range(2, len(shape)):
        if tensor.shape[dim] != shape[dim]:
            tensor = tensor.narrow(dim, 0, shape[dim])
    return in_order_of(tensor, (tensor.shape, tensor._array_.strides))


# ---- checks, and options with one number for each dimension ----------------------------------------------------------


def convolution_window(count: int, stride: Any, padding: Any, dilation: Any, output_padding: Any) -> Window:
    """Return the options with one number for each of `count` dimensions."""
    options = (stride, padding, dilation, output_padding)
    if all(type(value) is tuple and len(value) == count for value in options):
        return Window(*options)
    return Window(*[spread(name, value, count) for name, value in zip(Window._fields, options)])


def spread(name: str, value: Any, count: int) -> Ints:
    """Return one number for each of `count` dimensions.

    Raises:
        TypeError: if a number is not an integer.
        RuntimeError: if the count of numbers is wrong.
    """
    if hasattr(value, "__index__") and not isinstance(value, bool):
        return (int(value.__index__()),) * count
    if not isinstance(value, (tuple, list)) or not all(hasattr(item, "__index__") for item in value):
        raise TypeError(f"convolution(): argument '{name}' must be tuple of ints, not {type(value).__name__}")
    if len(value) not in (1, count):
        raise RuntimeError(
            f"expected {name} to be a single integer value or a list of {count} values to match the convolution "
            f"dimensions, but got {name}={shown(value)}"
        )
    numbers = tuple(int(item.__index__()) for item in value)
    return numbers * count if len(value) == 1 else numbers


def is_cast(bias: Any, input: Any) -> bool:
    """Return whether a bias of another dtype than the input is cast to it, as by torch's loops if transposed."""
    taken = "biu" if input.dtype.kind == "i" else "biufV"
    return bool(
        bias is not None and bias.dtype != input.dtype and bias.dtype.kind in taken and input.dtype.name in LOOPS
    )


def check_dtypes(input: Any, weight: Any, bias: Any) -> None:
    """Refuse operands of different dtypes, and dtypes without a kernel.

    Raises:
        RuntimeError: if the dtypes differ.
        NotImplementedError: if the dtype is bool, or a wide unsigned dtype.
    """
    if bias is not None and bias.dtype != input.dtype:
        names = [dtypes.from_numpy(operand.dtype).c_name for operand in (input, bias)]
        raise RuntimeError(f"Input type ({names[0]}) and bias type ({names[1]}) should be the same")
    if weight.dtype != input.dtype:
        wanted, weight_type = [dtypes.from_numpy(operand.dtype).legacy[:-6] for operand in (input, weight)]
        raise RuntimeError(
            f"expected scalar type {wanted} but found {weight_type}: Input type ({errors.type_name(input)}) and weight "
            f"type ({errors.type_name(weight)}) should be the same. Cast one of them with .to(dtype)."
        )
    refuse_dtype("convolution", input, NUMBERS)


def result_shape(input: Any, weight: Any, bias: Any, window: Window, transposed: bool, groups: int) -> Ints:
    """Return the shape of a convolution's result; refuse operands and options that do not fit together."""
    cast = transposed and weight.ndim < 5 and is_cast(bias, input)
    check_dtypes(input, weight, None if cast else bias)
    check_shapes(input.shape, weight.shape, None if bias is None else bias.shape, window, transposed, groups)
    if transposed:
        return (input.shape[0], weight.shape[1] * groups, *transposed_lengths(input.shape, weight.shape[2:], window))
    return (input.shape[0], weight.shape[0], *window_counts(input.shape, weight.shape[2:], *window[:3]))


@lru_cache(maxsize=256)
def check_shapes(input: Ints, weight: Ints, bias: Ints | None, window: Window, transposed: bool, groups: int) -> None:
    """Refuse shapes and options that do not fit together.

    Raises:
        RuntimeError: if they do not fit.
    """
    if len(weight) < 3:
        raise RuntimeError("weight should have at least three dimensions")
    check_options(window, groups)
    check_channels(input, weight, bias, transposed, groups)
    if 0 in weight[2:]:
        refuse_kernel(weight[2:])
    if transposed:
        check_output_padding(window)
    elif min(window_counts(input, weight[2:], *window[:3]), default=1) < 1:
        padded = " x ".join(str(length + 2 * side) for length, side in zip(input[2:], window.padding))
        reach = " x ".join(str(gap * (length - 1) + 1) for length, gap in zip(weight[2:], window.dilation))
        raise RuntimeError(
            f"Calculated padded input size per channel: ({padded}). Kernel size: ({reach}). Kernel size can't be "
            "greater than actual input size"
        )
    if 0 in input[2:] and 0 not in input[:2]:
        sizes = (*input[:2], 1, *input[2:]) if len(input) == 3 else input  # torch adds a dimension to vectors
        raise RuntimeError(
            f"Only zero batch or zero channel inputs are supported, but got input shape: {errors.shown(sizes)}"
        )


def check_backward(grad: Any, operand: Any, weight: Ints, input: Ints, window: Window, groups: int) -> None:
    """Refuse operands and options that do not fit together in a gradient of a convolution.

    Args:
        grad, operand: operands.
        weight, input: shapes of the convolution's weight and input, one of which is that of `operand`.
        window, groups: options of the convolution.

    Raises:
        RuntimeError: if they do not fit, or `grad` is larger than the convolution's result (smaller: output padding).
    """
    check_dtypes(grad, operand, None)
    check_shapes(input, weight, None, window, False, groups)
    expected = (input[0], weight[0], *window_counts(input, weight[2:], *window[:3]))
    room = zip(grad.shape[2:], expected[2:])
    if grad.ndim != len(expected) or grad.shape[:2] != expected[:2] or any(length > most for length, most in room):
        raise RuntimeError(
            f"convolution: expected a gradient of shape {shown(expected)} for input {shown(input)} and weight "
            f"{shown(weight)}, but got {shown(grad.shape)}"
        )


def check_dilation(dilation: Ints) -> None:
    """Refuse a dilation below 1."""
    if min(dilation) <= 0:
        raise RuntimeError(f"dilation should be greater than zero, but got {shown(dilation)}")


def check_options(window: Window, groups: int) -> None:
    """Refuse options out of range."""
    check_dilation(window.dilation)
    for wrong, what in (
        (min(window.padding) < 0, "negative padding"),
        (min(window.stride) <= 0, "non-positive stride"),
        (groups <= 0, "non-positive groups"),
        (min(window.output_padding) < 0, "negative output_padding"),
    ):
        if wrong:
            raise RuntimeError(f"{what} is not supported")


def check_dimensions(input: Ints, weight: Ints) -> None:
    """Refuse operands of different numbers of dimensions."""
    if len(weight) != len(input):
        raise RuntimeError(
            f"Expected {len(weight)}-dimensional input for {len(weight)}-dimensional weight {shown(weight)}, but got "
            f"{len(input)}-dimensional input of size {shown(input)} instead"
        )


def check_channels(input: Ints, weight: Ints, bias: Ints | None, transposed: bool, groups: int) -> None:
    """Refuse operands whose dimensions or channels do not fit together."""
    subject = f"Given groups={groups}" if not transposed else f"Given transposed={int(transposed)}"
    check_dimensions(input, weight)
    if weight[0] < groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got weight of size "
            f"{shown(weight)} instead"
        )
    if weight[0] % groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of "
            f"size [{shown(weight)}] instead"
        )
    channels = weight[0] if transposed else weight[1] * groups
    if input[1] != channels:
        raise RuntimeError(
            f"{subject}, weight of size {shown(weight)}, expected input{shown(input)} to have {channels} channels, but "
            f"got {input[1]} channels instead"
        )
    expected = weight[1] * groups if transposed else weight[0]
    if bias is not None and bias != (expected,):
        start = f"{subject}, weight" if transposed else "Given weight"
        raise RuntimeError(
            f"{start} of size {shown(weight)}, expected bias to be 1-dimensional with {expected} elements, but got "
            f"bias of size {shown(bias)} instead"
        )
    if transposed and not weight[1]:
        lengths = (*weight[:2], 1, *weight[2:]) if len(weight) == 3 else weight
        raise RuntimeError(f"non-empty {WITHOUT_RESULT[len(weight) == 5]}, but got: {shown(lengths)}")


def refuse_kernel(lengths: Ints) -> NoReturn:
    """Refuse an empty kernel.

    Raises:
        RuntimeError: always; it words the error for a kernel with a length of 0.
    """
    lengths = (1, *lengths) if len(lengths) == 1 else lengths
    text = f": {' x '.join(map(str, lengths))} (TxHxW)"
    if len(lengths) == 2:
        text = f" kernel_height: {lengths[0]} kernel_width: {lengths[1]}"
    raise RuntimeError(f"kernel size should be greater than zero, but got{text}")


def check_output_padding(window: Window) -> None:
    """Refuse output padding that would add places that nothing is written to."""
    for step, gap, extra in zip(window.stride, window.dilation, window.output_padding):
        if extra >= step and extra >= gap:
            raise RuntimeError(
                f"{OUTPUT_PADDING}, but got output_padding {shown(window.output_padding)}, stride "
                f"{shown(window.stride)}, dilation {shown(window.dilation)}"
            )


def transposed_lengths(shape: Ints, kernel: Ints, window: Window) -> Ints:
    """Return the lengths of the result of a transposed convolution.

    Raises:
        RuntimeError: if a length would not be positive.
    """
    lengths = tuple(
        (length - 1) * step - 2 * side + gap * (taps - 1) + extra + 1
        for length, taps, step, side, gap, extra in zip(shape[2:], kernel, *window)
    )
    if min(lengths) < 1:
        lead = (1,) if len(lengths) == 1 else ()  # a signal is treated as an image of one row
        before, after = (" x ".join(map(str, (*lead, *sizes))) for sizes in (shape[2:], lengths))
        raise RuntimeError(
            f"Given input size per channel: ({before}). Calculated output size per channel: ({after}). Output size is "
            "too small"
        )
    return lengths
