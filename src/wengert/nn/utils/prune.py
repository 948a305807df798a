"""Parts of parameters set to zero: `module.weight` is `weight_orig` times `weight_mask`, computed before each call."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..._start.boundary import boundary
from ...ops.create.like import ones_like
from .convert_parameters import parameters_to_vector
from .prune_methods import (
    BasePruningMethod,
    CustomFromMask,
    Identity,
    L1Unstructured,
    LnStructured,
    PruningContainer,
    RandomStructured,
    RandomUnstructured,
    hooks_of,
)

__all__ = [
    "BasePruningMethod",
    "CustomFromMask",
    "Identity",
    "L1Unstructured",
    "LnStructured",
    "PruningContainer",
    "RandomStructured",
    "RandomUnstructured",
    "custom_from_mask",
    "global_unstructured",
    "identity",
    "is_pruned",
    "l1_unstructured",
    "ln_structured",
    "random_structured",
    "random_unstructured",
    "remove",
]


@boundary
def identity(module: Any, name: str) -> Any:
    """Let a parameter be one that has zeros, without any; returns the module."""
    Identity.apply(module, name)
    return module


@boundary
def random_unstructured(module: Any, name: str, amount: Any) -> Any:
    """Set elements at random to zero: a share, or a number; returns the module."""
    RandomUnstructured.apply(module, name, amount)
    return module


@boundary
def l1_unstructured(module: Any, name: str, amount: Any, importance_scores: Any = None) -> Any:
    """Set the elements of least absolute value to zero: a share, or a number; returns the module.

    >>> import wengert as wg
    >>> from wengert.nn.utils import prune
    >>> layer = prune.l1_unstructured(wg.nn.Linear(4, 2), "weight", amount=0.5)
    >>> int((layer.weight == 0).sum()), sorted(layer.state_dict())
    (4, ['bias', 'weight_mask', 'weight_orig'])
    """
    L1Unstructured.apply(module, name, amount, importance_scores=importance_scores)
    return module


@boundary
def random_structured(module: Any, name: str, amount: Any, dim: int) -> Any:
    """Set slices at random to zero: a share, or a number; returns the module."""
    RandomStructured.apply(module, name, amount, dim)
    return module


@boundary
def ln_structured(module: Any, name: str, amount: Any, n: Any, dim: int, importance_scores: Any = None) -> Any:
    """Set the slices of least norm to zero: a share, or a number; returns the module."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


@boundary
def custom_from_mask(module: Any, name: str, mask: Any) -> Any:
    """Set to zero what a mask says; returns the module."""
    CustomFromMask.apply(module, name, mask)
    return module


@boundary
def global_unstructured(parameters: Any, pruning_method: Any, importance_scores: Any = None, **kwargs: Any) -> None:
    """Set elements of several parameters to zero, chosen among those of all together.

    Args:
        parameters: pairs of module and name.
        pruning_method: a class of methods for single elements.
        importance_scores: to choose by, in the place of parameters: a dictionary by such pairs.
        kwargs: arguments of the method.

    Raises:
        TypeError: the arguments are none of these.
    """
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    if importance_scores is not None and not isinstance(importance_scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    own, scores = list(parameters), importance_scores or {}
    method = pruning_method(**kwargs)
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            f'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method {pruning_method} of '
            f"type {method.PRUNING_TYPE}"
        )
    values = [getattr(module, name) for module, name in own]
    together = parameters_to_vector([scores.get(pair, value) for pair, value in zip(own, values, strict=True)])
    masks = [getattr(module, f"{name}_mask", None) for module, name in own]
    before = [ones_like(value) if mask is None else mask for value, mask in zip(values, masks, strict=True)]
    chosen = PruningContainer(method).compute_mask(together.detach(), parameters_to_vector(before).detach())
    parts = chosen.split([value.numel() for value in values])
    for (module, name), part, value in zip(own, parts, values, strict=True):
        custom_from_mask(module, name, part.view(value.shape))


@boundary
def remove(module: Any, name: str) -> Any:
    """Let a parameter be one without a mask, with its zeros; returns the module.

    Raises:
        ValueError: it has no mask.
    """
    found = hooks_of(module, name)
    if not found:
        raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")
    key, method = found[0]
    method.remove(module)
    del module._forward_pre_hooks[key]
    return module


def is_pruned(module: Any) -> bool:
    """Whether a parameter of the module, or of one below it, has a mask."""
    hooks = [hook for each in module.modules() for hook in each._forward_pre_hooks.values()]
    return any(isinstance(hook, BasePruningMethod) for hook in hooks)
