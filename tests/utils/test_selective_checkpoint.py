"""Selective checkpoints: which results are kept, that gradients stay the same, and what is refused."""

from __future__ import annotations

import functools
import weakref

import pytest
from hypothesis import given, strategies as st

import wengert as wg
from wengert.utils.checkpoint import (
    CheckpointPolicy,
    SelectiveCheckpointContext,
    checkpoint,
    create_selective_checkpoint_contexts,
)

mm = wg.ops.aten.mm.default


def leaves():
    return [wg.linspace(low, 1.0, 9, dtype=wg.float64).reshape(3, 3).requires_grad_() for low in (-0.5, 0.2)]


def selectively(function, *args, policy, **options):
    contexts = functools.partial(create_selective_checkpoint_contexts, policy, **options)
    return checkpoint(function, *args, use_reentrant=False, context_fn=contexts)


def program(x, w):
    y = x.mm(w).sin()
    top, _ = y.max(1)
    z = (y.t() @ w).mul(2)
    shown = wg.dropout(z.view(9)[2:].exp(), 0.5, True)
    return (shown.softmax(0) * top.sum()).cumsum(0).sum() + wg.nn.functional.linear(z, w, top).tanh().sum()


def gradients(value, inputs):
    return [each.tolist() for each in wg.autograd.grad(value, inputs)]


@given(st.lists(st.sampled_from(CheckpointPolicy), min_size=1, max_size=12))
def test_gradients_are_the_same_whatever_is_kept(answers):
    asked = []

    def policy(context, op, *args, **kwargs):
        asked.append(op)
        return answers[len(asked) % len(answers)]

    inputs = leaves()
    wg.manual_seed(0)
    wanted = gradients(program(*inputs), inputs)
    wg.manual_seed(0)
    value = selectively(program, *inputs, policy=policy)
    count = len(asked)
    wg.manual_seed(5)
    assert gradients(value, inputs) == wanted
    assert len(asked) == count


class Heard:
    """Counts the calls of operators."""

    def __init__(self):
        self.names = []

    def __enter__(self):
        from wengert.autograd.observers import Heard as Region

        self.region = Region(lambda name, args, kwargs, made: self.names.append(name))
        self.region.__enter__()
        return self

    def __exit__(self, *error):
        self.region.__exit__(*error)


@pytest.mark.parametrize(
    "policy",
    [
        [mm],
        lambda context, op, *args: op == mm,
        lambda context, op, *args: CheckpointPolicy.PREFER_SAVE if op == mm else CheckpointPolicy.MUST_RECOMPUTE,
        lambda context, op, *args: CheckpointPolicy.MUST_CPU_OFFLOAD if op == mm else CheckpointPolicy.PREFER_RECOMPUTE,
    ],
)
def test_what_is_kept_is_not_computed_again(policy):
    x, w = leaves()
    calls = []

    def function(x, w):
        calls.append(1)
        return x.mm(w).sin().exp().sum()

    value = selectively(function, x, w, policy=policy)
    with Heard() as heard:
        value.backward()
    assert len(calls) == 2
    assert heard.names.count("mm") == 2  # of the backward pass
    assert heard.names.count("sin") == 1


def test_the_policy_is_told_the_call_and_its_result():
    x, w = leaves()
    told = []

    def policy(context, op, *args, **kwargs):
        told.append((context.is_recompute, str(op), op.name(), len(args), tuple(context.op_output.shape)))
        return False

    selectively(lambda x, w: (x.mm(w).t()[0] + 1).sum(), x, w, policy=policy)
    assert [each[1:3] for each in told] == [
        ("aten.mm.default", "aten::mm"),
        ("aten.t.default", "aten::t"),
        ("aten.select.int", "aten::select.int"),
        ("aten.add.Tensor", "aten::add.Tensor"),
        ("aten.sum.default", "aten::sum"),
    ]
    assert told[0] == (False, "aten.mm.default", "aten::mm", 2, (3, 3))
    assert isinstance(SelectiveCheckpointContext(is_recompute=False).op_output, type(None))


def test_forms_of_an_operator_are_objects_of_their_own():
    aten = wg.ops.aten
    assert aten.add.Tensor is aten.add.Tensor and aten.add.Tensor != aten.add.Scalar != aten.add
    assert aten.mm.default.overloadpacket is aten.mm


def test_a_second_backward_pass_is_refused():
    x, w = leaves()
    value = selectively(lambda x, w: x.mm(w).sin().sum(), x, w, policy=[mm])
    value.backward(retain_graph=True)
    with pytest.raises(RuntimeError, match="Trying to backward an extra time"):
        value.backward()


def test_results_that_were_written_to_are_refused():
    x, w = leaves()

    def function(x, w):
        return x.mm(w).add_(1).sin().sum()

    value = selectively(function, x, w, policy=[mm])
    with pytest.raises(RuntimeError, match="Tensor cached during selective activation checkpoint has been mutated"):
        value.backward()
    value = selectively(function, x, w, policy=[mm], allow_cache_entry_mutation=True)
    value.backward()
    assert x.grad is not None


def test_what_is_kept_goes_when_it_was_used():
    x, w = leaves()
    made = []

    def function(x, w):
        y = x.mm(w)
        made.append(weakref.ref(y.untyped_storage()))
        return y.sin().sum()

    value = selectively(function, x, w, policy=[mm])
    value.backward()
    del value
    assert all(each() is None for each in made)


def test_modes_are_as_before():
    x, w = leaves()

    def fails(x, w):
        x.mm(w)
        raise KeyError("mine")

    with pytest.raises(KeyError):
        selectively(fails, x, w, policy=[mm])
    with Heard() as heard:
        x.mm(w)
    assert heard.names == ["mm"]


def test_second_derivatives_would_go_back_twice():
    x, w = leaves()
    value = selectively(lambda x, w: x.mm(w).sin().mm(w).exp().sum(), x, w, policy=[mm])
    (first,) = wg.autograd.grad(value, x, create_graph=True)
    with pytest.raises(RuntimeError, match="Trying to backward an extra time"):
        wg.autograd.grad((first * first).sum(), x)


def test_what_is_no_policy_is_refused():
    with pytest.raises(TypeError, match="either a function or a list of ops"):
        create_selective_checkpoint_contexts(3)
    with pytest.raises(ValueError, match="Expected op in `op_list` to be an OpOverload but got: 3"):
        create_selective_checkpoint_contexts([3])
    x, w = leaves()
    with pytest.raises(TypeError, match="must return a CheckpointPolicy or a bool, got 'keep'"):
        selectively(lambda x, w: x.mm(w), x, w, policy=lambda *args: "keep")
