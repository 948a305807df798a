"""Small tables of numbers, for tests that compare with NumPy."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

import wengert as wg

NUMBERS = st.floats(-8, 8, width=16)


def tables(rows: int = 4, columns: int = 5) -> Any:
    """Small tables of numbers."""
    return st.integers(1, rows).flatmap(
        lambda height: st.integers(1, columns).flatmap(
            lambda width: st.lists(
                st.lists(NUMBERS, min_size=width, max_size=width), min_size=height, max_size=height
            ).map(lambda table: wg.tensor(table, dtype=wg.float64))
        )
    )
