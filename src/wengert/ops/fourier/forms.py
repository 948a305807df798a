"""The functions of `fft`: six kinds of transforms, each along one, two, and any number of dimensions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core.calls.out import put
from ..._core.cards.arguments import some_integers
from ..._core.cards.card import Bad, Sample, composite
from ..._core.recording.recorded import conjugate
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from ..family import Function, describes
from .arguments import Plan, check_out, check_real, promoted, read_one, read_several, resized
from .transforms import complex_to_complex, complex_to_real, real_to_complex

ONE = """
    Args:
        input: {input} tensor of one dimension or more; integers become the default dtype.
        n: number of points: `input` is cut, or zeros are appended, to this length{terms}. By default, {points}.
        dim: the dimension.
        norm: "backward" (the default): the inverse transforms are divided by n; "forward": the forward ones are;
            "ortho": each is divided by the square root of n.
        out: a tensor to write into.

    Returns:
        A new {output} tensor.

    Raises:
        RuntimeError: if there are no points, the dtype is none of these, or the normalisation is unknown.
        IndexError: if `dim` is out of range.

    Examples:
        {example}
    """
SEVERAL = """
    Args:
        input: {input} tensor; integers become the default dtype.
        s: number of points along each dimension: `input` is cut, or zeros are appended, to it{terms}; -1 for as
            many as there are. By default, {points}.
        dim: the dimensions{every}.
        norm: "backward" (the default): the inverse transforms are divided by the number of points; "forward": the
            forward ones are; "ortho": each is divided by its square root.
        out: a tensor to write into.

    Returns:
        A new {output} tensor.

    Raises:
        RuntimeError: if there are no points, a dimension occurs twice, the dtype is none of these, or the normalisation
            is unknown.
        IndexError: if a dimension is out of range.

    Examples:
        {example}
    """
LINE = """>>> import wengert as wg
        >>> wg.fft.{}(wg.tensor([1.0, 2.0, 3.0, 5.0]))
        tensor([{}])"""
GRID = """>>> import wengert as wg
        >>> wg.fft.{}(wg.tensor([[1.0, 2.0], [3.0, 5.0]])){}
        tensor([[{}],
                [{}]])"""
ALL, HALF = "as many as there are", "2 (m - 1) for m terms along the last dimension"
SOME_LAST = "; by default the last `s` ones, or all"

LAST_TWO = (-2, -1)
"""The dimensions of two-dimensional transforms by default."""


class Kind:
    """One kind of transform.

    Attributes:
        compute: function of a tensor and a plan that returns the result.
        real: whether it takes only real numbers; `makes_real`: whether its results are real.
        words: words for docstrings.
    """

    def __init__(self, compute: Callable[[Any, Plan], Any], *, real: bool = False, makes_real: bool = False) -> None:
        self.compute = compute
        self.real = real
        self.makes_real = makes_real
        self.words = {
            "input": "real" if real else "real or complex",
            "output": "real" if makes_real else "complex",
            "terms": "; n // 2 + 1 terms along the last dimension" if makes_real else "",
            "points": HALF if makes_real else ALL,
        }


def fourier(input: Any, plan: Plan) -> Any:
    return complex_to_complex(resized(promoted(input, to_complex=True), plan), plan.dims, plan.scales[0], True)


def inverse(input: Any, plan: Plan) -> Any:
    return complex_to_complex(resized(promoted(input, to_complex=True), plan), plan.dims, plan.scales[1], False)


def of_real(input: Any, plan: Plan) -> Any:
    return real_to_complex(resized(promoted(input), plan), plan.dims, plan.scales[0], True)


def inverse_to_real(input: Any, plan: Plan) -> Any:
    signal = resized(promoted(input, to_complex=True), plan)
    return complex_to_real(signal, plan.dims, plan.scales[1], plan.points)


def of_hermitian(input: Any, plan: Plan) -> Any:
    signal, scale = resized(promoted(input, to_complex=True), plan), plan.scales[0]
    if plan.dims[1:]:
        signal = complex_to_complex(signal, plan.dims[:-1], scale, True)
    return complex_to_real(conjugate(signal), plan.dims[-1:], scale, plan.points)


def inverse_to_hermitian(input: Any, plan: Plan) -> Any:
    scale = plan.scales[1]
    result = conjugate(real_to_complex(resized(promoted(input), plan), plan.dims[-1:], scale, True))
    return complex_to_complex(result, plan.dims[:-1], scale, False) if plan.dims[1:] else result


def full_of_real(input: Any, plan: Plan) -> Any:
    return real_to_complex(resized(promoted(input), plan), plan.dims, plan.scales[0], False)


def inverse_of_real(input: Any, plan: Plan) -> Any:
    return conjugate(real_to_complex(resized(promoted(input), plan), plan.dims, plan.scales[1], False))


REAL_INPUT = {"fft": full_of_real, "ifft": inverse_of_real}
"""Cheaper functions along one dimension for real input."""

WRITERS: dict[Any, str] = {
    of_real: "_fft_r2c",
    full_of_real: "_fft_r2c",
    inverse_to_real: "_fft_c2r",
    of_hermitian: "_fft_c2r",
}
"""Torch's names for the last step, if that is not a transform of complex numbers."""


