"""Dropout: random elements, or whole channels, set to zero."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core import errors
from ..._core.cards.arguments import Truth
from ..._core.cards.card import FLOATS, Array, Bad, Index, Sample, composite, op
from ..._core.cards.plain_case import plain_case
from ..._core.graph import anomaly
from ..._core.tensor.base import Tensor, wrap
from ..._core.types import dtypes
from ..._start.boundary import boundary
from ..axes import read_number
from ..create.factory import refuse_dtype
from ..family import describes
from ..randomness.generator import default_generator, native_draw
from ..randomness.random import in_memory_order

_IN_PACKAGE = ("alpha_dropout_", "dropout_", "feature_alpha_dropout_", "feature_dropout_")
ALPHA = 1.7580993408473766
"""Minus SELU's limit on the negative side."""
SECTIONS = """
    Args:
        input: {input}.
        p, training, inplace: as for `dropout`.

    Returns:
        A new tensor, or `input`.
    """
IN_PLACE = """
    Args:
        input: {input}.
        p: probability.
        train: if False, leave the input unchanged.

    Returns:
        `input`.
    """


def check_probability(name: str, input: Any, p: Any) -> None:
    """Refuse anything but a tensor, and a `p` that is not a probability.

    Raises:
        TypeError: if `input` is not a tensor.
        ValueError: if `p` is below 0 or above 1.
        RuntimeError: if `p` is NaN.
    """
    if not isinstance(input, Tensor):
        raise TypeError(errors.wrong_type(name, "input", 1, "Tensor", input))
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if math.isnan(p):
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p}")


def noise_of(input: Tensor, shape: tuple[int, ...], p: float, *, scaled: bool = True) -> Tensor:
    """Return a tensor of ones (divided by 1 - p) with probability 1 - p, and zeros.

    Raises:
        RuntimeError: if the dtype of the input is an integer type.
    """
    if input.dtype.category < dtypes.FLOAT:
        raise RuntimeError(errors.uncastable(dtypes.get_default_dtype(), input.dtype))
    return dropout_noise(input, shape, p, 1 / (1 - p) if scaled else 1)


@op(dtypes=FLOATS, random="like", why="random numbers", public="neither")
def dropout_noise(input: Index, shape: Any, p: float, value: float | None) -> Any:
    """Return `value` with probability 1 - p, and zeros, in the real dtype of `input`; bools if there is no value."""
    refuse_dtype("dropout", input, FLOATS)
    places = input if tuple(shape) == input.shape else np.empty(shape, bool)
    mask = in_memory_order(places, lambda lengths: default_generator.draw(kernels.dropout_mask, lengths, p))
    if value is None:
        return mask
    element = dtypes.from_numpy(input.dtype).to_real().numpy
    return np.multiply(mask, element.type(value), dtype=element)


@dropout_noise.batched
def dropout_noise_batched(input: Any, shape: Any, p: float, value: float | None) -> Any:
    return dropout_noise.call((input, (input.shape[0], *shape), p, value))


@dropout_noise.samples
def dropout_noise_samples(make: Any) -> Any:
    yield Sample(make(2, 3), (2, 3), 1.0, 2.0)


def drop(name: str, input: Any, shape: Any, p: float, training: bool, inplace: bool) -> Tensor:
    """Multiply `input` by noise of a shape that broadcasts with it."""
    if isinstance(p, Tensor):
        p = read_number(name, "p", 2, p)
    check_probability(name, input, p)
    if not training or p == 0 or input._array_.size == 0:
        return input
    noise = wrap(np.zeros((), input._array_.dtype)) if p == 1 else noise_of(input, shape(input), p)
    return input.mul_(noise) if inplace else input.mul(noise)


def every_element(input: Tensor) -> tuple[int, ...]:
    """Shape of noise for each element."""
    return input._array_.shape


def channels(input: Tensor) -> tuple[int, ...]:
    """Shape of noise for each channel of (N, C, ...).

    Raises:
        RuntimeError: if there is no channel dimension.
    """
    if input.ndim < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    return (*input._array_.shape[:2], *(1,) * (input.ndim - 2))


