"""`torch._library`: what `library` consists of, under torch's names."""

from wengert.library import infer_schema, opcheck, register_fake

__all__ = ["infer_schema", "opcheck", "register_fake"]
