"""`vectorize=True` and forward mode: refused by name without batching; with a stand-in for it, equal to the loop."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace

import pytest

import wengert as wg
from wengert.autograd.functional import batched, hessian, jacobian


def matrices(x, y):
    return (x @ y).exp(), x.sum() * y


def number(x, y):
    return (x @ y).exp().sum() * y.sum()


def inputs():
    return wg.tensor([[1.0, 2.0], [3.0, -4.0], [0.5, 1.0]]) / 4, wg.tensor([0.5, -1.0])


def flat(found):
    """Nested tuples of tensors as one list."""
    return [each for part in found for each in flat(part)] if isinstance(found, tuple) else [found]


def assert_same(found, expected):
    found, expected = flat(found), flat(expected)
    assert len(found) == len(expected)
    for one, other in zip(found, expected):
        assert one.shape == other.shape and one.dtype is other.dtype and one.requires_grad == other.requires_grad
        assert wg.allclose(one, other)


@pytest.fixture
def with_batching(monkeypatch):
    """Gradients of batches are there already, as a loop."""
    monkeypatch.setattr(batched, "BATCHING", True)


@pytest.fixture
def with_forward_mode(monkeypatch):
    """A stand-in for forward mode, by two backward passes, and for batches of tangents, by a loop."""
    duals = []

    def make_dual(x, tangent):
        x = x.detach().requires_grad_()
        duals.append((x, tangent))
        return x

    def unpack_dual(y):
        weights = wg.zeros_like(y, requires_grad=True)
        leaves, tangents = zip(*duals)
        if not y.requires_grad:
            return SimpleNamespace(primal=y, tangent=None)
        found = wg.autograd.grad(y, leaves, weights, create_graph=True, allow_unused=True)
        grads, parts = zip(*[pair for pair in zip(found, tangents) if pair[0] is not None])
        (tangent,) = wg.autograd.grad(grads, weights, parts, retain_graph=True)
        return SimpleNamespace(primal=y.detach(), tangent=tangent)

    def looped(push, tangents):
        rows = []
        for row in zip(*(part.unbind(0) for part in tangents)):
            duals.clear()
            rows.append(push(row))
        duals.clear()
        return tuple(wg.stack(column) for column in zip(*rows))

    stand_in = SimpleNamespace(dual_level=nullcontext, make_dual=make_dual, unpack_dual=unpack_dual)
    monkeypatch.setattr(wg.autograd, "forward_ad", stand_in, raising=False)
    monkeypatch.setattr(batched, "pushed_forward", looped)


@pytest.mark.parametrize(
    "options", [{"vectorize": True}, {"vectorize": True, "strategy": "forward-mode"}], ids=["reverse", "forward"]
)
def test_without_batching_nothing_pretends_to_be_vectorised(options):
    with pytest.raises(NotImplementedError, match="batching, which is not available yet"):
        jacobian(lambda x: x * 2, wg.ones(2), **options)
    if "strategy" in options:
        options = {"vectorize": True, "outer_jacobian_strategy": options["strategy"]}
    with pytest.raises(NotImplementedError, match="batching, which is not available yet"):
        hessian(lambda x: (x**3).sum(), wg.ones(2), **options)
    assert wg.is_grad_enabled()


@pytest.mark.parametrize("create_graph", [False, True])
def test_one_batch_gives_what_the_loop_gives(with_batching, create_graph):
    x, y = inputs()
    x.requires_grad_()
    for function, derivative in ((matrices, jacobian), (number, hessian)):
        looped = derivative(function, (x, y), create_graph=create_graph)
        assert_same(derivative(function, (x, y), create_graph=create_graph, vectorize=True), looped)


def test_one_batch_gives_zeros_for_what_is_not_used(with_batching):
    x, y = inputs()
    for function in (lambda x, y: x * 2, lambda x, y: (x.detach(), wg.ones(2)), lambda x, y: (x * 1, wg.ones(2))):
        assert_same(jacobian(function, (x, y), vectorize=True), jacobian(function, (x, y)))


def test_one_batch_takes_complex_outputs(with_batching):
    x = wg.tensor([1 + 2j, 3 - 1j])
    found = jacobian(lambda x: x * x, x, vectorize=True)
    assert wg.allclose(found, (2 * x).conj().resolve_conj().diag())


def test_forward_mode_gives_what_reverse_mode_gives(with_forward_mode):
    x, y = inputs()
    options = {"vectorize": True, "strategy": "forward-mode"}
    assert_same(jacobian(matrices, (x, y), **options), jacobian(matrices, (x, y)))
    assert_same(jacobian(lambda x: x.sum(0), x, **options), jacobian(lambda x: x.sum(0), x))
    assert_same(jacobian(lambda x: (x.t(), wg.ones(2)), x, **options), jacobian(lambda x: (x.t(), wg.ones(2)), x))
    found = hessian(number, (x, y), vectorize=True, outer_jacobian_strategy="forward-mode")
    assert_same(found, hessian(number, (x, y)))


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
