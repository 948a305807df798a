"""The behaviour table: each sentence of the notes on autograd mechanics that states a behaviour, as a test.

The tests are programs that take the library as `torch` and assert what the sentence says: here they run on wengert;
`make parity` runs the same functions on torch, too, and reports where it differs. So nothing but the parameter `torch`
may be asked of pytest.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import wengert

ROOT = str(Path(__file__).resolve().parents[2])
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)


@pytest.fixture
def torch():
    return wengert