def written(name: str, out: Any, compute: Callable[[Any, Plan], Any], result: Any, plan: Plan) -> Any:
    """Write a result to `out`, which torch's last step does: a row-major transform, or a conjugate."""
    if compute is inverse_of_real or (compute is inverse_to_hermitian and len(plan.dims) == 1):
        return put(name, out, result, recorded=False, writer="conj_physical")
    return put(name, out, result, rows="always", writer=WRITERS.get(compute, "_fft_c2c"))


KINDS = {
    "fft": Kind(fourier),
    "ifft": Kind(inverse),
    "rfft": Kind(of_real, real=True),
    "irfft": Kind(inverse_to_real, makes_real=True),
    "hfft": Kind(of_hermitian, makes_real=True),
    "ihfft": Kind(inverse_to_hermitian, real=True),
}


def signals(make: Any) -> Any:
    """Samples of a transform along one dimension."""
    yield Sample(make(5))
    yield Sample(make(2, 4), norm="ortho")
    yield Sample(make(4, 2), 6, 0, "forward")
    yield Sample(make(2, 4), 3)
    yield Bad(make(3), 0, raises=RuntimeError, says="Invalid number of data points (0) specified")
    yield Bad(make(3), 2.5, raises=TypeError, says="argument 'n' must be int, not float")
    yield Bad(make(3), dim=1, raises=IndexError, says="Dimension out of range (expected to be in range of [-1, 0], but")
    yield Bad(make(), raises=IndexError, says="Dimension specified as -1 but tensor has no dimensions")
    yield Bad(make(3), norm="half", raises=RuntimeError, says='Invalid normalization mode: "half"')
    yield Bad(make(3, dtype=dtypes.float16), raises=RuntimeError, says="Unsupported dtype Half")


def grids(make: Any) -> Any:
    """Samples of a transform along several dimensions."""
    yield Sample(make(3, 4))
    yield Sample(make(2, 3, 2), (4, 3), (2, 0), "ortho")
    yield Sample(make(3, 4), (2, -1), (0, 1), "forward")
    yield Bad(make(3, 3), (2,), (0, 1), raises=RuntimeError, says="dim and shape arguments must have the same length")
    yield Bad(make(3, 3), (0, 2), (0, 1), raises=RuntimeError, says="Invalid number of data points (0) specified")
    yield Bad(make(3, 3), dim=(1, -1), raises=RuntimeError, says="FFT dims must be unique")
    yield Bad(make(3, 3), dim=True, raises=TypeError, says="argument 'dim' must be tuple of ints, not bool")
    yield Bad(make(3, 3), dim=(0, 2), raises=IndexError, says="Dimension out of range (expected to be in range of")
    yield Bad(make(3, 3), norm="half", raises=RuntimeError, says='Invalid normalization mode: "half"')


def along_one(name: str, input: Any, n: Any, dim: Any, norm: Any, out: Any) -> Any:
    """Transform along one dimension."""
    kind = KINDS[name]
    check_out(name, out, wants_complex=not kind.makes_real)
    if kind.real:
        check_real(name, "real", input)
    plan = read_one(f"fft_{name}", input.shape, n, dim, norm, kind.makes_real)
    compute = kind.compute if input.dtype.is_complex else REAL_INPUT.get(name, kind.compute)
    result = compute(input, plan)
    return result if out is None else written(f"fft_{name}", out, compute, result, plan)


def along_two(name: str, input: Any, s: Any, dim: Any, norm: Any, out: Any) -> Any:
    """Transform along two dimensions."""
    dims = some_integers(f"fft_{name}2", "dim", dim)
    return along_any(name, read_several(f"fft_{name}2", input.shape, s, dims, norm, KINDS[name].makes_real), input, out)


def along_some(name: str, input: Any, s: Any, dim: Any, norm: Any, out: Any) -> Any:
    """Transform along some dimensions, by default all."""
    return along_any(name, read_several(f"fft_{name}n", input.shape, s, dim, norm, KINDS[name].makes_real), input, out)


