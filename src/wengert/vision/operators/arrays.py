"""Tensors as the arrays that kernels compute with."""

from __future__ import annotations

import numpy as np

from wengert._tensor import Tensor


def computed(tensor: Tensor) -> np.ndarray:
    """Return the elements of a tensor as an array in which sums are exact enough: float32 for smaller float dtypes."""
    if tensor.is_floating_point() and tensor.dtype.itemsize < 4:
        tensor = tensor.float()
    return tensor.detach().numpy()
