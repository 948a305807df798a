"""Calls of modules with other tensors: tied and circular modules, plain attributes, names that do not fit."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import wengert as wg
from wengert import nn
from wengert.nn.utils import stateless

X = wg.ones(1, 2)
TWO, THREE = wg.full((2, 2), 2.0), wg.full((2, 2), 3.0)


def older(*args: Any, **kwargs: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return stateless.functional_call(*args, **kwargs)


@pytest.fixture(params=[wg.func.functional_call, older], ids=["func", "stateless"])
def call(request: pytest.FixtureRequest) -> Any:
    return request.param


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False)
        self.second.weight = self.first.weight
        self.register_buffer("shift", wg.ones(2))
        self.register_buffer("again", self.shift)
        self.scale = wg.ones(())
        nn.init.ones_(self.first.weight)

    def forward(self, x: Any, *, factor: float = 1.0) -> float:
        result = self.second(self.first(x)) * self.scale * factor + self.shift + self.again
        return float(result.detach()[0, 0])


class Circular(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer, self.child = nn.Linear(2, 2, bias=False), nn.Module()
        self.child.parent, self.child.factor = self, nn.Parameter(wg.ones(2))
        nn.init.ones_(self.layer.weight)

    def forward(self, x: Any) -> float:
        return float((self.layer(x) * self.child.factor).detach()[0, 0])


def test_keyword_arguments_and_single_arguments_reach_the_module(call: Any) -> None:
    for args, kwargs in (
        ((X,), {"factor": 3.0}),
        (X, {"factor": 3.0}),
        (None, {"x": X, "factor": 3.0}),
        ((), {"x": X, "factor": 3.0}),
    ):
        assert call(Tied(), {"first.weight": TWO}, args, kwargs) == 16 * 3 + 2


@pytest.mark.parametrize(
    ("given", "tied", "apart"),
    [
        ({"first.weight": TWO}, 18.0, 10.0),
        ({"second.weight": TWO}, 18.0, 10.0),
        ({"first.weight": TWO, "second.weight": TWO}, 18.0, 18.0),
        ({"first.weight": TWO, "second.weight": THREE}, None, 26.0),
        ({"shift": wg.full((2,), 5.0)}, 14.0, 10.0),
        ({"shift": wg.full((2,), 5.0), "again": wg.full((2,), 6.0)}, None, 15.0),
        ({"scale": wg.tensor(7.0)}, 30.0, 30.0),
        ({"nowhere": TWO, "elsewhere": THREE, "first.nowhere": TWO}, 6.0, 6.0),
    ],
)
def test_tied_tensors_are_replaced_together_and_plain_ones_too(call: Any, given: Any, tied: Any, apart: float) -> None:
    module = Tied()
    before = {**dict(module.named_parameters(remove_duplicate=False)), **dict(module.named_buffers())}
    scale = module.scale
    if tied is None:
        with pytest.raises(ValueError, match="functional_call got multiple values for keys"):
            call(module, given, X)
    else:
        assert call(module, given, X) == tied
    assert call(module, given, X, tie_weights=False) == apart
    after = {**dict(module.named_parameters(remove_duplicate=False)), **dict(module.named_buffers())}
    assert before.keys() == after.keys() and all(before[name] is after[name] for name in before)
    assert module.scale is scale and not hasattr(module, "nowhere")


@pytest.mark.parametrize("tie_weights", [True, False])
def test_parts_that_hold_the_whole_are_entered_once(call: Any, tie_weights: bool) -> None:
    two, four = wg.full((2, 2), 2.0), wg.full((2,), 4.0)
    for given, expected in (
        ({"layer.weight": two}, 4.0),
        ({"child.parent.layer.weight": two}, 4.0),
        ({"child.parent.child.factor": four, "layer.weight": two}, 16.0),
    ):
        assert call(Circular(), given, X, tie_weights=tie_weights) == expected
    everything = {"child.parent.layer.weight": two, "child.factor": four}
    assert call(Circular(), everything, X, tie_weights=tie_weights, strict=True) == 16.0


def test_strict_calls_refuse_missing_and_unexpected_names(call: Any) -> None:
    whole = {"first.weight": TWO, "shift": wg.ones(2)}
    assert call(Tied(), whole, X, strict=True) == 18.0
    with pytest.raises(RuntimeError) as caught:
        call(Tied(), whole, X, strict=True, tie_weights=False)
    text = "Error(s) in reparametrizing for Tied:\n\tMissing key(s): 'again', 'second.weight'."
    assert str(caught.value) == text
    with pytest.raises(RuntimeError) as caught:
        call(Tied(), {"first.weight": TWO, "nowhere": TWO}, X, strict=True)
    text = "Error(s) in reparametrizing for Tied:\n\tUnexpected key(s): 'nowhere'.\n\tMissing key(s): 'again', 'shift'."
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("given", "error", "says"),
    [
        ({"nowhere.weight": TWO}, AttributeError, "Tied has no attribute `nowhere`"),
        ({"first": TWO}, TypeError, r"attribute `first`: Linear\(.*\) is not an instance of torch.Tensor"),
        ({"training": TWO}, TypeError, "attribute `training`: True is not an instance of torch.Tensor"),
        ({"scale.weight": TWO}, TypeError, "submodule `scale`: .* is not an instance of torch.nn.Module"),
        ({"": TWO}, KeyError, "be empty string"),
        ({"first.": TWO}, KeyError, "be empty string"),
        ({"first.weight": 3}, TypeError, "3 is not an instance of torch.Tensor"),
        ({"shift": wg.zeros(2), "first.weight": 3}, TypeError, "3 is not an instance of torch.Tensor"),
        (({"shift": TWO}, {"shift": TWO}), ValueError, r"\['shift'\] appeared in multiple dictionaries"),
        ((3,), ValueError, "Expected all elements of parameter_and_buffer_dicts to be dictionaries"),
        (3, ValueError, "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts"),
    ],
)
def test_names_and_values_that_do_not_fit_are_refused(call: Any, given: Any, error: Any, says: str) -> None:
    module = Tied()
    before = [*module.parameters(), *module.buffers(), module.scale]
    for tie_weights in (True, False):
        with pytest.raises(error, match=says):
            call(module, given, X, tie_weights=tie_weights)
        assert all(a is b for a, b in zip([*module.parameters(), *module.buffers(), module.scale], before, strict=True))


def test_the_module_is_as_before_when_the_call_fails(call: Any) -> None:
    module = Tied()
    before = dict(module.named_parameters())
    with pytest.raises(TypeError):
        call(module, {"first.weight": TWO}, X, {"unknown": 1})
    assert all(module.get_parameter(name) is before[name] for name in before)


def test_a_buffer_that_the_module_replaces_is_replaced_in_the_dictionary(call: Any) -> None:
    class Counter(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("count", wg.zeros(1))

        def forward(self) -> Any:
            self.count = self.count + 1
            return self.count

    module, given = Counter(), {"count": wg.full((1,), 5.0)}
    assert call(module, given) == 6 and given["count"] == 6 and module.count == 0


def test_gradients_of_a_tied_tensor_come_from_all_its_uses(call: Any) -> None:
    weight = wg.full((2, 2), 2.0, requires_grad=True)
    layer = nn.Linear(2, 2, bias=False)
    call(nn.Sequential(layer, layer), {"0.weight": weight}, X).sum().backward()
    assert weight.grad is not None and wg.equal(weight.grad, wg.full((2, 2), 8.0)) and layer.weight.grad is None
