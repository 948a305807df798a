"""Tests of programs and operators: comparisons, random tensors, derivatives against differences, checks of cards."""

from __future__ import annotations

from .calls import Call, Case, cases
from .close import assert_allclose, assert_close
from .differences import Wrong, check_first_order, check_second_order
from .make import make_tensor
from .samples import KINDS, Maker

__all__ = [
    "KINDS",
    "Call",
    "Case",
    "Maker",
    "Wrong",
    "assert_allclose",
    "assert_close",
    "cases",
    "check_first_order",
    "check_second_order",
    "make_tensor",
]
