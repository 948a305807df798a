# Made by tools/make_stub.py; do not edit.
from wengert._torch.foreach import (
    FOREACH as FOREACH,
    FUNCTIONS as FUNCTIONS,
    POSITIONAL as POSITIONAL,
    SCALED as SCALED,
    SIDES as SIDES,
    applied as applied,
    check_tensors as check_tensors,
    each_with as each_with,
    foreach as foreach,
    norm as norm,
    powsum as powsum,
)
