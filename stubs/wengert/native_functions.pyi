# Made by tools/make_stub.py; do not edit.
from wengert._torch.native_functions import (
    REDUCTIONS as REDUCTIONS,
    adaptive_max_pool1d as adaptive_max_pool1d,
    binary_cross_entropy_with_logits as binary_cross_entropy_with_logits,
    max_pool1d_with_indices as max_pool1d_with_indices,
)
