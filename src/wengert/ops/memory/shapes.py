"""The shapes of copies, and how they lie."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.operators.layouts import row_major
from ..._core.types import dtypes
from ..dtype_checks import checked_number
from ..shape_rules import kind_of_first
from .convert import clone, keeps_apart, restrided, to_copy
from .memory_formats import strides_in
from .overwrite import check_single, check_written, copy, fill, zero

zero.shape(kind_of_first)


@copy.shape
def copy_shape(self: Any, src: Any, non_blocking: bool) -> Any:
    check_written(self, src)
    return self.shape, self.dtype


@fill.shape
def fill_shape(self: Any, value: Any) -> Any:
    check_single("fill_", value)
    if not isinstance(value, np.ndarray):
        checked_number(value, dtypes.from_numpy(self.dtype), halves=self.size != 1)
    return self.shape, self.dtype


@clone.shape
def clone_shape(self: Any, memory_format: Any) -> Any:
    return self.shape, self.dtype, strides_in(self, memory_format)


@to_copy.shape
def to_copy_shape(self: Any, dtype: Any, memory_format: Any) -> Any:
    return self.shape, self.dtype if dtype is None else dtype.numpy, strides_in(self, memory_format)


@restrided.shape
def restrided_shape(self: Any, stride: Any, gaps: bool) -> Any:
    return self.shape, self.dtype, tuple(stride) if keeps_apart(self.shape, stride, gaps) else row_major(self.shape)
