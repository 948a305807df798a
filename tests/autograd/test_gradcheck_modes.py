"""The parts of `gradcheck` that need forward mode or batching."""

from __future__ import annotations

import pytest

import wengert as wg
from wengert.autograd import forward_ad as forward_ad_module, gradcheck, gradgradcheck
from wengert.autograd.gradcheck import GradcheckError

BOTH = pytest.mark.parametrize("fast", [False, True])


def looped(function, in_dims=0):
    """`vmap` of a function that returns a tuple."""

    def batched(*args):
        dims = in_dims if isinstance(in_dims, tuple) else (in_dims,) * len(args)
        count = next(each.shape[dim] for each, dim in zip(args, dims) if dim is not None)
        rows = [
            function(*(each if dim is None else each.select(dim, at) for each, dim in zip(args, dims)))
            for at in range(count)
        ]
        return tuple(wg.stack(each) for each in zip(*rows))

    return batched


@pytest.fixture
def forward_ad():
    return forward_ad_module


def three():
    return wg.tensor([0.5, -1.2, 2.0], dtype=wg.float64, requires_grad=True)


def pair():
    return wg.tensor([0.5 + 1j, -0.3 + 0.2j], dtype=wg.complex128, requires_grad=True)


FORWARD_ONLY = {"check_forward_ad": True, "check_backward_ad": False}
RIGHT = {
    "a power": (lambda x: x**3, three),
    "a sum": (lambda x: (x.sin() * x).sum(), three),
    "two outputs": (lambda x: (x.sum(), x.exp()), three),
    "an unused input": (lambda x: x[:1] * 2, three),
    "an output without history": (lambda x: (x.detach(), x * x), three),
    "real to complex": (lambda x: x * 1j, three),
    "complex": (lambda z: z * z, pair),
    "complex to real": (lambda z: z.real * z.imag, pair),
    "a conjugate": (lambda z: z.conj() * z, pair),
}


@BOTH
@pytest.mark.parametrize("name", RIGHT)
def test_right_forward_derivatives_pass(forward_ad, name, fast):
    function, make = RIGHT[name]
    assert gradcheck(function, make(), fast_mode=fast, **FORWARD_ONLY) is True
    assert gradcheck(function, make(), fast_mode=fast, check_forward_ad=True, check_grad_dtypes=True)


@BOTH
def test_several_inputs_are_moved_one_by_one(forward_ad, fast):
    assert gradcheck(lambda x, k, y: (x * y.sum(), k * y), (three(), 3.0, pair()), fast_mode=fast, **FORWARD_ONLY)
    assert gradcheck(lambda x, y: x * y, (three().detach(), three()), fast_mode=fast, **FORWARD_ONLY)


def with_rule(forward_ad, forward, rule):
    """A function whose derivative along a direction is `rule(x, tangent)`."""

    def function(x):
        value, tangent = forward_ad.unpack_dual(x)
        if tangent is None:
            return forward(x)
        return forward_ad.make_dual(forward(value).detach(), rule(value.detach(), tangent))

    return function


WRONG = {
    "a factor": lambda x, t: 3 * x * t,
    "one element": lambda x, t: 2 * x * t * wg.tensor([1.0, 1.0, 1.1], dtype=wg.float64),
    "zero": lambda x, t: t * 0,
}


@BOTH
@pytest.mark.parametrize("name", WRONG)
def test_wrong_forward_derivatives_are_found(forward_ad, name, fast):
    right = with_rule(forward_ad, lambda x: x * x, lambda x, t: 2 * x * t)
    assert gradcheck(right, three(), fast_mode=fast, **FORWARD_ONLY)
    wrong = with_rule(forward_ad, lambda x: x * x, WRONG[name])
    says = "^Jacobian computed with forward mode mismatch for output 0 with respect to input 0,"
    with pytest.raises(GradcheckError, match=says) as caught:
        gradcheck(wrong, three(), fast_mode=fast, **FORWARD_ONLY)
    assert "The worst element is" in str(caught.value)
    assert gradcheck(wrong, three(), fast_mode=fast, raise_exception=False, **FORWARD_ONLY) is False
    assert gradcheck(wrong, three(), fast_mode=fast)


@BOTH
def test_a_tangent_that_is_not_real_is_found(forward_ad, fast):
    function = with_rule(forward_ad, lambda x: x * x, lambda x, t: 2 * x * t * (1 + 0j))
    with pytest.raises(GradcheckError, match=r"^Forward AD gradient has dtype mismatch\.$"):
        gradcheck(function, three(), fast_mode=fast, check_grad_dtypes=True, **FORWARD_ONLY)


def test_missing_tangents_that_are_not_zeros_are_found(forward_ad):
    def function(x, y):
        first, second = (forward_ad.unpack_dual(each) for each in (x, y))
        if first.tangent is None and second.tangent is None:
            return x * y
        one = 0 if first.tangent is None else first.tangent * second.primal.detach()
        other = first.primal.detach() if second.tangent is None else second.tangent * first.primal.detach()
        return forward_ad.make_dual((first.primal * second.primal).detach(), one + other)

    assert gradcheck(function, (three(), three()), check_undefined_grad=False, **FORWARD_ONLY)
    with pytest.raises(GradcheckError, match="Mismatch in tangent values for output with index: 0 when input"):
        gradcheck(function, (three(), three()), **FORWARD_ONLY)


@BOTH
def test_second_derivatives_by_forward_mode(forward_ad, fast):
    only = {"check_fwd_over_rev": True, "check_rev_over_rev": False, "check_undefined_grad": False}
    assert gradgradcheck(lambda x: x**3, three(), fast_mode=fast, **only)
    assert gradgradcheck(lambda x: x.sin(), three(), fast_mode=fast, check_fwd_over_rev=True)

    class Square(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            return grad * 2 * ctx.saved_tensors[0].detach()

        @staticmethod
        def jvp(ctx, tangent):
            return tangent

    with pytest.raises((GradcheckError, RuntimeError)):
        gradgradcheck(Square.apply, three(), fast_mode=fast, **only)


def test_batched_cotangents_are_compared_with_single_ones():
    assert gradcheck(lambda x: (x * x, x.sum()), three(), check_batched_grad=True)
    assert gradcheck(lambda z, y: z * y.sum(), (pair(), three()), check_batched_grad=True)
    assert gradgradcheck(lambda x: x**3, three(), check_batched_grad=True)


def test_batched_tangents_are_compared_with_single_ones(forward_ad):
    assert gradcheck(
        lambda x, k, y: (x * y, x * k), (three(), 2, three()), check_forward_ad=True, check_batched_forward_grad=True
    )


@pytest.mark.parametrize("forward", [False, True])
def test_wrong_batches_are_found(monkeypatch, forward_ad, forward):
    def wrong(function):
        return lambda pair: tuple(each * 2 for each in looped(function)(pair))

    def refusing(function):
        def batched(pair):
            raise RuntimeError("no rule")

        return batched

    options = (
        {"check_batched_forward_grad": True, "check_forward_ad": True} if forward else {"check_batched_grad": True}
    )
    for planted, says in (
        (wrong, "^For output 0 and input 0:"),
        (refusing, "^While computing batched gradients, got: no rule"),
    ):
        monkeypatch.setattr(wg, "vmap", planted, raising=False)
        with pytest.raises(GradcheckError, match=says):
            gradcheck(lambda x: x * x, three(), **options)
