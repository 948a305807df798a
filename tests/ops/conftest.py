"""What the tests of operators share."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session", autouse=True)
def bounded(sizes_are_refused: None) -> None:
    """Hostile arguments ask for more memory than there is."""
