"""Sizes and dimensions of changes of shape by name, and one by one."""

from __future__ import annotations

import pytest

import wengert as wg


def test_sizes_may_be_given_by_their_names():
    x = wg.arange(3.0)
    assert x.tile(dims=(2,)).tolist() == [0, 1, 2, 0, 1, 2]
    assert wg.tile(x, dims=[2, 1]).shape == (2, 3)
    assert x.broadcast_to(size=(2, 3)).shape == wg.broadcast_to(x, size=(2, 3)).shape == (2, 3)
    assert wg.ones(2, 3).sum_to_size(size=(3,)).tolist() == [2, 2, 2]
    for name, keyword in (("tile", "dims"), ("broadcast_to", "size"), ("sum_to_size", "size")):
        with pytest.raises(TypeError, match=rf"{name}\(\) got multiple values for argument '{keyword}'"):
            getattr(x, name)((3,), **{keyword: (3,)})


def test_dimensions_may_be_given_one_by_one():
    x = wg.ones(1, 2, 1, requires_grad=True)
    assert x.squeeze(0, 2).grad_fn.name() == "SqueezeBackward2" and x.squeeze(0, 2).shape == (2,)
    assert x.squeeze(0).grad_fn.name() == "SqueezeBackward1" and x.squeeze(0).shape == (2, 1)
    assert wg.ones(1, 2, 1).squeeze_(2, 0).shape == (2,)
    assert wg.ones(2, 3).count_nonzero(0, 1).item() == 6
    with pytest.raises(TypeError, match="takes 2 positional arguments but 3 were given"):
        x.squeeze(0, 1.0)
    with pytest.raises(RuntimeError, match="dim 0 appears multiple times"):
        x.squeeze(0, 0)
