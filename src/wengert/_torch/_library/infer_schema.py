"""`torch._library.infer_schema`: schemas of functions, as torch writes them."""

from wengert.library import infer_schema

__all__ = ["infer_schema"]
