"""Custom Functions backward: what `backward` is given and may return, hooks, derivatives of derivatives."""

from __future__ import annotations

import re

import pytest

import wengert as wg
from wengert.autograd import Function
from wengert.autograd.function import FunctionMeta, once_differentiable


def leaf(*values, dtype=wg.float64):
    return wg.tensor(list(values or (1.0, 2.0)), dtype=dtype, requires_grad=True)


def make(forward, backward=lambda ctx, *grads: grads[0], name="Made", **more):
    """A Function of two functions."""
    return FunctionMeta(
        name, (Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward), **more}
    )


def returning(result, name="Made"):
    """A Function of one tensor whose backward returns what `result` makes of the gradient."""
    return make(lambda ctx, x: x * 2, lambda ctx, grad: result(grad), name)


def refused(function, *args, says, kind=RuntimeError):
    with pytest.raises(kind, match=re.escape(says)):
        function.apply(*args).sum().backward()
    assert wg.is_grad_enabled()


# ---- what backward may return ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("result", "wanted"),
    [
        (lambda grad: (grad, None, None), [1.0, 1.0]),
        (lambda grad: None, None),
        (lambda grad: (None,), None),
        (lambda grad: wg.ones(4, 2), [4.0, 4.0]),
        (lambda grad: grad.float(), [1.0, 1.0]),
        (lambda grad: grad.long(), [1.0, 1.0]),
    ],
)
def test_gradients_are_brought_to_the_shape_and_dtype_of_the_input(result, wanted):
    x = leaf()
    returning(result).apply(x).sum().backward()
    if wanted is None:
        assert x.grad is None
    else:
        assert x.grad.tolist() == wanted and x.grad.dtype == x.dtype and x.grad.shape == x.shape


@pytest.mark.parametrize(
    ("result", "says"),
    [
        (
            lambda grad: (grad, grad),
            "function MadeBackward returned an incorrect number of gradients (expected 1, got 2)",
        ),
        (lambda grad: (), "function MadeBackward returned an incorrect number of gradients (expected 1, got 0)"),
        (lambda grad: 3, "expected Variable or None (got int)"),
        (lambda grad: [grad], "expected Variable or None (got list)"),
        (lambda grad: grad.numpy(), "expected Variable or None (got ndarray)"),
        (
            lambda grad: wg.ones(3),
            "Function MadeBackward returned an invalid gradient at index 0 - got [3] but expected shape compatible "
            "with [2]",
        ),
        (
            lambda grad: grad.sum(),
            "Function MadeBackward returned an invalid gradient at index 0 - got [] but expected shape compatible with "
            "[2]",
        ),
        (lambda grad: grad * 1j, "Function MadeBackward returned a complex gradient at index 0"),
    ],
)
def test_what_does_not_fit_is_reported_with_the_functions_name(result, says):
    x = leaf()
    refused(returning(result), x, says=says)
    assert x.grad is None


def test_there_is_one_gradient_for_each_argument_tensor_or_not():
    def scaled(*grads):
        return make(lambda ctx, factor, x: x * factor, lambda ctx, grad: grads if len(grads) > 1 else grads[0])

    wrong = "function MadeBackward returned an incorrect number of gradients (expected 2, got "
    refused(scaled(wg.ones(2)), 2, leaf(), says=wrong + "1)")
    refused(scaled(None, wg.ones(2), wg.ones(2)), 2, leaf(), says=wrong + "3)")
    refused(
        scaled(wg.ones(2), None),
        2,
        leaf(),
        says="function MadeBackward returned a gradient different than None at position 1, but the corresponding "
        "forward input was not a Variable",
    )
    refused(scaled(None, wg.ones(3)), 2, leaf(), says="invalid gradient at index 0 - got [3] but expected shape")


def test_errors_name_the_argument_as_forward_calls_it():
    def scaled(backward, **more):
        return make(lambda ctx, factor, value, *rest: value * factor, backward, **more)

    refused(scaled(lambda ctx, grad: (None, wg.ones(3))), 2, leaf(), says="with [2] (the gradient of 'value')")
    refused(scaled(lambda ctx, grad: (grad, None)), 2, leaf(), says="(the gradient of 'factor')")
    refused(
        scaled(lambda ctx, grad: grad),
        2,
        leaf(),
        says="(expected 2, got 1): one, or None, for each argument of forward (factor, value)",
    )
    refused(scaled(lambda ctx, grad: (None, grad, wg.ones(3))), 2, leaf(), leaf(), says="at index 1 - got [3]")
    split = FunctionMeta("Split", (Function,), {})
    split.forward = staticmethod(lambda value: value * 2)
    split.setup_context = staticmethod(lambda ctx, inputs, output: None)
    split.backward = staticmethod(lambda ctx, grad: wg.ones(3))
    refused(split, leaf(), says="(the gradient of 'value')")


