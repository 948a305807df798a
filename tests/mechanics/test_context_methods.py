"""Context method mixins: what `ctx` offers to a new `Function`."""

from __future__ import annotations

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


def test_needs_input_grad_says_which_gradients_are_wanted(torch):
    """ "Function.backward" """
    seen = []

    class Sum(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y, z):
            return x + y

        @staticmethod
        def backward(ctx, grad):
            seen.append(ctx.needs_input_grad)
            return grad, None, None

    Sum.apply(torch.ones(1, requires_grad=True), torch.ones(1), 3).backward()
    assert seen == [(True, False, False)]


def test_mark_dirty_declares_an_input_that_was_written_to(torch):
    """ "function.FunctionCtx.mark_dirty" """

    class AddOne(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x.add_(1)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, grad):
            return grad

    x = torch.ones(2, requires_grad=True)
    y = x * 2
    z = AddOne.apply(y)
    assert z is y and equal(y, 3.0, 3.0) and name_of(y.grad_fn) == "AddOneBackward"
    y.sum().backward()
    assert equal(x.grad, 2.0, 2.0)
    refused(lambda: AddOne.apply(x), "a leaf Variable that requires grad")


def test_mark_non_differentiable_outputs_do_not_require_grad(torch):
    """ "function.FunctionCtx.mark_non_differentiable" """

    class Sort(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            largest = x.argmax()
            ctx.mark_non_differentiable(largest)
            ctx.save_for_backward(x, largest)
            return x * 2, largest

        @staticmethod
        def backward(ctx, grad, of_largest):
            assert of_largest.tolist() == 0
            return grad * 2

    x = torch.tensor([1.0, 3.0], requires_grad=True)
    doubled, largest = Sort.apply(x)
    assert doubled.requires_grad and not largest.requires_grad and largest.item() == 1
    doubled.sum().backward()
    assert equal(x.grad, 2.0, 2.0)


def test_save_for_backward_keeps_tensors_for_backward(torch):
    """ "function.FunctionCtx.save_for_backward" """
    Exp = exponential(torch)  # noqa: N806 - a class
    x = torch.zeros(2, requires_grad=True)
    y = Exp.apply(x).sum()
    y.backward()
    refused(y.backward, "Trying to backward through the graph a second time")


def test_save_for_backward_takes_tensors_only(torch):
    """ "function.FunctionCtx.save_for_backward" """

    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x, 3)
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return grad

    refused(
        lambda: Wrong.apply(torch.ones(1, requires_grad=True)),
        "save_for_backward can only save variables",
        kind=TypeError,
    )


def test_saved_tensors_may_be_none(torch):
    """ "function.FunctionCtx.save_for_backward" """
    seen = []

    class Keep(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, bias):
            ctx.save_for_backward(x, bias)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            seen.append(ctx.saved_tensors[1])
            return grad * 2, None

    Keep.apply(torch.ones(1, requires_grad=True), None).backward()
    assert seen == [None]


def test_gradients_that_do_not_arrive_are_zeros(torch):
    """ "function.FunctionCtx.set_materialize_grads": by default missing gradients are given as zeros."""
    seen = []

    class Two(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1, x * 2

        @staticmethod
        def backward(ctx, first, second):
            seen.append((first.tolist(), second.tolist()))
            return first + second * 2

    x = torch.ones(2, requires_grad=True)
    Two.apply(x)[0].sum().backward()
    assert seen == [([1.0, 1.0], [0.0, 0.0])] and equal(x.grad, 1.0, 1.0)


def test_set_materialize_grads_false_gives_none(torch):
    """ "function.FunctionCtx.set_materialize_grads" """
    seen = []

    class Two(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 1, x * 2

        @staticmethod
        def backward(ctx, first, second):
            seen.append((first is None, second.tolist()))
            return second * 2

    x = torch.ones(2, requires_grad=True)
    Two.apply(x)[1].sum().backward()
    assert seen == [(True, [1.0, 1.0])] and equal(x.grad, 2.0, 2.0)


def test_attributes_of_ctx_reach_backward(torch):
    """ "When creating a new Function, the following methods are available to ctx." It is an object of the user's."""

    class Shift(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, by):
            ctx.by = by
            return x + by

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.by, None

    x = torch.ones(1, requires_grad=True)
    y = Shift.apply(x, 4.0)
    assert y.grad_fn.by == 4.0
    y.backward()
    assert equal(x.grad, 4.0)
