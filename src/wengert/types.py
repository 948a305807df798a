"""`torch.types`: names for annotations."""

from __future__ import annotations

import os
from builtins import bool as _bool, float as _float, int as _int, str as _str
from collections.abc import Sequence
from typing import Any, TypeAlias

from ._core.tensor.base import Tensor as Tensor
from ._core.types.devices import device as _device
from ._core.types.sizes import Size as _Size_class

Number: TypeAlias = _int | _float | _bool
Device: TypeAlias = _device | _str | _int | None
FileLike: TypeAlias = _str | os.PathLike[_str] | Any
Storage: TypeAlias = Any
PySymType: TypeAlias = Any
_TensorOrTensors: TypeAlias = Tensor | Sequence[Tensor]
_TensorOrTensorsOrGradEdge: TypeAlias = Any
_size: TypeAlias = _Size_class | list[_int] | tuple[_int, ...]
IntLikeType: TypeAlias = _int
FloatLikeType: TypeAlias = _float
BoolLikeType: TypeAlias = _bool
