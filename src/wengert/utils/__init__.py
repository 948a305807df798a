"""What stands around training: data and its batches, checkpointing."""

from __future__ import annotations

from .._start.loading import on_demand
from . import checkpoint, data, dlpack

__all__ = ["checkpoint", "data", "dlpack"]

LATER = (
    "_contextlib",
    "_foreach_utils",
    "_python_dispatch",
    "_pytree",
    "benchmark",
    "collect_env",
    "cpp_extension",
    "deterministic",
    "flop_counter",
    "hooks",
    "model_zoo",
    "module_tracker",
    "tensorboard",
    "weak",
)

__getattr__, __dir__ = on_demand(globals(), {**{name: name for name in LATER}, "swap_tensors": "swapping"})
