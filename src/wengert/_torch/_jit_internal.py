"""`torch._jit_internal`: marks for torch's compiler of programs, of which there is none: Python itself runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import (  # noqa: UP035 - names that libraries import from here
    Any,
    Final as Final,
    Generic,
    List as List,
    Optional as Optional,
    Tuple as Tuple,
    TypeVar,
)

from .jit import annotate, export, ignore, is_scripting, unused

__all__ = [
    "BroadcastingList1",
    "BroadcastingList2",
    "BroadcastingList3",
    "BroadcastingList4",
    "BroadcastingListx",
    "Final",
    "List",
    "Optional",
    "Tuple",
    "annotate",
    "boolean_dispatch",
    "export",
    "ignore",
    "is_scripting",
    "unused",
]

Element = TypeVar("Element")


class BroadcastingListx(Generic[Element]):
    """Annotation of a number, or a list of numbers."""


BroadcastingList1 = BroadcastingList2 = BroadcastingList3 = BroadcastingList4 = BroadcastingListx


def boolean_dispatch(
    arg_name: str,
    arg_index: int,
    default: bool,
    if_true: Callable[..., Any],
    if_false: Callable[..., Any],
    module_name: str,
    func_name: str,
) -> Callable[..., Any]:
    """A function that is one of two, as one of its arguments says.

    Args:
        arg_name, arg_index: the name of that argument, and its place among those by position.
        default: default of the parameter.
        if_true, if_false: the two functions.
        module_name, func_name: names of the function.
    """

    def chosen(*args: Any, **kwargs: Any) -> Any:
        condition = kwargs.get(arg_name, args[arg_index] if arg_index < len(args) else default)
        return (if_true if condition else if_false)(*args, **kwargs)

    chosen.__doc__ = if_true.__doc__ or if_false.__doc__
    chosen.__module__, chosen.__name__ = module_name, func_name
    return chosen


def _overload(func: Any) -> Any:
    """The function itself."""
    return func


_overload_method = _copy_to_script_wrapper = _overload
