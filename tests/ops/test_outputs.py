"""What `out=` refuses because of memory, beyond what the cards' samples say."""

from __future__ import annotations

import pytest

import wengert as wg


@pytest.mark.filterwarnings("ignore:An output with one or more elements was resized")
def test_an_output_that_would_grow_over_what_is_read_is_refused() -> None:
    index = wg.tensor([2, 1, 0])
    with pytest.raises(RuntimeError, match="unsupported operation"):
        wg.gather(index.clone(), 0, index[1:], out=index[:1])
    assert index.tolist() == [2, 1, 0]


@pytest.mark.filterwarnings("ignore:An output with one or more elements was resized")
def test_an_output_that_grows_beside_what_is_read_is_written() -> None:
    memory = wg.zeros(8, dtype=wg.int64)
    wg.gather(wg.tensor([5, 6, 7]), 0, wg.tensor([2, 0]), out=memory[3:4])
    assert memory.tolist() == [0, 0, 0, 7, 5, 0, 0, 0]
