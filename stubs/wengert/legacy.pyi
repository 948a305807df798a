# Made by tools/make_stub.py; do not edit.
from wengert._torch.legacy import (
    ALL as ALL,
    Any as Any,
    Storage as Storage,
    TYPES as TYPES,
    Tensor as Tensor,
    TensorType as TensorType,
    bfloat16 as bfloat16,
    dtype as dtype,
    empty as empty,
    flags as flags,
    layout as layout,
    np as np,
    strided as strided,
    tensor as tensor,
)
import typing

def __getattr__(name: str) -> typing.Any: ...
