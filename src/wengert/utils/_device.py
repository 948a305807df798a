"""Context of a device, under the name of torch's module, which libraries import."""

from .._tensor.placing import (
    DeviceContext as DeviceContext,
    _device_constructors as _device_constructors,
    set_device as set_device,
)

__all__ = ["DeviceContext", "set_device"]
