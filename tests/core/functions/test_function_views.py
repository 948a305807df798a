"""Custom Functions that return inputs or views, or write to their inputs."""

from __future__ import annotations

import pytest

import wengert as wg
from wengert.autograd import Function
from wengert.autograd.function import FunctionMeta

CUSTOM = "This view was created inside a custom Function"
SEVERAL = "output of a function that returns multiple views"


def leaf(*values):
    return wg.tensor(list(values or (1.0, 2.0)), dtype=wg.float64, requires_grad=True)


def make(forward, backward=lambda ctx, *grads: grads[0]):
    """A Function of two functions."""
    return FunctionMeta("Made", (Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})


def writing(forward, backward):
    """A Function that writes to its first argument and returns it."""

    def write(ctx, x, *rest):
        forward(x, *rest)
        ctx.mark_dirty(x)
        return x

    return make(write, backward)


SAME = make(lambda ctx, x: x, lambda ctx, grad: grad * 5)
COLUMN = make(lambda ctx, x: x.view(-1, 1), lambda ctx, grad: grad.view(-1) * 5)
DOUBLED = writing(lambda x: x.mul_(2), lambda ctx, grad: grad * 2)


# ---- inputs and views that are returned ------------------------------------------------------------------------------


@pytest.mark.parametrize("function", [SAME, COLUMN])
def test_a_returned_input_or_view_of_one_is_a_view_with_the_functions_history(function):
    x = leaf()
    y = function.apply(x)
    assert y is not x and y._is_view() and y._base is x and y.data_ptr() == x.data_ptr() and y._version == 0
    assert y.grad_fn.name() == "MadeBackward" and x.is_leaf and x.grad_fn is None
    (y * 3).sum().backward()
    assert x.grad.tolist() == [15.0, 15.0]


@pytest.mark.parametrize("function", [SAME, COLUMN])
def test_such_a_view_may_not_be_written_to_nor_used_after_a_write_to_its_base(function):
    x = leaf()
    y = function.apply(x)
    with pytest.raises(RuntimeError, match=f"Output 0 of Made is a view and is being modified inplace. {CUSTOM}"):
        y.add_(1)
    with pytest.raises(RuntimeError, match=CUSTOM):
        y[0].add_(1)
    assert x.tolist() == [1.0, 2.0]
    h = x * 1
    y = function.apply(h)
    h.add_(1)
    with pytest.raises(RuntimeError, match=f"its base or another view of its base has been modified inplace. {CUSTOM}"):
        _ = y.grad_fn
    with pytest.raises(RuntimeError, match=CUSTOM):
        _ = y * 2
    assert "grad_fn=<Invalid>" in repr(y)
    with wg.no_grad():
        SAME.apply(h).add_(1)
    assert h.tolist() == [3.0, 4.0]


def test_a_view_of_a_view_has_the_base_at_the_start():
    x = leaf(1.0, 2.0, 3.0, 4.0)
    h = x * 1
    tail = make(lambda ctx, v: v[1:], lambda ctx, grad: wg.cat([wg.zeros(1), grad]) * 5)
    y = tail.apply(h[1:])
    assert y._base is h and y.tolist() == [3.0, 4.0]
    y.sum().backward()
    assert x.grad.tolist() == [0.0, 0.0, 5.0, 5.0]


def test_views_among_several_outputs_say_so():
    x = leaf()
    first, second = make(lambda ctx, x: (x[0], x[1]), lambda ctx, a, b: wg.stack([a, b]) * 5).apply(x * 1)
    with pytest.raises(RuntimeError, match=SEVERAL):
        first.add_(1)
    (first * 2 + second * 3).backward()
    assert x.grad.tolist() == [10.0, 15.0]


def test_a_view_of_another_output():
    def forward(ctx, x):
        y = x * 2
        return y, y.view(-1, 1)

    x = leaf()
    y, column = make(forward, lambda ctx, a, b: a + b.view(-1) * 10).apply(x)
    assert column._base is y and not y._is_view() and column.output_nr == 1
    (y.sum() + column.sum() * 3).backward()
    assert x.grad.tolist() == [31.0, 31.0]
    with pytest.raises(RuntimeError, match=SEVERAL):
        column.add_(1)


def test_a_constant_that_is_returned_becomes_a_view_that_requires_a_gradient():
    x, constant = leaf(), wg.ones(2, dtype=wg.float64)
    y = make(lambda ctx, x, c: c, lambda ctx, grad: (grad * 5, grad)).apply(x, constant)
    assert y.requires_grad and y._base is constant and not constant.requires_grad
    y.sum().backward()
    assert x.grad.tolist() == [5.0, 5.0] and constant.grad is None


