# Made by tools/make_stub.py; do not edit.
from wengert._torch.functorch.experimental import (
    batch_size as batch_size,
    chunk_vmap as chunk_vmap,
    functionalize as functionalize,
    hessian as hessian,
    jacfwd as jacfwd,
    jvp as jvp,
    replace_all_batch_norm_modules_ as replace_all_batch_norm_modules_,
)
