"""Layouts of results: arrays of the same dtype, shape and strides that have no memory of that size."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from wengert._core.capture.lists import SCRATCH, has_layout, layout_of

ARRAYS: dict[str, Any] = {
    "a scalar": np.zeros(()),
    "row-major": np.zeros((3, 4), np.float32),
    "column-major": np.zeros((3, 4), np.float32, "F"),
    "reversed": np.zeros((3, 4))[::-1],
    "expanded": np.broadcast_to(np.zeros((1, 4)), (3, 4)),
    "with gaps": np.zeros((6, 8), np.int64)[::2, ::3],
    "as large as the scratch memory": np.zeros(SCRATCH.size, np.uint8),
    "larger": np.zeros(SCRATCH.size + 1, np.uint8),
    "far apart": np.zeros((2, SCRATCH.size), np.uint8)[:, :1],
    "empty": np.zeros((0, 4)),
    "truth values": np.zeros(3, bool),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_a_layout_has_dtype_shape_and_strides_of_the_array(name: str) -> None:
    array = ARRAYS[name]
    layout = layout_of(array)
    assert (layout.dtype, layout.shape, layout.strides) == (array.dtype, array.shape, array.strides)
    assert has_layout(array, layout) and layout is layout_of(array)
    others = [other for other in ARRAYS.values() if other is not array]
    assert not any(has_layout(other, layout) for other in others)


def test_only_what_fits_lies_on_the_scratch_memory() -> None:
    elsewhere = {"reversed", "larger", "far apart", "empty"}
    assert {name for name, array in ARRAYS.items() if layout_of(array).base is not SCRATCH} == elsewhere
