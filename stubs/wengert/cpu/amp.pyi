# Made by tools/make_stub.py; do not edit.
from wengert._torch.cpu.amp import (
    GradScaler as GradScaler,
    MOVED as MOVED,
    autocast as autocast,
)
