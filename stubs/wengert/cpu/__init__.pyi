# Made by tools/make_stub.py; do not edit.
from wengert._torch.cpu import (
    Any as Any,
    Stream as Stream,
    boundary as boundary,
    current_device as current_device,
    current_stream as current_stream,
    device_count as device_count,
    get_device_module as get_device_module,
    is_available as is_available,
    is_initialized as is_initialized,
    on_demand as on_demand,
    refuse_absent as refuse_absent,
    set_device as set_device,
    synchronize as synchronize,
    sys as sys,
)
import typing

def __getattr__(name: str) -> typing.Any: ...
