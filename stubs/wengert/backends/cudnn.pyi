# Made by tools/make_stub.py; do not edit.
from wengert._torch.backends.cudnn import (
    Any as Any,
    allow_tf32 as allow_tf32,
    benchmark as benchmark,
    benchmark_limit as benchmark_limit,
    contextlib as contextlib,
    deterministic as deterministic,
    enabled as enabled,
    flags as flags,
    is_acceptable as is_acceptable,
    is_available as is_available,
    settings as settings,
    version as version,
)
