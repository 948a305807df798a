"""`torch.overrides`: no type replaces operators here, so every question about it is answered with no."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from ._core.tensor.base import Tensor


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Whether one of the arguments is no tensor, and has a method `__torch_function__`."""
    return any(not isinstance(each, Tensor) and hasattr(type(each), "__torch_function__") for each in relevant_args)


def has_torch_function_unary(tensor: Any) -> bool:
    """The same of one argument."""
    return has_torch_function((tensor,))


def has_torch_function_variadic(*tensors: Any) -> bool:
    """The same of several arguments."""
    return has_torch_function(tensors)


def handle_torch_function(
    public_api: Callable[..., Any], relevant_args: Iterable[Any], *args: Any, **kwargs: Any
) -> Any:
    """What the `__torch_function__` of the first argument that does not decline makes of a call.

    Raises:
        TypeError: all decline.
    """
    given = tuple(relevant_args)
    types = tuple(dict.fromkeys(type(each) for each in given if has_torch_function((each,))))
    for each in given:
        if has_torch_function((each,)):
            result = each.__torch_function__(public_api, types, args, kwargs)
            if result is not NotImplemented:
                return result
    raise TypeError(
        f"no implementation found for '{public_api.__module__}.{public_api.__name__}' on types that implement "
        f"__torch_function__: {list(types)}"
    )


def is_tensor_like(inp: Any) -> bool:
    """Whether this is a tensor, or has a method `__torch_function__`."""
    return isinstance(inp, Tensor) or hasattr(type(inp), "__torch_function__")


def wrap_torch_function(dispatcher: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator by which a function of the program asks its arguments' `__torch_function__` first.

    Args:
        dispatcher: called with the arguments; gives those that may have one.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            relevant = dispatcher(*args, **kwargs)
            if has_torch_function(relevant):
                return handle_torch_function(call, relevant, *args, **kwargs)
            return function(*args, **kwargs)

        return call

    return decorate


def resolve_name(f: Any) -> str | None:
    """The name of a function as programs write it."""
    return f"torch.{f.__name__}" if hasattr(f, "__name__") else None
