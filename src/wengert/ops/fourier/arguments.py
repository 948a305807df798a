"""Arguments of the functions of `fft`: lengths, dimensions and normalisation, read and checked before any work."""

from __future__ import annotations

from typing import Any, NamedTuple

from ... import _kernels as kernels
from ..._core import errors
from ..._core.cards.arguments import integer, some_integers
from ..._core.types import dtypes
from ..._core.types.sizes import check_room, normalise
from ..images.pad import constant_pad_nd
from .transforms import SIGNALS

NATIVE = {name: kernels.direct_function(f"{name}_arguments") for name in ("fft", "ifft", "rfft", "irfft")}
"""Native functions that return the operators' arguments in plain cases; None without the extension."""

NORMS = {"forward": (2, 0), "ortho": (1, 1), "backward": (0, 2)}
"""Scale of the sums (see the operators' `normalization`) by name of a normalisation: forward and inverse."""


class Plan(NamedTuple):
    """Plan of a transform.

    Attributes:
        dims: the dimensions, counted from the front.
        lengths: number of elements along each dimension; missing ones count as zeros.
        points: number of points of the last dimension, real ones for half a spectrum.
        scales: scales of a forward and an inverse transform, from `NORMS`.
    """

    dims: tuple[int, ...]
    lengths: tuple[int, ...]
    points: int
    scales: tuple[int, int]


def read_norm(name: str, norm: Any) -> tuple[int, int]:
    """Return the scales of a normalisation.

    Raises:
        TypeError: if `norm` is neither a string nor None.
        RuntimeError: if the name is unknown.
    """
    if norm is None:
        return NORMS["backward"]
    if not isinstance(norm, str):
        raise TypeError(f"{name}(): argument 'norm' must be str, not {type(norm).__name__}")
    if norm not in NORMS:
        raise RuntimeError(f'Invalid normalization mode: "{norm}"; {name}() knows "backward", "ortho" and "forward"')
    return NORMS[norm]


def read_dim(dim: int, ndim: int) -> int:
    """Return a dimension, counted from the front.

    Raises:
        IndexError: if `dim` is out of range.
    """
    if not ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return normalise(dim, ndim)


def check_points(count: int) -> int:
    """Return a number of points; refuse 0.

    Raises:
        RuntimeError: if there are no points.
    """
    if count < 1:
        raise RuntimeError(f"Invalid number of data points ({count}) specified")
    return count


def read_one(name: str, shape: Any, n: Any, dim: Any, norm: Any, halved: bool) -> Plan:
    """Return the plan of a transform along one dimension.

    Args:
        name: name of the function, for errors.
        shape: shape of its input.
        n, dim, norm: its arguments.
        halved: whether the input is half a spectrum.

    Raises:
        TypeError, RuntimeError, IndexError: if an argument is wrong.
    """
    at = read_dim(integer(name, "dim", dim), len(shape))
    length = None if n is None else integer(name, "n", n)
    points = check_points((2 * (shape[at] - 1) if halved else shape[at]) if length is None else length)
    taken = shape[at] if length is None else points // 2 + 1 if halved else points
    return Plan((at,), (taken,), points, read_norm(name, norm))


def read_several(name: str, shape: Any, s: Any, dim: Any, norm: Any, halved: bool) -> Plan:
    """Return the plan of a transform along several dimensions; the arguments are those of `read_one`.

    Raises:
        TypeError, RuntimeError, IndexError: if an argument is wrong.
    """
    sizes = None if s is None else some_integers(name, "s", s)
    named = None if dim is None else tuple([read_dim(axis, len(shape)) for axis in some_integers(name, "dim", dim)])
    if named is not None and len(set(named)) < len(named):
        raise RuntimeError("FFT dims must be unique")
    if sizes is not None and named is not None and len(sizes) != len(named):
        raise RuntimeError("When given, dim and shape arguments must have the same length")
    if sizes is not None and len(sizes) > len(shape):
        raise RuntimeError(f"Got shape with {len(sizes)} values but input tensor only has {len(shape)} dimensions.")
    count = len(shape) if sizes is None else len(sizes)
    dims = tuple(range(len(shape) - count, len(shape))) if named is None else named
    lengths = [shape[at] if length == -1 else length for at, length in zip(dims, sizes or (-1,) * len(dims))]
    for length in lengths:
        check_points(length)
    points = lengths[-1] if lengths else 0
    if halved and lengths:
        if sizes is None or sizes[-1] == -1:
            points = check_points(2 * (shape[dims[-1]] - 1))
        lengths[-1] = points // 2 + 1
    return Plan(dims, tuple(lengths), points, read_norm(name, norm))


def promoted(input: Any, *, to_complex: bool = False) -> Any:
    """Convert a tensor to a dtype that can be transformed.

    Raises:
        RuntimeError: if the dtype is half precision.
    """
    kind = input.dtype
    if kind.category < dtypes.FLOAT:
        kind = dtypes.get_default_dtype()
    if not kind.is_complex and kind not in SIGNALS:
        raise RuntimeError(f"Unsupported dtype {kind.legacy[:-6]}")
    if to_complex and not kind.is_complex:
        kind = kind.to_complex()
    return input if kind is input.dtype else input.to(kind)


def resized(input: Any, plan: Plan) -> Any:
    """Cut a tensor, or append zeros, to the lengths of a plan.

    Raises:
        RuntimeError: if the result does not fit in memory.
    """
    borders = [0] * (2 * input.ndim)
    for dim, length in zip(plan.dims, plan.lengths):
        if input.shape[dim] > length:
            input = input.narrow(dim, 0, length)
        borders[2 * (input.ndim - dim) - 1] = length - input.shape[dim]
    if not any(borders):
        return input
    check_room("fft", [length + more for length, more in zip(input.shape, borders[::-2])], input.element_size())
    return constant_pad_nd(input, tuple(borders))


def check_real(name: str, words: str, input: Any) -> None:
    """Refuse complex input.

    Raises:
        RuntimeError: if the input is complex.
    """
    if input.dtype.is_complex:
        raise RuntimeError(f"{name} expects a {words} input tensor, but got {input.dtype.legacy[:-6]}")


def check_out(name: str, out: Any, *, wants_complex: bool) -> None:
    """Refuse an output of the other kind of number.

    Raises:
        TypeError: if `out` is not a tensor.
        RuntimeError: if it is of the other kind.
    """
    if out is None:
        return
    if not hasattr(out, "dtype"):
        raise TypeError(errors.wrong_out(name, "Tensor", out))
    kind = out.dtype
    if kind.is_complex if wants_complex else kind.is_floating_point:
        return
    wanted = "complex" if wants_complex else "floating point"
    shown = "fftn" if name == "ifftn" else name  # torch has one function for both
    raise RuntimeError(f"{shown} expects a {wanted} output tensor, but got {kind.legacy[:-6]}")
