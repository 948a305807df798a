"""The functions of `fft`: six kinds of transforms, each along one dimension, along two, and along any."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core.calls.out import put
from ..._core.cards.arguments import some_integers
from ..._core.cards.card import Bad, Sample
from ..._core.recording.recorded import conjugate
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from ..family import named
from .arguments import Plan, check_out, check_real, promoted, read_one, read_several, resized
from .transforms import complex_to_complex, complex_to_real, real_to_complex

ONE = """{summary}.

    Args:
        input: {input} tensor of one dimension or more; integers become the default dtype.
        n: how many points: `input` is cut, or continued with zeros, to as many{terms}. Unless given, {points}.
        dim: along which dimension.
        norm: "backward" (the default): the inverse transforms are divided by n; "forward": the forward ones are;
            "ortho": each is divided by the square root of n.
        out: a tensor to write into.

    Returns:
        A new {output} tensor.

    Raises:
        RuntimeError: there are no points, the dtype is none of these, or the normalisation is unknown.
        IndexError: there is no such dimension.

    Examples:
        {example}
    """
SEVERAL = """{summary}, along {along}.

    Args:
        input: {input} tensor; integers become the default dtype.
        s: how many points along each dimension: `input` is cut, or continued with zeros, to as many{terms}; -1 for as
            many as there are. Unless given, {points}.
        dim: along which dimensions{every}.
        norm: "backward" (the default): the inverse transforms are divided by the number of points; "forward": the
            forward ones are; "ortho": each is divided by its square root.
        out: a tensor to write into.

    Returns:
        A new {output} tensor.

    Raises:
        RuntimeError: there are no points, dimensions are named twice, the dtype is none of these, or the normalisation
            is unknown.
        IndexError: there is no such dimension.

    Examples:
        {example}
    """
LINE = """>>> import wengert as wg
        >>> wg.fft.{}(wg.tensor([1.0, 2.0, 3.0, 4.0]))
        tensor([{}])"""
GRID = """>>> import wengert as wg
        >>> wg.fft.{}(wg.tensor([[1.0, 2.0], [3.0, 4.0]]))
        tensor([[{}],
                [{}]])"""
ALL, HALF = "as many as there are", "2 (m - 1) for m terms along the last dimension"
MANY = {"every": "; unless given, the last `s` ones, or all", "along": "some dimensions"}
TWO = {"every": "", "along": "two dimensions"}

LAST_TWO = (-2, -1)
"""The dimensions that a transform along two is of, unless a program says others."""


class Kind:
    """One kind of transform, with the words of its documentation.

    Attributes:
        compute: called with a tensor and a plan, it gives the result.
        real: it takes real numbers only; `makes_real` says that it gives them.
        summary: of its documentation.
    """

    def __init__(
        self, compute: Callable[[Any, Plan], Any], summary: str, *, real: bool = False, makes_real: bool = False
    ) -> None:
        self.compute = compute
        self.summary = summary
        self.real = real
        self.makes_real = makes_real

    def words(self, example: str) -> dict[str, str]:
        """What the documentation of its functions says of it."""
        return {
            "summary": self.summary,
            "input": "real" if self.real else "real or complex",
            "output": "real" if self.makes_real else "complex",
            "terms": "; n // 2 + 1 terms along the last dimension" if self.makes_real else "",
            "points": HALF if self.makes_real else ALL,
            "example": example,
        }


def fourier(input: Any, plan: Plan) -> Any:
    return complex_to_complex(resized(promoted(input, to_complex=True), plan), plan.dims, plan.scales[0], True)


def inverse(input: Any, plan: Plan) -> Any:
    return complex_to_complex(resized(promoted(input, to_complex=True), plan), plan.dims, plan.scales[1], False)


def of_real(input: Any, plan: Plan) -> Any:
    return real_to_complex(resized(promoted(input), plan), plan.dims, plan.scales[0], True)


def inverse_to_real(input: Any, plan: Plan) -> Any:
    given = resized(promoted(input, to_complex=True), plan)
    return complex_to_real(given, plan.dims, plan.scales[1], plan.points)


def of_hermitian(input: Any, plan: Plan) -> Any:
    given, scale = resized(promoted(input, to_complex=True), plan), plan.scales[0]
    if plan.dims[1:]:
        given = complex_to_complex(given, plan.dims[:-1], scale, True)
    return complex_to_real(conjugate(given), plan.dims[-1:], scale, plan.points)


def inverse_to_hermitian(input: Any, plan: Plan) -> Any:
    scale = plan.scales[1]
    made = conjugate(real_to_complex(resized(promoted(input), plan), plan.dims[-1:], scale, True))
    return complex_to_complex(made, plan.dims[:-1], scale, False) if plan.dims[1:] else made


def whole_of_real(input: Any, plan: Plan) -> Any:
    return real_to_complex(resized(promoted(input), plan), plan.dims, plan.scales[0], False)


def inverse_of_real(input: Any, plan: Plan) -> Any:
    return conjugate(real_to_complex(resized(promoted(input), plan), plan.dims, plan.scales[1], False))


REAL_INPUT = {"fft": whole_of_real, "ifft": inverse_of_real}
"""What is cheaper along one dimension if the input is real."""

WRITERS: dict[Any, str] = {
    of_real: "_fft_r2c",
    whole_of_real: "_fft_r2c",
    inverse_to_real: "_fft_c2r",
    of_hermitian: "_fft_c2r",
}
"""Torch's names of what gives the result, where that is no transform of complex numbers."""