def test_a_gradient_for_an_argument_that_needs_none_is_ignored():
    x, constant = leaf(), wg.ones(2)
    make(lambda ctx, c, x: x * c, lambda ctx, grad: (wg.ones(7), grad)).apply(constant, x).sum().backward()
    assert x.grad.tolist() == [1.0, 1.0] and constant.grad is None


def test_a_real_gradient_of_a_complex_input_becomes_complex():
    x = leaf(1 + 1j, dtype=wg.complex64)
    make(lambda ctx, x: x.real * 1, lambda ctx, grad: grad * 2).apply(x).sum().backward()
    assert x.grad.dtype == wg.complex64 and x.grad.tolist() == [2 + 0j]


def test_a_returned_gradient_is_not_shared_with_the_leaf():
    kept = wg.ones(2, dtype=wg.float64)
    x = leaf()
    returning(lambda grad: kept).apply(x).sum().backward()
    returning(lambda grad: kept).apply(x).sum().backward()
    assert kept.tolist() == [1.0, 1.0] and x.grad.tolist() == [2.0, 2.0]


# ---- what backward is given ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("materialize", [True, False])
def test_outputs_without_a_gradient_give_zeros_or_none(materialize):
    given = []

    def forward(ctx, x):
        ctx.set_materialize_grads(materialize)
        return x * 2, x.view(-1, 1) * 3, (x > 1)

    x = leaf()
    first, second, _ = make(forward, lambda ctx, *grads: (given.append(grads), None)[1]).apply(x)
    first.sum().backward(retain_graph=True)
    second.sum().backward()
    if materialize:
        assert [[grad.tolist() for grad in grads] for grads in given] == [
            [[1.0, 1.0], [[0.0], [0.0]], [False, False]],
            [[0.0, 0.0], [[1.0], [1.0]], [False, False]],
        ]
        assert given[0][2].dtype == wg.bool and given[0][1].dtype == wg.float64
    else:
        assert [[grad is None for grad in grads] for grads in given] == [[False, True, True], [True, False, True]]


def test_backward_runs_even_if_no_gradient_arrives_at_all():
    given = []
    silent = returning(lambda grad: None)
    for materialize in (True, False):

        def forward(ctx, x, materialize=materialize):
            ctx.set_materialize_grads(materialize)
            return x * 2

        x = leaf()
        silent.apply(make(forward, lambda ctx, grad: (given.append(grad), grad)[1]).apply(x)).sum().backward()
        assert (x.grad is None) == (not materialize)
    assert given[0].tolist() == [0.0, 0.0] and given[1] is None


def test_all_gradients_in_one_list_that_backward_may_empty():
    def backward(ctx, grads):
        assert type(grads) is list
        total = grads[0] * 2 + grads[1] * 3
        grads.clear()
        return total

    x = leaf()
    first, second, _ = make(lambda ctx, x: (x * 2, x * 3, 5), backward, boxed_grads_call=True).apply(x)
    (first.sum() + second.sum()).backward()
    assert x.grad.tolist() == [5.0, 5.0]


def test_only_the_asked_gradients_are_delivered():
    product = make(lambda ctx, x, y: x * y, lambda ctx, grad: (grad * 3, grad * 5))
    x, y = leaf(), leaf()
    (got,) = wg.autograd.grad(product.apply(x, y).sum(), y)
    assert got.tolist() == [5.0, 5.0] and x.grad is None and y.grad is None
    product.apply(x, y).sum().backward(inputs=[x])
    assert x.grad.tolist() == [3.0, 3.0] and y.grad is None


def test_backward_is_not_run_for_a_gradient_of_its_own_output():
    y = returning(lambda grad: 1 / 0).apply(leaf())
    assert wg.autograd.grad(y.sum(), y)[0].tolist() == [1.0, 1.0]


def test_a_backward_may_run_another_pass():
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        with wg.enable_grad():
            inner = x.detach().requires_grad_()
            (inner * inner).sum().backward()
        return grad * inner.grad

    x = leaf()
    make(lambda ctx, x: (ctx.save_for_backward(x), x * x)[1], backward).apply(x).sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_an_error_in_backward_leaves_the_graph_for_another_try():
    tries = []

    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        tries.append(x)
        if len(tries) == 1:
            raise ValueError("the first time")
        return grad * x

    x = leaf()
    y = make(lambda ctx, x: (ctx.save_for_backward(x), x * 2)[1], backward).apply(x).sum()
    with pytest.raises(ValueError, match="the first time"):
        y.backward()
    assert wg.is_grad_enabled() and x.grad is None
    y.backward()
    assert x.grad.tolist() == [1.0, 2.0]


# ---- hooks -----------------------------------------------------------------------------------------------------------


