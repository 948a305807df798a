"""Linear map of a layer."""

from __future__ import annotations

import math
from typing import Any

from ..._core import errors
from ..._core.calls.out import put
from ..._core.cards.arguments import check_tensors
from ..._core.cards.card import Bad, Sample, composite
from ..._core.cards.plain_case import FUNCTIONAL, plain_case
from ..._core.out_errors import EXACT
from ..._core.tensor.base import Tensor
from ..._core.tensor.batches import is_batched
from ..shapes.views import t as transposed
from .addmm import addmm
from .products import mm


@composite(method=False, function=False)
def linear(input: Any, weight: Any, bias: Any = None, *, out: Any = None) -> Any:
    """Return input @ weight.t() + bias, the map of a linear layer.

    Args:
        input: (..., inputs).
        weight: (outputs, inputs), or (inputs,) for a single output without dimension.
        bias: (outputs,), or None.
        out: a tensor to write into.

    Returns:
        A new tensor (..., outputs).

    Raises:
        RuntimeError: if shapes or dtypes do not fit.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.linear(wg.tensor([1.0, 2.0]), wg.tensor([[1.0, 1.0], [0.0, 3.0]]), wg.tensor([0.5, 0.0]))
        tensor([3.5000, 6.0000])
    """
    if not (isinstance(input, Tensor) and isinstance(weight, Tensor) and (bias is None or isinstance(bias, Tensor))):
        check_tensors("linear", input=input, weight=weight, **({} if bias is None else {"bias": bias}))
    if out is not None:
        return put("linear", out, linear(input, weight, bias), words=EXACT)
    ndim = input._array_.ndim
    if not ndim or not weight._array_.ndim:
        raise RuntimeError(f"both arguments to linear need to be at least 1D, but they are {ndim}D and {weight.ndim}D")
    return put("linear", out, mapped(input, weight, bias), words=EXACT)


def mapped(input: Any, weight: Any, bias: Any) -> Any:
    """`linear` of tensors with at least one dimension."""
    ndim = input._array_.ndim
    if bias is None:
        return input.matmul(weight.t())
    if ndim == 2:
        return addmm(bias, input, weight.t())
    if ndim == 1 and is_batched(input):
        return bias.addmv(weight, input)
    along_one = bias.ndim == 1 or sum(length != 1 for length in bias.shape) == 1
    if along_one and input.is_contiguous():  # all rows concatenated; a bias may have a number for each
        shape = input.shape
        rows = input.view(math.prod(shape[:-1]), shape[-1])
        result = addmm(bias, rows, weight.t())
        return result.view((*shape[:-1], result.shape[1]))
    product = input.matmul(weight.t())
    result = product + bias
    if result.shape != product.shape:  # torch adds in place
        raise RuntimeError(errors.target_shape(product.shape, result.shape))
    return result


@linear.samples
def linear_samples(make: Any) -> Any:
    yield Sample(make(2, 3), make(4, 3), make(4))
    yield Sample(make(2, 3), make(4, 3))
    yield Sample(make(2, 2, 3), make(4, 3), make(4))
    yield Sample(make(3), make(4, 3), make(4))
    yield Sample(make(2, 3), make(3))
    yield Bad(make(2, 3), make(4, 2), raises=RuntimeError, says="cannot be multiplied (2x3 and 2x4)")


linear = plain_case(linear, addmm, places=(2, 0, 1, -1, -1), prepare=((2, transposed, ()),), module=FUNCTIONAL)
linear = plain_case(linear, mm, places=(0, 1), prepare=((1, transposed, ()),), module=FUNCTIONAL)
