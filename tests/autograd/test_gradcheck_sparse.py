"""`gradcheck` of sparse inputs, as torch's: of all elements, or, masked, of the entries only."""

from __future__ import annotations

from typing import Any

import pytest

import wengert as wg
from wengert.autograd import gradcheck, gradgradcheck
from wengert.autograd.gradcheck import GradcheckError


def leaf() -> Any:
    values = wg.tensor([1.0, 2.0, 0.5], dtype=wg.float64)
    return wg.sparse_coo_tensor([[0, 1, 0], [1, 2, 1]], values, (2, 3), requires_grad=True)


MASKED = {
    "sum": wg.sparse.sum,
    "to_dense": lambda s: s.to_dense(),
    "mm": lambda s: wg.sparse.mm(s, wg.arange(6.0, dtype=wg.float64).reshape(3, 2)),
}


@pytest.mark.parametrize("fast", [False, True], ids=["slow", "fast"])
@pytest.mark.parametrize("call", MASKED.values(), ids=MASKED)
def test_gradients_at_the_entries_are_checked_if_that_is_said(call: Any, fast: bool) -> None:
    assert gradcheck(call, (leaf(),), masked=True, fast_mode=fast)
    with pytest.raises(GradcheckError, match="Jacobian mismatch for output 0 with respect to input 0"):
        gradcheck(call, (leaf(),), fast_mode=fast)


def test_a_gradient_of_all_elements_is_checked_at_all_of_them() -> None:
    assert gradcheck(lambda s: s.to_dense(masked_grad=False), (leaf(),))
    assert gradcheck(lambda s: s.to_dense(masked_grad=False), (leaf(),), masked=True)


def test_a_wrong_gradient_of_a_sparse_leaf_is_found() -> None:
    class Wrong(wg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, s: Any) -> Any:
            return s.to_dense()

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return 2 * grad

    with pytest.raises(GradcheckError, match="Jacobian mismatch"):
        gradcheck(Wrong.apply, (leaf(),), masked=True)


def test_sparse_results_are_refused() -> None:
    dense = wg.ones(2, 2, dtype=wg.float64, requires_grad=True)
    for check in (
        lambda: gradcheck(lambda s: s * 2, (leaf(),), masked=True),
        lambda: gradcheck(lambda x: x.to_sparse(), (dense,)),
        lambda: gradgradcheck(lambda s: s.to_dense(), (leaf(),), masked=True),
    ):
        with pytest.raises(ValueError, match="Sparse output is not supported at gradcheck yet"):
            check()


def example() -> Any:
    return wg.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [1.0, 2.0, 3.0], (2, 3))


def test_gradcheck_is_one_of_sparse_tensors() -> None:
    check = wg.sparse.as_sparse_gradcheck(wg.autograd.gradcheck)
    assert check(lambda s: s.to_dense(), (example().double().requires_grad_(),), masked=True)
