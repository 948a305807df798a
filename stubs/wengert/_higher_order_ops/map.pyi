# Made by tools/make_stub.py; do not edit.
from wengert._torch._higher_order_ops.map import (
    Any as Any,
    Callable as Callable,
    joined as joined,
    map as map,
    map_impl as map_impl,
    slices_of as slices_of,
    tensors_in as tensors_in,
)
