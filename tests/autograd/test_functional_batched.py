"""`vectorize=True` and forward mode: equal to the loop."""

from __future__ import annotations

import pytest

import wengert as wg
from wengert.autograd.functional import hessian, jacobian


def matrices(x, y):
    return (x @ y).exp(), x.sum() * y


def number(x, y):
    return (x @ y).exp().sum() * y.sum()


def inputs():
    return wg.tensor([[1.0, 2.0], [3.0, -4.0], [0.5, 1.0]]) / 4, wg.tensor([0.5, -1.0])


def flat(found):
    """Nested tuples (in forward mode, as in torch, lists) of tensors as one list."""
    return [each for part in found for each in flat(part)] if isinstance(found, (tuple, list)) else [found]


def assert_same(found, expected):
    found, expected = flat(found), flat(expected)
    assert len(found) == len(expected)
    for one, other in zip(found, expected):
        assert one.shape == other.shape and one.dtype is other.dtype and one.requires_grad == other.requires_grad
        assert wg.allclose(one, other)


@pytest.mark.parametrize("create_graph", [False, True])
def test_one_batch_gives_what_the_loop_gives(create_graph):
    x, y = inputs()
    x.requires_grad_()
    for function, derivative in ((matrices, jacobian), (number, hessian)):
        looped = derivative(function, (x, y), create_graph=create_graph)
        assert_same(derivative(function, (x, y), create_graph=create_graph, vectorize=True), looped)


def test_one_batch_gives_zeros_for_what_is_not_used():
    x, y = inputs()
    for function in (lambda x, y: x * 2, lambda x, y: (x.detach(), wg.ones(2)), lambda x, y: (x * 1, wg.ones(2))):
        assert_same(jacobian(function, (x, y), vectorize=True), jacobian(function, (x, y)))


def test_one_batch_takes_complex_outputs():
    x = wg.tensor([1 + 2j, 3 - 1j])
    found = jacobian(lambda x: x * x, x, vectorize=True)
    assert wg.allclose(found, (2 * x).conj().resolve_conj().diag())


@pytest.mark.parametrize("strategy", ["reverse-mode", "forward-mode"])
def test_one_batch_takes_outputs_and_inputs_without_elements(strategy):
    x, nothing = wg.tensor([1.0, 2.0]), wg.zeros(0, 2)
    for function, given in ((lambda x: x * 2, nothing), (lambda x: x[:0], x), (lambda x: (x[:0], x * x), x)):
        assert_same(jacobian(function, given, vectorize=True, strategy=strategy), jacobian(function, given))


def test_forward_mode_gives_what_reverse_mode_gives():
    x, y = inputs()
    options = {"vectorize": True, "strategy": "forward-mode"}
    assert_same(jacobian(matrices, (x, y), **options), jacobian(matrices, (x, y)))
    assert_same(jacobian(lambda x: x.sum(0), x, **options), jacobian(lambda x: x.sum(0), x))
    assert_same(jacobian(lambda x: (x.t(), wg.ones(2)), x, **options), jacobian(lambda x: (x.t(), wg.ones(2)), x))
    found = hessian(number, (x, y), vectorize=True, outer_jacobian_strategy="forward-mode")
    assert_same([each.detach() for each in flat(found)], hessian(number, (x, y)))


def test_what_torch_refuses_together_is_refused():
    x = wg.ones(2)
    with pytest.raises(RuntimeError, match="`strict=True` and `vectorized=True` are not supported together"):
        jacobian(lambda x: x, x, strict=True, vectorize=True)
    with pytest.raises(RuntimeError, match='`strict=True` and `strategy="forward-mode"` are not supported'):
        jacobian(lambda x: x, x, strict=True, vectorize=True, strategy="forward-mode")
    with pytest.raises(NotImplementedError, match='`create_graph=True` and `strategy="forward-mode"` are not'):
        jacobian(lambda x: x, x, create_graph=True, vectorize=True, strategy="forward-mode")
    with pytest.raises(NotImplementedError, match="only implemented for `vectorize=True`"):
        jacobian(lambda x: x, x, strategy="forward-mode")
    with pytest.raises(NotImplementedError, match="only implemented for `vectorize=True`"):
        hessian(lambda x: x.sum(), x, outer_jacobian_strategy="forward-mode")
