"""`torch._utils`: helpers that libraries use: flattened tensors, errors of workers and others."""

from __future__ import annotations

import importlib
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from wengert._tensor import Tensor

__all__ = ["ExceptionWrapper", "KeyErrorMessage", "classproperty"]


def _flatten_dense_tensors(tensors: Sequence[Any]) -> Tensor:
    """One tensor with the elements of all, one after the other; it is recorded as `cat` is."""
    flat = [tensor.contiguous().view(-1) for tensor in tensors]
    return flat[0].new_empty(0) if not flat else importlib.import_module(str(__package__)).cat(flat)


def _unflatten_dense_tensors(flat: Any, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Return the parts of a result of `_flatten_dense_tensors`, as views in the shapes of the tensors."""
    parts, begin = [], 0
    for tensor in tensors:
        count = tensor.numel()
        parts.append(flat.narrow(0, begin, count).view_as(tensor))
        begin += count
    return tuple(parts)


def _take_tensors(tensors: Iterable[Any], size_limit: int) -> Iterator[list[Any]]:
    """Lists of tensors of one dtype that take at most so many bytes; a larger tensor is alone in its list."""
    open_: dict[Any, tuple[list[Any], int]] = {}
    for tensor in tensors:
        held, size = open_.get(tensor.dtype, ([], 0))
        added = tensor.numel() * tensor.element_size()
        if held and size + added > size_limit:
            yield held
            held, size = [], 0
        open_[tensor.dtype] = ([*held, tensor], size + added)
    for held, _ in open_.values():
        yield held


def _reorder_tensors_as(tensors: Iterable[Any], ordered_tensors: Iterable[Any]) -> tuple[Any, ...]:
    """The tensors, those of each type in their order, with the types in the order of other tensors."""
    of_type: dict[str, list[Any]] = {}
    for tensor in tensors:
        of_type.setdefault(tensor.type(), []).append(tensor)
    left = {kind: iter(held) for kind, held in of_type.items()}
    return tuple([next(left[tensor.type()]) for tensor in ordered_tensors])


def _element_size(dtype: Any) -> int:
    """The bytes that an element takes."""
    return int(dtype.itemsize)


def _import_dotted_name(name: str) -> Any:
    """Import the object of a dotted name that begins with a module."""
    first, *rest = name.split(".")
    value: Any = importlib.import_module(first)
    for part in rest:
        value = getattr(value, part)
    return value


def _get_device_index(device: Any, optional: bool = False, allow_cpu: bool = False) -> int:
    """Return the number of a device: -1 for the CPU; names of accelerators are refused.

    Args:
        device: a number, a device or its name; None for the current one.
        optional: whether None is allowed.
        allow_cpu: whether the CPU may be named.

    Raises:
        ValueError: if `device` does not name an accelerator, unless it is the CPU and `allow_cpu` is True.
    """
    if isinstance(device, int) and not isinstance(device, bool):
        return device
    kind = str(getattr(device, "type", device)).partition(":")[0]
    if allow_cpu and kind == "cpu":
        return -1
    named = "" if device is None and optional else f", but got: {device}"
    raise ValueError(f"Expected a torch.device with a specified index or an integer{named}")


def _get_available_device_type() -> None:
    """Return None: there is no accelerator."""


def _get_all_device_indices() -> list[int]:
    """Return an empty list: there is no accelerator."""
    return []


def is_compiling() -> bool:
    """False: nothing is compiled."""
    return False


class KeyErrorMessage(str):
    """A text that an error of a missing key shows with its lines."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class ExceptionWrapper:
    """An error of a worker, to be raised again where its result is taken.

    Args:
        exc_info: result of `sys.exc_info`; the current error if not given.
        where: where it was raised, for the message.
    """

    def __init__(self, exc_info: Any = None, where: str = "in background") -> None:
        kind, error, tb = sys.exc_info() if exc_info is None else exc_info
        self.exc_type: Any = kind
        self.exc_msg = "".join(traceback.format_exception(kind, error, tb))
        self.where = where

    def reraise(self) -> None:
        """Raise an error of the same type, with the traceback of the original in its message."""
        message = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        if self.exc_type is KeyError:
            message = KeyErrorMessage(message)
        try:
            error = self.exc_type(message)
        except Exception:  # it takes other arguments
            raise RuntimeError(message) from None
        raise error


class classproperty:  # noqa: N801 - torch's name
    """A property of a class, read on it or on its instances.

    Args:
        func: a function of the class.
    """

    def __init__(self, func: Callable[[Any], Any]) -> None:
        self.fget = func

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self.fget(type(instance) if owner is None else owner)
