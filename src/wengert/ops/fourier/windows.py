"""Window functions: weights that fade a piece of a signal in and out before a transform."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core import errors
from ..._core.cards.arguments import integer
from ..._core.cards.card import Bad, Sample, composite
from ..._core.cards.plain_case import plain_case
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from ..._core.types.devices import sparse_coo
from ..._core.types.dtypes import dtype as DType
from ..create.create import ones
from ..create.factory import check_place, deliver, read_dtype, read_number
from ..create.ranges import arange
from ..family import describes

WINDOW = """
    Args:
        window_length: number of points, n.
        periodic: the first n points of a window of n + 1, whose repetitions join smoothly; else the window is
            symmetric.{parameters}
        dtype: dtype of the result, floating; the default dtype by default.
        layout: `strided`.
        device: 'cpu'.
        pin_memory: must be False.
        requires_grad: whether operations on it are recorded.

    Returns:
        A new tensor (n,).

    Raises:
        TypeError: if `window_length` is not an integer, or `periodic` not a bool.
        RuntimeError: if `window_length` is negative, or the dtype is an integer type.

    Examples:
        >>> import wengert as wg
        >>> wg.{name}(5)
        tensor([{example}])
    """


def read_window(name: str, window_length: Any, periodic: Any, dtype: Any, layout: Any, place: tuple[Any, Any]) -> Any:
    """Return the number of points and the dtype of a window; `place` is the device, and whether memory is pinned.

    Raises:
        TypeError: if an argument has a wrong type.
        RuntimeError: if an argument is out of range or not supported.
    """
    check_place(name, *place, layout, sparse=True)
    if layout is sparse_coo:
        raise RuntimeError(f"{name} is not implemented for sparse types, got: layout={layout}")
    count = integer(name, "window_length", window_length)
    if not isinstance(periodic, bool):
        raise TypeError(errors.wrong_type(name, "periodic", 2, "bool", periodic))
    element = read_dtype(name, dtype, dtypes.get_default_dtype())
    if element.category < dtypes.FLOAT:
        raise RuntimeError(f"{name} expects floating point dtypes, got: {element}")
    if count < 0:
        raise RuntimeError(f"{name} requires non-negative window_length, got window_length={count}")
    if element.is_complex:
        raise NotImplementedError(errors.no_kernel("arange_cpu", element))
    return count, element


def window(name: str, shape: Callable[..., Any], options: tuple[Any, ...], parameters: tuple[Any, ...] = ()) -> Tensor:
    """Return a window as a new leaf: `shape(n, periodic, *parameters)` of a tensor of points and the last one."""
    window_length, periodic, dtype, layout, place, requires_grad = options
    count, element = read_window(name, window_length, periodic, dtype, layout, place)
    if count < 2:
        return ones(count, dtype=element, requires_grad=requires_grad)
    result = shape(arange(count, dtype=element), count + periodic - 1, *parameters)
    return deliver(name, result._array_, requires_grad, None)


def cosines(places: Any, last: int, alpha: float, beta: float) -> Any:
    return (places * (2 * math.pi / last)).cos_().mul_(-beta).add_(alpha)


def two_cosines(places: Any, last: int) -> Any:
    angles = places * (math.pi / last)
    return (angles * 4).cos() * 0.08 - (angles * 2).cos() * 0.5 + 0.42


def triangle(places: Any, last: int) -> Any:
    rising = places * (2 / last)
    return rising.minimum(2 - rising)


def bessel(places: Any, last: int, beta: float) -> Any:
    kind = places.dtype
    places = places.float() if kind in dtypes.HALVES else places
    off = (places - last / 2) / (last / 2)
    height = places.new_full((), beta).i0()
    return (((1 - off * off).clamp(min=0).sqrt() * beta).i0() / height).to(kind)


def lengths(make: Any) -> Any:
    """Samples of windows."""
    for count in (0, 1, 2, 5):
        yield Sample(count)
    yield Sample(5, False)
    yield Sample(6, dtype=dtypes.float64, requires_grad=True)
    yield Bad(-1, raises=RuntimeError, says="requires non-negative window_length, got window_length=-1")
    yield Bad(2.5, raises=TypeError, says="argument 'window_length' must be int, not float")
    yield Bad(5, 1, raises=TypeError, says="argument 'periodic' (position 2) must be bool, not int")
    yield Bad(5, dtype=dtypes.int64, raises=RuntimeError, says="expects floating point dtypes, got: torch.int64")


@composite(method=False)
@describes(WINDOW, name="hann_window", parameters="", example="0.0000, 0.3455, 0.9045, 0.9045, 0.3455")
def hann_window(
    window_length: int,
    periodic: bool = True,
    *,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """The Hann window: 0.5 - 0.5 cos(2 pi k / n)."""
    options = (window_length, periodic, dtype, layout, (device, pin_memory), requires_grad)
    return window("hann_window", cosines, options, (0.5, 0.5))


@composite(method=False)
@describes(WINDOW, name="bartlett_window", parameters="", example="0.0000, 0.4000, 0.8000, 0.8000, 0.4000")
def bartlett_window(
    window_length: int,
    periodic: bool = True,
    *,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """The Bartlett window, a triangle: 1 - |2 k / n - 1|."""
    options = (window_length, periodic, dtype, layout, (device, pin_memory), requires_grad)
    return window("bartlett_window", triangle, options)


@composite(method=False)
@describes(
    WINDOW,
    name="blackman_window",
    parameters="",
    example="-2.9802e-08,  2.0077e-01,  8.4923e-01,  8.4923e-01,  2.0077e-01",
)
def blackman_window(
    window_length: int,
    periodic: bool = True,
    *,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """The Blackman window: 0.42 - 0.5 cos(2 pi k / n) + 0.08 cos(4 pi k / n)."""
    options = (window_length, periodic, dtype, layout, (device, pin_memory), requires_grad)
    return window("blackman_window", two_cosines, options)


@composite(method=False)
@describes(
    WINDOW,
    name="hamming_window",
    parameters="\n        alpha, beta: the heights of its two parts.",
    example="0.0800, 0.3979, 0.9121, 0.9121, 0.3979",
)
def hamming_window(
    window_length: int,
    periodic: bool = True,
    alpha: float = 0.54,
    beta: float = 0.46,
    *,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """The Hamming window: alpha - beta cos(2 pi k / n)."""
    options = (window_length, periodic, dtype, layout, (device, pin_memory), requires_grad)
    heights = (read_number("hamming_window", "alpha", 3, alpha), read_number("hamming_window", "beta", 4, beta))
    return window("hamming_window", cosines, options, heights)


@composite(method=False)
@describes(
    WINDOW,
    name="kaiser_window",
    parameters="\n        beta: how fast it falls off.",
    example="5.2773e-05, 1.0172e-01, 7.9294e-01, 7.9294e-01, 1.0172e-01",
)
def kaiser_window(
    window_length: int,
    periodic: bool = True,
    beta: float = 12.0,
    *,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """The Kaiser window: i0(beta sqrt(1 - (2 k / n - 1)^2)) / i0(beta)."""
    options = (window_length, periodic, dtype, layout, (device, pin_memory), requires_grad)
    return window("kaiser_window", bessel, options, (read_number("kaiser_window", "beta", 3, beta),))


for function in (hann_window, bartlett_window, blackman_window, hamming_window, kaiser_window):
    function.samples(lengths)

FEW = 4096
"""Largest number of points for `hann_of_places`."""
NATIVE = kernels.natives("multiply", "cos", "add")


def hann_of_places(
    length: Any, periodic: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any, requires_grad: Any
) -> Any:
    """`hann_window` of the default dtype."""
    if type(length) is not int or length < 2 or length > FEW or periodic is not True or requires_grad is not False:
        return NotImplemented
    if not (dtype is None is layout is device and pin_memory is False):
        return NotImplemented
    multiply, cos, add = NATIVE
    places = np.arange(length + 1, dtype=dtypes.get_default_dtype().numpy)
    result = add(multiply(cos(multiply(places, 2 * math.pi / length)), -0.5), 0.5, 1)
    return result[:length].copy()


hann_window = plain_case(hann_window, arrays=hann_of_places, needs=NATIVE)
