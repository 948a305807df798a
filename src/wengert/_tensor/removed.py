"""Functions that torch has removed, whose names say what to call instead."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from .._core.tensor.base import Tensor

_IN_PACKAGE = ("eig", "lstsq", "matrix_rank", "solve", "symeig")

GONE = "This function was deprecated since version 1.9 and is now removed. "


def eig(self: Tensor, eigenvectors: bool = False, *, e: Tensor | None = None, v: Tensor | None = None) -> NoReturn:
    """Removed: call `linalg.eig` or `linalg.eigvals`."""
    raise RuntimeError(GONE + "Call `torch.linalg.eig`, which returns complex tensors, or `torch.linalg.eigvals`.")


def symeig(input: Tensor, eigenvectors: bool = False, upper: bool = True, *, out: Tensor | None = None) -> NoReturn:
    """Removed: call `linalg.eigh` or `linalg.eigvalsh`."""
    raise RuntimeError(
        GONE + "Call `torch.linalg.eigh(A, UPLO='U' if upper else 'L')`, or `torch.linalg.eigvalsh`; they read the "
        "lower triangle by default."
    )


def lstsq(input: Tensor, A: Tensor, *, out: Tensor | None = None) -> NoReturn:  # noqa: N803
    """Removed: call `linalg.lstsq`, whose arguments are the other way round."""
    raise RuntimeError(GONE + "Call `torch.linalg.lstsq(A, B)` for `torch.lstsq(B, A)`.")


def solve(input: Tensor, A: Tensor, *, out: Tensor | None = None) -> NoReturn:  # noqa: N803
    """Removed: call `linalg.solve`, whose arguments are the other way round."""
    raise RuntimeError(GONE + "Call `torch.linalg.solve(A, B)` for `torch.solve(B, A)`.")


def matrix_rank(
    input: Tensor, tol: float | None = None, symmetric: bool = False, *, out: Tensor | None = None
) -> NoReturn:
    """Removed: call `linalg.matrix_rank`."""
    raise RuntimeError(GONE + "Call `torch.linalg.matrix_rank`, whose parameter `hermitian` was `symmetric` here.")


def reinforce(self: Tensor, reward: float | Tensor) -> NoReturn:
    """Removed: compute the loss from log-probabilities of `distributions`."""
    raise RuntimeError("reinforce() was removed. Use torch.distributions: loss = -m.log_prob(action) * reward")
