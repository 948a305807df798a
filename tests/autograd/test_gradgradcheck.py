"""`gradgradcheck`: right second derivatives pass, planted mistakes in them are found."""

from __future__ import annotations

import pytest

import wengert as wg
from wengert.autograd import Function, gradcheck, gradgradcheck
from wengert.autograd.function import once_differentiable
from wengert.autograd.gradcheck import GradcheckError

BOTH = pytest.mark.parametrize("fast", [False, True])


def three():
    return wg.tensor([0.5, -1.2, 2.0], dtype=wg.float64, requires_grad=True)


def pair():
    return wg.tensor([0.5 + 1j, -0.3 + 0.2j], dtype=wg.complex128, requires_grad=True)


def square(backward):
    class Square(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            return backward(ctx.saved_tensors[0], grad)

    return Square


RIGHT = {
    "a power": (lambda x: x**3, three),
    "a sum": (lambda x: (x.sin() * x.exp()).sum(), three),
    "two outputs": (lambda x: (x * x, x.exp()), three),
    "linear": (lambda x: x * 2, three),
    "a product": (lambda x: x.outer(x), three),
    "complex": (lambda z: z**3, pair),
    "complex to real": (lambda z: (z * z.conj()).real, pair),
    "an output without history": (lambda x: (x.detach(), x * x), three),
    "a Function": (square(lambda x, g: g * 2 * x).apply, three),
}


@BOTH
@pytest.mark.parametrize("name", RIGHT)
def test_right_second_derivatives_pass(name, fast):
    function, make = RIGHT[name]
    assert gradgradcheck(function, make(), fast_mode=fast) is True
    assert gradgradcheck(function, make(), fast_mode=fast, gen_non_contig_grad_outputs=True)


@BOTH
@pytest.mark.parametrize(
    "backward",
    [
        lambda x, g: g * 2 * x.detach(),
        lambda x, g: g.detach() * 2 * x,
        lambda x, g: wg.from_numpy((g * 2 * x).numpy(force=True)),
    ],
)
def test_a_backward_that_loses_the_history_is_found(backward, fast):
    function = square(backward).apply
    assert gradcheck(function, three(), fast_mode=fast)
    says = "Jacobian mismatch|Numerical gradient for function expected to be zero"
    with pytest.raises(GradcheckError, match=says):
        gradgradcheck(function, three(), fast_mode=fast)
    assert gradgradcheck(function, three(), fast_mode=fast, raise_exception=False) is False


def test_a_wrong_derivative_of_the_backward_is_found():
    wrong = square(lambda x, g: g * 3 * x)

    with pytest.raises(GradcheckError, match="Jacobian mismatch"):
        gradgradcheck(lambda x: square(lambda x, g: g * wrong.apply(x)).apply(x), three())
    assert gradgradcheck(wrong.apply, three())  # the derivative of what it gives is right


def test_once_differentiable_functions_are_refused():
    with pytest.raises(RuntimeError, match="marked with @once_differentiable"):
        gradgradcheck(square(once_differentiable(lambda x, g: g * 2 * x)).apply, three())


def test_cotangents_may_be_given():
    seen = []
    function = square(lambda x, g: (seen.append(g.tolist()), g * 2 * x)[1]).apply
    given = wg.tensor([1.0, 2.0, 3.0], dtype=wg.float64)
    assert gradgradcheck(function, three(), given) and seen[0] == [1.0, 2.0, 3.0]
    assert gradgradcheck(function, three(), [given.clone().requires_grad_()])
    assert gradgradcheck(lambda x: (function(x), x.exp()), three(), (given, given.clone()))
    with pytest.raises(RuntimeError, match=r"Mismatch in shape: grad_output\[0\]"):
        gradgradcheck(function, three(), given[:2])
    with pytest.raises(AttributeError, match="has no attribute 'requires_grad'"):
        gradgradcheck(function, three(), 3.0)


def test_cotangents_are_the_same_for_a_seed_and_not_contiguous_if_asked():
    seen = []

    def noting(x, g):
        seen.append((g.tolist(), g.stride()))
        return g * 2 * x

    for noncontiguous in (False, False, True):
        seen.append("begin")
        wg.manual_seed(0)
        assert gradgradcheck(square(noting).apply, three(), gen_non_contig_grad_outputs=noncontiguous)
    firsts = [seen[at + 1] for at, each in enumerate(seen) if each == "begin"]
    assert firsts[0] == firsts[1] and [stride for _, stride in firsts] == [(1,), (1,), (2,)]


@pytest.mark.parametrize(
    "options",
    [
        {"check_rev_over_rev": False},
        {"check_rev_over_rev": False, "check_fwd_over_rev": True},
        {
            "check_rev_over_rev": False,
            "check_fwd_over_rev": True,
            "check_undefined_grad": False,
            "check_batched_grad": True,
        },
    ],
)
def test_options_that_contradict_each_other_are_refused(options):
    with pytest.raises(AssertionError, match="check_rev_over_rev to be True"):
        gradgradcheck(lambda x: x, three(), **options)


def test_nothing_to_differentiate_is_refused():
    with pytest.raises(ValueError, match="at least one input tensor to require gradient"):
        gradgradcheck(lambda x: x * 2, wg.ones(2))
    with pytest.raises(ValueError, match="at least one output of func to require gradient"):
        gradgradcheck(lambda x: x.detach(), three())


def test_its_random_cotangents_are_drawn_from_the_programs_generator():
    x = wg.tensor([1.0, 2.0], dtype=wg.float64, requires_grad=True)
    wg.manual_seed(0)
    wg.autograd.gradgradcheck(lambda x: x**3, (x,))
    after = wg.rand(2)
    wg.manual_seed(0)
    wg.empty(2, dtype=wg.float64).uniform_(-1, 1)
    assert wg.equal(after, wg.rand(2))
