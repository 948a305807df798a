"""Conversion of tensors to arrays for kernels."""

from __future__ import annotations

import numpy as np

from wengert._tensor import Tensor


def computed(tensor: Tensor) -> np.ndarray:
    """Return the elements of a tensor as an array with a dtype precise enough for sums: float32 at least for floats."""
    if tensor.is_floating_point() and tensor.dtype.itemsize < 4:
        tensor = tensor.float()
    return tensor.detach().numpy()
