"""Sums with a multiple of a product or quotient: addcmul and addcdiv."""

from __future__ import annotations

from functools import partial
from typing import Any

from ... import _kernels as kernels
from ..._core.cards.card import FLOATS, NUMBERS, Array, Bad, InPlace, Number, Sample, pointwise
from ..._core.operators.declaration import OLDER
from ..._core.types.dtypes import from_numpy
from ..dtype_checks import checked_number

native = kernels.direct_function

scaled_sum = partial(
    pointwise,
    numbers=False,
    inplace=True,
    describes="""
    Args:
        tensor1: tensor that broadcasts with `self`.
        tensor2: tensor that broadcasts with `self`.

    Returns:
        A new tensor of the broadcast shape and the promoted dtype.

    Raises:
        RuntimeError: if the shapes do not broadcast.
    """,
)
"""Card decorator for a sum with a multiple of a product or quotient."""


@scaled_sum(
    dtypes=NUMBERS, native=native("addcmul"), inplace=InPlace(native=native("addcmul_")), kernel="addcmul_cpu_out"
)
def addcmul(self: Array, tensor1: Array, tensor2: Array, *, value: Number = 1, out: Any = None) -> Any:
    """Sum of `self` and `value * tensor1 * tensor2`, element by element.

    Args:
        value: multiplier of the product.

    Examples:
        >>> import wengert as wg
        >>> wg.addcmul(wg.tensor([1.0, 1.0]), wg.tensor([2.0, 3.0]), wg.tensor([4.0, 5.0]), value=0.5)
        tensor([5.0000, 8.5000])
    """
    if self.dtype.kind in "iu":
        value = checked_number(value, from_numpy(self.dtype))
    product = kernels.multiply(tensor1, tensor2)
    return kernels.add(self, product if value == 1 else kernels.multiply(product, value), out=out)


OLDER[addcmul.name] = {"TNTT": ("value",)}


@addcmul.vjp("self", passes=True)
def addcmul_vjp_self(grad: Any) -> Any:
    return grad


addcmul.partials(tensor1=lambda tensor2, value: tensor2 * value, tensor2=lambda tensor1, value: tensor1 * value)


@addcmul.samples
def addcmul_samples(make: Any) -> Any:
    yield Sample(make(3, 4), make(3, 4), make(3, 4))
    yield Sample(make(3, 4), make(4), make(3, 1), value=2)
    yield Sample(make(0, 2), make(2), make())
    yield Bad(make(2), make(2), 2, raises=TypeError, says="must be Tensor, not int")


INTEGER_ADDCDIV = (
    "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true "
    "division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * "
    "torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) for "
    "float inputs. The future addcdiv behavior is just the latter implementation: (input + value * tensor1 / tensor2), "
    "for all dtypes."
)


def refuse_integer_quotient(values: list[Any]) -> None:
    """Refuse a quotient of integers."""
    if values[1].dtype.kind in "iub" and values[2].dtype.kind in "iub":
        raise RuntimeError(INTEGER_ADDCDIV)


@scaled_sum(dtypes=FLOATS, native=native("addcdiv"), inplace=InPlace(native=native("addcdiv_")))
def addcdiv(self: Array, tensor1: Array, tensor2: Array, *, value: Number = 1, out: Any = None) -> Any:
    """Sum of `self` and `value * tensor1 / tensor2`, element by element.

    Args:
        value: multiplier of the quotient.

    Raises:
        RuntimeError: if the shapes do not broadcast, or both terms of the quotient are integers.

    Examples:
        >>> import wengert as wg
        >>> wg.addcdiv(wg.tensor([1.0, 1.0]), wg.tensor([2.0, 3.0]), wg.tensor([4.0, 6.0]))
        tensor([1.5000, 1.5000])
    """
    numerator = tensor1 if value == 1 else kernels.multiply(tensor1, value)
    return kernels.add(self, kernels.divide(numerator, tensor2), out=out)


addcdiv.mixed = refuse_integer_quotient


OLDER[addcdiv.name] = {"TNTT": ("value",)}


@addcdiv.vjp("self", passes=True)
def addcdiv_vjp_self(grad: Any) -> Any:
    return grad


addcdiv.partials(
    tensor1=lambda tensor2, value: value / tensor2,
    tensor2=lambda tensor1, tensor2, value: -(value * tensor1 / (tensor2 * tensor2)),
)


@addcdiv.samples
def addcdiv_samples(make: Any) -> Any:
    yield Sample(make(3, 4), make(3, 4), make(3, 4, kind="nonzero"))
    yield Sample(make(3, 4), make(4), make(3, 1, kind="nonzero"), value=2)
    yield Sample(make(0, 2), make(2), make(kind="nonzero"))
    yield Bad(make(2), make(2), 2, raises=TypeError, says="must be Tensor, not int")
