# Made by tools/make_stub.py; do not edit.
from wengert._torch.torch_version import (
    Any as Any,
    TorchVersion as TorchVersion,
    internal_version as internal_version,
    numbers_of as numbers_of,
    re as re,
)
