"""Convolution and transposed convolution."""

from __future__ import annotations

from typing import Any

from ..._core.cards.card import NUMBERS, Array, Bad, Sample, op
from ..._core.cards.node_classes import shape_of_input
from ..._core.operators import layouts
from ..._core.recording.recorded import conjugate
from ..._core.recording.saved_tensor import read_saved
from ..._kernels import direct_function as native
from ..memory.memory_formats import in_order_of
from ..neural.grad_history import with_history
from .conv_batches import PRODUCT, TURNED, bilinear, convolved
from .conv_checks import as_of_input, check_backward, check_dtypes, check_shapes, spread_options, transposed_lengths
from .conv_nd import forward, input_gradient, weight_gradient

Ints = tuple[int, ...]
TITLE = "ConvolutionBackwardBackward0"


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
    """
    steps = spread_options(weight.ndim - 2, stride, padding, dilation, output_padding)
    bias = as_of_input(bias, input) if transposed and weight.ndim < 5 else bias
    check_dtypes(input, weight, bias)
    check_shapes(input.shape, weight.shape, None if bias is None else bias.shape, *steps, transposed, groups)
    stride, padding, dilation, output_padding = steps
    if not transposed:
        result = forward(input, weight, bias, stride, padding, dilation, groups)
        return layouts.with_strides(result, strides_of_result(result.shape, input, weight))
    lengths = transposed_lengths(input.shape, weight.shape[2:], *steps)
    shape = (input.shape[0], weight.shape[1] * groups, *lengths)
    result = input_gradient(input, weight, shape, stride, padding, dilation, groups)
    result = result if bias is None else result + bias.reshape(-1, *(1,) * len(stride))
    return layouts.with_strides(result, strides_of_result(result.shape, input, weight))


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


@op(
    layout="own",
    dtypes=NUMBERS,
    linear=("grad", "weight"),
    batching=bilinear(TURNED),
    name="convolution_input",
    node="ConvolutionBackwardBackward0",
    public="neither",
)
def convolution_input(
    grad: Array, weight: Array, shape: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> Any:
    """Transpose of `convolution` with respect to its input: a tensor of `shape`, linear in `grad` and in `weight`."""
    check_dtypes(grad, weight, None)
    options = spread_options(weight.ndim - 2, stride, padding, dilation, (0,))
    check_backward(grad.shape, weight.shape, tuple(shape), *options, groups)
    result = input_gradient(grad, weight, shape, *options[:3], groups)
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


@op(
    layout="own",
    dtypes=NUMBERS,
    linear=("grad", "input"),
    batching=bilinear(PRODUCT),
    name="convolution_weight",
    node="ConvolutionBackwardBackward0",
    public="neither",
)
def convolution_weight(
    grad: Array, input: Array, shape: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> Any:
    """Transpose of `convolution` with respect to its weight: a tensor of `shape`, linear in `grad` and in `input`."""
    check_dtypes(grad, input, None)
    options = spread_options(input.ndim - 2, stride, padding, dilation, (0,))
    check_backward(grad.shape, tuple(shape), input.shape, *options, groups)
    result = weight_gradient(grad, input, shape, *options[:3], groups)
    if groups > 1 and result.shape[1] == 1 and max(options[2]) == 1:
        # torch joins the results of groups, whose order a single channel does not determine.
        return layouts.with_strides(result, layouts.row_major(result.shape))
    return layouts.with_strides(result, strides_of_result(result.shape, grad, grad))


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
