# Made by tools/make_stub.py; do not edit.
from wengert._torch.compiler.following import (
    Followed as Followed,
    followed as followed,
)
