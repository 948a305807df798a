"""Orthogonal weights, parametrized by arbitrary matrices."""

from __future__ import annotations

from typing import Any

from ..._start.boundary import boundary
from ..._tensor import Tensor
from ..._tensor.attributes import dtypes
from ...autograd import no_grad
from ...linalg import householder_product, solve
from ...ops.shapes.join import cat
from ..modules.module import Module
from .parametrize import register_parametrization

MAPS = ("matrix_exp", "cayley", "householder")


class _Orthogonal(Module):
    """Map from arbitrary to orthogonal matrices.

    Args:
        weight: (..., n, k), the initial weight.
        orthogonal_map: "matrix_exp", "cayley" or "householder".
        use_trivialization: multiply by the matrix that was assigned last, which is the buffer `base`.

    Source: Lezcano-Casado, Trivializations for gradient-based optimization on manifolds, 2019.
    """

    base: Any

    def __init__(self, weight: Any, orthogonal_map: str, *, use_trivialization: bool = True) -> None:
        super().__init__()
        if weight.dtype.is_complex and orthogonal_map == "householder":
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, free: Any) -> Any:
        """Return a matrix (..., n, k) with orthonormal rows or columns, whichever are fewer."""
        wide = free.shape[-2] < free.shape[-1]
        matrix = self._mapped(free.mT if wide else free)
        if hasattr(self, "base"):
            matrix = self.base @ matrix
        return matrix.mT if wide else matrix

    def _mapped(self, free: Any) -> Any:
        if self.orthogonal_map == "householder":
            below = free.tril(-1)
            matrix = householder_product(below, 2.0 / (1.0 + (below * below).sum(-2)))
            return matrix * free.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)
        rows, columns = free.shape[-2:]
        lower = free.tril()
        if rows != columns:
            lower = cat([lower, lower.new_zeros(*lower.shape[:-2], rows, rows - columns)], -1)
        skew = lower - lower.mH
        if self.orthogonal_map == "matrix_exp":
            return skew.matrix_exp()[..., :columns]
        unit = identity(skew)
        return solve(unit - skew / 2, unit + skew / 2)[..., :columns]

    @no_grad()
    def right_inverse(self, value: Any) -> Any:
        """Return a matrix that `forward` maps to `value`; a base is replaced for that.

        Raises:
            ValueError: if the shape differs from that of the initial weight.
            NotImplementedError: if there is no base, and the map is not "householder".
        """
        if value.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {value.shape}."
            )
        wide = value.shape[-2] < value.shape[-1]
        tall = value.mT if wide else value
        if not hasattr(self, "base"):
            return self._inverse(tall, wide)
        rows, columns = tall.shape[-2:]
        if rows != columns:
            more = tall.new_empty(*tall.shape[:-2], rows, rows - columns).normal_(0, 1)
            self.base = orthogonal_factor(cat([tall, more], -1))
        else:
            self.base = tall.clone() if is_orthogonal(tall) else orthogonal_factor(tall)
        start = value.new_zeros(value.shape)
        start.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
        return start

    def _inverse(self, tall: Any, wide: bool) -> Any:
        if self.orthogonal_map != "householder":
            raise NotImplementedError(
                "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                "use_trivialization=False."
            )
        reflectors, factors = tall.geqrf()
        signs = reflectors.diagonal(dim1=-2, dim2=-1)
        signs.sign_()
        signs[factors == 0.0] *= -1
        return reflectors.mT if wide else reflectors


def identity(matrix: Any) -> Any:
    """Return identity matrices of the size, dtype and batch of a square matrix."""
    result = matrix.new_zeros(matrix.shape)
    result.diagonal(dim1=-2, dim2=-1).fill_(1.0)
    return result


def is_orthogonal(matrix: Any) -> bool:
    """Return whether the columns are orthonormal, up to rounding."""
    columns = matrix.shape[-1]
    close = 10 * columns * dtypes.finfo(matrix.dtype).eps
    gram = matrix.mH @ matrix
    return bool(gram.allclose(identity(gram), rtol=1e-5, atol=close))


def orthogonal_factor(matrix: Any) -> Any:
    """Return the orthogonal factor of the QR decomposition whose triangular factor has a positive diagonal."""
    reflectors, factors = matrix.geqrf()
    return householder_product(reflectors, factors) * reflectors.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)


@boundary
def orthogonal(
    module: Any, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> Any:
    """Keep a weight orthogonal: its rows or columns, whichever are fewer, are orthonormal.

    Args:
        module: the module.
        name: name of the weight, (..., n, k).
        orthogonal_map: "matrix_exp", "cayley" or "householder"; the default is "householder" for real matrices that
            are not square, and "matrix_exp" for all others.
        use_trivialization: multiply by a base, so that any orthogonal matrix can be assigned.

    Returns:
        The module.

    Raises:
        ValueError: if there is no such weight or map, the weight has fewer than two dimensions, or is complex with
            "householder".

    Source: Lezcano-Casado, Trivializations for gradient-based optimization on manifolds, 2019.

    >>> import wengert as wg
    >>> layer = wg.nn.utils.parametrizations.orthogonal(wg.nn.Linear(3, 3))
    >>> bool((layer.weight @ layer.weight.T).allclose(wg.eye(3), atol=1e-5))
    True
    """
    weight: Any = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        square = weight.shape[-2] == weight.shape[-1]
        orthogonal_map = "matrix_exp" if square or weight.dtype.is_complex else "householder"
    if orthogonal_map not in MAPS:
        raise ValueError(
            f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}'
        )
    parametrization = _Orthogonal(weight, orthogonal_map, use_trivialization=use_trivialization)
    return register_parametrization(module, name, parametrization, unsafe=True)
