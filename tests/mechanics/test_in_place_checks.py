"""In-place correctness checks (In-place正确性检查)."""

from __future__ import annotations

from tests.mechanics.common import equal, refused

MODIFIED = "one of the variables needed for gradient computation has been modified by an inplace operation"


def result(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    return x, x * 1


def saving(torch):
    """A function that saves its input, and looks at `saved_tensors` in its backward."""

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * x * 2

    return Square


def test_every_tensor_keeps_a_version_counter(torch):
    """ "Every tensor keeps a version counter, that is incremented every time it is marked dirty in any operation." """
    x = torch.zeros(2)
    assert x._version == 0
    for version, write in enumerate((lambda: x.add_(1), x.zero_, lambda: x.__setitem__(0, 1.0), lambda: x.fill_(2)), 1):
        write()
        assert x._version == version


def test_operations_that_do_not_write_leave_the_version(torch):
    """ "... incremented every time it is marked dirty in any operation." """
    x = torch.zeros(2)
    x + 1, x[0], x.view(2), x.clone()
    assert x._version == 0


def test_the_counter_is_shared_by_a_tensor_and_its_views(torch):
    """ "Every tensor keeps a version counter ..."; views share it."""
    x = torch.zeros(4)
    view, turned = x[1:3], x.view(2, 2).t()
    view.add_(1)
    turned.add_(1)
    assert x._version == view._version == turned._version == 2


def test_detach_shares_the_counter_and_data_does_not(torch):
    """ "var.data is the same thing as tensor.data."; a write through it is not seen, one through detach() is."""
    x = torch.zeros(4)
    x.data.add_(1)
    assert x._version == 0
    x.detach().add_(1)
    assert x._version == 1


def test_marking_an_input_dirty_increments_its_version(torch):
    """ "... incremented every time it is marked dirty in any operation." """

    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x.mul_(2)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    x, y = result(torch)
    before = y._version
    z = Double.apply(y)
    assert z is y and y._version > before
    y.sum().backward()
    assert equal(x.grad, 2.0, 2.0)


def test_the_version_is_saved_with_a_saved_tensor_and_checked_on_access(torch):
    """ "When a Function saves any tensors for backward, a version counter of their containing Tensor is saved as well.
    Once you access self.saved_tensors it is checked, and if it is greater than the saved value an error is raised." """
    _, y = result(torch)
    z = saving(torch).apply(y)
    y.add_(1)
    refused(z.sum().backward, MODIFIED, "is at version 1; expected version 0 instead")


def test_a_function_that_does_not_access_its_saved_tensors_raises_nothing(torch):
    """ "Once you access self.saved_tensors it is checked ..." """

    class Careless(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 3

        @staticmethod
        def backward(ctx, grad):
            return grad * 3

    x, y = result(torch)
    z = Careless.apply(y)
    y.zero_()
    z.sum().backward()
    assert equal(x.grad, 3.0, 3.0)


def test_a_write_before_the_saving_is_no_error(torch):
    """ "... if it is greater than the saved value an error is raised." """
    x, y = result(torch)
    y.add_(1)
    saving(torch).apply(y).sum().backward()
    assert equal(x.grad, 4.0, 6.0)


def test_built_in_operations_check_their_saved_tensors(torch):
    """ "All Tensor s keep track of in-place operations applied to them, and if the implementation detects that a
    tensor was saved for backward in one of the functions, but it was modified in-place afterwards, an error will be
    raised once backward pass is started." """
    for make in (lambda y: y * y, lambda y: y.exp(), lambda y: y.sigmoid(), lambda y: y**3, lambda y: y @ y):
        _, y = result(torch)
        z = make(y)
        (z if z.shape == y.shape and z.grad_fn.name() in ("ExpBackward0", "SigmoidBackward0") else y).add_(1)
        refused((z if z.ndim == 0 else z.sum()).backward, MODIFIED)


def test_a_write_through_a_view_or_detached_tensor_is_detected(torch):
    """ "All Tensor s keep track of in-place operations applied to them ..." """
    for write in (lambda y: y[0].zero_(), lambda y: y.detach().zero_(), lambda y: y.view(2, 1).t().zero_()):
        _, y = result(torch)
        z = y * y
        write(y)
        refused(z.sum().backward, MODIFIED)


def test_the_error_names_shape_output_and_versions(torch):
    """ "... an error is raised." It says which tensor, of which function, at which version."""
    _, y = result(torch)
    z = y.exp()
    z.add_(1)
    z.mul_(2)
    refused(z.sum().backward, "[torch.FloatTensor [2]], which is output 0 of", "is at version 2; expected version 0")


def test_no_error_means_correct_gradients(torch):
    """ "This ensures that if you're using in-place functions and not seeing any errors, you can be sure that the
    computed gradients are correct." """
    import random

    choose = random.Random(5)
    for _ in range(60):
        values = [choose.uniform(0.5, 1.5) for _ in range(4)]
        steps = [choose.choice(("exp", "mul", "view", "half", "add")) for _ in range(4)]

        def run(x, in_place, steps=steps):
            y, kept = x * 1, []
            for step in steps:
                kept.append(y * y if step == "mul" else y + 1)
                y = one_step(torch, y, step, in_place)
            return y.sum() + sum(each.sum() for each in kept)

        x = torch.tensor(values, dtype=torch.float64, requires_grad=True)
        (expected,) = torch.autograd.grad(run(x, False), x)
        try:
            (found,) = torch.autograd.grad(run(x, True), x)
        except RuntimeError as error:
            assert MODIFIED in str(error)
            continue
        assert (found - expected).abs().max().item() < 1e-9


def one_step(torch, y, step, in_place):
    """A step of a random program: written into `y`, or as a new tensor."""
    if step == "view":
        if in_place:
            y[1:3].mul_(2)
            return y
        return torch.cat([y[:1], y[1:3] * 2, y[3:]])
    name, args = {"exp": ("exp", ()), "mul": ("mul", (1.5,)), "half": ("mul", (0.5,)), "add": ("add", (1,))}[step]
    return getattr(y, name + "_")(*args) if in_place else getattr(y, name)(*args)
