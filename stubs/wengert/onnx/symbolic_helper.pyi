# Made by tools/make_stub.py; do not edit.
from wengert._torch.onnx.symbolic_helper import (
    Any as Any,
    Callable as Callable,
    parse_args as parse_args,
)
