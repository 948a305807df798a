# Made by tools/make_stub.py; do not edit.
from wengert._torch._library.custom_ops import (
    CustomOpDef as CustomOpDef,
    custom_op as custom_op,
)
