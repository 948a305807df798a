"""Sparse derivatives: what does not fit is refused, and leaves nothing behind."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import wengert as wg
from wengert.func import hessian_sparsity, jacobian_sparsity, sparse_hessian, sparse_jacobian


def double(count):
    return wg.tensor(np.linspace(0.5, 1.5, count))


@pytest.mark.parametrize("transform", [sparse_jacobian, sparse_hessian, jacobian_sparsity, hessian_sparsity])
def test_modes_are_as_they_were_after_an_error(transform):
    def fails(x):
        x * 2
        raise KeyError("stop")

    with pytest.raises(KeyError, match="stop"):
        if transform in (jacobian_sparsity, hessian_sparsity):
            transform(fails, double(2))
        else:
            transform(fails, sparsity=np.eye(2))(double(2))


@pytest.mark.parametrize("mode", [wg.no_grad, wg.inference_mode])
def test_modes_around_do_not_matter(mode):
    outside = double(3)
    with mode():
        for x in (outside, double(3) * 1):
            for way in ("forward", "reverse"):
                found = sparse_jacobian(lambda x: x[1:] * x[:-1], mode=way)(x)
                assert found.toarray().tolist() == [[1.0, 0.5, 0.0], [0.0, 1.5, 1.0]]
            assert sparse_hessian(lambda x: (x**3).sum())(x).toarray().tolist() == np.diag([3.0, 6.0, 9.0]).tolist()


REFUSED = {
    "a list": (
        TypeError,
        "expected sparsity to be a sparse array of SciPy or a NumPy array, but got list",
        lambda: sparse_jacobian(wg.sin, sparsity=[[1]]),
    ),
    "one dimension": (
        ValueError,
        "sparse_jacobian: expected sparsity to have 2 dimensions, but got 1",
        lambda: sparse_jacobian(wg.sin, sparsity=np.ones(3)),
    ),
    "columns": (
        ValueError,
        r"expected sparsity of shape \(3, 2\) .* but got \(3, 3\)",
        lambda: sparse_jacobian(wg.sin, sparsity=np.eye(3))(double(2)),
    ),
    "rows": (
        ValueError,
        r"expected sparsity of shape \(2, 2\) .* but got \(3, 2\)",
        lambda: sparse_jacobian(wg.sin, sparsity=np.ones((3, 2)))(double(2)),
    ),
    "rows, summed": (
        ValueError,
        r"expected sparsity of shape \(2, 2\) .* but got \(1, 2\)",
        lambda: sparse_jacobian(wg.sin, sparsity=np.ones((1, 2)))(double(2)),
    ),
    "mode": (
        ValueError,
        "expected mode to be 'forward', 'reverse' or None, but got 'both'",
        lambda: sparse_jacobian(wg.sin, mode="both"),
    ),
    "not square": (
        ValueError,
        "sparse_hessian: expected a square sparsity, but got the shape",
        lambda: sparse_hessian(wg.sin, sparsity=np.ones((1, 2))),
    ),
    "not symmetric": (
        ValueError,
        r"expected a symmetric sparsity.*use sparsity \+ sparsity.T",
        lambda: sparse_hessian(wg.sin, sparsity=np.tri(3)),
    ),
    "another size": (
        ValueError,
        r"sparse_hessian: expected sparsity of shape \(2, 2\)",
        lambda: sparse_hessian(lambda x: x.sum(), sparsity=np.eye(3))(double(2)),
    ),
    "a vector": (
        RuntimeError,
        "Expected f.* to return a scalar Tensor",
        lambda: sparse_hessian(wg.sin, sparsity=np.eye(2))(double(2)),
    ),
    "integers": (
        TypeError,
        "jacobian_sparsity: expected real floating-point tensors in the argument, but got .*int64",
        lambda: jacobian_sparsity(wg.sin, wg.tensor([1])),
    ),
    "complex": (
        TypeError,
        "expected real floating-point tensors in the output, but got .*complex",
        lambda: jacobian_sparsity(lambda x: wg.complex(x, x), double(1)),
    ),
    "no tensor": (
        TypeError,
        "sparse_jacobian: expected the argument to hold only tensors, but got int",
        lambda: sparse_jacobian(wg.sin)({"a": 1}),
    ),
    "a number": (
        TypeError,
        "jacobian_sparsity: expected the output to hold only tensors, but got float",
        lambda: jacobian_sparsity(lambda x: 1.0, double(1)),
    ),
    "nothing": (
        TypeError,
        "expected at least one tensor in the argument, but there is none",
        lambda: jacobian_sparsity(lambda x: 1.0, []),
    ),
    "argnums": (
        RuntimeError,
        "Got argnum=1, but only 1 positional inputs",
        lambda: sparse_jacobian(wg.sin, argnums=1)(double(1)),
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_does_not_fit_is_refused(case):
    error, message, attempt = REFUSED[case]
    with pytest.raises(error, match=message):
        attempt()


def test_without_scipy_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.sparse", None)
    for name, attempt in (
        ("jacobian_sparsity", lambda: jacobian_sparsity(wg.sin, double(1))),
        ("sparse_jacobian", lambda: sparse_jacobian(wg.sin)),
        ("sparse_hessian", lambda: sparse_hessian(wg.sin)),
    ):
        with pytest.raises(ImportError, match=rf"{name} needs SciPy.*pip install 'wengert\[full\]'"):
            attempt()
