"""`lobpcg` beside what it is like torch's in (tests/parity/programs/searched_eigenvalues.py)."""

from __future__ import annotations

import pytest

import wengert as wg


def positive(size):
    wg.manual_seed(0)
    rows = wg.randn(size, size, dtype=wg.float64)
    return rows @ rows.mT + wg.diag(wg.arange(float(size)).double() * 2)


def test_a_large_matrix_a_sparse_one_and_a_weighted_problem():
    a = positive(60)
    exact = wg.linalg.eigvalsh(a)
    for given in (a, a.to_sparse()):
        values, vectors = wg.lobpcg(given, 4)
        wg.testing.assert_close(values, exact[-4:].flip(0))
        wg.testing.assert_close(a @ vectors, vectors * values, atol=1e-4, rtol=1e-5)
    weights_b = wg.diag(wg.arange(1.0, 61.0).double())
    _, vectors = wg.lobpcg(a, 3, B=weights_b, largest=False)
    wg.testing.assert_close(vectors.mT @ weights_b @ vectors, wg.eye(3, dtype=wg.float64))


def test_a_tracker_sees_each_step_and_may_stop():
    steps = []

    def tracker(state):
        steps.append((state.ivars["istep"], tuple(state.X.shape), tuple(state.R.shape)))
        state.bvars["force_stop"] = len(steps) == 2

    wg.lobpcg(positive(30), 2, tracker=tracker)
    assert steps == [(0, (30, 2), (30, 2)), (1, (30, 2), (30, 2))]


def test_the_gradient_of_a_batch_is_the_derivative():
    a = wg.stack([positive(6), positive(6) * 2 + wg.eye(6, dtype=wg.float64)])
    weights = wg.linspace(-1, 1, 6).double()[:, None]

    def function(a):
        values, vectors = wg.lobpcg(a, 2, niter=-1, tol=1e-13)
        return values.sum() + (vectors.square() * weights).sum()

    assert wg.autograd.gradcheck(function, a.requires_grad_(), eps=1e-5, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        (lambda a: wg.lobpcg(a.int()), RuntimeError, "must be of float32 or float64"),
        (lambda a: wg.lobpcg([[1.0]]), TypeError, "'A' must be Tensor, not list"),
        (lambda a: wg.lobpcg(a, B=a.float()), RuntimeError, "to have the same dtype"),
        (lambda a: wg.lobpcg(a[0]), IndexError, "must be a matrix"),
        (lambda a: wg.lobpcg(a, 0), ValueError, "k must be positive"),
        (lambda a: wg.lobpcg(a[None], X=a[:, :1]), RuntimeError, "must have the batch of A"),
    ],
)
def test_what_is_no_such_problem_is_refused(change, error, says):
    with pytest.raises(error, match=says):
        change(positive(6))
