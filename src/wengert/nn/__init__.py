"""Neural networks, as `torch.nn` has them: modules, their parameters, losses, and ways to start them."""

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
    "quantized",
    "utils",
    *modules.__all__,
]


def factory_kwargs(kwargs: dict[str, Any] | None) -> dict[str, Any]:
    """The options of a layer's constructor that go on to functions that make tensors.

    Args:
        kwargs: `device`, `dtype` and `memory_format`; those under `factory_kwargs` take their place.

    Raises:
        TypeError: another option, or one that is given twice.
    """
    given = dict(kwargs or {})
    made = dict(given.pop("factory_kwargs", {}))
    unexpected = given.keys() - {"device", "dtype", "memory_format"}
    if unexpected:
        raise TypeError(f"unexpected kwargs {unexpected}")
    for name in given.keys() & made.keys():
        raise TypeError(f"{name} specified twice, in **kwargs and in factory_kwargs")
    return made | given
