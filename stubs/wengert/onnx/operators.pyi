# Made by tools/make_stub.py; do not edit.
from wengert._torch.onnx.operators import (
    reshape_from_tensor_shape as reshape_from_tensor_shape,
    shape_as_tensor as shape_as_tensor,
)
