"""Operators of one tensor that write where elements lie apart: in place, and into `out`."""

from __future__ import annotations

import numpy as np
import pytest

import wengert as wg
from wengert._core.cards.card import REGISTRY, Card

NEED_MORE = ("clamp", "clip", "mvlgamma", "polygamma", "threshold")
STEPS = (2, 3, 4, 8, 16)
DTYPES = (wg.float32, wg.float64, wg.int32, wg.int64, wg.complex64)
UNARY = sorted(
    name
    for name, card in REGISTRY.items()
    if isinstance(card, Card)
    and card.promotion is not None
    and len(card.tensor_slots) == 1
    and callable(getattr(wg, name, None))
    and name not in NEED_MORE
)


def spread(dtype, step, length=9):
    """A vector whose elements lie `step` apart, those between them other numbers."""
    return (wg.arange(step * length) % 7 + 1).to(dtype)[::step]


@pytest.mark.parametrize("name", UNARY)
def test_in_place_and_out_give_what_a_call_on_dense_memory_gives(name):
    function, tried = getattr(wg, name), 0
    for dtype in DTYPES:
        for step in STEPS:
            x = spread(dtype, step)
            try:
                wanted = function(x.contiguous())
            except (RuntimeError, TypeError, NotImplementedError):  # not of this dtype
                continue
            tried += 1
            out = spread(wanted.dtype, step)
            np.testing.assert_allclose(function(x, out=out).numpy(), wanted.numpy(), rtol=1e-6)
            if wanted.dtype is dtype and hasattr(x, name + "_"):
                np.testing.assert_allclose(getattr(x, name + "_")().numpy(), wanted.numpy(), rtol=1e-6)
    assert tried
