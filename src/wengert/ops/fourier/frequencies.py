"""Frequencies of the terms of a spectrum, and their order."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import errors
from ..._core.cards.arguments import integer, some_integers
from ..._core.cards.card import Bad, Sample, composite
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from ..._core.types.dtypes import dtype as DType
from ..._kernels import positions
from ..create.factory import check_place, deliver, read_number, result_dtype
from ..family import describes
from .arguments import read_dim


def frequencies(
    name: str, n: Any, d: Any, dtype: Any, place: tuple[Any, bool, Any], requires_grad: bool, out: Any
) -> Any:
    """Return the frequencies of all terms, or of those of `rfft`; `place` is device, pinned memory and layout."""
    check_place(f"fft_{name}", *place)
    count = integer(f"fft_{name}", "n", n)
    element = result_dtype(f"fft_{name}", dtype, out, dtypes.get_default_dtype())
    if element.category < dtypes.FLOAT:
        raise RuntimeError(f"{name} requires a floating point or complex dtype")
    if element.is_complex:
        raise NotImplementedError(errors.no_kernel("arange_cpu", element))
    spacing = read_number(f"fft_{name}", "d", 2, d)
    if name == "rfftfreq":
        terms = int(count / 2) + 1
    else:
        terms = count
    if terms < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {terms}: [{terms}]")
    places = positions.arange(terms)
    if name == "fftfreq":
        places[(count + 1) // 2 :] -= count
    with np.errstate(all="ignore"):
        step = np.float64(1) / (np.float64(count) * spacing)
        result = places.astype(element.numpy) * element.numpy.type(step)
    return deliver(f"fft_{name}", result, requires_grad, out)


@composite(method=False, function=False)
def fft_fftfreq(
    n: int,
    d: float = 1.0,
    *,
    out: Tensor | None = None,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Frequencies of the terms of a transform of `n` points: positive ones, then negative ones from the lowest.

    Args:
        n: number of points.
        d: their distance.
        out, dtype, layout, device, pin_memory, requires_grad: as for `zeros`.

    Returns:
        A new tensor (n,): the integers from 0 and from -(n // 2) to -1, divided by n d.

    Raises:
        RuntimeError: if `n` is negative, or the dtype is an integer type.

    Examples:
        >>> import wengert as wg
        >>> wg.fft.fftfreq(5)
        tensor([ 0.0000,  0.2000,  0.4000, -0.4000, -0.2000])
    """
    return frequencies("fftfreq", n, d, dtype, (device, pin_memory, layout), requires_grad, out)


@composite(method=False, function=False)
def fft_rfftfreq(
    n: int,
    d: float = 1.0,
    *,
    out: Tensor | None = None,
    dtype: DType | None = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Frequencies of the terms of `rfft` of `n` points.

    Args:
        n, d, out, dtype, layout, device, pin_memory, requires_grad: as for `fftfreq`.

    Returns:
        A new tensor (n // 2 + 1,): the integers from 0, divided by n d.

    Raises:
        RuntimeError: if the dtype is an integer type.

    Examples:
        >>> import wengert as wg
        >>> wg.fft.rfftfreq(5)
        tensor([0.0000, 0.2000, 0.4000])
    """
    return frequencies("rfftfreq", n, d, dtype, (device, pin_memory, layout), requires_grad, out)


@fft_fftfreq.samples
@fft_rfftfreq.samples
def counts(make: Any) -> Any:
    """Samples of frequencies."""
    yield Sample(5)
    yield Sample(4, 0.5, dtype=dtypes.float64)
    yield Bad(2.5, raises=TypeError, says="argument 'n' must be int, not float")
    yield Bad(4, dtype=dtypes.int64, raises=RuntimeError, says="requires a floating point or complex dtype")


def moved(name: str, input: Any, dim: Any, more: int) -> Any:
    """Move half of each dimension to its other end: the longer half of an odd length if `more` is 1."""
    dims = (
        range(input.ndim) if dim is None else [read_dim(axis, input.ndim) for axis in some_integers(name, "dim", dim)]
    )
    return input.roll(tuple([(input.shape[axis] + more) // 2 for axis in dims]), tuple(dims))


SHIFTED = """
    Args:
        input: tensor, in the order of {order}.
        dim: the dimension or dimensions; all by default.

    Returns:
        A new tensor.

    Raises:
        RuntimeError: if the tensor has no dimensions.
        IndexError: if `dim` is out of range.

    Examples:
        >>> import wengert as wg
        >>> wg.fft.{call}
        tensor([{values}])
    """


@composite(method=False, function=False)
@describes(
    SHIFTED, order="`fft`", call="fftshift(wg.fft.fftfreq(5))", values="-0.4000, -0.2000,  0.0000,  0.2000,  0.4000"
)
def fft_fftshift(input: Tensor, dim: Any = None) -> Any:
    """Order the terms of a spectrum by their frequencies, with 0 in the middle."""
    return moved("fft_fftshift", input, dim, 0)


@composite(method=False, function=False)
@describes(
    SHIFTED, order="the frequencies", call="ifftshift(wg.tensor([-2, -1, 0, 1, 2]))", values=" 0,  1,  2, -2, -1"
)
def fft_ifftshift(input: Tensor, dim: Any = None) -> Any:
    """The inverse of `fftshift`: the terms of a spectrum in the order of `fft`."""
    return moved("fft_ifftshift", input, dim, 1)


@fft_fftshift.samples
@fft_ifftshift.samples
def spectra(make: Any) -> Any:
    """Samples of spectra."""
    yield Sample(make(5))
    yield Sample(make(3, 4))
    yield Sample(make(3, 4), 1)
    yield Sample(make(3, 4), (0, -1))
    yield Bad(make(3), 1, raises=IndexError, says="Dimension out of range (expected to be in range of [-1, 0], but got")
    yield Bad(make(), 0, raises=IndexError, says="Dimension specified as 0 but tensor has no dimensions")
    yield Bad(make(), raises=RuntimeError, says="`shifts` required")
