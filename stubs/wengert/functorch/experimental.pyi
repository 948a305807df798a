# Made by tools/make_stub.py; do not edit.
from wengert._torch.functorch.experimental import (
    Any as Any,
    Callable as Callable,
    batch_size as batch_size,
    chunk_vmap as chunk_vmap,
    functionalize as functionalize,
    functools as functools,
    hessian as hessian,
    jacfwd as jacfwd,
    jvp as jvp,
    replace_all_batch_norm_modules_ as replace_all_batch_norm_modules_,
    vmap as vmap,
)