def along_any(name: str, plan: Plan, input: Any, out: Any) -> Any:
    """Transform along the dimensions of a plan.

    Raises:
        RuntimeError: if the dtype is of another kind than the transform takes, or there are no dimensions.
    """
    kind, full = KINDS[name], f"{name}n"
    check_out(full, out, wants_complex=not kind.makes_real)
    if kind.real and input.dtype.is_complex and name == "ihfft":
        raise RuntimeError(f"Only supports floating-point dtypes, but found: {input.dtype.legacy[:-6]}")
    if kind.real:
        check_real(full, "real-valued", input)
    if not plan.dims and kind.compute not in (fourier, inverse):
        raise RuntimeError(f"{full} must transform at least one axis")
    result = kind.compute(input, plan)
    return result if out is None else written(f"fft_{full}", out, kind.compute, result, plan)


def line(*, result: str) -> Callable[[Function], Function]:
    """Declare a transform along one dimension; `result` is the output of its example."""

    def declare(function: Function) -> Function:
        name = function.__name__
        described = describes(ONE, **KINDS[name].words, example=LINE.format(name, result))(function)
        return declared(described, signals)

    return declare


def grid(*, rows: tuple[str, str]) -> Callable[[Function], Function]:
    """Declare a transform along several dimensions; its example prints these rows."""

    def declare(function: Function) -> Function:
        name = function.__name__
        every = "" if name.endswith("2") else SOME_LAST
        part = "" if name.startswith(("irfft", "hfft")) else ".real"  # the signs of zeros differ between kernels
        words = {**KINDS[name[:-1]].words, "every": every, "example": GRID.format(name, part, *rows)}
        return declared(describes(SEVERAL, **words)(function), grids)

    return declare


def declared(function: Function, sampler: Any) -> Function:
    """Declare a function of `fft` with its samples."""
    public: Any = composite(method=False, function=False, name=f"fft_{function.__name__}")(function)
    public.samples(sampler)
    return public


@line(result="11.+0.j, -2.+3.j, -3.+0.j, -2.-3.j")
def fft(input: Tensor, n: int | None = None, dim: int = -1, norm: Any = None, *, out: Any = None) -> Any:
    """The discrete Fourier transform."""
    return along_one("fft", input, n, dim, norm, out)


@line(result=" 2.7500-0.0000j, -0.5000-0.7500j, -0.7500-0.0000j, -0.5000+0.7500j")
def ifft(input: Tensor, n: int | None = None, dim: int = -1, norm: Any = None, *, out: Any = None) -> Any:
    """The inverse discrete Fourier transform."""
    return along_one("ifft", input, n, dim, norm, out)


@line(result="11.+0.j, -2.+3.j, -3.+0.j")
def rfft(input: Tensor, n: int | None = None, dim: int = -1, norm: Any = None, *, out: Any = None) -> Any:
    """The discrete Fourier transform of real numbers: only the terms 0 to n // 2 of the last dimension."""
    return along_one("rfft", input, n, dim, norm, out)


@line(result=" 2.6667, -0.8333,  0.1667, -0.3333,  0.1667, -0.8333")
def irfft(input: Tensor, n: int | None = None, dim: int = -1, norm: Any = None, *, out: Any = None) -> Any:
    """The inverse of `rfft`: the transform of half a spectrum to real numbers."""
    return along_one("irfft", input, n, dim, norm, out)


@line(result="16., -5.,  1., -2.,  1., -5.")
def hfft(input: Tensor, n: int | None = None, dim: int = -1, norm: Any = None, *, out: Any = None) -> Any:
    """The discrete Fourier transform of half a Hermitian signal, whose spectrum is real."""
    return along_one("hfft", input, n, dim, norm, out)


@line(result=" 2.7500-0.0000j, -0.5000-0.7500j, -0.7500-0.0000j")
def ihfft(input: Tensor, n: int | None = None, dim: int = -1, norm: Any = None, *, out: Any = None) -> Any:
    """The inverse of `hfft`: half the Hermitian signal of a real spectrum."""
    return along_one("ihfft", input, n, dim, norm, out)


@grid(rows=("11., -3.", "-5.,  1."))
def fft2(input: Tensor, s: Any = None, dim: Any = LAST_TWO, norm: Any = None, *, out: Any = None) -> Any:
    """The discrete Fourier transform, along two dimensions."""
    return along_two("fft", input, s, dim, norm, out)


@grid(rows=(" 2.7500, -0.7500", "-1.2500,  0.2500"))
def ifft2(input: Tensor, s: Any = None, dim: Any = LAST_TWO, norm: Any = None, *, out: Any = None) -> Any:
    """The inverse discrete Fourier transform, along two dimensions."""
    return along_two("ifft", input, s, dim, norm, out)


