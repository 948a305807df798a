# Made by tools/make_stub.py; do not edit.
from wengert._torch.foreach import (
    Any as Any,
    Callable as Callable,
    FOREACH as FOREACH,
    FUNCTIONS as FUNCTIONS,
    POSITIONAL as POSITIONAL,
    SCALED as SCALED,
    SIDES as SIDES,
    Sequence as Sequence,
    Tensor as Tensor,
    applied as applied,
    check_tensors as check_tensors,
    each_with as each_with,
    foreach as foreach,
    norm as norm,
    powsum as powsum,
)
