"""What happens when a program defines a subclass of Tensor, and when it makes an instance of one."""

from __future__ import annotations

from typing import Any

from ..tensor.base import OPERATORS, Tensor
from .unanswered import disabled, undispatched


def begin_subclass(cls: Any, **options: Any) -> None:
    """What a class derived from Tensor does: its `__torch_function__` is asked from now on, unless disabled."""
    super(Tensor, cls).__init_subclass__(**options)
    if cls.__torch_function__ is disabled:
        cls._overridden_ = 0
    else:
        from .intercepting import intercept

        intercept(cls)


def check_dispatch(cls: type) -> None:
    """Refuse tensors of a class that wants to be told of operators below differentiation: it would not be.

    Raises:
        RuntimeError: it has a `__torch_dispatch__` of its own.
    """
    if getattr(cls, "__torch_dispatch__", undispatched) is not undispatched:
        raise RuntimeError(
            f"{cls.__qualname__}.__torch_dispatch__ would never be called: of operators below differentiation only "
            "modes are told here (TorchDispatchMode). Define __torch_function__, or use such a mode"
        )


allocate = Tensor.__new__
"""Makes an instance of a class of tensors without its fields (`set_up`); no `__new__` of a program is called."""


def make(cls: Any, *data: Any, **options: Any) -> Any:
    """`Tensor.__new__(cls, ...)`: what the `__new__` of a program's class calls, one with its values.

    For `Tensor` itself `__init__` gives the values: so its constructor stays in C.
    """
    check_dispatch(cls)
    made = allocate(cls)
    if cls is not Tensor:
        OPERATORS.construct(made, *data, **options)
    return made
