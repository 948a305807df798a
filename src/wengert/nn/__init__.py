"""Neural networks, as `torch.nn` has them: modules, their parameters, losses, and ways to start them."""

from __future__ import annotations

from . import attention, common_types, functional, grad, init, modules, parallel, utils
from .modules import *  # noqa: F403  the list of their names is there
from .parallel import DataParallel
from .parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter

__all__ = [
    "Buffer",
    "DataParallel",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "attention",
    "common_types",
    "functional",
    "grad",
    "init",
    "modules",
    "parallel",
    "utils",
    *modules.__all__,
]
