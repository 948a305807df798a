"""The steps of `autograd.functional` by torch's private names, with which libraries write derivatives of their own."""

from __future__ import annotations

import pytest

import wengert as wg
from wengert.autograd import functional
from wengert.nn.utils import stateless

X = wg.arange(3.0)


def recorded():
    return wg.ones(3, requires_grad=True)


def library_vjp(function, inputs, v, create_graph=False, strict=False):
    """`vjp` as a library writes it."""
    with wg.enable_grad():
        several, inputs = functional._as_tuple(inputs, "inputs", "library_vjp")
        inputs = functional._grad_preprocess(inputs, create_graph=create_graph, need_graph=True)
        outputs = function(*inputs)
        several_out, outputs = functional._as_tuple(outputs, "outputs of the function", "library_vjp")
        functional._check_requires_grad(outputs, "outputs", strict=strict)
        _, v = functional._as_tuple(v, "v", "library_vjp")
        v = functional._grad_preprocess(v, create_graph=create_graph, need_graph=False)
        functional._validate_v(v, outputs, several_out)
    with wg.set_grad_enabled(create_graph):
        found = functional._autograd_grad(outputs, inputs, v, create_graph=create_graph)
        grads = functional._fill_in_zeros(found, inputs, strict, create_graph, "back")
    outputs = functional._grad_postprocess(outputs, create_graph)
    grads = functional._grad_postprocess(grads, create_graph)
    return functional._tuple_postprocess(outputs, several_out), functional._tuple_postprocess(grads, several)


@pytest.mark.parametrize("create_graph", [False, True])
def test_a_derivative_written_with_them_is_that_of_the_package(create_graph):
    for function, inputs, v in (
        (lambda x: x**2, X, wg.ones(3)),
        (lambda x, y: (x * y, x.sum()), (X, X + 1), (wg.ones(3), wg.tensor(2.0))),
        (lambda x, y: y**2, (X, X), wg.ones(3)),
    ):
        found = library_vjp(function, inputs, v, create_graph)
        wg.testing.assert_close(found, functional.vjp(function, inputs, v, create_graph=create_graph))
    with pytest.raises(RuntimeError, match="independent of input 0"):
        library_vjp(lambda x, y: y**2, (X, X), wg.ones(3), strict=True)
    with pytest.raises(TypeError, match="The inputs given to library_vjp must be either a Tensor or a tuple"):
        library_vjp(lambda x: x, [X], X)


def test_tuples_are_made_and_taken_apart():
    assert functional._as_tuple(X) == functional._as_tuple_nocheck(X) == (X,)
    assert functional._as_tuple_nocheck([1, 2]) == (1, 2)
    for to_unpack, expected in ((False, X), (True, (X,))):
        assert functional._tuple_postprocess((X,), to_unpack) is expected or expected == (X,)
    nested = ((X,), (X,))
    assert functional._tuple_postprocess(nested, (True, False)) == (X, X)
    assert functional._tuple_postprocess(nested[:1], (False, False)) is X


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("need_graph", [False, True])
def test_inputs_are_tensors_that_nobody_else_has(create_graph, need_graph):
    y = recorded()
    plain, tracked = functional._grad_preprocess((X, y), create_graph, need_graph)
    assert plain is not X and tracked is not y and plain.data_ptr() == X.data_ptr()
    assert plain.requires_grad is need_graph and tracked.requires_grad is (need_graph or create_graph)
    assert (tracked.grad_fn is not None) is create_graph


@pytest.mark.parametrize("kind", ["outputs", "grad_inputs", "jacobian", "hessian"])
def test_strict_mode_tells_what_has_no_history(kind):
    functional._check_requires_grad((X,), kind, False)
    functional._check_requires_grad((recorded(),), kind, True)
    for tensor in (X, None):
        with pytest.raises(RuntimeError, match=r"user-provided function"):
            functional._check_requires_grad((tensor,), kind, True)


def test_unknown_kinds_are_refused():
    with pytest.raises(RuntimeError, match="Invalid input_type to _check_requires_grad"):
        functional._check_requires_grad((X,), "something", True)
    with pytest.raises(RuntimeError, match="Invalid stage argument 'something'"):
        functional._fill_in_zeros((X,), (X,), False, False, "something")
    with pytest.raises(IndexError, match="tuple index out of range"):
        functional._grad_postprocess((), False)


@pytest.mark.parametrize("stage", ["back", "back_trick", "double_back", "double_back_trick"])
def test_gaps_are_zeros_unless_strict_mode_refuses_them(stage):
    (filled,) = functional._fill_in_zeros((None,), (X,), False, True, stage)
    assert wg.equal(filled, wg.zeros(3))
    with pytest.raises(RuntimeError, match="independent"):
        functional._fill_in_zeros((None,), (X,), True, False, stage)
    with pytest.raises(RuntimeError, match="create_graph=True"):
        functional._fill_in_zeros((X,), (X,), True, True, stage)


def test_gradients_are_of_outputs_that_have_a_history():
    y = recorded()
    assert functional._autograd_grad((X,), (y,)) == (None,)
    assert wg.equal(functional._autograd_grad((y.sum(), X), (y,))[0], wg.ones(3))
    batch = functional._autograd_grad((y * 2,), (y,), (wg.eye(3),), is_grads_batched=True)
    assert wg.equal(batch[0], 2 * wg.eye(3))
    with pytest.raises(AssertionError, match="expected a gradient for each of 1 outputs, got 0"):
        functional._autograd_grad((y * 2,), (y,), ())


def test_forward_mode_by_its_own_name():
    assert wg.equal(functional._jacfwd(lambda x: x**2, X, vectorize=True), wg.diag(2 * X))
    with pytest.raises(NotImplementedError):
        functional._jacfwd(lambda x: x**2, X)


def test_a_module_has_other_tensors_in_a_region():
    module = wg.nn.Sequential(wg.nn.Linear(2, 2), wg.nn.BatchNorm1d(2))
    own, other = module[0].weight, wg.ones(2, 2)
    with stateless._reparametrize_module(module, {"0.weight": other}):
        assert module[0].weight is other
    assert module[0].weight is own
    given = {"1.num_batches_tracked": wg.tensor(5)}
    with stateless._reparametrize_module(module, given):
        module(wg.randn(4, 2))
    assert given["1.num_batches_tracked"].item() == 6 and module[1].num_batches_tracked.item() == 0
    with pytest.raises(KeyError), stateless._reparametrize_module(module, {"0.weight": other}):
        raise KeyError
    assert module[0].weight is own
    strict = stateless._reparametrize_module(module, {"0.weight": other}, strict=True)
    with pytest.raises(RuntimeError, match=r"Error\(s\) in reparametrizing for Sequential"):
        strict.__enter__()


def test_tensors_of_several_names_are_replaced_together():
    module = wg.nn.Sequential(wg.nn.Linear(2, 2), wg.nn.Linear(2, 2))
    module[1].bias = module[0].bias
    for tie_weights in (False, True):
        with stateless._reparametrize_module(module, {"0.bias": (other := wg.zeros(2))}, tie_weights):
            assert module[0].bias is other and (module[1].bias is other) is tie_weights
