# Made by tools/make_stub.py; do not edit.
from wengert._torch._higher_order_ops.scan import (
    scan as scan,
    scan_op as scan_op,
)
