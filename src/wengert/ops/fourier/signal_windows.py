"""The windows of `torch.signal`: symmetric by default; computed from ranges, which derivatives reach."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from ..._core.cards.arguments import Truth, integer
from ..._core.cards.card import Bad, Sample, composite
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from ..._core.types.dtypes import dtype as DType
from ..create.create import ones, tensor
from ..create.ranges import arange, linspace
from ..family import describes

WINDOW = """
    Args:
        M: number of points.{parameters}
        sym: symmetric; else the first M points of a window of M + 1, whose repetitions join smoothly.
        dtype: float32 or float64; the default dtype by default.
        layout: must be strided, if given.
        device: 'cpu'.
        requires_grad: whether operations on its range are recorded.

    Returns:
        A new tensor (M,).

    Raises:
        ValueError: if `M` is negative, the dtype is another one, or a parameter is out of range.

    Examples:
        >>> import wengert as wg
        >>> wg.signal.windows.{name}({call})
        tensor([{example}])
    """


class Options:
    """Arguments of all windows.

    Attributes:
        count: number of points.
        steps: number of steps from the first point of a window to its last.
        made: options of the factories.
    """

    def __init__(self, name: str, count: Any, sym: bool, dtype: Any, layout: Any, device: Any, grad: bool) -> None:
        """Check the arguments.

        Raises:
            TypeError: if `count` is not an integer.
            ValueError: if an argument is out of range or not supported.
        """
        kind = dtypes.get_default_dtype() if dtype is None else dtype
        if isinstance(count, Tensor) and count._array_.dtype.kind == "f" and count._array_.size == 1:
            count = float(count.item())
        if not isinstance(count, (bool, float)):  # some windows of one point or none do not read it
            count = integer(f"signal.windows.{name}", "M", count)
        if count < 0:
            raise ValueError(f"{name} requires non-negative window length, got M={count}")
        if layout is not None and str(layout) != "torch.strided":
            raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}")
        if kind not in (dtypes.float32, dtypes.float64):
            raise ValueError(f"{name} expects float32 or float64 dtypes, got: {kind}")
        self.count, self.sym = count, sym
        self.steps = count - 1 if sym else count
        self.factory_options = {"dtype": kind, "device": device, "requires_grad": grad}

    def points(self, start: Any, end: Any) -> Any:
        """Return as many numbers as the window has points."""
        return linspace(start, end, self.count, **self.factory_options)

    def ones(self) -> Any:
        """Return the window of one point, or of none."""
        return ones(int(self.count), **self.factory_options)


def exponential_shape(options: Options, center: Any, tau: Any) -> Any:
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if options.sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    if not options.count:
        return options.ones()
    middle = (options.steps if options.count > 1 else 0) / 2.0 if center is None else center
    return (-options.points(-middle / tau, (-middle + (options.count - 1)) / tau).abs()).exp()


def cosine_shape(options: Options) -> Any:
    count = options.count
    if not count:
        return options.ones()
    step = math.pi / (count + 1 if not options.sym and count > 1 else count)
    return options.points(0.5 * step, (0.5 + (count - 1)) * step).sin()


def gaussian_shape(options: Options, std: Any) -> Any:
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    if not options.count:
        return options.ones()
    start = -(options.steps if options.count > 1 else 0) / 2.0
    scale = 1 / (std * math.sqrt(2))
    return (-(options.points(start * scale, (start + (options.count - 1)) * scale) ** 2)).exp()


def kaiser_shape(options: Options, beta: Any) -> Any:
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    if options.count in (0, 1):
        return options.ones()
    width = tensor(beta, dtype=options.factory_options["dtype"], device=options.factory_options["device"])
    end = width.minimum(-width + (options.count - 1) * (2.0 * width / options.steps))
    return (width * width - options.points(-width, end).pow(2)).sqrt().i0() / width.i0()


def bartlett_shape(options: Options) -> Any:
    if options.count in (0, 1):
        return options.ones()
    return 1 - options.points(-1, -1 + (options.count - 1) * (2 / options.steps)).abs()


def general_cosine_shape(options: Options, a: Any) -> Any:
    if options.count in (0, 1):
        return options.ones()
    if not isinstance(a, Iterable):
        raise TypeError("Coefficients must be a list/tuple")
    if not a:
        raise ValueError("Coefficients cannot be empty")
    places = options.points(0, (options.count - 1) * (2 * math.pi / options.steps))
    heights = tensor([(-1) ** at * coefficient for at, coefficient in enumerate(a)], **options.factory_options)
    orders = arange(heights.shape[0], **options.factory_options)
    return (heights.unsqueeze(-1) * (orders.unsqueeze(-1) * places).cos()).sum(0)


def general_hamming_shape(options: Options, alpha: Any) -> Any:
    return general_cosine_shape(options, [alpha, 1.0 - alpha])


def lengths(make: Any) -> Any:
    """Samples of windows."""
    for count in (0, 1, 2, 5):
        yield Sample(count)
    yield Sample(5, sym=False)
    yield Sample(6, dtype=dtypes.float64)
    yield Bad(-1, raises=ValueError, says="requires non-negative window length, got M=-1")
    yield Bad(5, dtype=dtypes.int64, raises=ValueError, says="expects float32 or float64 dtypes, got: torch.int64")


def weighted_lengths(make: Any) -> Any:
    """Samples of the general cosine window."""
    for count in (0, 1, 2, 5):
        yield Sample(count, a=[0.46, 0.23, 0.31])
    yield Sample(5, a=(0.5, 0.5), sym=False)
    yield Bad(5, a=[], raises=ValueError, says="Coefficients cannot be empty")
    yield Bad(5, a=3, raises=TypeError, says="Coefficients must be a list/tuple")
    yield Bad(-1, a=[1], raises=ValueError, says="requires non-negative window length, got M=-1")


def window(example: str, parameters: str = "", call: str = "5") -> Callable[[Callable[..., Tensor]], Any]:
    """Declare a window; decorates its function.

    Args:
        example: output of the example: a window of five points.
        parameters: documentation of further parameters.
        call: call of the function in the example.
    """

    def declare(function: Callable[..., Tensor]) -> Any:
        name, further = function.__name__, parameters and f"\n        {parameters}"
        complete = describes(WINDOW, name=name, parameters=further, example=example, call=call)
        declared: Any = composite(method=False, function=False, name=f"signal_windows_{name}")(complete(function))
        declared.samples(lengths if call == "5" else weighted_lengths)
        return declared

    return declare


@window("0.0000, 0.5000, 1.0000, 0.5000, 0.0000")
def bartlett(
    M: float,
    *,
    sym: Truth = True,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: Truth = False,
) -> Tensor:
    """The Bartlett window, a triangle."""
    options = Options("bartlett", M, sym, dtype, layout, device, requires_grad)
    return bartlett_shape(options)


@window("-1.4901e-08,  3.4000e-01,  1.0000e+00,  3.4000e-01, -1.4901e-08")
def blackman(
    M: float,
    *,
    sym: Truth = True,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: Truth = False,
) -> Tensor:
    """The Blackman window: 0.42 - 0.5 cos(2 pi k / (M - 1)) + 0.08 cos(4 pi k / (M - 1))."""
    options = Options("blackman", M, sym, dtype, layout, device, requires_grad)
    return general_cosine_shape(options, [0.42, 0.5, 0.08])


@window("0.3090, 0.8090, 1.0000, 0.8090, 0.3090")
def cosine(
    M: float,
    *,
    sym: Truth = True,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: Truth = False,
) -> Tensor:
    """The cosine window, half a wave: sin(pi (k + 0.5) / M)."""
    options = Options("cosine", M, sym, dtype, layout, device, requires_grad)
    return cosine_shape(options)


@window("0.0800, 0.5400, 1.0000, 0.5400, 0.0800")
def hamming(
    M: float,
    *,
    sym: Truth = True,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: Truth = False,
) -> Tensor:
    """The Hamming window: 0.54 - 0.46 cos(2 pi k / (M - 1))."""
    options = Options("general_cosine", M, sym, dtype, layout, device, requires_grad)
    return general_hamming_shape(options, 0.54)


@window("0.0000, 0.5000, 1.0000, 0.5000, 0.0000")
def hann(
    M: float,
    *,
    sym: Truth = True,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: Truth = False,
) -> Tensor:
    """The Hann window: 0.5 - 0.5 cos(2 pi k / (M - 1))."""
    options = Options("general_cosine", M, sym, dtype, layout, device, requires_grad)
    return general_hamming_shape(options, 0.5)


@window("3.6280e-04, 2.2698e-01, 1.0000e+00, 2.2698e-01, 3.6280e-04")
def nuttall(
    M: float,
    *,
    sym: Truth = True,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: Truth = False,
) -> Tensor:
    """Nuttall's minimum window of four terms."""
    options = Options("general_cosine", M, sym, dtype, layout, device, requires_grad)
    return general_cosine_shape(options, [0.3635819, 0.4891775, 0.1365995, 0.0106411])


