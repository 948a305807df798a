"""`torch._functorch.apis`: the transforms that torch offers by name."""

from wengert.func import grad as grad, grad_and_value as grad_and_value, vmap as vmap

__all__ = ["grad", "grad_and_value", "vmap"]
