# Made by tools/make_stub.py; do not edit.
from wengert._torch._functorch.batch_norm_replacement import (
    batch_norm_without_running_stats as batch_norm_without_running_stats,
    replace_all_batch_norm_modules_ as replace_all_batch_norm_modules_,
)
