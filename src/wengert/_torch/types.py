"""`torch.types`: names for annotations."""

from __future__ import annotations

import os
from builtins import bool as _bool, bytes as _bytes, complex as _complex, float as _float, int as _int, str as _str
from collections.abc import Sequence
from typing import Any, TypeAlias

from wengert._core.tensor.base import Tensor as Tensor
from wengert._core.types.devices import device as _device, layout as _layout
from wengert._core.types.dtypes import dtype as _dtype
from wengert._core.types.sizes import Size as Size

Number: TypeAlias = _int | _float | _bool
Device: TypeAlias = _device | _str | _int | None
FileLike: TypeAlias = _str | os.PathLike[_str] | Any
Storage: TypeAlias = Any
PySymType: TypeAlias = Any
_TensorOrTensors: TypeAlias = Tensor | Sequence[Tensor]
_TensorOrOptionalTensors: TypeAlias = Tensor | Sequence[Tensor | None]
_TensorOrTensorsOrGradEdge: TypeAlias = Any
_size: TypeAlias = Size | list[_int] | tuple[_int, ...]
_symsize: TypeAlias = Size | Sequence[_int]
_Number = (_int, _float, _bool)
IntLikeType: TypeAlias = _int
FloatLikeType: TypeAlias = _float
BoolLikeType: TypeAlias = _bool

__all__ = [
    "BoolLikeType",
    "Device",
    "FileLike",
    "FloatLikeType",
    "IntLikeType",
    "Number",
    "PySymType",
    "Size",
    "Storage",
    "Tensor",
    "_Number",
    "_TensorOrOptionalTensors",
    "_TensorOrTensors",
    "_TensorOrTensorsOrGradEdge",
    "_bool",
    "_bytes",
    "_complex",
    "_device",
    "_dtype",
    "_float",
    "_int",
    "_layout",
    "_size",
    "_str",
    "_symsize",
]
