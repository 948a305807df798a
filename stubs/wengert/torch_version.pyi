# Made by tools/make_stub.py; do not edit.
from wengert._torch.torch_version import (
    TorchVersion as TorchVersion,
    numbers_of as numbers_of,
)