def test_hooks_of_tensor_and_node_run_in_order_and_may_replace_gradients():
    log = []
    x = leaf()
    y, _ = make(lambda ctx, x, n: (x * 2, x * 3), lambda ctx, a, b: (a * 2 + b * 3, None)).apply(x, 1)
    node = y.grad_fn
    node.register_hook(lambda inputs, outputs: log.append(("after", inputs, outputs)))
    node.register_hook(lambda inputs, outputs: (inputs[0] * 100,))
    node.register_prehook(lambda outputs: log.append(("before", outputs)))
    y.register_hook(lambda grad: (log.append(("tensor", grad)), grad * 10)[1])
    y.sum().backward()
    assert [entry[0] for entry in log] == ["tensor", "before", "after"]
    assert log[1][1][0].tolist() == [10.0, 10.0] and log[1][1][1] is None
    assert len(log[2][1]) == 1 and log[2][1][0].tolist() == [20.0, 20.0]
    assert x.grad.tolist() == [2000.0, 2000.0]


def test_hooks_may_be_registered_on_ctx_in_forward():
    seen = []
    x = leaf()
    made = make(lambda ctx, x: (ctx.register_hook(lambda inputs, outputs: seen.append(inputs)), x * 2)[1])
    made.apply(x).sum().backward()
    assert seen[0][0].tolist() == [1.0, 1.0]


# ---- derivatives of derivatives --------------------------------------------------------------------------------------


def test_backward_is_recorded_when_its_own_derivative_is_wanted():
    seen = []

    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(x, y)
        return y * x**2, y

    def backward(ctx, grad, grad_exp):
        x, y = ctx.saved_tensors
        seen.append(wg.is_grad_enabled())
        return grad * (y * x**2 + 2 * x * y) + grad_exp * y

    x = leaf(0.5, 1.5)
    made = make(forward, backward)
    (first,) = wg.autograd.grad(made.apply(x)[0].sum(), x, create_graph=True)
    (second,) = wg.autograd.grad(first.sum(), x)
    wanted = x.detach().exp() * (x.detach() ** 2 + 4 * x.detach() + 2)
    assert seen == [True, False] and wg.allclose(second, wanted)


def test_a_saved_output_is_differentiated_through_its_node():
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    x = leaf()
    y = make(forward, lambda ctx, grad: grad * ctx.saved_tensors[0]).apply(x)
    grads = [y]
    for _ in range(3):
        grads += wg.autograd.grad(grads[-1].sum(), x, create_graph=True)
    assert all(wg.allclose(each, x.detach().exp()) for each in grads)


TWICE = "trying to differentiate twice a function that was marked with @once_differentiable"


def once(backward, **more):
    return make(lambda ctx, x, *rest: x * 2, once_differentiable(backward), **more)


def test_once_differentiable_refuses_the_second_derivative_only():
    modes = []
    made = once(lambda ctx, grad: (modes.append((wg.is_grad_enabled(), grad.requires_grad)), grad * 2)[1])
    x, weight = leaf(), leaf()
    made.apply(x).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]
    (first,) = wg.autograd.grad(made.apply(x), x, weight * 1, create_graph=True)
    assert first.requires_grad and "grad_fn=<Error>" in repr(first)
    with pytest.raises(RuntimeError, match=TWICE):
        first.sum().backward()
    assert modes == [(False, False), (False, True)]


def test_once_differentiable_takes_tuples_lists_of_gradients_and_none():
    x, weight = leaf(), leaf()
    made = once(lambda ctx, grad: (grad * 2, None))
    (first,) = wg.autograd.grad(made.apply(x, 5), x, weight * 1, create_graph=True)
    with pytest.raises(RuntimeError, match=TWICE):
        first.sum().backward()
    boxed = once(lambda ctx, grads: grads[0] * 2, boxed_grads_call=True)
    (first,) = wg.autograd.grad(boxed.apply(x), x, weight * 1, create_graph=True)
    with pytest.raises(RuntimeError, match=TWICE):
        first.sum().backward()
    nothing = once(lambda ctx, grad: None)
    assert wg.autograd.grad(nothing.apply(x), x, weight * 1, create_graph=True, allow_unused=True) == (None,)


def test_once_differentiable_does_not_change_what_backward_returned():
    x, weight = leaf(), leaf() * 1
    made = once(lambda ctx, grad: grad)
    (first,) = wg.autograd.grad(made.apply(x), x, weight, create_graph=True)
    assert first is not weight and weight.grad_fn.name() == "MulBackward0"


# ---- anomaly detection -----------------------------------------------------------------------------------------------


def test_anomaly_detection_shows_the_call_that_made_the_node():
    with (
        wg.autograd.set_detect_anomaly(True),
        pytest.warns(UserWarning, match="Error detected in MadeBackward") as seen,
    ):
        y = returning(lambda grad: 1 / 0).apply(leaf())  # the call
        with pytest.raises(ZeroDivisionError):
            y.sum().backward()
    assert "# the call" in str(seen[0].message)
    nan = returning(lambda grad: grad * float("nan"))
    with wg.autograd.set_detect_anomaly(True), pytest.warns(UserWarning, match="Error detected in MadeBackward"):
        refused(nan, leaf(), says="Function 'MadeBackward' returned nan values in its 0th output")
