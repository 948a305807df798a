"""`torch._library.infer_schema`: what a function takes and gives, as torch writes it."""

from wengert.library import infer_schema

__all__ = ["infer_schema"]
