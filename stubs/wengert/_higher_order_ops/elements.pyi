# Made by tools/make_stub.py; do not edit.
from wengert._torch._higher_order_ops.elements import (
    joined as joined,
    slices_of as slices_of,
    tensors_in as tensors_in,
)
