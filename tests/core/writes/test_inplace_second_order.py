"""Derivatives of derivatives through in-place writes to views, and writes whose history is not recorded."""

from __future__ import annotations

from contextlib import nullcontext

import pytest
from hypothesis import given, strategies as st

import wengert as wg

WRITES = {"exp": wg.exp, "sigmoid": wg.sigmoid, "tanh": wg.tanh, "relu": wg.relu, "square": wg.square, "sqrt": wg.sqrt}


class WrittenExp(wg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.exp_()
        ctx.mark_dirty(x)
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.saved_tensors[0]


def functional(x, writes, rows):
    """The value of the program in `written`, without a write."""
    y = (x * x / 9).view(3, 2)
    for name, row in zip(writes, rows):
        y = wg.stack([WRITES[name](each) if at == row else each for at, each in enumerate(y)])
    return (y**3).sum()


def written(x, writes, rows, hooks):
    y = (x * x / 9).view(3, 2)
    with hooks:
        for name, row in zip(writes, rows):
            if name == "exp" and row == 0:
                WrittenExp.apply(y[row])
            else:
                getattr(y[row], name + "_")()
        return (y**3).sum()


def derivatives(loss, x):
    (first,) = wg.autograd.grad(loss, x, create_graph=True)
    (second,) = wg.autograd.grad((first**2).sum(), x, create_graph=True)
    (third,) = wg.autograd.grad(second.sum(), x)
    return first, second, third


@given(st.lists(st.tuples(st.sampled_from(sorted(WRITES)), st.integers(0, 2)), max_size=4), st.booleans())
def test_any_writes_to_parts_have_the_derivatives_of_their_functional_form(steps, packed):
    x = wg.arange(1.0, 7.0, dtype=wg.float64).requires_grad_()
    names, rows = [name for name, _ in steps], [row for _, row in steps]
    copies = wg.autograd.graph.saved_tensors_hooks(lambda tensor: tensor.clone(), lambda tensor: tensor)
    try:
        got = derivatives(written(x, names, rows, copies if packed else nullcontext()), x)
    except RuntimeError as error:
        assert "modified by an inplace operation" in str(error) and not packed and len(rows) > 1
        return
    wanted = derivatives(functional(x, names, rows), x)
    for one, other in zip(got, wanted):
        assert wg.allclose(one, other, rtol=1e-9), (one, other)


def test_a_normalised_activation_in_place_has_second_derivatives():
    x = wg.arange(16.0).reshape(2, 2, 2, 2).requires_grad_()
    model = wg.nn.Sequential(wg.nn.InstanceNorm2d(2), wg.nn.ReLU(inplace=True))
    plain = wg.nn.Sequential(wg.nn.InstanceNorm2d(2), wg.nn.ReLU())
    found = []
    for each in (model, plain):
        (first,) = wg.autograd.grad((each(x) ** 3).sum(), x, create_graph=True)
        (second,) = wg.autograd.grad((first**2).sum(), x)
        found.append((first, second))
    assert wg.allclose(found[0][0], found[1][0]) and wg.allclose(found[0][1], found[1][1])


def test_the_view_that_was_written_to_need_not_live():
    x = wg.arange(1.0, 5.0).requires_grad_()
    y = x * x
    part = y[:2]
    part.sigmoid_()
    del part
    loss = (y**3).sum()
    del y
    (first,) = wg.autograd.grad(loss, x, create_graph=True)
    del loss
    (second,) = wg.autograd.grad(first.sum(), x)
    assert second.shape == (4,) and second[2:].tolist() == [30 * 3.0**4, 30 * 4.0**4]


def test_a_write_to_a_view_leaves_no_cycle_behind():
    import gc
    import weakref

    gc.disable()
    try:
        y = wg.ones(4, requires_grad=True) * 2
        y[:2].sigmoid_()
        node = weakref.ref(y.grad_fn)
        del y
        assert node() is None
    finally:
        gc.enable()


def test_a_result_that_was_given_another_shape_without_recording_passes_its_gradient_on():
    x = wg.arange(4.0).requires_grad_()
    y = x * 2
    kept = []
    y.register_hook(lambda grad: kept.append(grad.shape))
    with wg.no_grad():
        y.unsqueeze_(0)
    (y * wg.arange(4.0)).sum().backward()
    assert x.grad.tolist() == [0.0, 2.0, 4.0, 6.0] and kept == [(4,)]
    assert y.grad_fn.name() == "MulBackward0"


def test_the_gradient_of_such_a_result_may_be_given_in_its_new_shape():
    x = wg.arange(4.0).requires_grad_()
    y = x * 2
    with wg.no_grad():
        y.unsqueeze_(0)
    y.backward(wg.ones(1, 4))
    assert x.grad.tolist() == [2.0] * 4


def test_a_result_that_was_transposed_without_recording_has_no_gradient():
    x = wg.arange(6.0).view(2, 3).requires_grad_()
    y = x.exp()
    with wg.no_grad():
        y.t_()
    with pytest.raises(RuntimeError, match=r"invalid gradient at index 0 - got \[3, 2\] but expected .* \[2, 3\]"):
        (y * 2).sum().backward()


def test_a_leaf_that_was_given_another_shape_gathers_its_gradient_in_it():
    x = wg.arange(4.0).requires_grad_()
    y = x * 2
    with wg.no_grad():
        x.unsqueeze_(0)
    y.sum().backward()
    assert x.grad.tolist() == [[2.0] * 4]


def test_the_base_of_a_saved_view_may_be_detached_in_place():
    x = wg.arange(4.0).requires_grad_()
    y = x * 2
    view = y[1:]
    loss = (view * view).sum()
    y.detach_()
    loss.backward()
    assert x.grad.tolist() == [0.0, 8.0, 16.0, 24.0]


def test_a_custom_function_may_not_write_to_a_leaf_that_is_part_of_a_plain_tensor():
    part = wg.ones(4)[:2].requires_grad_()
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad has been used in an in-place operation"):
        WrittenExp.apply(part)


@pytest.mark.parametrize(
    "write", [lambda x: x.__setitem__(..., x), lambda x: x.copy_(x), lambda x: x.copy_(x.detach())]
)
def test_an_expanded_tensor_may_be_written_onto_itself(write):
    x = wg.arange(3.0).expand(2, 3)
    write(x)
    assert x.tolist() == [[0.0, 1.0, 2.0]] * 2


def test_an_expanded_tensor_takes_no_other_values():
    x = wg.arange(3.0).expand(2, 3)
    for other in (wg.ones(2, 3), x.flip(1), x[:1]):
        with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
            x.copy_(other)
    assert x.tolist() == [[0.0, 1.0, 2.0]] * 2


@pytest.mark.parametrize("shape", [(2, 2), (2, 3)])
@pytest.mark.parametrize("seen", ["base", "view"])
def test_a_transposed_view_of_another_dtype_is_written_to_as_it_is_seen(shape, seen):
    """Torch forgets the transposition: it fails, or gives the gradient of another write where the shape allows it."""
    weight = wg.arange(float(2 * shape[0] * shape[1])).reshape(shape[1], shape[0], 2)
    x = wg.complex(wg.ones(shape), wg.ones(shape)).requires_grad_()
    y = x * 1
    view = wg.view_as_real(y)
    view.transpose_(0, 1)
    view.mul_(weight)
    result = view if seen == "view" else wg.view_as_real(y)
    (grad,) = wg.autograd.grad(result.sum(), x)
    assert grad.tolist() == wg.view_as_complex(weight.transpose(0, 1).contiguous()).tolist()
