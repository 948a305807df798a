"""Fake quantisation: numbers rounded to the grid of a quantised network, for training."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..._core.cards.arguments import refuse_derivative
from ..._core.cards.card import COMPLEXES, INTEGERS, REALS, Array, Bad, Index, Sample, composite, op
from ..._core.operators.batch_rules import elementwise
from ..._core.tensor.base import Tensor
from ..._core.tensor.batches import is_batched
from ..._core.tensor.meta_array import is_meta
from ..._core.tensor.tangents import is_dual
from ..._core.types import dtypes
from ..dtype_checks import check_floating

PER_TENSOR = "fake_quantize_per_tensor_affine"
PER_CHANNEL = "fake_quantize_per_channel_affine"
BOUNDS = "`quant_min` should be less than or equal to `quant_max`."
WHERE = "`zero_point` must be between `quant_min` and `quant_max`."
LARGEST = 2.0**63


def on_grid(place: Any, zero_point: Any, quant_min: int, quant_max: int, element: Any = np.float32) -> tuple[Any, Any]:
    """Round to the grid: steps from its zero within bounds; and a mask of those that were within bounds before."""
    inside = np.logical_and(place >= quant_min, place <= quant_max)
    bounded = np.where(np.isnan(place), place.dtype.type(quant_min), np.clip(place, quant_min, quant_max))
    return bounded.astype(element, copy=False) - zero_point, inside


quantiser = partial(
    op,
    dtypes=REALS,
    explained=INTEGERS | COMPLEXES,
    outputs={"output": True, "mask": False},
    public="neither",
    layout="like",
)


@quantiser(batching=elementwise, node="FakeQuantizePerTensorAffineCachemaskBackward0")
def fake_quantize_per_tensor_affine_cachemask(
    self: Array, scale: float, zero_point: int, quant_min: int, quant_max: int
) -> Any:
    """The nearest numbers on the grid `(n - zero_point) * scale`, and a mask of those that its bounds did not move."""
    check_floating(PER_TENSOR, "fake_quantize_tensor_cachemask_kernel_type_handling", self)
    step = np.float32(scale)
    place = np.rint(self * (np.float32(1) / step)).astype(np.float32, copy=False) + np.float32(zero_point)
    steps, inside = on_grid(place, np.float32(zero_point), quant_min, quant_max)
    return (steps * step).astype(self.dtype, copy=False), inside


@quantiser(node="FakeQuantizePerChannelAffineCachemaskBackward0")
def fake_quantize_per_channel_affine_cachemask(
    self: Array, scale: Index, zero_point: Index, axis: int, quant_min: int, quant_max: int
) -> Any:
    """`fake_quantize_per_tensor_affine_cachemask` with a grid for each channel; batch dimensions come first."""
    check_floating(PER_CHANNEL, "fake_quantize_channel_cachemask_cpu_type_handling", self)
    shape = [1] * self.ndim
    shape[axis] = scale.shape[-1]
    shape[: scale.ndim - 1] = scale.shape[:-1]
    step, zero = np.asarray(scale, np.float32).reshape(shape), zero_point.reshape(shape)
    scaled = self * (np.float32(1) / step)
    if zero.dtype.kind == "i":
        place = (np.rint(scaled) + zero.astype(scaled.dtype)).astype(np.float64)
    else:
        place = np.rint(scaled + zero.astype(np.float32)).astype(np.float64)
    place[~(np.abs(place) < LARGEST)] = -LARGEST  # beyond an integer's range
    exact = np.float64 if zero.dtype.kind == "i" else self.dtype  # integers are subtracted as such
    steps, inside = on_grid(place, zero.astype(exact), quant_min, quant_max, exact)
    return steps.astype(self.dtype, copy=False) * step.astype(self.dtype, copy=False), inside


@fake_quantize_per_channel_affine_cachemask.batched
def per_channel_batched(self: Any, scale: Any, zero_point: Any, axis: Any, quant_min: Any, quant_max: Any) -> Any:
    check_zero_point(zero_point, quant_min, quant_max)
    return fake_quantize_per_channel_affine_cachemask(self, scale, zero_point, axis + 1, quant_min, quant_max)


for card in (fake_quantize_per_tensor_affine_cachemask, fake_quantize_per_channel_affine_cachemask):

    @card.vjp("self")
    def mask_vjp(grads: Any, mask: Any) -> Any:
        return grads[0] * mask

    @card.jvp("self")
    def mask_jvp(tangent: Any, mask: Any) -> Any:
        return tangent * mask, None


@fake_quantize_per_tensor_affine_cachemask.samples
def per_tensor_cachemask_samples(make: Any) -> Any:
    if make.dtype in REALS:
        yield Sample(make(3, 4), 0.013, 3, -60, 60)
        yield Sample(make(), 0.7, 0, 0, 255)
        yield Sample(make(0, 2), 0.7, 0, 0, 255)
        yield Sample(make(8, kind="special"), 0.7, -3, -128, 127)


@fake_quantize_per_channel_affine_cachemask.samples
def per_channel_cachemask_samples(make: Any) -> Any:
    if make.dtype in REALS:
        scale = make(4).detach().abs().to(dtype=dtypes.float32) + 0.1
        zero_point = scale.new_tensor([0, 1, 2, 3], dtype=dtypes.int32)
        yield Sample(make(3, 4), scale, zero_point, 1, -6, 6)
        yield Sample(make(4, 2, 3), scale, zero_point + 0.5, 0, -6, 6)


def number_of(name: str, value: Any, is_integer: bool) -> Any:
    """Return a number, also from a tensor without dimensions that requires no gradient; None for anything else.

    Args:
        name: name of the parameter.
        value: the argument.
        is_integer: accept integers only.
    """
    if isinstance(value, Tensor):
        if value.ndim or value.requires_grad or is_dual(value) or (is_integer and value.dtype.category >= dtypes.FLOAT):
            return None
        value = value.item()
    if isinstance(value, bool):
        return None if is_integer else float(value)
    if is_integer:
        return int(value) if isinstance(value, (int, np.integer)) else None
    return value if isinstance(value, (int, float, np.integer, np.floating)) else None


@composite(method=False)
def fake_quantize_per_tensor_affine(
    input: Tensor, scale: Any, zero_point: Any, quant_min: int, quant_max: int
) -> Tensor:
    """Each number rounded to the nearest of a grid, `(n - zero_point) * scale` for integers n from `quant_min` to
    `quant_max`.

    Args:
        input: floating-point tensor of any shape.
        scale: distance of two numbers of the grid: a number, or a tensor of one element.
        zero_point: integer of the number 0: a number, or a tensor of one element.
        quant_min, quant_max: the bounds of the integers.

    Returns:
        A new tensor like `input`; NaN becomes the least number of the grid.

    Raises:
        RuntimeError: if the bounds are in the wrong order, `zero_point` is not within them (unless both it and `scale`
            are tensors),
            or `scale` requires a gradient.
        NotImplementedError: if the dtype of `input` is not floating-point.

    Derivative:
        1 where the rounded number is within the bounds, otherwise 0: rounding counts as the identity.

    Examples:
        >>> import wengert as wg
        >>> wg.fake_quantize_per_tensor_affine(wg.tensor([0.26, 0.31, 99.0, -1.0]), 0.1, 0, 0, 255)
        tensor([ 0.3000,  0.3000, 25.5000,  0.0000])
    """
    if isinstance(scale, Tensor) and isinstance(zero_point, Tensor):
        refuse_derivative(f"_{PER_TENSOR}_cachemask_tensor_qparams", scale=scale, zero_point=zero_point)
        if quant_min > quant_max:
            raise RuntimeError(BOUNDS)
        step, zero = scale.item(), int(zero_point.item())
        step = step.real if isinstance(step, complex) else float(step)
    else:
        step, zero = number_of("scale", scale, False), number_of("zero_point", zero_point, True)
        if step is None or zero is None:
            kinds = ", ".join(type(operand).__name__ for operand in (input, scale, zero_point, quant_min, quant_max))
            raise TypeError(
                f"{PER_TENSOR}() received an invalid combination of arguments - got ({kinds}), but expected scale and "
                "zero_point as two tensors of one number each, or as a float and an int"
            )
        if quant_min > quant_max:
            raise RuntimeError(BOUNDS)
        if not quant_min <= zero <= quant_max:
            raise RuntimeError(WHERE)
    result, _ = fake_quantize_per_tensor_affine_cachemask(input, float(step), zero, quant_min, quant_max)
    return result


@fake_quantize_per_tensor_affine.samples
def per_tensor_samples(make: Any) -> Any:
    if make.dtype in REALS:
        yield Sample(make(3, 4), 0.013, 3, -60, 60)
        yield Bad(make(3), 0.1, 300, 0, 255, raises=RuntimeError, says="`zero_point` must be between")
        yield Bad(make(3), 0.1, 0, 255, 0, raises=RuntimeError, says="`quant_min` should be less than")
        yield Bad(make(3), 0.1, 0.5, 0, 255, raises=TypeError, says="invalid combination of arguments")
    yield Bad([1.0], 0.1, 0, 0, 255, raises=TypeError, says="must be Tensor, not list")
    yield Bad(make(2).to(dtype=dtypes.int64), 0.1, 0, 0, 255, raises=NotImplementedError, says="not implemented for")


def check_zero_point(zero_point: Tensor, quant_min: int, quant_max: int) -> None:
    """Refuse an integer of the number 0 that is not between the bounds.

    Raises:
        RuntimeError: if there is one.
    """
    if is_batched(zero_point) or is_meta(zero_point):  # whose values are not known here
        return
    if zero_point.dtype is dtypes.int32 and ((zero_point < quant_min) | (zero_point > quant_max)).any():
        raise RuntimeError(WHERE)


def check_grids(input: Tensor, scale: Tensor, zero_point: Tensor, axis: int, quant_min: int, quant_max: int) -> None:
    """Refuse grids that do not fit the tensor.

    Raises:
        RuntimeError, IndexError: if `fake_quantize_per_channel_affine` refuses the arguments.
    """
    if scale.dtype not in (dtypes.float32, dtypes.bfloat16):
        raise RuntimeError(f"Scale must be Float or BFloat16, found {scale.dtype.legacy[:-6]}")
    if zero_point.dtype not in (dtypes.int32, dtypes.float32, dtypes.float16):
        raise RuntimeError(f"Zero-point must be Int32, Float or Half, found {zero_point.dtype.legacy[:-6]}")
    for name, value in (("scale", scale), ("zero point", zero_point)):
        if value.ndim != 1:
            raise RuntimeError(f"{name} should be a 1-D tensor")
    if scale.shape != zero_point.shape:
        raise RuntimeError("scale and zero-point need to have the same dimensions")
    if not input.ndim:
        raise IndexError(f"Dimension specified as {axis} but tensor has no dimensions")
    if not -input.ndim <= axis < input.ndim:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-input.ndim}, {input.ndim - 1}], but got {axis})"
        )
    if input.shape[axis] != scale.shape[0]:
        raise RuntimeError("dimensions of scale and zero-point are not consistent with input tensor")
    if quant_min > quant_max:
        raise RuntimeError(BOUNDS)
    if not zero_point.shape[0]:
        raise RuntimeError(f"{PER_CHANNEL}: expected at least one scale and zero-point, got none")
    check_zero_point(zero_point, quant_min, quant_max)
    if axis < 0:
        raise RuntimeError("`axis` must be between 0 and number of dimensions of input")


@composite(method=False)
def fake_quantize_per_channel_affine(
    input: Tensor, scale: Tensor, zero_point: Tensor, axis: int, quant_min: int, quant_max: int
) -> Tensor:
    """Each number rounded to the nearest of a grid that belongs to its channel, see
    `fake_quantize_per_tensor_affine`.

    Args:
        input: floating-point tensor.
        scale: (C,), of float32 (or bfloat16): for each place the distance of two numbers of its grid.
        zero_point: (C,), of int32, or of float32 or float16: the integer of the number 0. A fraction is added before
            numbers are rounded.
        axis: the dimension of channels, of length C, counted from the front.
        quant_min, quant_max: the bounds of the integers.

    Returns:
        A new tensor like `input`.

    Raises:
        RuntimeError: if dtypes or shapes do not fit, the bounds are in the wrong order, an integer of `zero_point` is
            not within them,
            or `scale` or `zero_point` requires a gradient.
        IndexError: if `axis` is out of range.
        NotImplementedError: if the dtype of `input` is not floating-point.

    Examples:
        >>> import wengert as wg
        >>> scale, zero_point = wg.tensor([0.1, 0.5]), wg.tensor([0, 1], dtype=wg.int32)
        >>> wg.fake_quantize_per_channel_affine(wg.tensor([[0.26, 0.9], [0.26, 0.9]]), scale, zero_point, 0, 0, 9)
        tensor([[0.3000, 0.9000],
                [0.5000, 1.0000]])
    """
    for argument, value in (("scale", scale), ("zero_point", zero_point)):
        if not isinstance(value, Tensor):
            raise TypeError(f"{PER_CHANNEL}(): argument '{argument}' must be Tensor, not {type(value).__name__}")
    refuse_derivative(f"{PER_CHANNEL}_cachemask", scale=scale, zero_point=zero_point)
    check_grids(input, scale, zero_point, axis, quant_min, quant_max)
    result, _ = fake_quantize_per_channel_affine_cachemask(input, scale, zero_point, axis, quant_min, quant_max)
    return result


@fake_quantize_per_channel_affine.samples
def per_channel_samples(make: Any) -> Any:
    if make.dtype is dtypes.float64:  # the tests would widen the scales
        scale = make(4).detach().abs().to(dtype=dtypes.float32) + 0.1
        zero_point = scale.new_tensor([0, 1, 2, 3], dtype=dtypes.int32)
        yield Sample(make(3, 4), scale, zero_point, 1, -6, 6)
        yield Sample(make(4, 2), scale, zero_point - 0.25, 0, -6, 6)
        yield Bad(make(3, 4), scale, zero_point, 0, -6, 6, raises=RuntimeError, says="are not consistent with input")
        yield Bad(make(3, 4), scale, zero_point, -1, -6, 6, raises=RuntimeError, says="`axis` must be between 0")
        yield Bad(make(3, 4), scale, zero_point, 1, 2, 6, raises=RuntimeError, says="`zero_point` must be between")
        yield Bad(make(3, 4), scale, zero_point, 2, -6, 6, raises=IndexError, says="Dimension out of range")
        yield Bad(make(3, 4), 0.1, 0, 0, 0, 255, raises=TypeError, says="must be Tensor, not float")
