"""`torch._functorch.vmap`: functions of batches."""

from wengert.func import vmap as vmap_impl

__all__ = ["vmap_impl"]