def test_without_recording_a_returned_input_is_another_tensor_on_its_memory():
    x, constant = leaf(), wg.ones(2)
    with wg.no_grad():
        y = SAME.apply(x)
    assert y is not x and not y.requires_grad and not y._is_view() and y.data_ptr() == x.data_ptr()
    y = SAME.apply(constant)
    assert y is not constant and y._base is constant
    y.add_(1)
    assert constant.tolist() == [2.0, 2.0]
    with pytest.raises(RuntimeError, match=CUSTOM):
        y.add_(leaf())


def test_an_input_or_a_view_that_is_marked_non_differentiable():
    def fixed(value):
        return make(lambda ctx, x: (lambda y: (ctx.mark_non_differentiable(y), y)[1])(value(x)))

    x = leaf()
    for each in (x, x * 2):
        y = fixed(lambda x: x).apply(each)
        assert y is not each and not y.requires_grad and not y._is_view() and each.requires_grad
    h = x * 2
    y = fixed(lambda x: x.view(-1, 1)).apply(h)
    assert y._is_view() and y.grad_fn is None
    with pytest.raises(RuntimeError, match=f"A view was created in no_grad mode and is being modified.*{CUSTOM}"):
        y.add_(1)


def test_a_tensor_from_outside_that_is_returned_gets_the_functions_history():
    x = leaf()
    other, variable = x * 5, leaf(3.0, 4.0)
    y = make(lambda ctx, x: other, lambda ctx, grad: grad * 7).apply(x)
    assert y is other and other.grad_fn.name() == "MadeBackward"
    y.sum().backward()
    assert x.grad.tolist() == [7.0, 7.0]
    assert make(lambda ctx, x: variable).apply(x) is variable and not variable.is_leaf
    detached = leaf()
    assert make(lambda ctx, x: (ctx.mark_non_differentiable(detached), detached)[1]).apply(x) is detached
    assert not detached.requires_grad


# ---- inputs that are written to --------------------------------------------------------------------------------------


def test_a_dirty_input_is_returned_itself_with_its_history_rewritten():
    x = leaf()
    h = x * 3
    version = h._version
    y = DOUBLED.apply(h)
    assert y is h and h.tolist() == [6.0, 12.0] and h._version == version + 2
    assert h.grad_fn.name() == "MadeBackward" and h.grad_fn.next_functions[0][0].name() == "MulBackward0"
    h.sum().backward()
    assert x.grad.tolist() == [6.0, 6.0]


def test_a_write_that_no_operation_counted_is_counted_by_the_mark():
    h = leaf() * 1
    square, version = h * h, h._version
    writing(lambda x: x.numpy().fill(7.0) if not x.requires_grad else None, lambda ctx, grad: grad).apply(h)
    assert h._version == version + 1
    with pytest.raises(RuntimeError, match="is at version 1; expected version 0"):
        square.sum().backward()


def test_a_leaf_that_requires_a_gradient_may_not_be_written_to_while_recording():
    x = leaf()
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad has been used in an in-place operation"):
        DOUBLED.apply(x)
    assert x.is_leaf
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad is being used in an in-place"):
        DOUBLED.apply(x[:1])
    with wg.no_grad():
        y = DOUBLED.apply(leaf(3.0))
    assert y.tolist() == [6.0] and not y.requires_grad


def test_a_view_of_a_leaf_that_is_itself_a_view_of_a_plain_tensor_may_not_be_written_to():
    double = writing(lambda x: x.mul_(2), lambda ctx, grad: grad * 2)
    part = wg.zeros(2, 2)[0].requires_grad_()
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad"):
        double.apply(part[1:])
    with wg.no_grad():
        double.apply(part[1:])


def test_a_constant_that_is_written_to_starts_to_require_a_gradient():
    x, constant = leaf(), wg.ones(2, dtype=wg.float64)
    y = writing(lambda c, x: c.add_(x), lambda ctx, grad: (grad * 7, grad * 3)).apply(constant, x)
    assert y is constant and constant.requires_grad and not constant.is_leaf
    y.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]
    plain = wg.ones(2)
    assert DOUBLED.apply(plain) is plain and not plain.requires_grad and plain._version == 2


def test_several_inputs_may_be_written_to():
    def forward(ctx, a, b):
        ctx.mark_dirty(a, b)
        return a.add_(1), b.mul_(2)

    x, y = leaf(), leaf(5.0, 6.0)
    a, b = x * 1, y * 1
    first, second = make(forward, lambda ctx, g, h: (g * 3, h * 7)).apply(a, b)
    assert first is a and second is b and (a.output_nr, b.output_nr) == (0, 1)
    (first * 2 + second).sum().backward()
    assert x.grad.tolist() == [6.0, 6.0] and y.grad.tolist() == [7.0, 7.0]


