# Made by tools/make_stub.py; do not edit.
from wengert._torch.cuda.amp import (
    Any as Any,
    GradScaler as GradScaler,
    MOVED as MOVED,
    _GradScaler as _GradScaler,
    _autocast as _autocast,
    _custom_bwd as _custom_bwd,
    _custom_fwd as _custom_fwd,
    autocast as autocast,
    custom_bwd as custom_bwd,
    custom_fwd as custom_fwd,
    warnings as warnings,
)
