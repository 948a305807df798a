"""Random numbers within `vmap`: refused, different for each member, or the same; and new tensors like batched ones."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from wengert.functorch import experimental

import wengert as wg
from wengert._core.operators import batch_rules

SAME = wg.tensor([0.3, 0.6])
"""A tensor that does not differ from member to member."""

DRAWING = {
    "rand": lambda x: wg.rand(2),
    "randn": lambda x: wg.randn(2, 2, dtype=wg.float64),
    "randint": lambda x: wg.randint(1 << 40, (2,)),
    "randperm": lambda x: wg.randperm(30),
    "normal of numbers": lambda x: wg.normal(0.0, 1.0, (2,)),
    "normal": lambda x: wg.normal(x * 0, 1.0),
    "normal of a deviation": lambda x: wg.normal(0.0, SAME),
    "normal of both": lambda x: wg.normal(SAME, x[0] * 0 + 1),
    "rand_like": wg.rand_like,
    "rand_like of what is the same": lambda x: wg.rand_like(SAME),
    "randn_like": lambda x: wg.randn_like(x, dtype=wg.float64),
    "randint_like": lambda x: wg.randint_like(x, 1 << 20),
    "uniform_": lambda x: wg.empty_like(x).uniform_(),
    "normal_": lambda x: x.clone().normal_(),
    "exponential_": lambda x: x.clone().exponential_(),
    "geometric_": lambda x: x.new_ones(60).geometric_(0.01),
    "cauchy_": lambda x: x.clone().cauchy_(),
    "log_normal_": lambda x: x.clone().log_normal_(),
    "random_": lambda x: x.clone().random_(),
    "bernoulli_": lambda x: x.new_ones(120).bernoulli_(0.4),
    "bernoulli_ of probabilities": lambda x: x.new_ones(120).bernoulli_(SAME.repeat(60)),
    "bernoulli": lambda x: x.new_full((120,), 0.5).bernoulli(),
    "bernoulli of what is the same": lambda x: SAME.repeat(60).bernoulli(),
    "poisson": lambda x: wg.poisson(x * 0 + 1e6),
    "poisson of what is the same": lambda x: wg.poisson(SAME * 1e6),
    "multinomial": lambda x: wg.multinomial(x.new_ones(120), 5),
    "multinomial of rows": lambda x: wg.multinomial(x.new_ones(3, 120), 5, True),
    "multinomial of what is the same": lambda x: wg.multinomial(wg.ones(1000), 2),
}
OF_MEMBERS = {"normal", "normal of both", "bernoulli", "poisson", "multinomial", "multinomial of rows"}
"""Those whose distributions differ from member to member: no numbers of theirs can be the same."""
PARAMETERS = {
    "normal of a deviation": lambda x: wg.normal(0.0, x),
    "normal of a mean and the same deviation": lambda x: wg.normal(x, SAME),
    "bernoulli with a number": lambda x: wg.bernoulli(x, 0.5),
    "bernoulli_ of probabilities": lambda x: x.clone().bernoulli_(x * 0),
    "bernoulli_ of what is the same": lambda x: SAME.clone().bernoulli_(x * 0),
    "binomial": lambda x: wg.binomial(SAME * 10, x * 0),
    "binomial of counts": lambda x: wg.binomial(x, SAME),
    "_standard_gamma": wg._standard_gamma,
    "_sample_dirichlet": wg._sample_dirichlet,
    **{name: DRAWING[name] for name in sorted(OF_MEMBERS)},
}
SAME_REFUSED = "Vmap does not currently support same randomness with a batched tensor input"
FREE_OF_MEMBERS = [name for name in DRAWING if not name.endswith("_")]


def members():
    return wg.arange(6.0).reshape(3, 2) + 1


def drawn(function, randomness, *args):
    """What a function draws for each member; twice from the same seed, which gives the same."""
    wg.manual_seed(5)
    first = wg.vmap(function, randomness=randomness)(*args)
    wg.manual_seed(5)
    assert wg.equal(wg.vmap(function, randomness=randomness)(*args), first)
    return first


def alike(tensor):
    """Whether all along the first dimension are equal, or no two are."""
    equal = [wg.equal(one, other) for at, one in enumerate(tensor) for other in tensor[:at]]
    assert all(equal) or not any(equal)
    return all(equal)


@pytest.mark.parametrize("name", DRAWING)
def test_members_draw_as_they_are_told(name):
    function, x = DRAWING[name], members()
    batch_rules.LOOPED.clear()
    for randomness in ("different",) if name in OF_MEMBERS else ("same", "different"):
        found, one = drawn(function, randomness, x), function(x[0])
        assert found.shape == (3, *one.shape) and found.dtype is one.dtype
        assert alike(found) == (randomness == "same")
    assert not batch_rules.LOOPED
    with pytest.raises(RuntimeError, match="called random operation while in randomness error mode"):
        wg.vmap(function)(x)
    if "bernoulli" not in name:  # nor is anything drawn again after that
        assert not wg.equal(function(x[0]), function(x[0]))


@pytest.mark.parametrize("inner", ["same", "different"])
@pytest.mark.parametrize("outer", ["same", "different"])
@pytest.mark.parametrize("name", DRAWING)
def test_each_of_nested_batches_draws_as_it_is_told(name, outer, inner):
    function = DRAWING[name]
    if name in OF_MEMBERS and "same" in (outer, inner):
        with pytest.raises(RuntimeError, match=SAME_REFUSED):
            drawn(lambda x: wg.vmap(function, randomness=inner)(x.expand(4, 2).clone()), outer, members())
        return
    found = drawn(lambda x: wg.vmap(function, randomness=inner)(x.expand(4, 2).clone()), outer, wg.ones(3, 2))
    assert found.shape[:2] == (3, 4)
    assert alike(found[:, 0]) == (outer == "same")
    assert alike(found[0]) == (inner == "same")


@pytest.mark.parametrize("name", FREE_OF_MEMBERS)
def test_an_inner_batch_that_refuses_is_heard_in_an_outer_one_that_does_not(name):
    with pytest.raises(RuntimeError, match="randomness error mode"):
        wg.vmap(lambda x: wg.vmap(DRAWING[name])(x.expand(4, 2).clone()), randomness="same")(members())


@pytest.mark.parametrize("function", PARAMETERS.values(), ids=PARAMETERS)
def test_distributions_that_differ_draw_no_numbers_that_are_the_same(function):
    x = members() / 10
    with pytest.raises(RuntimeError, match=SAME_REFUSED):
        wg.vmap(function, randomness="same")(x)
    with pytest.raises(RuntimeError, match="randomness error mode"):
        wg.vmap(function)(x)

    def of_outer(x):  # the inner batch has no part in the distribution
        return wg.vmap(lambda y: function(x) + y, randomness="same")(wg.zeros(4, 1))

    with pytest.raises(RuntimeError, match=SAME_REFUSED):
        wg.vmap(of_outer, randomness="same")(x)


def test_what_is_the_same_for_all_members_is_not_filled_with_different_numbers():
    given = SAME.clone()
    with pytest.raises(RuntimeError, match="Cannot ask for different inplace randomness on an unbatched tensor"):
        wg.vmap(lambda x: given.uniform_(), randomness="different")(members())
    assert wg.equal(given, SAME)
    found = wg.vmap(lambda x: given.uniform_() + 0 * x, randomness="same")(members())
    assert wg.equal(found, given.expand(3, 2))


def test_every_number_drawn_apart_is_one_of_the_distribution():
    ones = wg.ones(5)
    order = drawn(lambda x: wg.randperm(7), "different", ones)
    assert (np.sort(order.numpy(), 1) == np.arange(7)).all()
    places = drawn(lambda x: wg.multinomial(wg.tensor([0.0, 1.0, 1.0, 0.0]), 2), "different", ones)
    assert (np.sort(places.numpy(), 1) == [1, 2]).all()
    assert wg.equal(
        drawn(lambda x: wg.bernoulli(x), "different", wg.tensor([0.0, 1.0, 0.0])), wg.tensor([0.0, 1.0, 0.0])
    )
    low = drawn(lambda x: x.new_zeros(100).uniform_(2, 3), "different", ones)
    assert bool(((low >= 2) & (low < 3)).all())


def test_a_generator_of_its_own_is_drawn_from():
    source = wg.Generator().manual_seed(1)
    other = wg.Generator().manual_seed(1)
    function = lambda x, source: wg.rand(2, generator=source)  # noqa: E731
    found = wg.vmap(lambda x: function(x, source), randomness="different")(members())
    assert wg.equal(found, wg.rand(3, 2, generator=other))


def test_wrong_arguments_are_refused_as_outside():
    x = members()
    for function, says in (
        (lambda x: wg.multinomial(x.expand(1, 1, 2), 1), "prob_dist must be 1 or 2 dim, got 3"),
        (lambda x: wg.multinomial(-x, 1), "element < 0"),
        (lambda x: wg.poisson(-x), "non-negative"),
        (lambda x: x.clone().uniform_(2, 1), "from=2 > to=1"),
        (lambda x: wg.normal(x, -1.0), "std -1"),
        (lambda x: wg.rand(-1), "negative dimension"),
    ):
        with pytest.raises(RuntimeError, match=says):
            wg.vmap(function, randomness="different")(x)


def test_drawn_numbers_are_not_written_into_what_the_program_gives():
    with pytest.raises(RuntimeError, match="no out="):
        wg.vmap(lambda x: wg.rand(2, out=wg.empty(2)), randomness="different")(members())


MAKING = {
    "zeros_like": wg.zeros_like,
    "ones_like": wg.ones_like,
    "empty_like": wg.empty_like,
    "full_like": lambda x: wg.full_like(x, 3),
    "rand_like": wg.rand_like,
    "new_zeros": lambda x: x.new_zeros(2),
    "new_ones": lambda x: x.new_ones((2,)),
    "new_empty": lambda x: x.new_empty(2),
    "new_full": lambda x: x.new_full((2,), 2.0),
    "new_empty_strided": lambda x: x.new_empty_strided((2,), (3,)),
    "new_tensor": lambda x: x.new_tensor([1.0, 2.0]),
    "new_tensor of members": lambda x: x.new_tensor(x),
    "tensor": wg.tensor,
}


@pytest.mark.parametrize("name", MAKING)
def test_what_is_made_like_a_member_can_be_written_to_for_each(name):
    def write(x):
        made = MAKING[name](x)
        assert made.is_leaf and not made.requires_grad
        made.copy_(x)
        made[0] = x[1]
        made += x
        return made

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x = wg.arange(24.0).reshape(3, 4, 2)
        mapped = wg.vmap(write, randomness="different")
        assert wg.equal(mapped(x[0]), wg.stack([write(each) for each in x[0]]))
        nested = wg.vmap(mapped, randomness="different")
        assert wg.equal(nested(x), wg.stack([wg.stack([write(each) for each in rows]) for rows in x]))
        assert nested(x[:0]).shape == (0, 4, 2)


@pytest.mark.parametrize("name", [name for name in MAKING if "empty" not in name and "rand" not in name])
def test_what_is_made_like_a_member_has_its_values_and_strides(name):
    x = wg.arange(24.0).reshape(3, 2, 4).mT
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = wg.vmap(MAKING[name])(x)
        strides = []
        wg.vmap(lambda x: strides.append(MAKING[name](x).stride()) or x)(x)
        assert wg.equal(found, wg.stack([MAKING[name](each) for each in x]))
        assert strides == [MAKING[name](x[0]).stride()]


def test_dtype_and_gradient_of_what_is_made_like_a_member_are_those_asked_for():
    def function(x):
        made = wg.zeros_like(x, dtype=wg.float64, requires_grad=True)
        assert made.dtype is wg.float64 and made.requires_grad and made.is_leaf
        (grad,) = wg.autograd.grad((made * x).sum(), made)
        return grad

    x = members()
    assert wg.equal(wg.vmap(function)(x), x.double())
    images = wg.rand(2, 3, 4, 5, 6)

    def strides(x):
        made = wg.zeros_like(x, memory_format=wg.channels_last)
        assert made.stride() == (120, 1, 24, 4)
        return made + x

    assert wg.equal(wg.vmap(strides)(images), images)
    with pytest.raises(RuntimeError, match="item"):
        wg.vmap(lambda x: wg.full_like(x, x[0]))(x)


@pytest.mark.parametrize("size", [1, 2, 4])
def test_parts_of_a_batch_draw_the_same_numbers_if_they_are_told_so(size):
    draw = lambda x: x + wg.rand(20)  # noqa: E731
    for randomness in ("same", "different"):
        found = wg.vmap(draw, randomness=randomness, chunk_size=size)(wg.zeros(4, 20))
        assert alike(found) == (randomness == "same")
        found = experimental.chunk_vmap(draw, randomness=randomness, chunks=size)(wg.zeros(4, 20))
        assert alike(found) == (randomness == "same")


@pytest.mark.parametrize(
    "name",
    ["normal_", "uniform_", "exponential_", "bernoulli_", "cauchy_", "geometric_", "log_normal_", "random_"],
)
def test_no_fill_of_a_shared_tensor_draws_apart(name):
    given, more = SAME.clone(), ((0.5,) if name == "geometric_" else ())
    fill = lambda x: getattr(given, name)(*more) + 0 * x  # noqa: E731
    with pytest.raises(RuntimeError, match="Cannot ask for different inplace randomness on an unbatched tensor"):
        wg.vmap(fill, randomness="different")(members())
    assert wg.equal(given, SAME)
    assert alike(wg.vmap(fill, randomness="same")(members()))
    with pytest.raises(RuntimeError, match="randomness error mode"):
        wg.vmap(fill)(members())
