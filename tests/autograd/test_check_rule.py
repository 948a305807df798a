"""`check_rule`: a right Function passes, each kind of mistake is found under its name."""

from __future__ import annotations

import gc
import importlib.util

import pytest

import wengert as wg
from wengert.autograd import Function, check_rule
from wengert.autograd.function import once_differentiable
from wengert.autograd.gradcheck import GradcheckError

CHECKS = [
    "values",
    "first derivatives",
    "second derivatives",
    "forward mode",
    "forward over reverse",
    "batched gradients",
    "batching",
    "in-place",
    "dtypes",
    "leaks",
]
ALWAYS = ["values", "first derivatives", "second derivatives", "in-place", "dtypes", "leaks"]
KEPT = []


def three():
    return wg.tensor([1.0, -2.0, 0.5], dtype=wg.float64, requires_grad=True)


def pair():
    return wg.tensor([1 + 2j, -0.5j], dtype=wg.complex128, requires_grad=True)


def saving(ctx, x):
    ctx.save_for_backward(x)
    return x * x


def derivative(ctx, grad):
    return grad * 2 * ctx.saved_tensors[0].conj()


def rule(forward=saving, backward=derivative, **more):
    methods = {"forward": forward, "backward": backward, **more}
    return type("Rule", (Function,), {name: staticmethod(each) for name, each in methods.items()})


def verdicts(error):
    """Which checks an error names."""
    return [line[2:].split(", sample")[0] for line in str(error.value).split("\n") if line.startswith("- ")]


def two_arguments(ctx, a, factor, b):
    ctx.save_for_backward(a, b)
    ctx.factor = factor
    return a * factor * b, a + 1


def two_gradients(ctx, grad, other):
    a, b = ctx.saved_tensors
    return grad * ctx.factor * b + other, None, grad * ctx.factor * a


def doubling(ctx, x):
    ctx.mark_dirty(x)
    return x.mul_(2)


class Split(Function):
    """The other form, whose output is saved."""

    @staticmethod
    def forward(x):
        return x.exp()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def vjp(ctx, grad):
        return grad * ctx.saved_tensors[0].conj()


