"""What torch refuses in functions that a transform runs."""

import pytest

import wengert as wg
from wengert.func import grad, jacfwd, jacrev, jvp, linearize, vjp, vmap

REVERSE = {
    "grad": lambda f, x: grad(f)(x),
    "vjp": lambda f, x: vjp(f, x),
    "jacrev": lambda f, x: jacrev(f)(x),
    "linearize": lambda f, x: linearize(f, x),
}
OTHERS = {
    "jvp": lambda f, x: jvp(f, (x,), (x,)),
    "jacfwd": lambda f, x: jacfwd(f)(x),
    "vmap": lambda f, x: vmap(f)(x[None]),
}
EACH = {**REVERSE, **OTHERS}


class Twice(wg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def after(call):
    """A function that makes a call before it sums its argument."""

    def function(x):
        call(x)
        return x.sum()

    return function


CALLS = {
    "backward": (lambda x: x.sum().backward(), "called inside a functorch transform"),
    "autograd.backward": (lambda x: wg.autograd.backward(x.sum()), "called inside a functorch transform"),
    "requires_grad_": (lambda x: x.detach().requires_grad_(), r"Tensor.requires_grad_\(\) \(or perhaps"),
    "Function": (lambda x: Twice.apply(x), "it must override the setup_context staticmethod"),
    "Function of others": (lambda x: Twice.apply(wg.ones(2)), "it must override the setup_context staticmethod"),
}


@pytest.mark.parametrize("transform", EACH.values(), ids=EACH)
@pytest.mark.parametrize(("call", "says"), CALLS.values(), ids=CALLS)
def test_calls_that_torch_refuses_within_a_transform_are_refused(transform, call, says):
    with pytest.raises(RuntimeError, match=says):
        transform(after(call), wg.ones(3))
    call(wg.ones(3, requires_grad=True))  # afterwards they are allowed again


@pytest.mark.parametrize("transform", REVERSE.values(), ids=REVERSE)
def test_a_transform_of_reverse_mode_refuses_to_retain_gradients_and_hooks_for_what_is_saved(transform):
    with pytest.raises(RuntimeError, match=r"call Tensor.retain_grad\(\) inside of"):
        transform(after(lambda x: (x * 2).retain_grad()), wg.ones(3))
    hooks = wg.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x)

    def within(x):
        with hooks:
            return x.exp().sum()

    with pytest.raises(RuntimeError, match="don't yet support saved tensor hooks"):
        transform(within, wg.ones(3))
    with hooks, pytest.raises(RuntimeError, match="don't yet support saved tensor hooks"):
        transform(wg.sum, wg.ones(3))
    within(wg.ones(3, requires_grad=True)).backward()


@pytest.mark.parametrize("transform", OTHERS.values(), ids=OTHERS)
def test_other_transforms_take_hooks_for_what_is_saved(transform):
    with wg.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):
        transform(wg.sum, wg.ones(3))


@pytest.mark.parametrize("transform", EACH.values(), ids=EACH)
def test_switches_of_a_tensor_are_properties_that_may_be_set(transform):
    def function(x):
        y = wg.ones(3)
        y.requires_grad = True
        (slope,) = wg.autograd.grad((x.detach() * y).sum(), y)
        return (slope * x).sum()

    transform(function, wg.ones(3))


class Inside(wg.autograd.Function):
    """Computes by a graph of its own, and by a Function without `setup_context`."""

    @staticmethod
    def forward(x):
        y = wg.ones(2).requires_grad_()
        with wg.enable_grad():
            Twice.apply(y).sum().backward()
        return Twice.apply(x) + y.grad.sum() - 4

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


@pytest.mark.parametrize("transform", REVERSE.values(), ids=REVERSE)
def test_the_forward_of_a_function_may_do_what_the_function_around_it_may_not(transform):
    transform(lambda x: Inside.apply(x).sum(), wg.ones(3))
    assert grad(lambda x: Inside.apply(x).sum())(wg.ones(3)).tolist() == [2.0] * 3
    assert grad(grad(lambda x: (Inside.apply(x) * x).sum()))(wg.tensor(1.0)).item() == 4
    with pytest.raises(RuntimeError, match="setup_context"):  # what was set aside is in force again
        transform(lambda x: (Inside.apply(x) + Twice.apply(x)).sum(), wg.ones(3))
