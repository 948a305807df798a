"""`torch._library`: parts of `library` under torch's names."""

from wengert.library import infer_schema, opcheck, register_fake

__all__ = ["infer_schema", "opcheck", "register_fake"]
