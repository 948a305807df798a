"""Operators on lists of tensors, and torch's checks of conditions."""

from __future__ import annotations

import inspect

import pytest
from wengert.foreach import FOREACH

import wengert as wg
from wengert._start.loading import homes

CHECKS = [name for name in homes("wengert") if name.startswith("_check")]


def lists() -> tuple[list[wg.Tensor], list[wg.Tensor]]:
    return [wg.rand(2) + 0.1, wg.rand(3, 2) + 0.1], [wg.rand(2) + 0.5, wg.rand(3, 2) + 0.5]


def arguments(name: str, others: list[wg.Tensor]) -> tuple[tuple[object, ...], tuple[object, ...]]:
    """What the function of lists takes beside its first, and what the method of the second tensor takes."""
    if name in ("add", "sub", "mul", "div", "maximum", "minimum", "pow", "copy"):
        return (others,), (others[1],)
    if name in ("addcmul", "addcdiv"):
        return (others, others), (others[1], others[1])
    if name == "mm":
        return ([each.t() for each in others],), (others[1].t(),)
    if name == "lerp":
        return (others, 0.3), (others[1], 0.3)
    return ((0.5,), (0.5,)) if name in ("clamp_max", "clamp_min") else ((), ())


@pytest.mark.parametrize("name", [name for name in FOREACH if name != "powsum"])
def test_each_tensor_has_its_turn(name):
    tensors, others = lists()
    if name == "mm":
        tensors, others = [each.reshape(1, -1) for each in tensors], [each.reshape(1, -1) for each in others]
    given, own = arguments(name.removesuffix("_"), others)
    kept = [each.clone() for each in tensors]
    made = getattr(wg, f"_foreach_{name}")(tensors, *given)
    wanted = getattr(kept[1].clone(), name.removesuffix("_") if "imum" in name else name)(*own)
    assert wg.equal(made[1], wanted)
    assert (made is tensors) is name.endswith("_") and (name.endswith("_") or isinstance(made, tuple))
    assert name.endswith("_") or all(wg.equal(one, other) for one, other in zip(tensors, kept, strict=True))


def test_numbers_stand_for_all_tensors_or_for_one_each():
    tensors = [wg.ones(2), wg.arange(3.0)]
    assert [each.tolist() for each in wg._foreach_add(tensors, 1)] == [[2, 2], [1, 2, 3]]
    assert [each.tolist() for each in wg._foreach_mul(tensors, [2.0, 3.0])] == [[2, 2], [0, 3, 6]]
    assert [each.tolist() for each in wg._foreach_add(tensors, tensors, alpha=2)] == [[3, 3], [0, 3, 6]]
    assert [each.tolist() for each in wg._foreach_pow(2.0, tensors)] == [[2, 2], [1, 2, 4]]
    assert [each.tolist() for each in wg._foreach_maximum(tensors, 1)] == [[1, 1], [1, 1, 2]]
    for scales in ([1.0, 2.0], wg.tensor([1.0, 2.0])):
        made = wg._foreach_addcmul(tensors, tensors, tensors, scales)
        assert [each.tolist() for each in made] == [[2, 2], [0, 3, 10]]
    assert [each.item() for each in wg._foreach_norm(tensors, 1)] == [2, 3]
    assert [each.item() for each in wg._foreach_powsum(tensors, 2)] == [2, 5]


def test_gradients_are_those_of_the_operators():
    x = wg.ones(2, requires_grad=True)
    wg._foreach_mul([x], 3)[0].sum().backward()
    assert x.grad.tolist() == [3, 3]
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        wg._foreach_mul_([x], 3)


