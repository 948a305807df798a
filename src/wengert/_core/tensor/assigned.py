"""What programs may assign to the attributes of a tensor: refused before anything is changed."""

from __future__ import annotations

from typing import Any

from .. import errors, flags


def check_flag(wanted: Any) -> None:
    """Refuse what `requires_grad` cannot be.

    Raises:
        RuntimeError: it is no bool.
    """
    if wanted is not True and wanted is not False:
        raise RuntimeError(f"requires_grad must be a bool, not {type(wanted).__name__}")


def check_leaf(inexact: bool, word: int) -> None:
    """Refuse a tensor that cannot require a gradient.

    Args:
        inexact: its values can have derivatives.
        word: its flags, without that of inference tensors where that mode is on.

    Raises:
        RuntimeError: it is of integers or booleans, or an inference tensor.
        ValueError: it is volatile.
    """
    if not inexact:
        raise RuntimeError(errors.REQUIRES_GRAD_DTYPE)
    if word & flags.INFERENCE:
        raise RuntimeError(errors.INFERENCE_REQUIRES_GRAD)
    if word & flags.VOLATILE:
        raise ValueError(errors.VOLATILE_REQUIRES_GRAD)


def check_assigned_grad(tensor: Any, value: Any) -> None:
    """Refuse a `.grad` that does not fit its tensor.

    Raises:
        TypeError: it is no tensor.
        RuntimeError: its shape or dtype differs, or it is the tensor itself.
    """
    if not hasattr(type(value), "_array_"):
        raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}")
    if value is tensor:
        raise RuntimeError("can't assign Variable as its own grad")
    if value._array_.dtype != tensor._array_.dtype:
        raise RuntimeError(
            f"attempting to assign a gradient with dtype '{value.dtype.name}' to a tensor with dtype "
            f"'{tensor.dtype.name}'. Please ensure that the gradient and the tensor have the same dtype"
        )
    if value._array_.shape != tensor._array_.shape:
        raise RuntimeError(
            f"attempting to assign a gradient of size '{errors.shown(value._array_.shape)}' to a tensor of size "
            f"'{errors.shown(tensor._array_.shape)}'. Please ensure that the gradient and the tensor are the same size"
        )
