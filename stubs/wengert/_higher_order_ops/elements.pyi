# Made by tools/make_stub.py; do not edit.
from wengert._torch._higher_order_ops.elements import (
    Any as Any,
    Callable as Callable,
    Tensor as Tensor,
    joined as joined,
    slices_of as slices_of,
    stack as stack,
    tensors_in as tensors_in,
    tree_flatten as tree_flatten,
    tree_unflatten as tree_unflatten,
)