@composite(method=False)
def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: Truth = False) -> Tensor:
    """Set elements to zero with probability `p`, and divide the others by 1 - p.

    Args:
        input: tensor.
        p: probability.
        training: if False, return `input` itself.
        inplace: write into `input`.

    Returns:
        A new tensor, or `input`.

    Raises:
        ValueError: if `p` is not a probability.

    Source:
        Srivastava et al., Dropout: a simple way to prevent neural networks from overfitting (2014).

    Examples:
        >>> import wengert as wg
        >>> _ = wg.manual_seed(0)
        >>> wg.dropout(wg.ones(6), 0.5, True)
        tensor([0., 0., 2., 0., 0., 0.])
    """
    return drop("dropout", input, every_element, p, training, inplace)


NATIVE = kernels.natives("lt", "multiply")
DRAWN = np.dtype(np.float64), np.dtype(np.float32)
draw_even: Any = native_draw("rand")
FEW = 4096
"""Largest number of elements for `dropped_array`."""


def dropped_array(array: Any, p: Any, training: Any, inplace: Any) -> Any:
    """`dropout` of a few elements, if nothing is recorded. It draws the numbers that `dropout_noise` would; after that
    nothing can be refused.
    """
    if type(p) is not float or not 0 < p < 1 or training is not True or inplace is not False:
        return NotImplemented
    if not 0 < array.size <= FEW or not array.flags.c_contiguous or array.dtype not in DRAWN:
        return NotImplemented
    less, multiply = NATIVE
    mask = less(draw_even(DRAWN[0], *array.shape), 1 - p)
    noise = multiply(mask.astype(array.dtype), 1 / (1 - p))
    return multiply(array, noise)


plain_case(dropout, arrays=dropped_array, needs=NATIVE)


@composite(method=False)
@describes(SECTIONS, input="(N, C, ...)")
def feature_dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: Truth = False) -> Tensor:
    """Dropout of whole channels of an input (N, C, ...).

    Examples:
        >>> import wengert as wg
        >>> _ = wg.manual_seed(0)
        >>> wg.feature_dropout(wg.ones(1, 3, 2), 0.5, True)
        tensor([[[0., 0.],
                 [0., 0.],
                 [2., 2.]]])
    """
    return drop("feature_dropout", input, channels, p, training, inplace)


@composite(method=False, function=False)
@describes(SECTIONS, input="(N, C, L) or (C, L)")
def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: Truth = False) -> Tensor:
    """Dropout of whole channels of an input (N, C, L) or (C, L).

    Examples:
        >>> import wengert as wg
        >>> _ = wg.manual_seed(0)
        >>> wg.nn.functional.dropout1d(wg.ones(1, 3, 2))
        tensor([[[0., 0.],
                 [0., 0.],
                 [2., 2.]]])
    """
    check_probability("dropout1d", input, p)
    if input.ndim not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {input.ndim}D input. Note that dropout1d exists to "
            "provide channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an optional "
            "batch dimension (i.e. 2D or 3D inputs)."
        )
    return batched("dropout1d", input, 3, p, training, inplace)


def batched(name: str, input: Any, full: int, p: float, training: bool, inplace: bool) -> Tensor:
    """`feature_dropout` with a batch dimension added to inputs that do not have `full` dimensions."""
    if input.ndim == full:
        return drop(name, input, channels, p, training, inplace)
    result = drop(name, input.unsqueeze_(0) if inplace else input.unsqueeze(0), channels, p, training, inplace)
    return result.squeeze_(0) if inplace else result.squeeze(0)


@composite(method=False, function=False)
@describes(SECTIONS, input="(N, C, H, W), or (N, C, L) with a warning")
def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: Truth = False) -> Tensor:
    """Dropout of whole channels of an input (N, C, H, W), or (N, C, L) with a warning.

    Examples:
        >>> import wengert as wg
        >>> _ = wg.manual_seed(0)
        >>> wg.nn.functional.dropout2d(wg.ones(1, 3, 1, 2))
        tensor([[[[0., 0.]],
        <BLANKLINE>
                 [[0., 0.]],
        <BLANKLINE>
                 [[2., 2.]]]])
    """
    check_probability("dropout2d", input, p)
    if input.ndim not in (3, 4):
        warn_dimensions("dropout2d", input.ndim, "2", "3D or 4D")
    elif input.ndim == 3:
        anomaly.warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is "
            "desired - input is interpreted as shape (N, C, L). Use dropout1d instead."
        )
    return drop("dropout2d", input, channels, p, training, inplace)


def warn_dimensions(name: str, ndim: int, spatial: str, wanted: str) -> None:
    """Warn about an input with other dimensions."""
    anomaly.warn(
        f"{name}: Received a {ndim}-D input to {name}, which is deprecated and will result in an error in a future "
        f"release. To retain the behavior and silence this warning, please use dropout instead. Note that {name} "
        f"exists to provide channel-wise dropout on inputs with {spatial} spatial dimensions, a channel dimension, "
        f"and an optional batch dimension (i.e. {wanted} inputs)."
    )


