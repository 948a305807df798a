# Made by tools/make_stub.py; do not edit.
from wengert._torch.cpu import (
    Stream as Stream,
    amp as amp,
    current_device as current_device,
    current_stream as current_stream,
    device_count as device_count,
    get_device_module as get_device_module,
    is_available as is_available,
    is_initialized as is_initialized,
    set_device as set_device,
    synchronize as synchronize,
)
import typing

def __getattr__(name: str) -> typing.Any: ...
