"""Functions that tell something about tensors without computing with them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._core import errors, flags
from ._core.tensor.base import Tensor
from ._core.types import dtypes
from ._core.types.dtypes import dtype


def is_inference(input: Tensor) -> bool:
    """Whether this is an inference tensor: one made in `inference_mode`, or a view of one.

    Raises:
        TypeError: it is no tensor.
    """
    if not isinstance(input, Tensor):
        raise TypeError(errors.wrong_type("is_inference", "input", 1, "Tensor", input))
    return bool(input._flags_ & flags.INFERENCE)


def numel(input: Tensor) -> int:
    """How many elements there are.

    Raises:
        TypeError: it is no tensor.
    """
    if not isinstance(input, Tensor):
        raise TypeError(errors.wrong_type("numel", "input", 1, "Tensor", input))
    return int(input._array_.size)


def result_type(tensor1: Any, tensor2: Any) -> dtype:
    """The dtype of an operation on two tensors or numbers.

    >>> import wengert as wg
    >>> wg.result_type(wg.tensor([1, 2]), 1.0)
    torch.float32
    """
    operands = (tensor1, tensor2)
    if not all(isinstance(each, (Tensor, int, float, complex, np.generic)) for each in operands):
        given = ", ".join(type(each).__name__ for each in operands)
        raise TypeError(f"result_type() takes tensors and numbers: invalid combination of arguments - got ({given})")
    arrays = [each._array_ for each in operands if isinstance(each, Tensor)]
    plain = [each.item() if isinstance(each, np.generic) else each for each in operands if not isinstance(each, Tensor)]
    return dtypes.result_type(arrays, plain)
