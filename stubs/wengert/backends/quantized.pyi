# Made by tools/make_stub.py; do not edit.
from wengert._torch.backends.quantized import (
    engine as engine,
    supported_engines as supported_engines,
)
