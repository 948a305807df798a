# Made by tools/make_stub.py; do not edit.
from wengert._torch.cpu.amp import (
    Any as Any,
    GradScaler as GradScaler,
    MOVED as MOVED,
    _GradScaler as _GradScaler,
    _autocast as _autocast,
    autocast as autocast,
    bfloat16 as bfloat16,
    warnings as warnings,
)
