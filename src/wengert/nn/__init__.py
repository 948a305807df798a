"""Neural networks, as `torch.nn` has them: modules, parameters, losses and initialisation."""

from __future__ import annotations

from typing import Any

from . import (
    _reduction as _reduction,
    attention,
    common_types,
    functional,
    grad,
    init,
    modules,
    parallel,
    parameter,
    quantized,
    utils,
)
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
    "factory_kwargs",
    "functional",
    "grad",
    "init",
    "modules",
    "parallel",
    "parameter",
    "quantized",
    "utils",
    *modules.__all__,
]


def factory_kwargs(kwargs: dict[str, Any] | None) -> dict[str, Any]:
    """Return the options of a layer's constructor that are passed on to factory functions.

    Args:
        kwargs: `device`, `dtype` and `memory_format`, or a dictionary of them under `factory_kwargs`.

    Raises:
        TypeError: if an option is unknown, or given twice.
    """
    options = dict(kwargs or {})
    factory = dict(options.pop("factory_kwargs", {}))
    unexpected = options.keys() - {"device", "dtype", "memory_format"}
    if unexpected:
        raise TypeError(f"unexpected kwargs {unexpected}")
    for name in options.keys() & factory.keys():
        raise TypeError(f"{name} specified twice, in **kwargs and in factory_kwargs")
    return factory | options
