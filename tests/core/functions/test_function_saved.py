"""Custom Functions: what `ctx` keeps for the backward pass."""

from __future__ import annotations

import pytest

import wengert as wg
from wengert.autograd import Function
from wengert.autograd.function import FunctionMeta

MODIFIED = "modified by an inplace operation"
TWICE = "Trying to backward through the graph a second time"


def leaf(*values):
    return wg.tensor(list(values or (1.0, 2.0)), dtype=wg.float64, requires_grad=True)


def make(forward, backward=lambda ctx, *grads: grads[0], **more):
    """A Function of two functions."""
    return FunctionMeta(
        "Made", (Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward), **more}
    )


def saving(*which):
    """A Function that saves what each of `which` makes of input and output, and reads it in backward."""

    def forward(ctx, x):
        y = x * 2
        ctx.save_for_backward(*[each(x, y) for each in which])
        return y

    return make(forward, lambda ctx, grad: (ctx.saved_tensors, grad * 2)[1])


def test_inputs_come_back_as_they_are_and_outputs_with_their_node():
    x = leaf()
    y = saving(lambda x, y: x, lambda x, y: None, lambda x, y: y, lambda x, y: x + y).apply(x)
    saved = y.grad_fn.saved_tensors
    assert saved[0] is x and saved[1] is None
    assert saved[2] is not y and saved[2].grad_fn is y.grad_fn and saved[2].output_nr == 0
    assert saved[2].data_ptr() == y.data_ptr()
    assert saved[3].tolist() == [3.0, 6.0] and not saved[3].requires_grad
    assert len(y.grad_fn._raw_saved_tensors) == 4


def test_an_output_has_its_node_in_a_backward_pass_that_is_not_recorded():
    seen = []

    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    def backward(ctx, grad):
        assert not wg.is_grad_enabled()
        seen.append(ctx.saved_tensors[0].grad_fn is ctx)
        return grad * ctx.saved_tensors[0]

    make(forward, backward).apply(leaf()).sum().backward()
    assert seen == [True]


def test_tensors_are_kept_when_forward_has_returned_and_the_last_call_counts():
    def forward(ctx, x):
        ctx.save_for_backward(x)
        intermediate = x * 3
        ctx.save_for_backward(intermediate)
        intermediate.add_(1)  # before it is kept: not a write to a saved tensor
        assert ctx.saved_tensors == () and ctx.to_save == (intermediate,)
        return x * 2

    y = make(forward).apply(leaf())
    (saved,) = y.grad_fn.saved_tensors
    assert saved.tolist() == [4.0, 7.0] and y.grad_fn.to_save is None
    y.sum().backward()


@pytest.mark.parametrize(
    ("which", "write", "origin"),
    [
        (lambda x, y: x, lambda h, y, node: h.add_(1), "which is output 0 of"),
        (lambda x, y: y, lambda h, y, node: y.add_(1), "which is output 0 of Made"),
        (lambda x, y: x * 3, lambda h, y, node: node.saved_tensors[0].add_(1), r"\[torch.DoubleTensor \[2\]\] is at"),
    ],
)
def test_a_write_to_a_saved_tensor_is_noticed(which, write, origin):
    h = leaf() * 1
    y = saving(which).apply(h)
    node, total = y.grad_fn, y.sum()
    write(h, y, node)
    with pytest.raises(RuntimeError, match=MODIFIED) as caught:
        total.backward()
    assert caught.match(origin)
    assert caught.match("saved by MadeBackward")
    with pytest.raises(RuntimeError, match=MODIFIED):
        _ = node.saved_tensors


def test_what_was_saved_is_freed_by_the_backward_pass_unless_it_is_kept():
    y = saving(lambda x, y: x, lambda x, y: y).apply(leaf()).sum()
    y.backward(retain_graph=True)
    y.backward()
    with pytest.raises(RuntimeError, match=TWICE):
        y.backward()
    x = leaf()
    y = saving(lambda x, y: x).apply(x)
    node = y.grad_fn
    y.sum().backward()
    for name in ("saved_tensors", "_raw_saved_tensors"):
        with pytest.raises(RuntimeError, match=TWICE):
            getattr(node, name)
    assert node.needs_input_grad == (True,)


def test_without_saved_tensors_a_second_pass_is_allowed_until_they_are_asked_for():
    x = leaf()
    y = make(lambda ctx, x: x * 2, lambda ctx, grad: grad * 2).apply(x)
    y.backward(wg.ones(2))
    y.backward(wg.ones(2))
    assert x.grad.tolist() == [4.0, 4.0]
    y = saving().apply(leaf())
    assert y.grad_fn.saved_tensors == ()
    y.backward(wg.ones(2))
    with pytest.raises(RuntimeError, match=TWICE):
        y.backward(wg.ones(2))


def test_the_old_name_of_saved_tensors_warns():
    x = leaf()
    y = saving(lambda x, y: x).apply(x)
    with pytest.warns(DeprecationWarning, match="'saved_variables' is deprecated; use 'saved_tensors'"):
        assert y.grad_fn.saved_variables[0] is x


