"""Complex numbers of two real tensors: of their parts, or of absolute value and angle."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..._core.cards.card import Array, Bad, Out, Sample, op
from ..._core.operators.batch_rules import elementwise
from ..._core.recording.recorded import conjugate
from ..._core.types.dtypes import from_numpy
from ..._core.types.sizes import broadcast
from .binary import native
from .complex import COMPLEX_OF, NO_HALVES, PARTS


def check_parts(name: str, first: Any, second: Any) -> None:
    """Refuse parts of different dtypes, shapes that do not broadcast, and parts that are not floating-point.

    Raises:
        RuntimeError: if the parts are refused.
    """
    if first.dtype == second.dtype and first.dtype in COMPLEX_OF:
        broadcast(first.shape, second.shape)
        return
    names = [from_numpy(operand.dtype).legacy.removesuffix("Tensor") for operand in (first, second)]
    if first.dtype.kind != "f" or second.dtype.kind != "f":
        raise RuntimeError(
            f"{name}(): Expected both inputs to be Half, Float or Double tensors but got {names[0]} and {names[1]}"
        )
    if first.dtype != second.dtype:
        raise RuntimeError(
            f"{name}(): Expected object of scalar type {names[0]} but got scalar type {names[1]} for second argument"
        )
    raise NotImplementedError(NO_HALVES.format(name))


def parts(make: Any) -> Any:
    """Samples of a function that makes complex numbers from two real tensors."""
    yield Sample(make(3, 4, kind="positive"), make(3, 4))
    yield Sample(make(3, 1, kind="positive"), make(4))
    yield Sample(make(kind="positive"), make())
    yield Sample(make(0, 2, kind="positive"), make(2))
    yield Bad(make(2, kind="positive"), make(3), raises=RuntimeError, says="must match the size of tensor b")


PART_OUT = "Expected object of scalar type {wanted} but got scalar type {found} for argument 'out'"


of_parts = partial(
    op,
    layout="iterator",
    dtypes=PARTS,
    larger=True,
    public="function",
    batching=elementwise,
    out=Out(words=PART_OUT),
    samples=parts,
    describes="""
    Returns:
        A new complex tensor of the broadcast shape.

    Raises:
        RuntimeError: if the dtypes differ or are neither float32 nor float64, or the shapes do not broadcast.
    """,
)
"""Card decorator for complex numbers of two real tensors."""


@of_parts(native=native("complex"))
def complex(real: Array, imag: Array) -> Any:
    """Complex numbers real + imag * 1j, element by element.

    Args:
        real: tensor of float32 or float64.
        imag: tensor of the same dtype that broadcasts with `real`.

    Examples:
        >>> import wengert as wg
        >>> wg.complex(wg.tensor([1.0, 2.0]), wg.tensor([3.0, 4.0]))
        tensor([1.+3.j, 2.+4.j])
    """
    check_parts("complex", real, imag)
    result = np.empty(broadcast(real.shape, imag.shape), COMPLEX_OF[real.dtype])
    result.real, result.imag = real, imag
    return result


@complex.vjp("real")
def complex_vjp_real(grad: Any) -> Any:
    return grad.real


@complex.vjp("imag")
def complex_vjp_imag(grad: Any) -> Any:
    return grad.imag


@complex.jvp("real", "imag")
def complex_of_jvp(real_tangent: Any, imag_tangent: Any) -> Any:
    return complex(real_tangent, imag_tangent)


@of_parts(native=native("polar"))
def polar(abs: Array, angle: Array) -> Any:
    """Complex numbers with absolute value `abs` and angle `angle`, element by element.

    Args:
        abs: tensor of float32 or float64.
        angle: tensor of the same dtype that broadcasts with `abs`, in radians.

    Examples:
        >>> import wengert as wg
        >>> wg.polar(wg.tensor([1.0, 2.0]), wg.tensor([0.0, 1.0]))
        tensor([1.0000+0.0000j, 1.0806+1.6829j])
    """
    check_parts("polar", abs, angle)
    result = np.empty(broadcast(abs.shape, angle.shape), COMPLEX_OF[abs.dtype])
    result.real, result.imag = abs * np.cos(angle), abs * np.sin(angle)
    return result


@polar.vjp("abs")
def polar_vjp_abs(grad: Any, angle: Any) -> Any:
    return (conjugate(grad) * complex(angle.cos(), angle.sin())).real


@polar.vjp("angle")
def polar_vjp_angle(grad: Any, out: Any) -> Any:
    return (conjugate(grad) * out * 1j).real


@polar.jvp("abs")
def polar_jvp_abs(tangent: Any, angle: Any) -> Any:
    return complex(tangent * angle.cos(), tangent * angle.sin())


@polar.jvp("angle")
def polar_jvp_angle(tangent: Any, out: Any) -> Any:
    return out * tangent * 1j
