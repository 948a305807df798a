"""Weights of convolutions in another order in memory."""

from __future__ import annotations

from typing import Any

from ..._start.boundary import boundary
from ...autograd import no_grad
from ..modules.conv import Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d
from ..modules.module import Module


@boundary
def convert_conv2d_weight_memory_format(module: Module, memory_format: Any) -> Module:
    """Lay the weights of all two-dimensional convolutions of a module in a memory format; returns the module."""
    return convert(module, memory_format, (Conv2d, ConvTranspose2d))


@boundary
def convert_conv3d_weight_memory_format(module: Module, memory_format: Any) -> Module:
    """Lay the weights of all three-dimensional convolutions of a module in a memory format; returns the module."""
    return convert(module, memory_format, (Conv3d, ConvTranspose3d))


@no_grad()
def convert(module: Module, memory_format: Any, kinds: tuple[type[Module], ...]) -> Module:
    """Lay the weights of all modules of some classes in a memory format."""
    for each in module.modules():
        if isinstance(each, kinds):
            weight: Any = each.weight
            weight.data = weight.detach().clone(memory_format=memory_format)
    return module
