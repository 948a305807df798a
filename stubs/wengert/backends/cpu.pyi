# Made by tools/make_stub.py; do not edit.
from wengert._torch.backends.cpu import (
    get_cpu_capability as get_cpu_capability,
)
