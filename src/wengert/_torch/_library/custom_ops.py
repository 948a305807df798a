"""`torch._library.custom_ops`: operators that a program declares."""

from wengert.library import CustomOpDef, custom_op

__all__ = ["CustomOpDef", "custom_op"]