def test_what_was_marked_has_to_be_returned():
    forgetful = make(lambda ctx, x: (ctx.mark_dirty(x), x * 3)[1])
    for guard in (wg.enable_grad, wg.no_grad):
        h = leaf() * 1
        with guard(), pytest.raises(RuntimeError, match="Some elements marked as dirty during the forward method were"):
            forgetful.apply(h)
        assert h.grad_fn.name() == "MulBackward0"


def test_a_mark_on_what_is_no_input_warns():
    def forward(ctx, x):
        y = x * 2
        ctx.mark_dirty(y)
        return y

    with pytest.warns(UserWarning, match="received a tensor that was not an input"):
        assert make(forward).apply(leaf()).grad_fn.name() == "MadeBackward"


def test_retained_gradients_and_hooks_of_what_is_written_to():
    x = leaf()
    h = x * 1
    h.retain_grad()
    seen = []
    h.register_hook(seen.append)
    DOUBLED.apply(h).sum().backward()
    assert h.grad.tolist() == [1.0, 1.0] and seen[0].tolist() == [2.0, 2.0] and x.grad.tolist() == [2.0, 2.0]


def test_a_dirty_output_that_was_saved_is_differentiated_twice():
    def forward(ctx, x):
        x.exp_()
        ctx.mark_dirty(x)
        ctx.save_for_backward(x)
        return x

    exponential = make(forward, lambda ctx, grad: grad * ctx.saved_tensors[0])
    x = leaf(1.0, 2.0, 3.0)
    for view in (lambda h: h, lambda h: h[:2]):
        h = x * 1
        exponential.apply(view(h))
        (first,) = wg.autograd.grad(h.sum(), x, create_graph=True)
        (second,) = wg.autograd.grad(first.sum(), x)
        written = x.detach().exp()
        if view(h).shape != h.shape:
            written[2] = 1.0
            assert second[2].item() == 0.0
        assert wg.allclose(first, written) and wg.allclose(second[:2], written[:2])


# ---- writes to views -------------------------------------------------------------------------------------------------


def test_a_write_to_a_view_rewrites_the_history_of_its_base():
    x = leaf(1.0, 2.0, 3.0)
    h = x * 1
    view = h[:2]
    assert DOUBLED.apply(view) is view
    assert h.tolist() == [2.0, 4.0, 3.0] and h.grad_fn.name() == "torch::autograd::CopySlices"
    assert view.grad_fn.name() == "AsStridedBackward0"
    h.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0, 1.0]
    x.grad = None
    h = x * 1
    view = h[:2]
    DOUBLED.apply(view)
    (view * 10).sum().backward()
    assert x.grad.tolist() == [20.0, 20.0, 0.0]


@pytest.mark.parametrize("create_graph", [False, True])
def test_the_view_may_be_any_of_the_arguments(create_graph):
    def forward(ctx, factor, unused, view):
        view.mul_(factor)
        ctx.mark_dirty(view)
        return view

    scale = make(forward, lambda ctx, grad: (grad * 3, None, grad * 7))
    x, factor = leaf(1.0, 2.0, 3.0), leaf(5.0, 6.0)
    h = x * 1
    view = h[1:]
    assert scale.apply(factor, None, view).tolist() == [10.0, 18.0]
    got = wg.autograd.grad(h.sum(), (x, factor), create_graph=create_graph)
    assert [each.tolist() for each in got] == [[1.0, 7.0, 7.0], [3.0, 3.0]]


def test_a_base_without_a_gradient_gets_one_by_a_write_to_its_view():
    factor, base = leaf(5.0, 6.0), wg.ones(3, dtype=wg.float64)
    view = base[:2]
    writing(lambda v, f: v.mul_(f), lambda ctx, grad: (grad, grad * 3)).apply(view, factor)
    assert base.requires_grad and view.requires_grad
    base.sum().backward()
    assert factor.grad.tolist() == [3.0, 3.0]


def test_a_written_view_may_be_the_only_output():
    view = (leaf(1.0, 2.0, 3.0) * 1)[:2]
    both = make(lambda ctx, v: (ctx.mark_dirty(v), v, v * 2)[1:])
    with pytest.raises(
        RuntimeError, match="If your Function modifies inplace an input that is a view of another Tensor"
    ):
        both.apply(view)


def test_one_of_several_views_may_not_be_written_to():
    first, _ = (leaf() * 1).unbind(0)
    with pytest.raises(RuntimeError, match="Output 0 of Unbind is a view and is being modified inplace"):
        DOUBLED.apply(first)


def test_the_gradient_of_a_written_view_is_brought_into_its_space():
    x = leaf(1.0, 2.0, 3.0)
    h = x * 1
    wide = writing(lambda v: v.mul_(2), lambda ctx, grad: wg.ones(4, 2, dtype=wg.float32))
    wide.apply(h[:2])
    h.sum().backward()
    assert x.grad.tolist() == [4.0, 4.0, 1.0] and x.grad.dtype == wg.float64
