"""Spectral normalisation by a hook before each call; `parametrizations` has the newer form."""

from __future__ import annotations

from typing import Any

from ..._start.boundary import boundary
from ...autograd import no_grad
from ...ops.reductions.vector_norm import vector_norm
from ..parameter import Parameter
from .weight_hooks import WeightHook

__all__ = ["SpectralNorm", "remove_spectral_norm", "spectral_norm"]


def unit(vector: Any, eps: float) -> Any:
    """Return a vector divided by the maximum of its length and `eps`."""
    return vector / vector_norm(vector).clamp(min=eps)


def rows_dimension(module: Any, dim: int | None) -> int:
    """Return the dimension of a weight that is the rows of the matrix: 1 for transposed convolutions, else 0."""
    if dim is not None:
        return dim
    return 1 if type(module).__name__.startswith("ConvTranspose") else 0


class SpectralNorm(WeightHook):
    """Hook that computes a weight divided by its largest singular value.

    Args:
        name: name of the weight.
        n_power_iterations: steps of the power method before each call in training.
        dim: dimension of the rows of the matrix.
        eps: lower bound of the divisor of vectors.

    Raises:
        ValueError: if `n_power_iterations` is not positive.
    """

    function = "spectral_norm"

    def __init__(self, name: str = "weight", n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.name = name
        self.dim = dim
        self.n_power_iterations = n_power_iterations
        self.eps = eps

    def reshape_weight_to_matrix(self, weight: Any) -> Any:
        """Return the weight as a matrix."""
        rows = weight.movedim(self.dim, 0)
        return rows.unsqueeze(-1).flatten(1)

    def compute_weight(self, module: Any, do_power_iteration: bool) -> Any:
        """Return the weight divided by its largest singular value, after further steps if `do_power_iteration`."""
        weight, u, v = (getattr(module, f"{self.name}_{ending}") for ending in ("orig", "u", "v"))
        matrix = self.reshape_weight_to_matrix(weight)
        if do_power_iteration:
            with no_grad():
                for _ in range(self.n_power_iterations):
                    v.copy_(unit(matrix.t().mv(u), self.eps))
                    u.copy_(unit(matrix.mv(v), self.eps))
            u, v = u.clone(), v.clone()  # the next call writes to these again
        return weight / u.dot(matrix.mv(v))

    @staticmethod
    def apply(module: Any, name: str, n_power_iterations: int, dim: int, eps: float) -> SpectralNorm:
        """Register a hook on a module.

        Raises:
            RuntimeError: if the weight has such a hook already.
            KeyError: if the module has no such parameter.
            ValueError: if the parameter is None, or `n_power_iterations` is not positive.
        """
        SpectralNorm.check_single(module, name)
        hook_of_weight = SpectralNorm(name, n_power_iterations, dim, eps)
        if name not in module._parameters:
            raise KeyError(f"{name}: spectral_norm found no such parameter in {type(module).__name__}")
        weight = module._parameters[name]
        if weight is None:
            raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
        lengths = hook_of_weight.reshape_weight_to_matrix(weight.detach()).shape
        vectors = [unit(weight.detach().new_empty(length).normal_(0, 1), eps) for length in lengths]
        delattr(module, name)
        module.register_parameter(f"{name}_orig", weight)
        setattr(module, name, weight.data)
        for ending, vector in zip("uv", vectors, strict=True):
            module.register_buffer(f"{name}_{ending}", vector)
        module.register_forward_pre_hook(hook_of_weight)
        return hook_of_weight

    def remove(self, module: Any) -> None:
        """Make the weight a plain parameter again."""
        with no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        for ending in ("", "_u", "_v", "_orig"):
            delattr(module, f"{self.name}{ending}")
        module.register_parameter(self.name, Parameter(weight.detach()))

    def __call__(self, module: Any, inputs: Any) -> None:
        """Compute the weight before a call."""
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))


@boundary
def spectral_norm(
    module: Any, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Any:
    """Divide a weight by its largest singular value; the trained parameter is `<name>_orig`.

    Args:
        module, name, n_power_iterations, eps, dim: as for `parametrizations.spectral_norm`.

    Returns:
        The module.

    Raises:
        RuntimeError: if the weight has such a hook already.
        ValueError: if the weight is None, or `n_power_iterations` is not positive.

    Source: Miyato et al., Spectral Normalization for Generative Adversarial Networks, 2018.
    """
    SpectralNorm.apply(module, name, n_power_iterations, rows_dimension(module, dim), eps)
    return module


@boundary
def remove_spectral_norm(module: Any, name: str = "weight") -> Any:
    """Remove spectral normalisation from a weight, which becomes a plain parameter.

    Raises:
        ValueError: if the module has no such hook for the weight.
    """
    return SpectralNorm.remove_from(module, name)
