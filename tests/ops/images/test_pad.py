"""Borders of images: ways to pad, dtypes, and what is recorded."""

from __future__ import annotations

import pytest

import wengert as wg
import wengert.nn.functional as F

PLANE, VOLUME, LINE = wg.ones(1, 1, 4, 4), wg.ones(1, 1, 4, 4, 4), wg.ones(1, 1, 4)


def test_an_unknown_way_to_pad_is_told_before_widths_that_do_not_fit():
    with pytest.raises(NotImplementedError, match="Unrecognised padding mode sum"):
        F.pad(PLANE, (1, 2, 3), "sum", 1.0)


@pytest.mark.parametrize("dtype", [wg.bool, wg.uint16])
@pytest.mark.parametrize(("mode", "kernel"), [("reflect", "reflection_pad1d"), ("replicate", "replication_pad1d")])
def test_borders_of_few_dtypes_only(dtype, mode, kernel):
    given = wg.ones(2, 4).to(dtype)
    with pytest.raises(NotImplementedError, match=f"{kernel}.* not implemented for"):
        wg.nn.functional.pad(given, (1, 1), mode)
    assert wg.nn.functional.pad(given, (1, 1), "circular").shape == (2, 6)


def test_a_border_of_the_other_end_is_recorded_as_slices_that_are_copied():
    x = wg.ones(1, 1, 3, requires_grad=True)
    made = wg.nn.functional.pad(x, (1, 1), mode="circular")
    assert made.grad_fn.name() == "torch::autograd::CopySlices" and type(made.grad_fn).__name__ == "CopySlices"
