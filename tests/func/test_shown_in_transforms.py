"""What a program sees that prints tensors within functions that are transformed: torch's wrappers."""

import pytest

import wengert as wg
from wengert.func import grad, hessian, jacfwd, jacrev, jvp, vmap

X = wg.arange(3.0)
ROWS = wg.arange(4.0).reshape(2, 2)
TRACKED = "GradTrackingTensor(lvl={}, value=\n    tensor([0., 1., 2.])\n)"
BATCHED = "BatchedTensor(lvl={}, bdim=0, value=\n{}\n)"


def shown(transform, *args):
    """What is printed of the argument of the innermost function."""
    texts = []

    def function(x):
        texts.append(repr(x))
        return (x**2).sum()

    transform(function)(*args)
    return texts[-1]


@pytest.mark.parametrize(
    ("transform", "depth"), [(grad, 1), (jacrev, 1), (jacfwd, 2), (lambda f: lambda x: jvp(f, (x,), (x,)), 1)]
)
def test_a_variable_is_shown_within_the_wrapper_of_its_transform(transform, depth):
    assert shown(transform, X) == TRACKED.format(depth)


def test_transforms_that_nest_are_shown_from_the_innermost_outwards():
    rows = "    tensor([[0., 1.],\n            [2., 3.]])"
    assert shown(vmap, ROWS) == BATCHED.format(1, rows)
    inner = "\n".join(f"    {line}" for line in BATCHED.format(1, rows).splitlines())
    assert shown(lambda f: vmap(grad(f)), ROWS) == f"GradTrackingTensor(lvl=2, value=\n{inner}\n)"
    twice = shown(lambda f: grad(grad(f)), wg.tensor(2.0))
    assert twice.splitlines()[:3] == [
        "GradTrackingTensor(lvl=2, value=",
        "    GradTrackingTensor(lvl=1, value=",
        "        tensor(2.)",
    ]
    assert shown(hessian, X).count("GradTrackingTensor") == 2


def test_what_no_transform_follows_is_shown_as_it_is():
    texts = []

    def function(x):
        texts.append(repr(X * 2))
        return x.sum()

    grad(function)(X)
    assert texts == ["tensor([0., 2., 4.])"]


def test_numbers_of_one_derivative_in_many_directions_can_be_printed():
    assert shown(lambda f: jacfwd(lambda x: f(x.sum())), X) == "GradTrackingTensor(lvl=2, value=\n    tensor(3.)\n)"
