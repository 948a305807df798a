# Made by tools/make_stub.py; do not edit.
from wengert._torch._library.infer_schema import (
    infer_schema as infer_schema,
)
