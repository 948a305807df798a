"""Functional calls of modules, under torch's older name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ... import func
from ...func.modules import reparametrized
from ...ops.warned import warn


def functional_call(
    module: Any,
    parameters_and_buffers: dict[str, Any],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call a module with other parameters and buffers: `func.functional_call` with one dictionary."""
    warn(
        "`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be removed in a future "
        "version of PyTorch. Please use `torch.func.functional_call` instead which is a drop-in replacement.",
        FutureWarning,
    )
    return func.functional_call(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)


@contextmanager
def _reparametrize_module(
    module: Any,
    parameters_and_buffers: dict[str, Any],
    tie_weights: bool = False,
    strict: bool = False,
    stack_weights: bool = False,
) -> Iterator[None]:
    """Context in which a module has other parameters and buffers.

    Args:
        module: the module.
        parameters_and_buffers: the temporary tensors by name. At the end of the context the dictionary holds the
            module's tensors of that moment, because a module may replace its buffers.
        tie_weights: replace a tensor that the module has under several names everywhere.
        strict: refuse names that are missing, or that the module does not have.
        stack_weights: restore the former tensors in reverse order, which is always done.

    Raises:
        RuntimeError: if `strict` refuses names.
        ValueError: if, with `tie_weights`, two names of one tensor are given different tensors.
    """
    with reparametrized(module, dict(parameters_and_buffers), parameters_and_buffers, tie_weights, strict):
        yield


__all__ = ["functional_call"]
