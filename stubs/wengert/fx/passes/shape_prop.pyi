# Made by tools/make_stub.py; do not edit.
from wengert._torch.fx.passes.shape_prop import (
    FORMATS as FORMATS,
    ShapeProp as ShapeProp,
    TensorMetadata as TensorMetadata,
    _extract_tensor_metadata as _extract_tensor_metadata,
    extract_tensor_metadata as extract_tensor_metadata,
    memory_format_of as memory_format_of,
)
