"""What happens when a program defines a subclass of Tensor."""

from __future__ import annotations

from typing import Any

from ..tensor.base import Tensor
from .unanswered import disabled


def begin_subclass(cls: Any, **options: Any) -> None:
    """What a class derived from Tensor does: its `__torch_function__` is asked from now on, unless disabled."""
    super(Tensor, cls).__init_subclass__(**options)
    if cls.__torch_function__ is disabled:
        cls._overridden_ = 0
    else:
        from .intercepting import intercept

        intercept(cls)
