# Made by tools/make_stub.py; do not edit.
from wengert._torch.compiler.excluding import (
    called as called,
    excluded as excluded,
)
