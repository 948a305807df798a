"""`swap_tensors`: two objects that exchange what they are."""

import weakref

import pytest

import wengert as wg
from wengert.nn import Parameter
from wengert.utils import swap_tensors


class Marked(Parameter):
    pass


def test_tensors_exchange_values_history_class_and_attributes():
    weight, other = Parameter(wg.zeros(3)), Marked(wg.ones(2), requires_grad=False)
    other.note = "kept"
    holder = [weight]
    swap_tensors(weight, other)
    assert holder[0].tolist() == [1, 1] and other.tolist() == [0, 0, 0]
    assert (type(weight), type(other)) == (Marked, Parameter)
    assert (weight.requires_grad, other.requires_grad) == (False, True)
    assert weight.note == "kept" and not hasattr(other, "note")
    (other * 2).sum().backward()
    assert other.grad.tolist() == [2, 2, 2] and weight.grad is None
    result, plain = other * 2, wg.zeros(())
    swap_tensors(result, plain)
    assert plain.grad_fn.name() == "MulBackward0" and result.grad_fn is None


def test_leaves_are_exchanged_once_their_graphs_are_gone():
    leaf, other = wg.ones(2, requires_grad=True), wg.zeros(3, dtype=wg.float64)
    (leaf * 2).sum().backward()
    swap_tensors(leaf, other)
    assert leaf.tolist() == [0, 0, 0] and leaf.grad is None and other.grad.tolist() == [2, 2]
    (other * 3).sum().backward()
    assert other.grad.tolist() == [5, 5] and other.requires_grad and not leaf.requires_grad


def test_tensors_that_others_know_by_their_place_are_not_exchanged():
    leaf = wg.ones(2, requires_grad=True)
    result = leaf * 2
    with pytest.raises(RuntimeError, match="Cannot swap t2: a graph leads to it"):
        swap_tensors(wg.ones(2), leaf)
    del result
    plain = wg.ones(2)
    reference = weakref.ref(plain)
    with pytest.raises(RuntimeError, match="Cannot swap t1 because it has weakref associated with it"):
        swap_tensors(plain, wg.ones(3))
    assert reference() is plain
    with pytest.raises(TypeError, match="a Tensor cannot become a Parameter"):
        swap_tensors(wg.ones(3), Parameter(wg.ones(2)))
