"""Pruning: `module.weight` is `weight_orig` times `weight_mask`, computed before each call."""

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
    """Prune a parameter with a mask of ones; return the module."""
    Identity.apply(module, name)
    return module


@boundary
def random_unstructured(module: Any, name: str, amount: Any) -> Any:
    """Set random elements to zero; `amount`: their fraction or number. Return the module."""
    RandomUnstructured.apply(module, name, amount)
    return module


@boundary
def l1_unstructured(module: Any, name: str, amount: Any, importance_scores: Any = None) -> Any:
    """Set the elements of smallest absolute value to zero; `amount`: their fraction or number. Return the module.

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
    """Set random slices along `dim` to zero; `amount`: their fraction or number. Return the module."""
    RandomStructured.apply(module, name, amount, dim)
    return module


@boundary
def ln_structured(module: Any, name: str, amount: Any, n: Any, dim: int, importance_scores: Any = None) -> Any:
    """Set the slices along `dim` of smallest n-norm to zero; `amount`: their fraction or number. Return the module."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


@boundary
def custom_from_mask(module: Any, name: str, mask: Any) -> Any:
    """Set the elements to zero where `mask` is 0; return the module."""
    CustomFromMask.apply(module, name, mask)
    return module


@boundary
def global_unstructured(parameters: Any, pruning_method: Any, importance_scores: Any = None, **kwargs: Any) -> None:
    """Set elements of several parameters to zero, chosen among all their elements together.

    Args:
        parameters: pairs of module and name.
        pruning_method: a class of methods for single elements.
        importance_scores: scores to choose by, instead of the parameters: a dictionary with these pairs as keys.
        kwargs: arguments of the pruning method.

    Raises:
        TypeError: if an argument has another type.
    """
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    if importance_scores is not None and not isinstance(importance_scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    pairs, scores = list(parameters), importance_scores or {}
    method = pruning_method(**kwargs)
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            f'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method {pruning_method} of '
            f"type {method.PRUNING_TYPE}"
        )
    values = [getattr(module, name) for module, name in pairs]
    together = parameters_to_vector([scores.get(pair, value) for pair, value in zip(pairs, values, strict=True)])
    masks = [getattr(module, f"{name}_mask", None) for module, name in pairs]
    before = [ones_like(value) if mask is None else mask for value, mask in zip(values, masks, strict=True)]
    chosen = PruningContainer(method).compute_mask(together.detach(), parameters_to_vector(before).detach())
    parts = chosen.split([value.numel() for value in values])
    for (module, name), part, value in zip(pairs, parts, values, strict=True):
        custom_from_mask(module, name, part.view(value.shape))


@boundary
def remove(module: Any, name: str) -> Any:
    """Remove the mask of a parameter, which keeps its zeros; return the module.

    Raises:
        ValueError: if the parameter is not pruned.
    """
    hooks = hooks_of(module, name)
    if not hooks:
        raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")
    key, method = hooks[0]
    method.remove(module)
    del module._forward_pre_hooks[key]
    return module


def is_pruned(module: Any) -> bool:
    """Return whether a parameter of the module, or of one below it, is pruned."""
    hooks = [hook for child in module.modules() for hook in child._forward_pre_hooks.values()]
    return any(isinstance(hook, BasePruningMethod) for hook in hooks)