@grid(rows=("11., -3.", "-5.,  1."))
def rfft2(input: Tensor, s: Any = None, dim: Any = LAST_TWO, norm: Any = None, *, out: Any = None) -> Any:
    """The discrete Fourier transform of real numbers: only the terms 0 to n // 2 of the last dimension, along two
    dimensions."""
    return along_two("rfft", input, s, dim, norm, out)


@grid(rows=(" 2.7500, -0.7500", "-1.2500,  0.2500"))
def irfft2(input: Tensor, s: Any = None, dim: Any = LAST_TWO, norm: Any = None, *, out: Any = None) -> Any:
    """The inverse of `rfft`: the transform of half a spectrum to real numbers, along two dimensions."""
    return along_two("irfft", input, s, dim, norm, out)


@grid(rows=("11., -3.", "-5.,  1."))
def hfft2(input: Tensor, s: Any = None, dim: Any = LAST_TWO, norm: Any = None, *, out: Any = None) -> Any:
    """The discrete Fourier transform of half a Hermitian signal, whose spectrum is real, along two dimensions."""
    return along_two("hfft", input, s, dim, norm, out)


@grid(rows=(" 2.7500, -0.7500", "-1.2500,  0.2500"))
def ihfft2(input: Tensor, s: Any = None, dim: Any = LAST_TWO, norm: Any = None, *, out: Any = None) -> Any:
    """The inverse of `hfft`: half the Hermitian signal of a real spectrum, along two dimensions."""
    return along_two("ihfft", input, s, dim, norm, out)


@grid(rows=("11., -3.", "-5.,  1."))
def fftn(input: Tensor, s: Any = None, dim: Any = None, norm: Any = None, *, out: Any = None) -> Any:
    """The discrete Fourier transform, along some dimensions."""
    return along_some("fft", input, s, dim, norm, out)


@grid(rows=(" 2.7500, -0.7500", "-1.2500,  0.2500"))
def ifftn(input: Tensor, s: Any = None, dim: Any = None, norm: Any = None, *, out: Any = None) -> Any:
    """The inverse discrete Fourier transform, along some dimensions."""
    return along_some("ifft", input, s, dim, norm, out)


@grid(rows=("11., -3.", "-5.,  1."))
def rfftn(input: Tensor, s: Any = None, dim: Any = None, norm: Any = None, *, out: Any = None) -> Any:
    """The discrete Fourier transform of real numbers: only the terms 0 to n // 2 of the last dimension, along some
    dimensions."""
    return along_some("rfft", input, s, dim, norm, out)


@grid(rows=(" 2.7500, -0.7500", "-1.2500,  0.2500"))
def irfftn(input: Tensor, s: Any = None, dim: Any = None, norm: Any = None, *, out: Any = None) -> Any:
    """The inverse of `rfft`: the transform of half a spectrum to real numbers, along some dimensions."""
    return along_some("irfft", input, s, dim, norm, out)


@grid(rows=("11., -3.", "-5.,  1."))
def hfftn(input: Tensor, s: Any = None, dim: Any = None, norm: Any = None, *, out: Any = None) -> Any:
    """The discrete Fourier transform of half a Hermitian signal, whose spectrum is real, along some dimensions."""
    return along_some("hfft", input, s, dim, norm, out)


@grid(rows=(" 2.7500, -0.7500", "-1.2500,  0.2500"))
def ihfftn(input: Tensor, s: Any = None, dim: Any = None, norm: Any = None, *, out: Any = None) -> Any:
    """The inverse of `hfft`: half the Hermitian signal of a real spectrum, along some dimensions."""
    return along_some("ihfft", input, s, dim, norm, out)


c2c = complex_to_complex.native
COMPLEX = {np.dtype(np.float32): np.complex64, np.dtype(np.float64): np.complex128}


def spectrum_of_array(array: Any, s: Any, dim: Any, norm: Any, forward: bool = True) -> Any:
    """`fft2` of a row-major matrix, if nothing is recorded."""
    if s is not None or norm is not None or dim is not LAST_TWO or array.ndim != 2:
        return NotImplemented
    if array.strides != (array.shape[1] * array.itemsize, array.itemsize):
        return NotImplemented
    values = array if array.dtype.kind == "c" else array.astype(COMPLEX[array.dtype])
    return c2c(values, (0, 1), 0 if forward else 2, forward)


def signal_of_array(array: Any, s: Any, dim: Any, norm: Any) -> Any:
    """`ifft2` of a row-major matrix, if nothing is recorded."""
    return spectrum_of_array(array, s, dim, norm, False)
