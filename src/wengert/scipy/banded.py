"""Systems of linear equations with a banded matrix, differentiable."""

from __future__ import annotations

from typing import Any

from .._tensor import Tensor
from ..autograd.function import Function
from ..ops.create.interchange import from_numpy
from ..ops.shapes.join import cat, stack
from .vectors import scipy_module


class Banded(Function):
    """Solution of a system with 2k + 1 diagonals: (A, b) -> A⁻¹ b, with A as `scipy.linalg.solve_banded` takes it."""

    @staticmethod
    def forward(bands: Tensor, right: Tensor) -> Tensor:
        """Return the solution, of the shape (n, m) of the right sides."""
        width = len(bands) // 2
        solve_banded = scipy_module("interpolation", "linalg").solve_banded
        return from_numpy(solve_banded((width, width), bands._array_, right._array_))

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        """Keep the matrix and the solution."""
        ctx.save_for_backward(inputs[0], output)
        ctx.save_for_forward(inputs[0], output)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor]:
        """Return -λ xᵀ on the diagonals, and λ, with Aᵀ λ = grad."""
        bands, solution = ctx.saved_tensors
        adjoint = Banded.apply(transposed(bands), grad)
        rows = [-(shifted(adjoint, offset) * solution).sum(1) for offset in offsets(bands)]
        return stack(rows), adjoint

    @staticmethod
    def jvp(ctx: Any, bands_tangent: Any, right_tangent: Any) -> Tensor:
        """Return A⁻¹ (db - dA x)."""
        bands, solution = ctx.saved_tensors
        right = solution * 0 if right_tangent is None else right_tangent
        if bands_tangent is not None:
            for band, offset in zip(bands_tangent, offsets(bands)):
                right = right - shifted(band.unsqueeze(1) * solution, -offset)
        return Banded.apply(bands, right)

    @staticmethod
    def vmap(info: Any, in_dims: Any, bands: Tensor, right: Tensor) -> tuple[Tensor, int]:
        """Solve for all members, in one call if they share the matrix."""
        size = info.batch_size
        rights = right.movedim(in_dims[1], 0) if in_dims[1] is not None else right.expand(size, *right.shape)
        if in_dims[0] is not None:
            return stack([Banded.apply(*pair) for pair in zip(bands.movedim(in_dims[0], 0), rights)]), 0
        members, n, columns = rights.shape
        solution = Banded.apply(bands, rights.movedim(0, 1).reshape(n, members * columns))
        return solution.reshape(n, members, columns), 1


def offsets(bands: Tensor) -> list[int]:
    """Return for each diagonal how far its elements are below the main diagonal."""
    width = len(bands) // 2
    return list(range(-width, width + 1))


def shifted(tensor: Tensor, offset: int) -> Tensor:
    """Return the rows at i + offset in row i; zeros where there are none."""
    if offset == 0:
        return tensor
    rows = len(tensor)
    if abs(offset) >= rows:
        return tensor * 0
    zeros = tensor.new_zeros((abs(offset), *tensor.shape[1:]))
    parts = [tensor[offset:], zeros] if offset > 0 else [zeros, tensor[:offset]]
    result: Tensor = cat(parts)
    return result


def transposed(bands: Tensor) -> Tensor:
    """Return the diagonals of the transposed matrix."""
    rows = [shifted(bands[-1 - at], offset) for at, offset in enumerate(offsets(bands))]
    result: Tensor = stack(rows)
    return result
