"""Checks of values that programs assign to attributes of a tensor, before anything is changed."""

from __future__ import annotations

from typing import Any

from .. import errors, flags
from ..types.dtypes import dtype, from_numpy


def check_flag(wanted: Any) -> None:
    """Refuse a value for `requires_grad` that is not a bool.

    Raises:
        RuntimeError: if it is not a bool.
    """
    if wanted is not True and wanted is not False:
        raise RuntimeError(f"requires_grad must be a bool, not {type(wanted).__name__}")


def check_leaf(inexact: bool, word: int) -> None:
    """Refuse a tensor that cannot require a gradient.

    Args:
        inexact: its values can have derivatives.
        word: its flags, without that of inference tensors where that mode is on.

    Raises:
        RuntimeError: if its dtype is integer or bool, or it is an inference tensor.
        ValueError: if it is volatile.
    """
    if not inexact:
        raise RuntimeError(errors.REQUIRES_GRAD_DTYPE)
    if word & flags.INFERENCE:
        raise RuntimeError(errors.INFERENCE_REQUIRES_GRAD)
    if word & flags.VOLATILE:
        raise ValueError(errors.VOLATILE_REQUIRES_GRAD)


def title(kind: dtype) -> str:
    """Return the name of a dtype in torch's errors, such as "Double"."""
    return kind.legacy.removesuffix("Tensor")


def wanted_dtype(tensor: Any) -> Any:
    """Return the NumPy dtype that the gradient of a tensor is to have, see `AutogradMeta`; `...` for any."""
    meta = tensor._meta_
    return tensor._array_.dtype if meta is None or meta.grad_dtype is None else meta.grad_dtype


def check_grad_dtype(tensor: Any, wanted: Any) -> None:
    """Refuse a `grad_dtype` that a tensor's gradients cannot have.

    Args:
        wanted: a dtype, or None for any.

    Raises:
        RuntimeError: if the tensor is not a leaf, or has a gradient of another dtype, or no gradient can have `wanted`.
    """
    if tensor._edge_ is not None:
        raise RuntimeError("grad_dtype can only be set on leaf tensors.")
    if wanted is None:
        return
    if not isinstance(wanted, dtype):
        raise RuntimeError(f"grad_dtype must be a torch.dtype or None, but got {type(wanted).__name__}")
    if wanted is not tensor.dtype and not (wanted.is_floating_point or wanted.is_complex):
        raise RuntimeError(f"grad_dtype must be a floating point or complex dtype, but got {wanted}")
    grad = None if tensor._meta_ is None else tensor._meta_.grad
    if grad is not None and grad.dtype is not wanted:
        raise RuntimeError(
            f"Cannot set grad_dtype to '{title(wanted)}' because there is already a gradient with dtype "
            f"'{grad.dtype.c_name}'. Please clear the gradient (.grad = None) before changing grad_dtype, or ensure "
            "the new grad_dtype matches the existing gradient's dtype."
        )


def check_assigned_grad(tensor: Any, value: Any) -> None:
    """Refuse a `.grad` that does not fit its tensor.

    Raises:
        TypeError: if `value` is not a tensor.
        RuntimeError: if its shape or dtype differs, or it is the tensor itself.
    """
    if not hasattr(type(value), "_array_"):
        raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}")
    if (value._flags_ ^ tensor._flags_) & flags.SPARSE and value.device != tensor.device:
        raise RuntimeError(
            f"attempting to assign a gradient with device type '{value.device.type}' to a tensor with device type "
            f"'{tensor.device.type}'. Please ensure that the gradient and the tensor are on the same device"
        )
    if value is tensor:
        raise RuntimeError("can't assign Variable as its own grad")
    wanted = wanted_dtype(tensor)
    if wanted is not ... and value._array_.dtype != wanted:
        raise RuntimeError(
            f"attempting to assign a gradient with dtype '{value.dtype.c_name}' to a tensor with grad_dtype "
            f"'{title(from_numpy(wanted))}'. The gradient must match the tensor's grad_dtype (defaults to the tensor's "
            "dtype). You can set the tensor's grad_dtype attribute with a specific dtype, or None to allow any dtype. "
            "Do so with care: optimisers and others may count on equal dtypes."
        )
    if value._array_.shape != tensor._array_.shape:
        raise RuntimeError(
            f"attempting to assign a gradient of size '{errors.shown(value._array_.shape)}' to a tensor of size "
            f"'{errors.shown(tensor._array_.shape)}'. Please ensure that the gradient and the tensor are the same size"
        )
