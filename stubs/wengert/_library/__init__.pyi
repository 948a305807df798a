# Made by tools/make_stub.py; do not edit.
from wengert._torch._library import (
    infer_schema as infer_schema,
    opcheck as opcheck,
    register_fake as register_fake,
)
