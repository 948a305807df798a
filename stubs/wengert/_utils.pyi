# Made by tools/make_stub.py; do not edit.
from wengert._torch._utils import (
    ExceptionWrapper as ExceptionWrapper,
    KeyErrorMessage as KeyErrorMessage,
    _element_size as _element_size,
    _flatten_dense_tensors as _flatten_dense_tensors,
    _get_all_device_indices as _get_all_device_indices,
    _get_available_device_type as _get_available_device_type,
    _get_device_index as _get_device_index,
    _import_dotted_name as _import_dotted_name,
    _reorder_tensors_as as _reorder_tensors_as,
    _take_tensors as _take_tensors,
    _unflatten_dense_tensors as _unflatten_dense_tensors,
    classproperty as classproperty,
    is_compiling as is_compiling,
)
