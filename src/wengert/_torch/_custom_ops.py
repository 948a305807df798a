"""`torch._custom_ops`: older names of functions of `library`."""

from __future__ import annotations

from wengert.library import custom_op, impl, impl_abstract

__all__ = ["custom_op", "impl", "impl_abstract"]
