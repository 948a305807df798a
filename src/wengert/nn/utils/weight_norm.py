"""Weight normalisation by a hook before each call; `parametrizations.weight_norm` is the newer form."""

from __future__ import annotations

import warnings
from typing import Any

from ..._start.boundary import boundary
from ...ops.reductions.vector_norm import vector_norm
from ..parameter import Parameter
from .weight_hooks import WeightHook

__all__ = ["WeightNorm", "remove_weight_norm", "weight_norm"]


def norm_except_dim(v: Any, pow: float = 2, dim: int = 0) -> Any:
    """Return the norms of the slices along a dimension, which is kept; -1 for the norm of the whole tensor."""
    if dim == -1:
        return vector_norm(v, pow)
    others = [other for other in range(v.ndim) if other != dim]
    return vector_norm(v, pow, others, True) if others else v.abs()


def scaled(v: Any, g: Any, dim: int) -> Any:
    """Return the directions `v` scaled to the magnitudes `g`."""
    return v * (g / norm_except_dim(v, 2, dim))


class WeightNorm(WeightHook):
    """Hook that computes a weight from its magnitudes and directions.

    Args:
        name: name of the weight.
        dim: dimension whose slices have separate magnitudes; -1 for one magnitude.
    """

    function = "weight_norm"

    def __init__(self, name: str, dim: int | None) -> None:
        self.name = name
        self.dim = -1 if dim is None else dim

    def compute_weight(self, module: Any) -> Any:
        """Return the weight."""
        return scaled(getattr(module, f"{self.name}_v"), getattr(module, f"{self.name}_g"), self.dim)

    @staticmethod
    def apply(module: Any, name: str, dim: int | None) -> WeightNorm:
        """Register a hook on a module.

        Raises:
            RuntimeError: if the weight has such a hook already.
        """
        warnings.warn(
            "`torch.nn.utils.weight_norm` is deprecated in favor of `torch.nn.utils.parametrizations.weight_norm`.",
            FutureWarning,
            stacklevel=3,
        )
        WeightNorm.check_single(module, name)
        norm = WeightNorm(name, dim)
        weight = getattr(module, name)
        del module._parameters[name]
        module.register_parameter(f"{name}_g", Parameter(norm_except_dim(weight, 2, norm.dim).data))
        module.register_parameter(f"{name}_v", Parameter(weight.data))
        setattr(module, name, norm.compute_weight(module))
        module.register_forward_pre_hook(norm)
        return norm

    def remove(self, module: Any) -> None:
        """Make the weight a plain parameter again."""
        weight = self.compute_weight(module)
        delattr(module, self.name)
        del module._parameters[f"{self.name}_g"]
        del module._parameters[f"{self.name}_v"]
        setattr(module, self.name, Parameter(weight.data))

    def __call__(self, module: Any, inputs: Any) -> None:
        """Compute the weight before a call."""
        setattr(module, self.name, self.compute_weight(module))


@boundary
def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """Train a weight as magnitudes `<name>_g` and directions `<name>_v`.

    Args:
        module, name, dim: as for `parametrizations.weight_norm`.

    Returns:
        The module.

    Raises:
        RuntimeError: if the weight has such a hook already.

    Source: Salimans and Kingma, Weight Normalization, 2016.
    """
    WeightNorm.apply(module, name, dim)
    return module


@boundary
def remove_weight_norm(module: Any, name: str = "weight") -> Any:
    """Remove weight normalisation from a weight, which becomes a plain parameter.

    Raises:
        ValueError: if the module has no such hook for the weight.
    """
    return WeightNorm.remove_from(module, name)
