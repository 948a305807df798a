# Made by tools/make_stub.py; do not edit.
from wengert._torch.version import (
    cuda as cuda,
    debug as debug,
    git_version as git_version,
    hip as hip,
    rocm as rocm,
    xpu as xpu,
)
