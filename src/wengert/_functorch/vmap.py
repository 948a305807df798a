"""`torch._functorch.vmap`: functions of batches."""

from ..func import vmap as vmap_impl

__all__ = ["vmap_impl"]
