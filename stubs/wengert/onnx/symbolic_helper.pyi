# Made by tools/make_stub.py; do not edit.
from wengert._torch.onnx.symbolic_helper import (
    parse_args as parse_args,
)