def delivered(name: str, out: Any, compute: Callable[[Any, Plan], Any], input: Any, plan: Plan) -> Any:
    """A transform, or `out` with it, which torch's last step writes there: a transform in rows, or a conjugate."""
    made = compute(input, plan)
    if compute is inverse_of_real or (compute is inverse_to_hermitian and len(plan.dims) == 1):
        return put(name, out, made, recorded=False, writer="conj_physical")
    return put(name, out, made, rows="always", writer=WRITERS.get(compute, "_fft_c2c"))


KINDS = {
    "fft": Kind(fourier, "The discrete Fourier transform"),
    "ifft": Kind(inverse, "The inverse discrete Fourier transform"),
    "rfft": Kind(
        of_real, "The discrete Fourier transform of real numbers: only the terms 0 to n // 2 of the last dimension",
        real=True,
    ),
    "irfft": Kind(
        inverse_to_real, "The inverse of `rfft`: the transform of half a spectrum to real numbers", makes_real=True
    ),
    "hfft": Kind(
        of_hermitian, "The discrete Fourier transform of half a Hermitian signal, whose spectrum is real",
        makes_real=True,
    ),
    "ihfft": Kind(
        inverse_to_hermitian, "The inverse of `hfft`: half the Hermitian signal of a real spectrum", real=True
    ),
}  # fmt: skip


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


def finished(name: str, function: Any, docstring: str, sampler: Any) -> Any:
    """A function of the family, registered."""
    made = named(function, f"fft_{name}", docstring, method=False, function=False)
    made.__qualname__ = name  # what it is called in this module, where pickle looks for it
    made.samples(sampler)
    return made


def along_one(name: str, made: str) -> Any:
    """The form of a kind of transform along one dimension."""
    kind = KINDS[name]

    def transform(input: Tensor, n: int | None = None, dim: int = -1, norm: Any = None, *, out: Any = None) -> Any:
        check_out(name, out, wants_complex=not kind.makes_real)
        if kind.real:
            check_real(name, "real", input)
        plan = read_one(f"fft_{name}", input.shape, n, dim, norm, kind.makes_real)
        compute = kind.compute if input.dtype.is_complex else REAL_INPUT.get(name, kind.compute)
        return delivered(f"fft_{name}", out, compute, input, plan)

    return finished(name, transform, ONE.format(**kind.words(LINE.format(name, made))), signals)


def along_several(name: str, kind: Kind, input: Any, plan: Plan, out: Any) -> Any:
    """A transform along several dimensions.

    Raises:
        RuntimeError: the kinds of numbers are wrong, or there is no dimension.
    """
    check_out(name, out, wants_complex=not kind.makes_real)
    if kind.real and input.dtype.is_complex and name.startswith("ihfft"):
        raise RuntimeError(f"Only supports floating-point dtypes, but found: {input.dtype.legacy[:-6]}")
    if kind.real:
        check_real(name, "real-valued", input)
    if not plan.dims and kind.compute not in (fourier, inverse):
        raise RuntimeError(f"{name} must transform at least one axis")
    return delivered(f"fft_{name}", out, kind.compute, input, plan)


