"""Systems with a banded matrix beside dense ones, and their derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import wengert as wg
from wengert.autograd import gradcheck, gradgradcheck
from wengert.scipy.banded import Banded, transposed

RANDOM = np.random.default_rng(0)


def system(n: int, width: int, columns: int = 2) -> tuple[Any, Any]:
    bands = RANDOM.standard_normal((2 * width + 1, n))
    bands[width] += 5
    for at in range(2 * width + 1):  # elements outside of the matrix
        offset = at - width
        bands[at, : max(-offset, 0)] = 0
        bands[at, n - max(offset, 0) :] = 0
    return bands, RANDOM.standard_normal((n, columns))


def dense(bands: Any) -> Any:
    width, n = len(bands) // 2, bands.shape[1]
    matrix = np.zeros((n, n))
    for row in range(n):
        for column in range(max(row - width, 0), min(row + width + 1, n)):
            matrix[row, column] = bands[width + row - column, column]
    return matrix


@pytest.mark.parametrize("width", [0, 1, 2, 3])
@pytest.mark.parametrize("n", [1, 4, 7])
def test_solutions_are_those_of_the_dense_matrix(n: int, width: int) -> None:
    bands, right = system(n, width)
    result = Banded.apply(wg.tensor(bands), wg.tensor(right)).numpy()
    np.testing.assert_allclose(result, np.linalg.solve(dense(bands), right), atol=1e-12)
    np.testing.assert_array_equal(dense(transposed(wg.tensor(bands)).numpy()), dense(bands).T)


@pytest.mark.parametrize("width", [1, 2])
def test_derivatives_by_matrix_and_right_side(width: int) -> None:
    bands, right = (wg.tensor(value, requires_grad=True) for value in system(5, width))
    assert gradcheck(Banded.apply, (bands, right), check_forward_ad=True, check_batched_grad=True)
    assert gradgradcheck(Banded.apply, (bands, right))


def test_batches_of_matrices_and_right_sides() -> None:
    pairs = [system(4, 1) for _ in range(3)]
    bands, right = (wg.tensor(np.stack(values)) for values in zip(*pairs))
    both = wg.func.vmap(Banded.apply)(bands, right)
    shared = wg.func.vmap(Banded.apply, in_dims=(None, 0))(bands[0], right)
    for at in range(3):
        np.testing.assert_allclose(both[at].numpy(), Banded.apply(bands[at], right[at]).numpy(), atol=1e-13)
        np.testing.assert_allclose(shared[at].numpy(), Banded.apply(bands[0], right[at]).numpy(), atol=1e-13)
