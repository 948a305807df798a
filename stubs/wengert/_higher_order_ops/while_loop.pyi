# Made by tools/make_stub.py; do not edit.
from wengert._torch._higher_order_ops.while_loop import (
    while_loop as while_loop,
    while_loop_op as while_loop_op,
)
