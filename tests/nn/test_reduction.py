"""Reductions of losses by number and name, as older programs give them."""

from __future__ import annotations

import pytest

from wengert.nn import _reduction


def test_reductions_have_numbers():
    assert [_reduction.get_enum(each) for each in ("none", "mean", "sum")] == [0, 1, 2]
    with pytest.raises(ValueError, match="not a valid value for reduction"):
        _reduction.get_enum("product")
    with pytest.warns(UserWarning, match="reduction='sum' instead"):
        assert _reduction.legacy_get_string(False, None) == "sum"
    assert _reduction.legacy_get_enum(True, False, emit_warning=False) == 0
