# Made by tools/make_stub.py; do not edit.
from wengert._torch.foreach import (
    FOREACH as FOREACH,
    FUNCTIONS as FUNCTIONS,
    POSITIONAL as POSITIONAL,
    SCALED as SCALED,
    SIDES as SIDES,
    applied as applied,
    check_tensors as check_tensors,
    foreach as foreach,
    norm as norm,
    powsum as powsum,
    value_per_tensor as value_per_tensor,
)
