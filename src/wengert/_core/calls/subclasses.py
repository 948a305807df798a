"""Definition of subclasses of Tensor by programs, and creation of their instances."""

from __future__ import annotations

from typing import Any

from .. import flags
from ..tensor.base import OPERATORS, Tensor
from .unanswered import disabled, undispatched


def begin_subclass(cls: Any, **options: Any) -> None:
    """Set up a subclass of Tensor: its `__torch_function__` is asked from now on, unless disabled, and so is its
    `__torch_dispatch__`. A class with the latter alone has the former disabled.
    """
    super(Tensor, cls).__init_subclass__(**options)
    if dispatches(cls) and not has_function(cls):
        cls.__torch_function__ = disabled
    if cls.__torch_function__ is disabled:
        cls._overridden_ = 0
    else:
        from .intercepting import intercept

        intercept(cls)
    if dispatches(cls):
        cls._overridden_ |= flags.OBSERVED


def dispatches(cls: type) -> bool:
    """Return whether a class handles operators below differentiation: it has a `__torch_dispatch__` of its own."""
    return getattr(cls, "__torch_dispatch__", undispatched) is not undispatched


def has_function(cls: type) -> bool:
    """Return whether a class, or a base of it other than Tensor, has a `__torch_function__` of its own."""
    return any("__torch_function__" in vars(base) for base in cls.__mro__ if base is not Tensor)


allocate = Tensor.__new__
"""Makes an instance of a class of tensors without its fields (`set_up`); no `__new__` of a program is called."""


def make(cls: Any, *data: Any, **options: Any) -> Any:
    """`Tensor.__new__(cls, ...)`, which the `__new__` of a program's class calls to create a tensor with values.

    For `Tensor` itself `__init__` sets the values, so that its constructor stays in C.
    """
    tensor = allocate(cls)
    if cls is not Tensor:
        OPERATORS.construct(tensor, *data, **options)
    return tensor