@pytest.mark.parametrize(
    ("given", "error", "says"),
    [
        (([], 1), RuntimeError, "Tensor list must have at least one tensor"),
        ((wg.ones(2), 1), TypeError, "must be tuple of Tensors, not Tensor"),
        (([1, 2], 1), TypeError, "expected Tensor as element 0 in argument 0, but got int"),
        (([wg.ones(2)] * 2, [wg.ones(2)]), RuntimeError, "must have the same number of tensors, got 2 and 1"),
        (([wg.ones(2)] * 2, [1.0]), RuntimeError, "must have same number of elements as scalar list"),
    ],
)
def test_what_is_no_list_of_tensors_is_refused(given, error, says):
    with pytest.raises(error, match=says):
        wg._foreach_add(*given)


def test_conditions_are_checked():
    errors = {"": RuntimeError, "_index": IndexError, "_value": ValueError, "_type": TypeError}
    for name, error in (errors | {"_not_implemented": NotImplementedError}).items():
        check = getattr(wg, f"_check{name}")
        assert check(True) is None
        with pytest.raises(error, match="why"):
            check(False, lambda: "why")
    with pytest.raises(RuntimeError, match="Expected cond to be True"):
        wg._check_is_size(-1)
    with pytest.raises(RuntimeError, match="Expected cond to be True"):
        wg._check_tensor_all(wg.tensor([True, False]))
    with pytest.raises(TypeError, match="got a Tensor"):
        wg._check(wg.tensor(True))
    with pytest.raises(TypeError, match=r"must have dtype torch.bool, but got torch.float32"):
        wg._check_tensor_all(wg.ones(2))
    with pytest.raises(KeyError):
        wg._check_with(KeyError, False, lambda: "m")
    with pytest.raises(AssertionError, match="no"):
        wg._assert(wg.tensor(False), "no")
    assert len(CHECKS) == 9 and all(inspect.isfunction(getattr(wg, name)) for name in CHECKS)


def test_operands_have_the_names_of_torchs_forms():
    one, two, three = [wg.ones(2)], [wg.full((2,), 2.0)], [wg.full((2,), 3.0)]
    for made, wanted in (
        (wg._foreach_add(one, scalars=[2.0]), 3.0),
        (wg._foreach_add(one, scalar=2.0), 3.0),
        (wg._foreach_add(one, other=two, alpha=2), 5.0),
        (wg._foreach_pow(two, exponent=3), 8.0),
        (wg._foreach_lerp(one, tensors1=three, weight=0.5), 2.0),
        (wg._foreach_lerp(one, tensors1=three, weights=[wg.zeros(2)]), 1.0),
        (wg._foreach_addcmul(one, tensor1=two, tensor2=three, scalars=wg.tensor([3.0])), 19.0),
        (wg._foreach_addcdiv(one, three, two, scalars=[2.0]), 4.0),
        (wg._foreach_addcdiv(self=one, tensor1=three, tensor2=two, value=4), 7.0),
    ):
        assert made[0].tolist() == [wanted] * 2
    with pytest.raises(TypeError, match="unexpected keyword argument 'weigth'"):
        wg._foreach_lerp(one, three, weigth=0.5)


def test_conditions_are_bools():
    for name in ("", "_index", "_value", "_type", "_not_implemented"):
        check = getattr(wg, f"_check{name}")
        for condition in (1, None, 3.0, "yes", [True]):
            with pytest.raises(TypeError, match="cond must be a bool, but got"):
                check(condition)
    with pytest.raises(TypeError, match="cond must be a bool, but got a Tensor"):
        wg._check_is_size(wg.tensor(3))
    for error in (int, Warning, UserWarning, 5):
        with pytest.raises(AssertionError, match="error_type must be a subclass of Exception but not Warning"):
            wg._check_with(error, False, lambda: "m")
    with pytest.raises(KeyError, match="m"):
        wg._check_tensor_all_with(KeyError, wg.tensor([True, False]), lambda: "m")
    for condition, says in ((True, "must be a tensor"), (wg.ones(2), "must have dtype torch.bool")):
        with pytest.raises(TypeError, match=says):
            wg._check_tensor_all_with(KeyError, condition)
