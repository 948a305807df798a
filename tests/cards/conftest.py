"""What all tests of the cards expect."""

from __future__ import annotations

import pytest

# Warnings that torch gives as well.
EXPECTED = (
    "ignore:Using padding='same' with even kernel lengths",
    "ignore:Using a target size",
    "ignore:torch.range is",
)


def pytest_collection_modifyitems(items):
    for item in items:
        if "cards" in item.path.parts:
            for each in EXPECTED:
                item.add_marker(pytest.mark.filterwarnings(each))
