# Made by tools/make_stub.py; do not edit.
from wengert._torch._higher_order_ops.cond import (
    cond as cond,
    cond_op as cond_op,
)
