# Made by tools/make_stub.py; do not edit.
from wengert._torch._higher_order_ops.scan import (
    Any as Any,
    Callable as Callable,
    joined as joined,
    scan as scan,
    scan_op as scan_op,
    slices_of as slices_of,
    tensors_in as tensors_in,
)
