"""Constraints on matrices, and on values with separate constraints for parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._core.types.dtypes import bool_, finfo
from .._tensor import Tensor
from ..ops.linalg.cholesky import linalg_cholesky_ex
from ..ops.linalg.eigen import eigvalsh
from ..ops.shapes.join import cat as join, stack as join_new
from .sets import TOLERANCE, Constraint


class _LowerTriangular(Constraint):
    """Matrices with zeros above the diagonal."""

    event_dim = 2

    def check(self, value: Tensor) -> Tensor:
        return (value.tril() == value).flatten(-2).all(-1)


class _LowerCholesky(Constraint):
    """Lower triangular matrices with a positive diagonal."""

    event_dim = 2

    def check(self, value: Tensor) -> Tensor:
        return _LowerTriangular().check(value) & (value.diagonal(dim1=-2, dim2=-1) > 0).all(-1)


class _CorrCholesky(Constraint):
    """Cholesky factors of correlation matrices: with a positive diagonal and rows of norm 1."""

    event_dim = 2

    def check(self, value: Tensor) -> Tensor:
        rough = finfo(value.dtype).eps * value.shape[-1] * 10
        norms = (value.detach() ** 2).sum(-1).sqrt()
        return ((norms - 1).abs() < rough).all(-1) & _LowerCholesky().check(value)


class _Square(Constraint):
    """Square matrices."""

    event_dim = 2

    def check(self, value: Tensor) -> Tensor:
        square = value.shape[-2:] == value.shape[-1:] * 2
        return value.new_full(value.shape[:-2], square, dtype=bool_)


class _Symmetric(_Square):
    """Symmetric matrices."""

    def check(self, value: Tensor) -> Tensor:
        if not bool(_Square().check(value).all()):
            return _Square().check(value)
        close = (value - value.mT).abs() <= TOLERANCE + 1e-5 * value.mT.abs()
        return close.flatten(-2).all(-1)


class _PositiveSemidefinite(_Symmetric):
    """Symmetric matrices without negative eigenvalues."""

    def check(self, value: Tensor) -> Tensor:
        symmetric_ones = super().check(value)
        if not bool(symmetric_ones.all()):
            return symmetric_ones
        return (eigvalsh(value) >= 0).all(-1)


class _PositiveDefinite(_Symmetric):
    """Symmetric matrices with positive eigenvalues."""

    def check(self, value: Tensor) -> Tensor:
        symmetric_ones = super().check(value)
        if not bool(symmetric_ones.all()):
            return symmetric_ones
        return linalg_cholesky_ex(value).info == 0


class _Joined(Constraint):
    """Constraints for the parts of values along a dimension."""

    def __init__(self, cseq: Sequence[Constraint], dim: int = 0) -> None:
        if not all(isinstance(constraint, Constraint) for constraint in cseq):
            raise TypeError(f"{type(self).__name__[1:].lower()} expects a sequence of constraints")
        self.cseq = list(cseq)
        self.dim = dim

    @property
    def is_discrete(self) -> Any:
        """Return whether any of the constraints is discrete."""
        return any(constraint.is_discrete for constraint in self.cseq)

    @property
    def event_dim(self) -> Any:
        """Largest `event_dim` of the constraints."""
        return max(constraint.event_dim for constraint in self.cseq)


class _Cat(_Joined):
    """Constraints for parts of given lengths, joined as by `wengert.cat`."""

    def __init__(self, cseq: Sequence[Constraint], dim: int = 0, lengths: Sequence[int] | None = None) -> None:
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.cseq):
            raise ValueError(f"cat expects a length for each of {len(self.cseq)} constraints, got {len(self.lengths)}")

    def check(self, value: Tensor) -> Tensor:
        starts = [sum(self.lengths[:place]) for place in range(len(self.cseq))]
        parts = [value.narrow(self.dim, start, length) for start, length in zip(starts, self.lengths)]
        return join([constraint.check(part) for constraint, part in zip(self.cseq, parts)], self.dim)


class _Stack(_Joined):
    """Constraints for slices along a dimension, joined as by `wengert.stack`."""

    def check(self, value: Tensor) -> Tensor:
        parts = [constraint.check(value.select(self.dim, place)) for place, constraint in enumerate(self.cseq)]
        return join_new(parts, self.dim)
