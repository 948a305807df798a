"""Utilities for training: data loading, checkpointing and others."""

from __future__ import annotations

from .._start.loading import on_demand
from . import checkpoint, data, dlpack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import (
        _contextlib as _contextlib,
        _foreach_utils as _foreach_utils,
        _python_dispatch as _python_dispatch,
        _pytree as _pytree,
        benchmark as benchmark,
        collect_env as collect_env,
        cpp_extension as cpp_extension,
        deterministic as deterministic,
        flop_counter as flop_counter,
        hooks as hooks,
        model_zoo as model_zoo,
        module_tracker as module_tracker,
        tensorboard as tensorboard,
        weak as weak,
    )
    from .swapping import swap_tensors as swap_tensors

__all__ = ["checkpoint", "data", "dlpack"]

__getattr__, __dir__ = on_demand(globals())
