"""While a mode of the program is on, something stands before Tensor's methods and signs; afterwards nothing does."""

from __future__ import annotations

import threading

import pytest

import wengert as wg
from wengert._core.tensor.base import OPERATORS, Tensor
from wengert.overrides import TorchFunctionMode


class Noting(TorchFunctionMode):
    def __init__(self):
        self.told = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.told.append(func.__name__)
        return func(*args, **(kwargs or {}))


def standing():
    """What stands on the class and in the table of signs."""
    return dict(vars(Tensor)), [getattr(OPERATORS, name) for name in ("mul", "getitem", "length", "reciprocal")]


def test_everything_is_as_it_was_after_a_mode():
    x = wg.ones(2)
    with Noting():  # families that come with their first operator are loaded here
        assert x.shape == (2,)
        x.det if x.ndim == 2 else x.real  # noqa: B018
    before = standing()
    with Noting() as mode, Noting():
        _ = x * 2, x.shape, x[0]
    assert standing() == before
    assert mode.told == ["mul", "mul", "__getitem__", "__getitem__"][::2]  # a property is told to the innermost alone


def test_everything_is_as_it_was_after_an_error():
    x = wg.ones(2)
    with Noting():
        pass
    before = standing()
    with pytest.raises(RuntimeError, match="must match"), Noting():
        x + wg.ones(3)
    assert standing() == before


def test_threads_without_a_mode_are_not_told():
    x, found = wg.ones(2), []
    with Noting() as mode:
        other = threading.Thread(target=lambda: found.extend([x * 2, x.shape, x[0], 2 / x, len(x), x.sum().item()]))
        other.start()
        other.join()
    assert mode.told == []
    assert found[1:3] == [(2,), x[0]] and found[4:] == [2, 2.0]
    assert found[3].tolist() == [2.0, 2.0]


def test_signs_without_an_operand_try_the_other_side():
    class Other:
        def __radd__(self, other):
            return "the other side"

        def __rtruediv__(self, other):
            return "below"

    x = wg.ones(2)
    with Noting():
        assert x + Other() == "the other side"
        assert x / Other() == "below"
        with pytest.raises(TypeError):
            x + "a"


def test_a_backward_pass_is_one_call():
    x = wg.ones(2, requires_grad=True)
    with Noting() as mode:
        (x[0] * x / 2).sum().backward()
    assert mode.told == ["__getitem__", "mul", "div", "sum", "backward"]
    assert x.grad.tolist() == [1.5, 0.5]


def test_subclasses_made_within_a_mode_are_asked_after_it():
    with Noting():

        class Sub(wg.Tensor):
            pass

    x = wg.ones(2).as_subclass(Sub)
    assert type(x * 2) is Sub and type(x.data) is Sub and type(x.real) is Sub
    with Noting() as mode:
        assert type(x * 2) is Sub
        assert x.shape == (2,)
    assert mode.told == ["mul", "__get__"]


def test_the_context_of_a_device_leaves_members_alone():
    before = standing()
    with wg.device("meta"):
        assert standing() == before


def test_gradients_and_transforms_are_the_same_within_a_mode():
    def function(x):
        return (x * x[0] / 3 - 2 / x).sum() ** 2

    x = wg.tensor([1.0, 2.0])
    expected = wg.func.hessian(function)(x), wg.func.vmap(wg.func.grad(function))(wg.ones(3, 2))
    with Noting():
        found = wg.func.hessian(function)(x), wg.func.vmap(wg.func.grad(function))(wg.ones(3, 2))
    assert [each.tolist() for each in found] == [each.tolist() for each in expected]
