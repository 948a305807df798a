"""Types as torch's early days had them: `torch.FloatTensor` and its family, one for each dtype.

They make tensors, and answer `isinstance`; every tensor is a `Tensor`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert._core import flags
from wengert._core.tensor.storage import Storage
from wengert._core.types.devices import layout, strided
from wengert._core.types.dtypes import ALL, bfloat16, dtype
from wengert._tensor import Tensor
from wengert.ops.create.create import empty, tensor


class TensorType(type):
    """The class of these types."""

    dtype: dtype
    is_cuda = False
    is_sparse = False
    layout: layout = strided

    def __call__(cls, *data: Any, device: Any = None) -> Tensor:
        """Return a tensor of the dtype: of lengths (uninitialised), values, or the memory of a tensor or storage.

        Raises:
            TypeError: if a tensor has another dtype, or the arguments are neither lengths nor values.
        """
        value = data[0] if len(data) == 1 else None
        if isinstance(value, Tensor):
            if value.dtype is not cls.dtype:
                raise TypeError(f"{cls.__name__}(): expected a tensor of dtype {cls.dtype}, but got {value.dtype}")
            return value.detach()
        if isinstance(value, (list, np.ndarray)) or type(value) is tuple:
            return tensor(value, device=device).to(cls.dtype)
        if isinstance(getattr(value, "_memory", None), Storage):  # result of `storage()`
            return empty(0, dtype=cls.dtype, device=device).set_(value)
        return empty(*(data or (0,)), dtype=cls.dtype, device=device)

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is cls.dtype and not instance._flags_ & flags.SPARSE

    def __repr__(cls) -> str:
        return f"<class 'torch.{cls.__name__}'>"


TYPES: dict[str, TensorType] = {
    dtype.legacy: TensorType(dtype.legacy, (), {"dtype": dtype, "__doc__": f"Tensors of dtype `{dtype.name}`."})
    for dtype in (*ALL, bfloat16)
    if dtype.legacy.endswith("Tensor")
}
"""All types by name."""
_IN_PACKAGE = tuple([name for name in TYPES if not name.startswith("UInt")])  # for these dtypes torch has no types


def __getattr__(name: str) -> TensorType:
    if name not in TYPES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return TYPES[name]
