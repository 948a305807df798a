"""`Function`: operations written by users."""

from __future__ import annotations

import warnings

from tests.mechanics.common import equal, name_of, refused


def exponential(torch):
    class Exp(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            result = x.exp()
            ctx.save_for_backward(result)
            return result

        @staticmethod
        def backward(ctx, grad):
            (result,) = ctx.saved_tensors
            return grad * result

    return Exp


def test_a_function_is_used_through_apply(torch):
    """ "Function" """
    x = torch.tensor([0.0, 0.0], requires_grad=True)
    y = exponential(torch).apply(x)
    assert equal(y, 1.0, 1.0) and name_of(y.grad_fn) == "ExpBackward" and y.requires_grad
    y.sum().backward()
    assert equal(x.grad, 1.0, 1.0)


def test_forward_runs_without_recording(torch):
    """ "Function.forward" """
    modes = []

    class Watch(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            modes.append(torch.is_grad_enabled())
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            modes.append(torch.is_grad_enabled())
            return grad * 2

    x = torch.ones(1, requires_grad=True)
    Watch.apply(x).backward()
    torch.autograd.grad(Watch.apply(x), x, create_graph=True)
    assert modes == [False, False, False, True]


def test_forward_can_be_split_from_setup_context(torch):
    """ "Function.forward": without `ctx`, with `setup_context(ctx, inputs, output)` beside it."""

    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(x, factor):
            return x * factor

        @staticmethod
        def setup_context(ctx, inputs, output):
            _, ctx.factor = inputs

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.factor, None

    x = torch.ones(2, requires_grad=True)
    Scale.apply(x, 5).sum().backward()
    assert equal(x.grad, 5.0, 5.0)


def test_backward_returns_one_gradient_for_each_input(torch):
    """ "Function.backward" """

    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx.save_for_backward(x, y)
            return x * y

        @staticmethod
        def backward(ctx, grad):
            x, y = ctx.saved_tensors
            return grad * y, grad * x

    x, y = torch.tensor([2.0], requires_grad=True), torch.tensor([3.0], requires_grad=True)
    Product.apply(x, y).backward()
    assert equal(x.grad, 3.0) and equal(y.grad, 2.0)


def test_a_wrong_number_of_gradients_is_refused(torch):
    """ "Function.backward" """

    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x + y

        @staticmethod
        def backward(ctx, grad):
            return grad

    x = torch.ones(1, requires_grad=True)
    refused(
        Wrong.apply(x, x).backward,
        "function WrongBackward returned an incorrect number of gradients (expected 2, got 1)",
    )


def test_a_gradient_of_a_wrong_shape_is_refused(torch):
    """ "Function.backward" """

    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return grad.new_ones(3)

    refused(
        Wrong.apply(torch.ones(2, requires_grad=True)).sum().backward,
        "Function WrongBackward returned an invalid gradient at index 0 - got [3] but expected shape compatible",
    )


def test_backward_is_needed_for_gradients(torch):
    """ "Function.backward" """

    class Forward(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

    y = Forward.apply(torch.ones(1, requires_grad=True))
    refused(y.backward, "implement either the backward or vjp method", kind=NotImplementedError)


def test_vjp_is_another_name_of_backward(torch):
    """ "Function.backward" """

    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def vjp(ctx, grad):
            return grad * 2

    x = torch.ones(1, requires_grad=True)
    Twice.apply(x).backward()
    assert equal(x.grad, 2.0)


def test_jvp_and_vmap_have_their_place(torch):
    """ "Function.jvp", "Function.vmap": declared here, used by forward mode and batching."""
    base = torch.autograd.Function
    refused(lambda: base.jvp(None), kind=NotImplementedError)
    refused(lambda: base.vmap(None, None), kind=NotImplementedError)


def test_arguments_that_are_no_tensors_are_passed_on(torch):
    """ "Function.forward" """

    class Power(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, options, text):
            ctx.save_for_backward(x)
            ctx.exponent = options["exponent"]
            assert text == "text"
            return x**ctx.exponent

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * ctx.exponent * x ** (ctx.exponent - 1), None, None

    x = torch.tensor([2.0], requires_grad=True)
    Power.apply(x, {"exponent": 3}, "text").backward()
    assert equal(x.grad, 12.0)


def test_a_function_can_be_differentiated_twice(torch):
    """ "Function.backward": its operations are recorded while a graph is made."""
    x = torch.tensor([0.5], dtype=torch.float64, requires_grad=True)
    (first,) = torch.autograd.grad(exponential(torch).apply(x * 2), x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    assert abs(second.item() - 4 * 2.718281828459045) < 1e-9


def test_once_differentiable_refuses_the_second_time(torch):
    """ "Function.backward" """
    once_differentiable = torch.autograd.function.once_differentiable

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @once_differentiable
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * x * 2

    x = torch.tensor([3.0], requires_grad=True)
    out = torch.ones(1, requires_grad=True)
    (first,) = torch.autograd.grad(Square.apply(x), x, out, create_graph=True)
    assert equal(first.detach(), 6.0)
    refused(
        first.backward,
        "trying to differentiate twice a function that was marked with @once_differentiable",
    )


def test_an_input_returned_as_it_is_becomes_a_view_with_history(torch):
    """ "Function.forward" """

    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, grad):
            return grad * 7

    x = torch.ones(2, requires_grad=True)
    y = Same.apply(x)
    assert y is not x and y.data_ptr() == x.data_ptr() and name_of(y.grad_fn) == "SameBackward"
    y.sum().backward()
    assert equal(x.grad, 7.0, 7.0)


def test_without_an_input_that_requires_grad_nothing_is_recorded(torch):
    """ "Function" """
    y = exponential(torch).apply(torch.zeros(2))
    assert y.grad_fn is None and not y.requires_grad
    with torch.no_grad():
        assert exponential(torch).apply(torch.zeros(2, requires_grad=True)).grad_fn is None


def test_a_function_is_not_called_or_instantiated(torch):
    """ "Function": it is used through `apply`; old ones, with methods that are not static, are refused."""
    Exp = exponential(torch)  # noqa: N806 - a class
    x = torch.zeros(2, requires_grad=True)
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        refused(lambda: Exp()(x), "Legacy autograd function with non-static forward method is deprecated")


def test_a_backward_may_run_another_backward(torch):
    """ "Function.backward": it may call backward itself, on a graph of its own."""

    class Inner(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            with torch.enable_grad():
                ctx.x = x.detach().requires_grad_()
                ctx.y = (ctx.x**2).sum()
            return ctx.y.detach()

        @staticmethod
        def backward(ctx, grad):
            ctx.y.backward()
            return grad * ctx.x.grad

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (Inner.apply(x) * 3).backward()
    assert equal(x.grad, 6.0, 12.0)
