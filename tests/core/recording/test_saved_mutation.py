"""`allow_mutation_on_saved_tensors`: what is saved may be written to, and the backward pass sees what it was."""

from __future__ import annotations

import threading

import hypothesis
import pytest
from hypothesis import strategies

import wengert as wg
from wengert._core.state.modes import current
from wengert.autograd.graph import (
    allow_mutation_on_saved_tensors,
    disable_saved_tensors_hooks,
    save_on_cpu,
    saved_tensors_hooks,
)

OUTSIDE = "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context"


def leaf(*values):
    return wg.tensor(values, dtype=wg.float64, requires_grad=True)


def assign(y):
    y[0] = 7.0


def fill_out(y):
    wg.add(wg.ones(2, dtype=wg.float64), 1, out=y.detach())


WRITES = {
    "itself": lambda y: y.zero_(),
    "a view": lambda y: y[:1].zero_(),
    "twice": lambda y: y.mul_(2).sin_(),
    "detached": lambda y: y.detach().zero_(),
    "its data": lambda y: y.data.zero_(),
    "an index": assign,
    "out": fill_out,
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_the_pass_sees_what_was_saved_before_the_write(write):
    x = leaf(1.0, 2.0)
    with allow_mutation_on_saved_tensors():
        y = x * 2
        result = y * y
        write(y)
        result.sum().backward()
    assert x.grad.tolist() == [8.0, 16.0]


def test_an_output_that_was_saved_may_be_written_to():
    x = leaf(1.0, 2.0)
    with allow_mutation_on_saved_tensors():
        y = x.exp()
        before = y.tolist()
        total = y.sum()
        y.mul_(2)
        total.backward()
    assert x.grad.tolist() == before


def test_a_constant_a_leaf_and_a_view_that_were_saved_may_be_written_to():
    x, weights = leaf(1.0, 2.0), wg.tensor([3.0, 4.0], dtype=wg.float64)
    source = leaf(11.0, 12.0)
    with allow_mutation_on_saved_tensors():
        y = x * weights
        weights.add_(5)
        z = x * x
        with wg.no_grad():
            x.add_(10)
        base = source * 1
        part = base[1:]
        square = part * part
        base.zero_()
        (y.sum() + z.sum() + square.sum()).backward()
    assert x.grad.tolist() == [5.0, 8.0]
    assert source.grad.tolist() == [0.0, 24.0]


def test_derivatives_of_higher_order_see_it_too():
    x = leaf(1.0, 2.0)
    with allow_mutation_on_saved_tensors():
        y = x * 2
        result = y * y
        y.add_(1)
        (first,) = wg.autograd.grad(result.sum(), x, create_graph=True)
        assert wg.autograd.grad(first.sum(), x)[0].tolist() == [8.0, 8.0]


def test_what_is_saved_twice_is_copied_once_and_what_does_not_overlap_not_at_all():
    x = leaf(1.0, 2.0)
    with allow_mutation_on_saved_tensors() as context:
        y = x * 2
        square = y * y
        assert (len(context.original), len(context.cloned)) == (1, 0)
        y[:1].zero_()
        assert (len(context.original), len(context.cloned)) == (0, 1)
        square.sum().backward()
        assert len(context.cloned) == 0
    assert (len(context.original), len(context.cloned)) == (0, 0)


def test_a_write_to_another_part_of_the_memory_copies_nothing():
    x = leaf(1.0, 2.0, 3.0, 4.0)
    with allow_mutation_on_saved_tensors() as context:
        y = x * 2
        square = y[2:] * y[2:]
        y[:2].zero_()
        assert len(context.cloned) == 0
        square.sum().backward()
    assert x.grad.tolist() == [0.0, 0.0, 24.0, 32.0]


@pytest.mark.parametrize("written", [True, False], ids=["written", "as it was"])
def test_the_pass_has_to_run_inside_the_same_context(written):
    x = leaf(1.0, 2.0)
    with allow_mutation_on_saved_tensors():
        y = x * 2
        result = (y * y).sum()
        if written:
            y.zero_()
    with pytest.raises(AssertionError, match=OUTSIDE):
        result.backward(retain_graph=True)
    with allow_mutation_on_saved_tensors(), pytest.raises(AssertionError, match=OUTSIDE):
        result.backward()


def test_contexts_cannot_be_nested():
    with (
        allow_mutation_on_saved_tensors(),
        pytest.raises(RuntimeError, match="allow_mutation_on_saved_tensors contexts cannot be nested"),
        allow_mutation_on_saved_tensors(),
    ):
        pass
    with allow_mutation_on_saved_tensors():
        pass


def test_hooks_inside_take_precedence():
    x = leaf(1.0, 2.0)
    with allow_mutation_on_saved_tensors():
        with save_on_cpu():
            y = x * 2
            result = y * y
        y.zero_()
        result.sum().backward()
    assert x.grad.tolist() == [0.0, 0.0]


def test_it_cannot_be_entered_where_hooks_are_forbidden():
    with (
        disable_saved_tensors_hooks("no hooks"),
        pytest.raises(RuntimeError, match="no hooks"),
        allow_mutation_on_saved_tensors(),
    ):
        pass


def test_an_error_inside_leaves_everything_as_it_was():
    with pytest.raises(KeyError), allow_mutation_on_saved_tensors():
        raise KeyError
    modes = current()
    assert modes.saved_hooks is None and modes.observers == [] and modes.word == 0


def test_a_write_that_is_refused_changes_nothing():
    x = leaf(1.0, 2.0)
    with allow_mutation_on_saved_tensors():
        y = x * 2
        result = y * y
        with pytest.raises(RuntimeError, match="size of tensor"):
            y.add_(wg.ones(3, dtype=wg.float64))
        result.sum().backward()
    assert x.grad.tolist() == [8.0, 16.0]


def test_other_threads_are_outside():
    x, caught = leaf(1.0, 2.0), []

    def compute():
        y = x * 2
        result = y * y
        y.add_(1)
        with pytest.raises(RuntimeError, match="modified by an inplace operation") as error:
            result.sum().backward()
        caught.append(error.type)

    with allow_mutation_on_saved_tensors():
        thread = threading.Thread(target=compute)
        thread.start()
        thread.join()
    assert caught == [RuntimeError]


def test_outside_a_write_is_still_an_error():
    x = leaf(1.0, 2.0)
    with allow_mutation_on_saved_tensors():
        pass
    y = x * 2
    result = y * y
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        result.sum().backward()


def test_a_handle_stands_in_the_graph_and_identity_hooks_still_see_tensors():
    x = leaf(1.0)
    with allow_mutation_on_saved_tensors():
        y = x.exp()
        assert not isinstance(y.grad_fn._raw_saved_result.data, wg.Tensor)
        assert y.grad_fn._saved_result.grad_fn is y.grad_fn
    with saved_tensors_hooks(lambda tensor: tensor, lambda tensor: tensor):
        assert isinstance(x.exp().grad_fn._raw_saved_result.data, wg.Tensor)


STEPS = strategies.lists(strategies.sampled_from(["square", "exp", "sin_", "mul_", "part_", "view"]), max_size=7)


@hypothesis.given(STEPS)
def test_any_program_has_the_gradient_of_its_functional_twin(steps):
    def run(x, in_place):
        total, y = x.sum(), x * 1
        for step in steps:
            if step == "square":
                total = total + (y * y).sum()
            elif step == "exp":
                total = total + (y * 0.1).exp().sum()
            elif step == "view":
                total = total + (y[1:] * y[:-1]).sum()
            elif step == "sin_":
                y = y.sin_() if in_place else y.sin()
            elif step == "mul_":
                y = y.mul_(x) if in_place else y * x
            elif in_place:
                y[1:].mul_(2)
            else:
                y = wg.cat([y[:1], y[1:] * 2])
        return total + y.sum()

    values = [0.5, -1.5, 2.0]
    x, twin = leaf(*values), leaf(*values)
    with allow_mutation_on_saved_tensors():
        run(x, True).backward()
    run(twin, False).backward()
    assert x.grad.tolist() == pytest.approx(twin.grad.tolist())


def test_a_tensor_that_several_nodes_saved_is_kept_and_copied_once():
    with allow_mutation_on_saved_tensors() as context:
        x = leaf(1.0, 2.0)
        y = x.clone()
        total = (y * y).sum() + y.sin().sum()
        assert (len(context.original), len(context.cloned)) == (1, 0)
        y.add_(1)
        assert (len(context.original), len(context.cloned)) == (0, 1)
        total = total + y.cos().sum()
        assert (len(context.original), len(context.cloned)) == (1, 1)
        y.add_(1)
        assert (len(context.original), len(context.cloned)) == (0, 2)
        total.backward()
    z = leaf(1.0, 2.0)
    ((z * z).sum() + z.sin().sum() + (z + 1).cos().sum()).backward()
    assert x.grad.tolist() == pytest.approx(z.grad.tolist())
