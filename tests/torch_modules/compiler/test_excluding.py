"""Functions that `wg.compiler.disable` keeps out of lists, and the answers of `wg.compiler.is_compiling`."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import pytest

import wengert as wg


def told(compiled: Any) -> list[str]:
    """Call a function some times; return the warnings."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for number in range(8):
            x = wg.ones(2) * number
            assert compiled(x).equal(compiled.function(x))
    return [str(each.message) for each in seen]


def test_a_function_that_calls_an_excluded_one_is_called_eagerly():
    calls: list[int] = []

    @wg.compiler.disable
    def count(x):
        """Count the calls."""
        calls.append(1)
        return x + 1

    assert count.__doc__ == "Count the calls."
    compiled = wg.compile(lambda x: count(x) * 2, replay=True)
    [text] = told(compiled)
    assert "count is called, which is excluded by disable()" in text and "test_excluding.py" in text
    assert len(calls) == 16
    with pytest.raises(RuntimeError, match=r"excluded by disable\(\) \(it counts\)"):
        counted = wg.compiler.disable(count, reason="it counts")
        for _ in range(3):
            wg.compile(lambda x: counted(x), replay=True, fullgraph=True)(wg.ones(1))
            raised = wg.compile(lambda x: counted(x), replay=True, fullgraph=True)
            raised(wg.ones(1))
            raised(wg.ones(1))


def test_methods_modules_and_classes_can_be_excluded():
    class Model:
        @wg.compiler.disable(recursive=False)
        def double(self, x):
            return x * 2

    model = Model()
    assert model.double(wg.ones(1)).item() == 2.0
    assert len(told(wg.compile(lambda x: model.double(x), replay=True))) == 1
    layer = wg.nn.Linear(2, 2)
    assert wg.compiler.disable(layer) is layer and layer(wg.ones(2)).shape == (2,)
    assert len(told(wg.compile(lambda x: layer(x).detach(), replay=True))) == 1

    @wg.compiler.disable
    class Layer(wg.nn.Module):
        def forward(self, x):
            return x * 3

    inner = Layer()
    assert len(told(wg.compile(lambda x: inner(x), replay=True))) == 1


def test_an_excluded_form_of_a_compiled_function_is_the_function():
    def double(x):
        return x * 2

    compiled = wg.compile(double, replay=True)
    for _ in range(4):
        compiled(wg.ones(1))
    again = wg.compiler.disable(compiled)
    assert again.__wrapped__ is double and again(wg.ones(1)).item() == 2.0
    bound = wg.compiler.disable([1, 2].count)
    assert pickle.loads(pickle.dumps(bound))(1) == 1


def test_a_recorded_call_is_no_compilation():
    seen: list[bool] = []

    def function(x):
        seen.append(wg.compiler.is_compiling())
        return x * 2

    compiled = wg.compile(function, replay=True)
    for _ in range(8):
        compiled(wg.ones(1))
    assert 3 < len(seen) < 8 and not any(seen)
