# Made by tools/make_stub.py; do not edit.
from wengert._torch.native_forms import (
    Any as Any,
    REDUCTIONS as REDUCTIONS,
    Tensor as Tensor,
    adaptive_max_pool1d as adaptive_max_pool1d,
    asking as asking,
    binary_cross_entropy_with_logits as binary_cross_entropy_with_logits,
    functional as functional,
    max_pool1d_with_indices as max_pool1d_with_indices,
)