@composite(method=False, function=False)
@describes(SECTIONS, input="(N, C, D, H, W) or (C, D, H, W)")
def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: Truth = False) -> Tensor:
    """Dropout of whole channels of an input (N, C, D, H, W) or (C, D, H, W).

    Examples:
        >>> import wengert as wg
        >>> _ = wg.manual_seed(0)
        >>> wg.nn.functional.dropout3d(wg.ones(1, 3, 1, 1, 2)).flatten()
        tensor([0., 0., 0., 0., 2., 2.])
    """
    check_probability("dropout3d", input, p)
    if input.ndim not in (4, 5):
        warn_dimensions("dropout3d", input.ndim, "3", "4D or 5D")
    return batched("dropout3d", input, 5, p, training, inplace)


def saturate(name: str, input: Any, shape: Any, p: float, training: bool, inplace: bool) -> Tensor:
    """Set random elements of `input` to SELU's saturation; scale and shift so that mean 0 and variance 1 are kept."""
    p = read_number(name, "p", 2, p)
    check_probability(name, input, p)
    if not training or p == 0 or input._array_.size == 0:
        return input
    if p == 1:
        nothing = wrap(np.zeros((), input._array_.dtype))
        return input.mul_(nothing) if inplace else input.mul(nothing)
    scale = 1 / math.sqrt((ALPHA * ALPHA * p + 1) * (1 - p))
    noisy: Any = noise_of(input, shape(input), p, scaled=False)
    shift = (noisy - 1) * (ALPHA * scale) + ALPHA * scale * p
    noise = noisy * scale
    return input.mul_(noise).add_(shift) if inplace else input.mul(noise).add(shift)


@composite(method=False)
def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: Truth = False) -> Tensor:
    """Dropout for networks of SELU: random elements are set to its saturation; mean and variance are kept.

    Arguments as for `dropout`.

    Args:
        input: tensor.
        p, training, inplace: as for `dropout`.

    Returns:
        A new tensor, or `input`.

    Source:
        Klambauer et al., Self-normalizing neural networks (2017).

    Examples:
        >>> import wengert as wg
        >>> _ = wg.manual_seed(0)
        >>> wg.alpha_dropout(wg.zeros(4), 0.5, True)
        tensor([-0.7792, -0.7792,  0.7792, -0.7792])
    """
    return saturate("alpha_dropout", input, every_element, p, training, inplace)


@composite(method=False)
@describes(SECTIONS, input="(N, C, ...)")
def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: Truth = False) -> Tensor:
    """`alpha_dropout` of whole channels of an input (N, C, ...).

    Examples:
        >>> import wengert as wg
        >>> _ = wg.manual_seed(0)
        >>> wg.feature_alpha_dropout(wg.zeros(1, 3, 2), 0.5, True)
        tensor([[[-0.7792, -0.7792],
                 [-0.7792, -0.7792],
                 [ 0.7792,  0.7792]]])
    """
    return saturate("feature_alpha_dropout", input, channels, p, training, inplace)


# ---- in place --------------------------------------------------------------------------------------------------------


@boundary
@describes(IN_PLACE, input="tensor")
def dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """In-place form of `dropout`.

    Examples:
        >>> import wengert as wg
        >>> _ = wg.manual_seed(0)
        >>> wg.dropout_(wg.ones(6), 0.5, True)
        tensor([0., 0., 2., 0., 0., 0.])
    """
    return drop("dropout_", input, every_element, p, train, True)


@boundary
@describes(IN_PLACE, input="(N, C, ...)")
def feature_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """In-place form of `feature_dropout`.

    Examples:
        >>> import wengert as wg
        >>> _ = wg.manual_seed(0)
        >>> wg.feature_dropout_(wg.ones(1, 3, 2), 0.5, True)
        tensor([[[0., 0.],
                 [0., 0.],
                 [2., 2.]]])
    """
    return drop("feature_dropout_", input, channels, p, train, True)


@boundary
@describes(IN_PLACE, input="tensor")
def alpha_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """In-place form of `alpha_dropout`.

    Examples:
        >>> import wengert as wg
        >>> _ = wg.manual_seed(0)
        >>> wg.alpha_dropout_(wg.zeros(4), 0.5, True)
        tensor([-0.7792, -0.7792,  0.7792, -0.7792])
    """
    return saturate("alpha_dropout_", input, every_element, p, train, True)