@window(
    "0.1353, 0.3679, 1.0000, 0.3679, 0.1353",
    parameters="center: position of the maximum, in points, if it is not symmetric; the middle by default.\n"
    "        tau: decay length.",
)
def exponential(
    M: float,
    *,
    center: float | None = None,
    tau: float = 1.0,
    sym: Truth = True,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: Truth = False,
) -> Tensor:
    """The exponential window: exp(-|k - center| / tau)."""
    options = Options("exponential", M, sym, dtype, layout, device, requires_grad)
    return exponential_shape(options, center, tau)


@window("0.1353, 0.6065, 1.0000, 0.6065, 0.1353", parameters="std: the standard deviation, in points.")
def gaussian(
    M: float,
    *,
    std: float = 1.0,
    sym: Truth = True,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: Truth = False,
) -> Tensor:
    """The Gaussian window: exp(-(k - middle)^2 / (2 std^2))."""
    options = Options("gaussian", M, sym, dtype, layout, device, requires_grad)
    return gaussian_shape(options, std)


@window("5.2773e-05, 2.1567e-01, 1.0000e+00, 2.1567e-01, 5.2773e-05", parameters="beta: how fast it falls off.")
def kaiser(
    M: float,
    *,
    beta: float = 12.0,
    sym: Truth = True,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: Truth = False,
) -> Tensor:
    """The Kaiser window: i0(beta sqrt(1 - (2 k / (M - 1) - 1)^2)) / i0(beta)."""
    options = Options("kaiser", M, sym, dtype, layout, device, requires_grad)
    return kaiser_shape(options, beta)


@window("0.5400, 0.1500, 1.0000, 0.1500, 0.5400", parameters="a: the height of each.", call="5, a=[0.46, 0.23, 0.31]")
def general_cosine(
    M: float,
    *,
    a: Any,
    sym: Truth = True,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: Truth = False,
) -> Tensor:
    """A sum of cosines: (-1)^i a[i] cos(2 pi i k / (M - 1))."""
    options = Options("general_cosine", M, sym, dtype, layout, device, requires_grad)
    return general_cosine_shape(options, a)


@window("0.0800, 0.5400, 1.0000, 0.5400, 0.0800", parameters="alpha: the height of its constant part.")
def general_hamming(
    M: float,
    *,
    alpha: float = 0.54,
    sym: Truth = True,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: Truth = False,
) -> Tensor:
    """The general Hamming window: alpha - (1 - alpha) cos(2 pi k / (M - 1))."""
    options = Options("general_cosine", M, sym, dtype, layout, device, requires_grad)
    return general_hamming_shape(options, alpha)
