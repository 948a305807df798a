# Made by tools/make_stub.py; do not edit.
from wengert._torch.cuda.amp import (
    GradScaler as GradScaler,
    MOVED as MOVED,
    autocast as autocast,
    custom_bwd as custom_bwd,
    custom_fwd as custom_fwd,
)
