"""The windows of `torch.signal`: symmetric unless asked otherwise; made of ranges, to which a gradient leads."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from ..._core.cards.arguments import Truth, integer
from ..._core.cards.card import Bad, Sample
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from ..._core.types.dtypes import dtype as DType
from ..create.create import ones, tensor
from ..create.ranges import arange, linspace
from ..family import named

WINDOW = """{summary}

    Args:
        M: number of points.{parameters}
        sym: symmetric; else the first M points of a window of M + 1, of which repetitions join smoothly.
        dtype: float32 or float64; the default dtype unless given.
        layout: must be strided, if given.
        device: 'cpu'.
        requires_grad: whether operations on the range that it is made of are recorded.

    Returns:
        A new tensor (M,).

    Raises:
        ValueError: `M` is negative, the dtype is another one, or a parameter has no meaning.

    Examples:
        >>> import wengert as wg
        >>> wg.signal.windows.{name}({call})
        tensor([{example}])
    """


class Options:
    """What every window takes.

    Attributes:
        count: number of points.
        steps: how many steps lead from the beginning of a window to its end.
        made: how tensors are made.
    """

    def __init__(self, name: str, count: Any, sym: bool, dtype: Any, layout: Any, device: Any, grad: bool) -> None:
        """Check them.

        Raises:
            TypeError: `count` is no integer.
            ValueError: one has no meaning.
        """
        kind = dtypes.get_default_dtype() if dtype is None else dtype
        if isinstance(count, Tensor) and count._array_.dtype.kind == "f" and count._array_.size == 1:
            count = float(count.item())
        if not isinstance(count, (bool, float)):  # some windows of one point or none are made without counting
            count = integer(f"signal.windows.{name}", "M", count)
        if count < 0:
            raise ValueError(f"{name} requires non-negative window length, got M={count}")
        if layout is not None and str(layout) != "torch.strided":
            raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}")
        if kind not in (dtypes.float32, dtypes.float64):
            raise ValueError(f"{name} expects float32 or float64 dtypes, got: {kind}")
        self.count, self.sym = count, sym
        self.steps = count - 1 if sym else count
        self.made = {"dtype": kind, "device": device, "requires_grad": grad}

    def points(self, start: Any, end: Any) -> Any:
        """As many numbers as the window has points."""
        return linspace(start, end, self.count, **self.made)

    def ones(self) -> Any:
        """The window of one point, or of none."""
        return ones(int(self.count), **self.made)


def exponential(options: Options, center: Any, tau: Any) -> Any:
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if options.sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    if not options.count:
        return options.ones()
    middle = (options.steps if options.count > 1 else 0) / 2.0 if center is None else center
    return (-options.points(-middle / tau, (-middle + (options.count - 1)) / tau).abs()).exp()


def cosine(options: Options) -> Any:
    count = options.count
    if not count:
        return options.ones()
    step = math.pi / (count + 1 if not options.sym and count > 1 else count)
    return options.points(0.5 * step, (0.5 + (count - 1)) * step).sin()


def gaussian(options: Options, std: Any) -> Any:
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    if not options.count:
        return options.ones()
    start = -(options.steps if options.count > 1 else 0) / 2.0
    scale = 1 / (std * math.sqrt(2))
    return (-(options.points(start * scale, (start + (options.count - 1)) * scale) ** 2)).exp()


def kaiser(options: Options, beta: Any) -> Any:
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    if options.count in (0, 1):
        return options.ones()
    width = tensor(beta, dtype=options.made["dtype"], device=options.made["device"])
    end = width.minimum(-width + (options.count - 1) * (2.0 * width / options.steps))
    return (width * width - options.points(-width, end).pow(2)).sqrt().i0() / width.i0()


def bartlett(options: Options) -> Any:
    if options.count in (0, 1):
        return options.ones()
    return 1 - options.points(-1, -1 + (options.count - 1) * (2 / options.steps)).abs()


def general_cosine(options: Options, a: Any) -> Any:
    if options.count in (0, 1):
        return options.ones()
    if not isinstance(a, Iterable):
        raise TypeError("Coefficients must be a list/tuple")
    if not a:
        raise ValueError("Coefficients cannot be empty")
    places = options.points(0, (options.count - 1) * (2 * math.pi / options.steps))
    heights = tensor([(-1) ** at * each for at, each in enumerate(a)], **options.made)
    orders = arange(heights.shape[0], **options.made)
    return (heights.unsqueeze(-1) * (orders.unsqueeze(-1) * places).cos()).sum(0)


def general_hamming(options: Options, alpha: Any) -> Any:
    return general_cosine(options, [alpha, 1.0 - alpha])


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


def register(name: str, function: Any, summary: str, example: str, parameters: str = "", call: str = "5") -> Any:
    """A window under its name, documented."""
    parameters = parameters and f"\n        {parameters}"
    docstring = WINDOW.format(summary=summary, parameters=parameters, name=name, example=example, call=call)
    made = named(function, f"signal_windows_{name}", docstring, method=False, function=False)
    made.__qualname__ = f"{name}_window"  # what it is called in this module, where pickle looks for it
    made.samples(lengths if call == "5" else weighted_lengths)
    return made


def plain(name: str, shape: Callable[..., Any], summary: str, example: str, *parameters: Any, general: str = "") -> Any:
    """A window without parameters of its own; `general` names the one whose checks it shares."""

    def function(
        M: float,
        *,
        sym: Truth = True,
        dtype: DType | None = None,
        layout: Any = None,
        device: Any = None,
        requires_grad: Truth = False,
    ) -> Tensor:
        return shape(Options(general or name, M, sym, dtype, layout, device, requires_grad), *parameters)  # type: ignore[no-any-return]

    return register(name, function, summary, example)


def exponential_window(
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
    return exponential(Options("exponential", M, sym, dtype, layout, device, requires_grad), center, tau)  # type: ignore[no-any-return]


def gaussian_window(
    M: float,
    *,
    std: float = 1.0,
    sym: Truth = True,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: Truth = False,
) -> Tensor:
    return gaussian(Options("gaussian", M, sym, dtype, layout, device, requires_grad), std)  # type: ignore[no-any-return]


def kaiser_window(
    M: float,
    *,
    beta: float = 12.0,
    sym: Truth = True,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: Truth = False,
) -> Tensor:
    return kaiser(Options("kaiser", M, sym, dtype, layout, device, requires_grad), beta)  # type: ignore[no-any-return]


def general_cosine_window(
    M: float,
    *,
    a: Any,
    sym: Truth = True,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: Truth = False,
) -> Tensor:
    return general_cosine(Options("general_cosine", M, sym, dtype, layout, device, requires_grad), a)  # type: ignore[no-any-return]


def general_hamming_window(
    M: float,
    *,
    alpha: float = 0.54,
    sym: Truth = True,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    requires_grad: Truth = False,
) -> Tensor:
    return general_hamming(Options("general_cosine", M, sym, dtype, layout, device, requires_grad), alpha)  # type: ignore[no-any-return]


bartlett_window = plain(
    "bartlett", bartlett, "The Bartlett window, a triangle.", "0.0000, 0.5000, 1.0000, 0.5000, 0.0000"
)
blackman_window = plain(
    "blackman",
    general_cosine,
    "The Blackman window: 0.42 - 0.5 cos(2 pi k / (M - 1)) + 0.08 cos(4 pi k / (M - 1)).",
    "-1.4901e-08,  3.4000e-01,  1.0000e+00,  3.4000e-01, -1.4901e-08",
    [0.42, 0.5, 0.08],
    general="blackman",
)
cosine_window = plain("cosine", cosine, "Half a wave: sin(pi (k + 0.5) / M).", "0.3090, 0.8090, 1.0000, 0.8090, 0.3090")
hamming_window = plain(
    "hamming",
    general_hamming,
    "The Hamming window: 0.54 - 0.46 cos(2 pi k / (M - 1)).",
    "0.0800, 0.5400, 1.0000, 0.5400, 0.0800",
    0.54,
    general="general_cosine",
)
hann_window = plain(
    "hann",
    general_hamming,
    "The Hann window: 0.5 - 0.5 cos(2 pi k / (M - 1)).",
    "0.0000, 0.5000, 1.0000, 0.5000, 0.0000",
    0.5,
    general="general_cosine",
)
nuttall_window = plain(
    "nuttall",
    general_cosine,
    "Nuttall's minimum window of four terms.",
    "3.6280e-04, 2.2698e-01, 1.0000e+00, 2.2698e-01, 3.6280e-04",
    [0.3635819, 0.4891775, 0.1365995, 0.0106411],
    general="general_cosine",
)
register(
    "exponential",
    exponential_window,
    "The exponential window: exp(-|k - center| / tau).",
    "0.1353, 0.3679, 1.0000, 0.3679, 0.1353",
    """center: where it is highest, in points, if it is not symmetric; the middle unless given.
        tau: how slowly it falls off.""",
)
register(
    "gaussian",
    gaussian_window,
    "The Gaussian window: exp(-(k - middle)^2 / (2 std^2)).",
    "0.1353, 0.6065, 1.0000, 0.6065, 0.1353",
    "std: the standard deviation, in points.",
)
register(
    "kaiser",
    kaiser_window,
    "The Kaiser window: i0(beta sqrt(1 - (2 k / (M - 1) - 1)^2)) / i0(beta).",
    "5.2773e-05, 2.1567e-01, 1.0000e+00, 2.1567e-01, 5.2773e-05",
    "beta: how fast it falls off.",
)
register(
    "general_cosine",
    general_cosine_window,
    "A sum of cosines: that of (-1)^i a[i] cos(2 pi i k / (M - 1)).",
    "0.5400, 0.1500, 1.0000, 0.1500, 0.5400",
    "a: the height of each.",
    "5, a=[0.46, 0.23, 0.31]",
)
register(
    "general_hamming",
    general_hamming_window,
    "alpha - (1 - alpha) cos(2 pi k / (M - 1)).",
    "0.0800, 0.5400, 1.0000, 0.5400, 0.0800",
    "alpha: the height of its constant part.",
)
