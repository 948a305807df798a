# Made by tools/make_stub.py; do not edit.
from wengert._torch._dynamo.utils import (
    is_compile_supported as is_compile_supported,
)
