"""Types of sparse tensors of early versions of torch: `torch.sparse.FloatTensor` and its family."""

from __future__ import annotations

from typing import Any

from ..._core import flags
from ..._core.tensor.base import Tensor
from ..._core.types.devices import layout, sparse_coo
from ..._core.types.dtypes import ALL, bfloat16, dtype
from ..._core.types.sizes import Size
from .create import sparse_coo_tensor


class SparseType(type):
    """Class of these types: they create tensors in coordinates, and support `isinstance`."""

    dtype: dtype
    is_cuda = False
    is_sparse = True
    layout: layout = sparse_coo

    def __call__(cls, *data: Any, device: Any = None) -> Any:
        """Return a sparse tensor of indices and values, and optionally a size; or of given lengths, without entries.

        Raises:
            TypeError: if the arguments are neither.
        """
        if data and isinstance(data[0], Tensor):
            if len(data) not in (2, 3):
                raise TypeError(f"{cls.__name__}(): expected indices, values and perhaps a size")
            return sparse_coo_tensor(*data, device=device)
        if not data:
            return sparse_coo_tensor((0,), dtype=cls.dtype, device=device)
        size = data[0] if len(data) == 1 and isinstance(data[0], (Size, tuple, list)) else data
        return sparse_coo_tensor(tuple(size), dtype=cls.dtype, device=device)

    def __instancecheck__(cls, instance: object) -> bool:
        if not isinstance(instance, Tensor) or not instance._flags_ & flags.SPARSE:
            return False
        return instance.dtype is cls.dtype and instance.layout is sparse_coo

    def __repr__(cls) -> str:
        return f"<class 'torch.sparse.{cls.__name__}'>"


TYPES: dict[str, SparseType] = {
    dtype.legacy: SparseType(dtype.legacy, (), {"dtype": dtype, "__doc__": f"Sparse tensors of dtype `{dtype.name}`."})
    for dtype in (*ALL, bfloat16)
    if dtype.legacy.endswith("Tensor") and dtype.name not in ("bool", "complex64", "complex128")
}
"""The types, by name."""
