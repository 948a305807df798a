"""The comparison of strides finds planted differences, and its layouts are what their names say."""

from __future__ import annotations

import pytest

import wengert as wg
from tools.beside_torch.layouts import LAYOUTS, LayoutRunner, exchanged


def differing(first, second):
    return LayoutRunner.differing(None, [first], [second], "result", None)[0]


def test_equal_strides_differ_in_nothing():
    assert differing(wg.ones(2, 3), wg.ones(2, 3)) == ""


def test_other_strides_of_the_same_values_are_found():
    assert differing(wg.ones(3, 2).t(), wg.ones(2, 3)) == "strides"
    assert differing(wg.ones(1, 3), wg.ones(1, 9)[:, :3]) == "idle strides"
    assert differing(wg.ones(2, 3), wg.ones(3, 2)) == "shape"


@pytest.mark.parametrize("layout", sorted(LAYOUTS))
def test_a_layout_keeps_shape_and_dtype(layout):
    x, y = wg.arange(24.0).reshape(2, 3, 4), wg.arange(6).reshape(2, 3, 1)
    changed = exchanged((x, [y, x]), LAYOUTS[layout], {})
    assert changed[0].shape == x.shape
    assert changed[1][0].shape == y.shape
    assert changed[0] is changed[1][1]
    assert changed[1][0].tolist() == y.tolist()
    if "expanded" not in layout and layout != "spread":
        assert changed[0].tolist() == x.tolist()


def test_every_layout_but_the_first_changes_some_strides():
    x, y = wg.arange(24.0).reshape(2, 3, 4), wg.arange(24.0).reshape(2, 3, 1, 4)
    for layout, change in LAYOUTS.items():
        changed = exchanged((x, y), change, {})
        strides = changed[0].stride(), changed[1].stride()
        assert (strides == (x.stride(), y.stride())) == (layout == "as it is")
