# Made by tools/make_stub.py; do not edit.
from wengert._torch._higher_order_ops import (
    associative_scan as associative_scan,
    cond as cond,
    map as map,
    scan as scan,
    while_loop as while_loop,
)
