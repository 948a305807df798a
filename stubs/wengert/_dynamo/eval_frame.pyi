# Made by tools/make_stub.py; do not edit.
from wengert._torch._dynamo.eval_frame import (
    OptimizedModule as OptimizedModule,
    innermost_fn as innermost_fn,
)
