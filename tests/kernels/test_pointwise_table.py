"""The table of element-wise functions (`native/base/pointwise.inc`): what it says is what the extension has."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

FUNCTIONS = {
    ("TWIN", 1): ("{}", "direct_{}", "direct_{}_"),
    ("DIRECT", 1): ("direct_{}", "direct_{}_"),
    ("TWIN", 2): ("{}", "direct_{}"),
    ("SCALED", 2): ("{}", "direct_{}", "direct_{}_"),
    ("WRITTEN", 2): ("{}", "direct_{}", "direct_{}_"),
    ("DIRECT", 2): ("direct_{}",),
    ("DIRECT_WRITTEN", 2): ("direct_{}", "direct_{}_"),
    ("SCIPY", 1): ("direct_{}",),
    ("INNER", 1): (),
    ("INNER", 2): (),
}
"""The functions that a row becomes, by its binding and how many operands it takes."""


def test_a_row_becomes_the_functions_of_its_binding(native):
    table = native.pointwise_table()
    assert max(Counter(name for name, *_ in table).values()) == 1
    twins = set(native.twin_names())
    for name, operands, binding, cost in table:
        for function in FUNCTIONS[binding, operands]:
            assert hasattr(native, function.format(name)), function.format(name)
        assert "{}" not in FUNCTIONS[binding, operands] or name in twins
        assert cost >= 1, name


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_function_of_one_operand_gives_what_it_writes_in_place(native, dtype):
    x = np.linspace(0.1, 0.9, 50, dtype=dtype)
    for name, operands, binding, _ in native.pointwise_table():
        if operands == 1 and binding not in ("INNER", "SCIPY"):
            result, written = getattr(native, f"direct_{name}")(x), x.copy()
            assert getattr(native, f"direct_{name}_")(written) is None
            np.testing.assert_array_equal(written, result, err_msg=name)


def test_costs_are_those_of_their_functions(native):
    costs = {name: cost for name, _, _, cost in native.pointwise_table()}
    one = "negative absolute relu sqrt square reciprocal floor sign hardsigmoid frac add divide relu_backward maximum"
    assert {costs[name] for name in one.split()} == {1}
    assert {costs[name] for name in ("exp", "log", "tanh", "sigmoid", "silu")} == {4}
    assert {costs[name] for name in ("fmod", "mish_rule", "silu_backward")} == {8}
    assert {costs[name] for name in ("erf", "sin", "log1p", "exp2", "log_sigmoid", "mish")} == {12}
    assert {costs[name] for name in ("erfc", "digamma", "i0")} == {24}
