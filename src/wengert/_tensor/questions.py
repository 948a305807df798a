"""Functions that tell something about tensors without computing with them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core import errors, flags
from .._core.calls.asking import asks_itself
from .._core.cards.arguments import asked_or_refused, asking
from .._core.tensor.base import Tensor
from .._core.types import dtypes
from .._core.types.dtypes import dtype

_IN_PACKAGE = ("is_inference", "numel", "result_type")


@asks_itself("is_inference")
def is_inference(input: Tensor) -> bool:
    """Whether this is an inference tensor: one made in `inference_mode`, or a view of one.

    Raises:
        TypeError: it is no tensor.
    """
    if not isinstance(input, Tensor):
        error = TypeError(errors.wrong_type("is_inference", "input", 1, "Tensor", input))
        return asked_or_refused(is_inference, error, input)  # type: ignore[no-any-return]
    return bool(input._flags_ & flags.INFERENCE)


@asks_itself("numel")
def numel(input: Tensor) -> int:
    """How many elements there are.

    Raises:
        TypeError: it is no tensor.
    """
    if not isinstance(input, Tensor):
        error = TypeError(errors.wrong_type("numel", "input", 1, "Tensor", input))
        return asked_or_refused(numel, error, input)  # type: ignore[no-any-return]
    return int(input._array_.size)


RESULT_TYPE_NAMES = (("tensor", "other"), ("scalar", "tensor"), ("scalar1", "scalar2"))
"""How torch names the arguments of `result_type`, which may be tensors or numbers."""


@asking
def result_type(*operands: Any, **named: Any) -> dtype:
    """Return the dtype of an operation on two tensors or numbers.

    Args:
        operands: two tensors or numbers.
        named: the same by one of the pairs of names `tensor`, `other`; `scalar`, `tensor`; `scalar1`, `scalar2`.

    Raises:
        TypeError: if there are not two, or one is something else.

    >>> import wengert as wg
    >>> wg.result_type(wg.tensor([1, 2]), 1.0)
    torch.float32
    """
    for names in RESULT_TYPE_NAMES:
        rest = names[len(operands) :]
        if named and set(rest) == named.keys():
            operands, named = (*operands, *[named[name] for name in rest]), {}
    known = all(isinstance(operand, (Tensor, int, float, complex, np.generic)) for operand in operands)
    if len(operands) != 2 or named or not known:
        given = ", ".join(type(each).__name__ for each in operands)
        raise TypeError(f"result_type() takes tensors and numbers: invalid combination of arguments - got ({given})")
    arrays = [each._array_ for each in operands if isinstance(each, Tensor)]
    plain = [each.item() if isinstance(each, np.generic) else each for each in operands if not isinstance(each, Tensor)]
    return dtypes.result_type(arrays, plain)
