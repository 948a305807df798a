"""Parametrizations of weights: weight normalisation, spectral normalisation, orthogonal matrices."""

from __future__ import annotations

from typing import Any

from ..._start.boundary import boundary
from ..._tensor import Tensor
from ...autograd import no_grad
from ..modules.module import Module
from .orthogonal import orthogonal
from .parametrize import register_parametrization
from .spectral_norm import rows_dimension, unit
from .weight_norm import norm_except_dim, scaled

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


class _WeightNorm(Module):
    """Weight computed from magnitudes and directions."""

    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Any:
        """Return the weight."""
        return scaled(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Tensor) -> tuple[Any, Any]:
        """Return the magnitudes and directions of a weight."""
        return norm_except_dim(weight, 2, self.dim), weight


class ReadOlder:
    """Hook that lets a module load states that were saved with `nn.utils.weight_norm`.

    Args:
        name: name of the weight.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, state_dict: Any, prefix: str, *others: Any) -> None:
        """Rename the values in the state."""
        older = [f"{prefix}{self.name}_{ending}" for ending in "gv"]
        if all(key in state_dict for key in older):
            for number, key in enumerate(older):
                state_dict[f"{prefix}parametrizations.{self.name}.original{number}"] = state_dict.pop(key)


@boundary
def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """Train a weight as magnitudes and directions: `parametrizations.<name>.original0` and `original1`.

    Args:
        module: the module.
        name: name of the weight.
        dim: dimension whose slices have separate magnitudes; None for one magnitude.

    Returns:
        The module.

    Raises:
        ValueError: if the module has no such weight.

    Source: Salimans and Kingma, Weight Normalization, 2016.

    >>> import wengert as wg
    >>> layer = wg.nn.utils.parametrizations.weight_norm(wg.nn.Linear(3, 2))
    >>> layer.parametrizations.weight.original0.shape
    torch.Size([2, 1])
    """
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)
    module._register_load_state_dict_pre_hook(ReadOlder(name))
    return module


class _SpectralNorm(Module):
    """Weight divided by its largest singular value, which the power method approximates.

    Args:
        weight: initial weight.
        n_power_iterations: steps of the power method at each use in training.
        dim: dimension of the rows of the matrix.
        eps: lower bound of the divisor of vectors.
    """

    def __init__(self, weight: Any, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        if not -weight.ndim <= dim < weight.ndim:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [-{weight.ndim}, {weight.ndim - 1}] but got {dim})"
            )
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.dim = dim % weight.ndim
        self.eps = eps
        if weight.ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = self._matrix(weight.detach())
            for name, length in zip(("_u", "_v"), matrix.shape, strict=True):
                self.register_buffer(name, unit(matrix.new_empty(length).normal_(0, 1), eps))
            self._power_method(matrix, 15)

    def _matrix(self, weight: Any) -> Any:
        """Return the weight as a matrix."""
        return weight.movedim(self.dim, 0).flatten(1)

    @no_grad()
    def _power_method(self, matrix: Any, steps: int) -> None:
        """Run steps of the power method on both singular vectors, in place."""
        for _ in range(steps):
            self._u.copy_(unit(matrix.mv(self._v), self.eps))
            self._v.copy_(unit(matrix.t().mv(self._u), self.eps))

    def forward(self, weight: Any) -> Any:
        """Return the weight divided by its largest singular value."""
        if weight.ndim == 1:
            return unit(weight, self.eps)
        matrix = self._matrix(weight)
        if self.training:
            self._power_method(matrix, self.n_power_iterations)
        return weight / self._u.clone().dot(matrix.mv(self._v.clone()))

    def right_inverse(self, value: Tensor) -> Tensor:
        """Return the value itself."""
        return value


@boundary
def spectral_norm(
    module: Any, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Any:
    """Divide a weight by its largest singular value.

    Args:
        module: the module.
        name: name of the weight.
        n_power_iterations: steps of the power method at each use in training.
        eps: lower bound of the divisor of vectors.
        dim: dimension of the rows of the matrix; the default is 1 for transposed convolutions, else 0.

    Returns:
        The module.

    Raises:
        ValueError: if the module has no such weight, or `n_power_iterations` is not positive.
        IndexError: if `dim` is out of range.

    Source: Miyato et al., Spectral Normalization for Generative Adversarial Networks, 2018.
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    parametrization = _SpectralNorm(weight, n_power_iterations, rows_dimension(module, dim), eps)
    return register_parametrization(module, name, parametrization)