def along_two(name: str, *rows: str) -> Any:
    """The form of a kind of transform along two dimensions."""
    kind = KINDS[name]

    def transform(input: Tensor, s: Any = None, dim: Any = LAST_TWO, norm: Any = None, *, out: Any = None) -> Any:
        dims = some_integers(f"fft_{name}2", "dim", dim)
        plan = read_several(f"fft_{name}2", input.shape, s, dims, norm, kind.makes_real)
        return along_several(f"{name}n", kind, input, plan, out)

    return finished(f"{name}2", transform, SEVERAL.format(**TWO, **kind.words(GRID.format(f"{name}2", *rows))), grids)


def along_any(name: str, *rows: str) -> Any:
    """The form of a kind of transform along any dimensions."""
    kind = KINDS[name]

    def transform(input: Tensor, s: Any = None, dim: Any = None, norm: Any = None, *, out: Any = None) -> Any:
        plan = read_several(f"fft_{name}n", input.shape, s, dim, norm, kind.makes_real)
        return along_several(f"{name}n", kind, input, plan, out)

    return finished(f"{name}n", transform, SEVERAL.format(**MANY, **kind.words(GRID.format(f"{name}n", *rows))), grids)


c2c = complex_to_complex.native
COMPLEX = {np.dtype(np.float32): np.complex64, np.dtype(np.float64): np.complex128}


def spectrum_of_array(array: Any, s: Any, dim: Any, norm: Any, forward: bool = True) -> Any:
    """`fft2` of a matrix that lies in rows, where nothing is recorded."""
    if s is not None or norm is not None or dim is not LAST_TWO or array.ndim != 2:
        return NotImplemented
    if array.strides != (array.shape[1] * array.itemsize, array.itemsize):
        return NotImplemented
    given = array if array.dtype.kind == "c" else array.astype(COMPLEX[array.dtype])
    return c2c(given, (0, 1), 0 if forward else 2, forward)


def signal_of_array(array: Any, s: Any, dim: Any, norm: Any) -> Any:
    """`ifft2` of a matrix that lies in rows, where nothing is recorded."""
    return spectrum_of_array(array, s, dim, norm, False)


fft = along_one("fft", "10.+0.j, -2.+2.j, -2.+0.j, -2.-2.j")
ifft = along_one("ifft", " 2.5000-0.0000j, -0.5000-0.5000j, -0.5000-0.0000j, -0.5000+0.5000j")
rfft = along_one("rfft", "10.+0.j, -2.+2.j, -2.+0.j")
irfft = along_one("irfft", " 2.5000, -0.6667,  0.0000, -0.1667,  0.0000, -0.6667")
hfft = along_one("hfft", "15., -4.,  0., -1.,  0., -4.")
ihfft = along_one("ihfft", " 2.5000-0.0000j, -0.5000-0.5000j, -0.5000-0.0000j")
fft2 = along_two("fft", "10.+0.j, -2.+0.j", "-4.+0.j,  0.+0.j")
ifft2 = along_two("ifft", " 2.5000+0.j, -0.5000+0.j", "-1.0000+0.j,  0.0000+0.j")
rfft2 = along_two("rfft", "10.+0.j, -2.+0.j", "-4.+0.j,  0.+0.j")
irfft2 = along_two("irfft", " 2.5000, -0.5000", "-1.0000,  0.0000")
hfft2 = along_two("hfft", "10., -2.", "-4.,  0.")
ihfft2 = along_two("ihfft", " 2.5000-0.j, -0.5000-0.j", "-1.0000+0.j,  0.0000+0.j")
fftn = along_any("fft", "10.+0.j, -2.+0.j", "-4.+0.j,  0.+0.j")
ifftn = along_any("ifft", " 2.5000+0.j, -0.5000+0.j", "-1.0000+0.j,  0.0000+0.j")
rfftn = along_any("rfft", "10.+0.j, -2.+0.j", "-4.+0.j,  0.+0.j")
irfftn = along_any("irfft", " 2.5000, -0.5000", "-1.0000,  0.0000")
hfftn = along_any("hfft", "10., -2.", "-4.,  0.")
ihfftn = along_any("ihfft", " 2.5000-0.j, -0.5000-0.j", "-1.0000+0.j,  0.0000+0.j")
