"""`torch.onnx.operators`: functions that an exported model would record."""

from __future__ import annotations

from typing import Any

from wengert.ops.create.create import tensor


def shape_as_tensor(x: Any) -> Any:
    """Return the lengths of the dimensions of `x` as an int64 tensor."""
    return tensor(list(x.shape))


def reshape_from_tensor_shape(x: Any, shape: Any) -> Any:
    """Return `x` in the shape that an integer tensor holds."""
    return x.reshape(shape.tolist())
