# Made by tools/make_stub.py; do not edit.
from wengert._torch._higher_order_ops.associative_scan import (
    MODES as MODES,
    associative_scan as associative_scan,
    associative_scan_op as associative_scan_op,
)