def test_other_attributes_of_ctx_survive_the_pass():
    def backward(ctx, grad):
        ctx.seen = ctx.factor
        return grad * ctx.factor

    y = make(lambda ctx, x: (setattr(ctx, "factor", 3), x * 3)[1], backward).apply(leaf())
    node = y.grad_fn
    y.sum().backward()
    assert node.factor == node.seen == 3 and not hasattr(node, "unknown")


def test_methods_called_in_backward_change_nothing_that_was_kept():
    def backward(ctx, grad):
        ctx.save_for_backward(grad)
        ctx.mark_dirty(grad)
        ctx.mark_non_differentiable(grad)
        ctx.set_materialize_grads(False)
        assert ctx.saved_tensors == ()
        return grad * 2

    x = leaf()
    make(lambda ctx, x: x * 2, backward).apply(x).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_inference_tensors_are_refused_when_they_are_saved_only():
    with wg.inference_mode():
        plain = wg.ones(2, dtype=wg.float64) * 2
    keeps = make(lambda ctx, x, c: (ctx.save_for_backward(c), x * 2)[1], lambda ctx, grad: (grad, None))
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        keeps.apply(leaf(), plain)
    assert make(lambda ctx, x, c: x * 2, lambda ctx, grad: (grad, None)).apply(leaf(), plain).requires_grad


def test_hooks_for_saved_tensors_see_each_of_them_and_may_replace_it():
    log = []

    def pack(tensor):
        log.append((tensor.grad_fn and tensor.grad_fn.name(), tensor.requires_grad))
        return tensor.detach().numpy().copy()

    x = leaf()
    with wg.autograd.graph.saved_tensors_hooks(pack, lambda array: wg.tensor(array)):
        y = saving(lambda x, y: x, lambda x, y: None, lambda x, y: y).apply(x)
    assert log == [(None, True), ("MadeBackward", True)]
    first, _, last = y.grad_fn.saved_tensors
    assert first is not x and first.tolist() == x.tolist() and last.tolist() == y.tolist()
    assert last.grad_fn is y.grad_fn
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_hooks_may_be_chosen_for_one_saved_tensor():
    x = leaf()
    y = saving(lambda x, y: x, lambda x, y: None, lambda x, y: y).apply(x)
    first, nothing, last = y.grad_fn._raw_saved_tensors
    first.register_hooks(lambda tensor: tensor * 3, lambda kept: kept + 1)
    last.register_hooks(lambda tensor: tensor.tolist(), lambda kept: wg.tensor(kept, dtype=wg.float64))
    with pytest.raises(RuntimeError, match="Calling register_hooks on a saved tensor with value None is forbidden"):
        nothing.register_hooks(lambda tensor: tensor, lambda kept: kept)
    with pytest.raises(RuntimeError, match="whose hooks have already been set"):
        first.register_hooks(lambda tensor: tensor, lambda kept: kept)
    saved = y.grad_fn.saved_tensors
    assert saved[0].tolist() == [4.0, 7.0] and saved[0].requires_grad
    assert saved[2].tolist() == [2.0, 4.0] and saved[2].grad_fn is y.grad_fn


def test_saved_tensors_may_be_read_once_where_they_are_cleared_on_access():
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        with pytest.raises(RuntimeError, match="saved_tensors can only be accessed once"):
            _ = ctx.saved_tensors
        return grad * y, grad * x

    once = make(forward, backward, clear_saved_tensors_on_access=True)
    x, y = leaf(), leaf(3.0, 4.0)
    total = once.apply(x, y).sum()
    total.backward(retain_graph=True)
    assert x.grad.tolist() == [3.0, 4.0] and y.grad.tolist() == [1.0, 2.0]
    with pytest.raises(RuntimeError, match="saved_tensors can only be accessed once"):
        total.backward()


def test_a_saved_view_does_not_hold_its_base_in_a_cycle():
    x = leaf(1.0, 2.0, 3.0)
    base = x * 1
    view = base[1:]
    y = saving(lambda x, y: x).apply(view)
    base[1:] = y  # the history of the base now leads to the node that saved the view
    with pytest.raises(RuntimeError, match=MODIFIED):
        base.sum().backward()


@pytest.mark.parametrize(
    "name", ["edges", "hooks", "inputs", "name", "notes", "outputs", "sequence", "trusted", "version"]
)
def test_a_program_may_call_its_attributes_what_it_likes(name):
    class Double(Function):
        @staticmethod
        def forward(ctx, x):
            setattr(ctx, name, [x.shape])
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            assert getattr(ctx, name) == [(3,)]
            return grad * 2

    x = wg.ones(3, requires_grad=True)
    y = Double.apply(Double.apply(x))
    assert getattr(y.grad_fn, name) == [(3,)]
    y.sum().backward()
    assert x.grad.tolist() == [4, 4, 4]
