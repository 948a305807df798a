"""Neural networks, as `torch.nn` has them: modules, their parameters, losses, and ways to start them."""

from __future__ import annotations

from . import attention, functional, grad, init, modules, utils
from .modules import *  # noqa: F403  the list of their names is there
from .parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter

__all__ = [
    "Buffer",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "attention",
    "functional",
    "grad",
    "init",
    "modules",
    "utils",
    *modules.__all__,
]
