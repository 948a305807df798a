"""Deformable convolution: beside `conv2d`, beside a loop over taps, and its derivatives."""

import math

import numpy as np
import pytest

import wengert as wg
import wengert.nn.functional as F
from wengert.vision.operators.deformable import deform_conv2d, deform_conv2d_backward

GEOMETRY = (2, 1, 1, 2, 1, 2)  # stride, padding and dilation, each by height and width


def operands(groups: int, offset_groups: int, seed: int = 0) -> list[wg.Tensor]:
    """Input, weight, offset, mask and bias that fit each other."""
    rng = np.random.default_rng(seed)
    batch, channels, height, width, kernel = 2, 6, 5, 6, (3, 2)
    size = [
        (n + 2 * GEOMETRY[2 + k] - GEOMETRY[4 + k] * (kernel[k] - 1) - 1) // GEOMETRY[k] + 1
        for k, n in enumerate((height, width))
    ]
    taps = offset_groups * kernel[0] * kernel[1]
    shapes = [
        (batch, channels, height, width),
        (6, channels // groups, *kernel),
        (batch, 2 * taps, *size),
        (batch, taps, *size),
        (6,),
    ]
    return [wg.tensor(rng.standard_normal(shape)) for shape in shapes]


@pytest.mark.parametrize("groups", [1, 2, 3])
def test_without_offsets_it_is_conv2d(groups: int) -> None:
    x, weight, offset, mask, bias = operands(groups, 1)
    result = deform_conv2d(x, weight, offset.zero_(), mask, bias, *GEOMETRY, groups, 1, False)
    expected = F.conv2d(x, weight, bias, GEOMETRY[:2], GEOMETRY[2:4], GEOMETRY[4:], groups)
    assert wg.allclose(result, expected)


@pytest.mark.parametrize(("groups", "offset_groups"), [(1, 1), (2, 3), (3, 2)])
def test_each_tap_reads_where_its_offset_puts_it(groups: int, offset_groups: int) -> None:
    tensors = operands(groups, offset_groups, seed=1)
    x, weight, offset, mask, bias = (tensor.numpy() for tensor in tensors)
    result = deform_conv2d(*tensors, *GEOMETRY, groups, offset_groups, True).numpy()
    taps = weight.shape[2] * weight.shape[3]
    for n, o, i, j in np.ndindex(*result.shape):
        total = bias[o]
        for c, a, b in np.ndindex(*weight.shape[1:]):
            channel = (o // (len(weight) // groups)) * weight.shape[1] + c
            tap = channel // (x.shape[1] // offset_groups) * taps + a * weight.shape[3] + b
            y = i * GEOMETRY[0] - GEOMETRY[2] + a * GEOMETRY[4] + offset[n, 2 * tap, i, j]
            z = j * GEOMETRY[1] - GEOMETRY[3] + b * GEOMETRY[5] + offset[n, 2 * tap + 1, i, j]
            total += weight[o, c, a, b] * mask[n, tap, i, j] * interpolated(x[n, channel], y, z)
        assert result[n, o, i, j] == pytest.approx(total)


def interpolated(image: np.ndarray, y: float, x: float) -> float:
    """An image between its pixels, zeros around it."""
    padded = np.pad(image, 12)
    top, left = math.floor(y), math.floor(x)
    part = padded[top + 12 : top + 14, left + 12 : left + 14]
    return float(np.array([1 - (y - top), y - top]) @ part @ np.array([1 - (x - left), x - left]))


def test_its_derivatives_are_those_of_differences() -> None:
    tensors = [tensor.requires_grad_() for tensor in operands(2, 2, seed=2)]

    def function(*tensors: wg.Tensor) -> wg.Tensor:
        return deform_conv2d(*tensors, *GEOMETRY, 2, 2, True)

    assert wg.autograd.gradcheck(function, tensors, fast_mode=True, check_forward_ad=True, check_batched_grad=True)
    assert wg.autograd.gradgradcheck(function, tensors, fast_mode=True)


def test_the_backward_operator_gives_the_same_gradients() -> None:
    tensors = [tensor.requires_grad_() for tensor in operands(1, 2, seed=3)]
    result = deform_conv2d(*tensors, *GEOMETRY, 1, 2, False)
    grad = wg.tensor(np.random.default_rng(4).standard_normal(result.shape))
    expected = wg.autograd.grad(result, tensors, grad, allow_unused=True, materialize_grads=True)
    for ours, other in zip(deform_conv2d_backward(grad, *tensors, *GEOMETRY, 1, 2, False), expected):
        assert wg.equal(ours, other)


def test_a_batch_of_inputs_is_convolved_as_each_of_them() -> None:
    x, *others = operands(1, 1, seed=5)
    batch = wg.stack([x, 2 * x, -x])
    result = wg.func.vmap(lambda member: deform_conv2d(member, *others, *GEOMETRY, 1, 1, True))(batch)
    for member, expected in zip(batch, result):
        assert wg.allclose(deform_conv2d(member, *others, *GEOMETRY, 1, 1, True), expected)


@pytest.mark.parametrize(("at", "shape"), [(0, (2, 5, 5, 6)), (1, (6, 5, 3, 2)), (2, (2, 10, 2, 7)), (3, (2, 5, 2, 7))])
def test_shapes_that_do_not_fit_are_refused(at: int, shape: tuple[int, ...]) -> None:
    tensors = operands(1, 1)
    tensors[at] = wg.zeros(shape).double()
    with pytest.raises(RuntimeError, match="deform_conv2d"):
        deform_conv2d(*tensors, *GEOMETRY, 1, 1, True)