@boundary
@describes(IN_PLACE, input="(N, C, ...)")
def feature_alpha_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """In-place form of `feature_alpha_dropout`.

    Examples:
        >>> import wengert as wg
        >>> _ = wg.manual_seed(0)
        >>> wg.feature_alpha_dropout_(wg.zeros(1, 3, 2), 0.5, True)
        tensor([[[-0.7792, -0.7792],
                 [-0.7792, -0.7792],
                 [ 0.7792,  0.7792]]])
    """
    return saturate("feature_alpha_dropout_", input, channels, p, train, True)


def probabilities(make: Any) -> Any:
    """Samples of dropout."""
    yield Sample(make(2, 3, 4, 5), 0.0)
    yield Sample(make(2, 3, 4, 5), 1.0, True)
    yield Sample(make(0, 3, 4, 5), 0.5, True)
    yield Bad(make(2, 3, 4, 5), 2, raises=ValueError, says="dropout probability has to be between 0 and 1, but got 2")
    yield Bad([1], 0.5, raises=TypeError, says="must be Tensor, not list")


for form in (dropout, feature_dropout, dropout2d, dropout3d, alpha_dropout, feature_alpha_dropout):
    form.samples(probabilities)


@dropout1d.samples
def dropout1d_samples(make: Any) -> Any:
    yield Sample(make(2, 3, 4), 1.0)
    yield Bad(make(2), 0.5, raises=RuntimeError, says="dropout1d: Expected 2D or 3D input, but received a 1D input")


@op(
    layout="iterator",
    dtypes=FLOATS,
    outputs={"result": True, "mask": False},
    name="_native_dropout",
    node="NativeDropoutBackward0",
    public="neither",
)
def dropped(input: Array, kept: Index = None, p: float = 0.5, train: bool | None = True) -> Any:
    """Return `input` where the mask holds, divided by 1 - p, and the mask; all of it unchanged without a mask."""
    refuse_dtype("native_dropout", input, FLOATS)
    if kept is None:
        return input.copy(), np.ones(input.shape, np.bool_)
    return kernels.dropout_apply(input, kept, p), kept.copy()


@dropped.vjp("input")
def dropped_vjp(grads: Any, mask: Any, p: float, train: bool | None) -> Any:
    if not train or p == 0:
        return grads[0]
    return grads[0] * (mask * (0.0 if p == 1 else 1 / (1 - p)))


@dropped.jvp("input")
def dropped_jvp(tangent: Any, mask: Any, p: float, train: bool | None) -> Any:
    return dropped_vjp((tangent,), mask, p, train), None


@dropped.batched
def dropped_batched(input: Any, kept: Any, p: float, train: bool | None) -> Any:
    return dropped.call((input, kept, p, train))


dropped.nodes.shown["result1"] = "mask"


@dropped.samples
def dropped_samples(make: Any) -> Any:
    from ..create.create import tensor

    yield Sample(make(3), tensor([True, False, True]), 0.5)
    yield Sample(make(3), None, 0.5, False)


@composite(method=False)
def native_dropout(input: Tensor, p: float, train: bool | None = True) -> tuple[Tensor, Tensor]:
    """`dropout` that also returns the mask of kept elements.

    Args:
        input: tensor, floating or complex.
        p: probability.
        train: if False, keep all elements.

    Returns:
        A new tensor, and a new bool tensor.

    Raises:
        ValueError: if `p` is not a probability.

    Examples:
        >>> import wengert as wg
        >>> _ = wg.manual_seed(0)
        >>> wg.native_dropout(wg.ones(4), 0.5, True)
        (tensor([0., 0., 2., 0.]), tensor([False, False,  True, False]))
    """
    check_probability("native_dropout", input, p)
    refuse_dtype("native_dropout", input._array_, FLOATS)
    noise = dropout_noise(input, input._array_.shape, p, None) if train and p else None
    return dropped(input, noise, p, train)


@native_dropout.samples
def native_dropout_samples(make: Any) -> Any:
    yield Sample(make(2, 3), 0.5, False)
    yield Sample(make(2, 3), 1.0, True)
    yield Bad(make(2), 2.0, True, raises=ValueError, says="dropout probability has to be between 0 and 1, but got 2")


__all__ = ["alpha_dropout", "dropout", "feature_alpha_dropout", "feature_dropout", "native_dropout"]
