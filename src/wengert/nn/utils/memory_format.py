"""Conversion of convolution weights to another memory format."""

from __future__ import annotations

from typing import Any

from ..._start.boundary import boundary
from ...autograd import no_grad
from ..modules.conv import Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d
from ..modules.module import Module

__all__ = ["convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"]


@boundary
def convert_conv2d_weight_memory_format(module: Module, memory_format: Any) -> Module:
    """Convert the weights of all 2-D convolutions of a module to a memory format; return the module."""
    return convert(module, memory_format, (Conv2d, ConvTranspose2d))


@boundary
def convert_conv3d_weight_memory_format(module: Module, memory_format: Any) -> Module:
    """Convert the weights of all 3-D convolutions of a module to a memory format; return the module."""
    return convert(module, memory_format, (Conv3d, ConvTranspose3d))


@no_grad()
def convert(module: Module, memory_format: Any, kinds: tuple[type[Module], ...]) -> Module:
    """Convert the weights of all modules of some classes to a memory format."""
    for layer in module.modules():
        if isinstance(layer, kinds):
            weight: Any = layer.weight
            weight.data = weight.detach().clone(memory_format=memory_format)
    return module
