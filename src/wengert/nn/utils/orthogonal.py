"""Weights that stay orthogonal matrices, by maps from all matrices to these."""

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
    """The orthogonal matrix that belongs to a matrix.

    Args:
        weight: (..., n, k), the weight at first.
        orthogonal_map: "matrix_exp", "cayley" or "householder".
        use_trivialization: multiply by the matrix that was assigned last, kept as the buffer `base`.

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
        """(..., n, k), rows or columns orthonormal, whichever are fewer."""
        wide = free.shape[-2] < free.shape[-1]
        found = self._mapped(free.mT if wide else free)
        if hasattr(self, "base"):
            found = self.base @ found
        return found.mT if wide else found

    def _mapped(self, free: Any) -> Any:
        if self.orthogonal_map == "householder":
            below = free.tril(-1)
            found = householder_product(below, 2.0 / (1.0 + (below * below).sum(-2)))
            return found * free.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)
        rows, columns = free.shape[-2:]
        lower = free.tril()
        if rows != columns:
            lower = cat([lower, lower.new_zeros(*lower.shape[:-2], rows, rows - columns)], -1)
        skew = lower - lower.mH
        if self.orthogonal_map == "matrix_exp":
            return skew.matrix_exp()[..., :columns]
        one = identity(skew)
        return solve(one - skew / 2, one + skew / 2)[..., :columns]

    @no_grad()
    def right_inverse(self, value: Any) -> Any:
        """A matrix that belongs to an orthogonal one; with a base, one that belongs to it from the new base on.

        Raises:
            ValueError: another shape than the weight's at first.
            NotImplementedError: there is no base, and the map has no inverse here.
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
            self.base = made_orthogonal(cat([tall, more], -1))
        else:
            self.base = tall.clone() if is_orthogonal(tall) else made_orthogonal(tall)
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
    """The identity, of a square matrix' size, dtype and batch."""
    made = matrix.new_zeros(matrix.shape)
    made.diagonal(dim1=-2, dim2=-1).fill_(1.0)
    return made


def is_orthogonal(matrix: Any) -> bool:
    """Whether the columns are orthonormal, up to rounding."""
    columns = matrix.shape[-1]
    close = 10 * columns * dtypes.finfo(matrix.dtype).eps
    gram = matrix.mH @ matrix
    return bool(gram.allclose(identity(gram), rtol=1e-5, atol=close))


def made_orthogonal(matrix: Any) -> Any:
    """The orthogonal factor of its QR decomposition whose triangular factor has a positive diagonal."""
    reflectors, factors = matrix.geqrf()
    return householder_product(reflectors, factors) * reflectors.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)


@boundary
def orthogonal(
    module: Any, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> Any:
    """Keep a weight orthogonal: of its rows or columns, the fewer are orthonormal.

    Args:
        module: the module.
        name: of the weight, (..., n, k).
        orthogonal_map: "matrix_exp", "cayley" or "householder"; if not given the last for real matrices that are not
            square and the first for all others.
        use_trivialization: multiply by a base, so that any orthogonal matrix can be assigned.

    Returns:
        The module.

    Raises:
        ValueError: there is no such weight or map, the weight is no matrix, or complex with "householder".

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
    made = _Orthogonal(weight, orthogonal_map, use_trivialization=use_trivialization)
    return register_parametrization(module, name, made, unsafe=True)