RIGHT = {
    "one argument": (rule(), lambda: [three(), pair()]),
    "several": (rule(two_arguments, two_gradients), lambda: [(three(), 3.0, three()), (three(), 2, three().detach())]),
    "dirty": (rule(doubling, lambda ctx, grad: grad * 2), lambda: [three(), pair()]),
    "split": (Split, lambda: [three(), pair()]),
    "a view": (rule(lambda ctx, x: x.view(-1), lambda ctx, grad: grad), lambda: [three()]),
    "the input": (rule(lambda ctx, x: x, lambda ctx, grad: grad), lambda: [three()]),
    "zero dimensions": (rule(), lambda: [wg.tensor(2.0, dtype=wg.float64, requires_grad=True)]),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_rule_passes(name):
    function, make = RIGHT[name]
    samples = make()
    before = [each.tolist() for each in samples if isinstance(each, wg.Tensor)]
    report = check_rule(function, samples)
    assert sorted(report.passed) == sorted([*ALWAYS, "batched gradients"])
    assert sorted([*report.passed, *report.left_out]) == sorted(CHECKS)
    assert [each.tolist() for each in samples if isinstance(each, wg.Tensor)] == before


def hidden(ctx, x):
    x.data.mul_(2)
    return x * 1


def unmarked(ctx, x):
    return x.mul_(2) * 1


def as_attribute(ctx, x):
    ctx.x = x
    return x * x


def output_as_attribute(ctx, x):
    ctx.y = x.exp()
    return ctx.y


def keeping(ctx, x):
    KEPT.append(x)
    return saving(ctx, x)


def without_zeros(ctx, x):
    ctx.set_materialize_grads(False)
    return saving(ctx, x)


def by_layout(ctx, x):
    ctx.save_for_backward(x)
    return x * x if x.is_contiguous() else x * x + 1


def by_mode(ctx, x):
    KEPT.append(None)
    return saving(ctx, x) + len(KEPT)


def doubles(ctx, grad):
    return grad * 2


def in_double(ctx, x):
    return saving(ctx, x).double()


PLANTED = {
    "a wrong value": (rule(backward=lambda ctx, grad: grad * 3 * ctx.saved_tensors[0]), ["first derivatives"]),
    "a lost history": (
        rule(backward=lambda ctx, grad: grad * 2 * ctx.saved_tensors[0].detach()),
        ["second derivatives"],
    ),
    "a missing gradient": (rule(without_zeros), ["first derivatives"]),
    "a hidden write": (rule(hidden, doubles), ["values"]),
    "an unmarked write": (rule(unmarked, doubles), ["values"]),
    "another layout": (rule(by_layout), ["values"]),
    "an argument kept as an attribute": (rule(as_attribute, lambda ctx, grad: grad * 2 * ctx.x), ["in-place"]),
    "an output kept as an attribute": (
        rule(output_as_attribute, lambda ctx, grad: grad * ctx.y),
        ["in-place", "leaks"],
    ),
    "a wrong dirty one": (
        rule(doubling, lambda ctx, grad: grad * 3),
        ["first derivatives", "in-place"],
    ),
    "another dtype": (rule(in_double), ["dtypes"]),
    "a gradient in another dtype": (
        rule(backward=lambda ctx, grad: derivative(ctx, grad).float()),
        ["second derivatives", "dtypes"],
    ),
    "an argument kept for ever": (rule(keeping), ["leaks"]),
    "an error": (
        rule(backward=lambda ctx, grad: 1 / 0),
        ["first derivatives", "second derivatives", "batched gradients", *ALWAYS[3:]],
    ),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_mistake_is_found_under_its_name(name):
    function, wanted = PLANTED[name]
    with pytest.raises(GradcheckError, match=r"^check_rule found .* mistakes? in Rule\n- ") as caught:
        check_rule(function, [three()])
    assert verdicts(caught) == wanted
    KEPT.clear()
    assert gc.isenabled()


def test_values_that_change_are_found():
    with pytest.raises(GradcheckError, match="values under no_grad") as caught:
        check_rule(rule(by_mode), [three()])
    assert verdicts(caught)[0] == "values"
    KEPT.clear()


def test_a_forgotten_conjugate_is_found_in_the_complex_sample():
    wrong = rule(backward=lambda ctx, grad: grad * 2 * ctx.saved_tensors[0])
    assert check_rule(wrong, [three()])
    with pytest.raises(GradcheckError, match=r"- first derivatives, sample 1: While considering the imaginary part"):
        check_rule(wrong, [three(), pair()])


def test_each_argument_has_its_gradient_without_the_others():
    def careless(ctx, grad, other):
        first, _, second = two_gradients(ctx, grad, other)
        return first if ctx.needs_input_grad[2] else first * 2, None, second

    with pytest.raises(GradcheckError, match="argument 0 gets another gradient where no other") as caught:
        check_rule(rule(two_arguments, careless), [(three(), 3.0, three())])
    assert verdicts(caught) == ["first derivatives"]


def test_values_are_compared_with_a_reference():
    assert "values" in check_rule(rule(), [three()], reference=lambda x: x**2).passed
    with pytest.raises(GradcheckError, match="values, sample 0: the values are not those of the reference"):
        check_rule(rule(), [three()], reference=lambda x: x**3)


def test_what_is_not_there_is_left_out_with_the_reason():
    report = check_rule(
        rule(backward=once_differentiable(derivative)), [three()], without=["leaks", "batched gradients"]
    )
    assert report.left_out == {
        "second derivatives": "the backward of Rule is once_differentiable",
        "forward mode": "Rule has no jvp",
        "forward over reverse": "Rule has no jvp",
        "batching": "Rule has neither vmap nor generate_vmap_rule",
        "batched gradients": "not wanted",
        "leaks": "not wanted",
    }
    assert str(report).split("\n")[0] == "values                passed"
    assert str(report).split("\n")[-1] == "leaks                 left out: not wanted"


def test_wrong_batching_rules_are_found():
    split = {"forward": lambda x: x * x, "setup_context": lambda ctx, inputs, output: ctx.save_for_backward(*inputs)}
    wrong = rule(**split, vmap=lambda info, dims, x: (x * x * 2, dims[0]))
    with pytest.raises(GradcheckError, match=r"batching, sample 0: vmap with in_dims=\(0,\) does not return"):
        check_rule(wrong, [three()], without=["batched gradients"])


def test_right_batches_pass_for_every_choice_of_arguments():
    seen = []

    def product(info, dims, a, factor, b):
        seen.append((info.batch_size, *dims))
        return batched_product(dims, a, factor, b)

    def keep(ctx, inputs, output):
        two_arguments(ctx, *inputs)

    split = rule(lambda a, factor, b: (a * factor * b, a + 1), two_gradients, setup_context=keep, vmap=product)
    report = check_rule(split, [(three(), 3.0, three())])
    assert {"batching", "batched gradients"} <= set(report.passed)
    assert {(2, 0, None, 0), (2, 0, None, None), (2, None, None, 0)} <= set(seen)


def batched_product(dims, a, factor, b):
    a, b = (each if dim is None else each.movedim(dim, 0) for each, dim in ((a, dims[0]), (b, dims[2])))
    return (a * factor * b, a + 1), (0, None if dims[0] is None else 0)


def test_arguments_that_fit_nothing_are_refused():
    with pytest.raises(TypeError, match=r"check_rule tests a subclass of autograd\.Function, but got"):
        check_rule(saving, [three()])
    with pytest.raises(ValueError, match="at least one sample"):
        check_rule(rule(), [])
    with pytest.raises(ValueError, match="no tensor of sample 1 requires a gradient"):
        check_rule(rule(), [three(), three().detach()])
    with pytest.raises(ValueError, match="there is no check 'speed'; there are values, first"):
        check_rule(rule(), [three()], without=["speed"])


@pytest.mark.skipif(importlib.util.find_spec("wengert.autograd.forward_ad") is None, reason="no forward mode yet")
def test_wrong_forward_derivatives_are_found():
    def saving_both(ctx, x):
        ctx.save_for_forward(x)
        return saving(ctx, x)

    right = rule(saving_both, jvp=lambda ctx, tangent: 2 * ctx.saved_tensors[0] * tangent)
    assert {"forward mode", "forward over reverse"} <= set(check_rule(right, [three()]).passed)
    wrong = rule(saving_both, jvp=lambda ctx, tangent: 3 * ctx.saved_tensors[0] * tangent)
    with pytest.raises(GradcheckError, match="forward mode, sample 0: Jacobian computed with forward mode") as caught:
        check_rule(wrong, [three()])
    assert "forward mode" in verdicts(caught)
