# Made by tools/make_stub.py; do not edit.
from wengert._torch.installed import (
    Installed as Installed,
)
