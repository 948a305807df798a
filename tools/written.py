"""Arguments as text that gives them again: for the programs of the hunt and the examples of the reference."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

import wengert as wg
from wengert._core.cards.card import Bad
from wengert.testing import Maker

LARGEST = 64
"""More elements than these are said to be ones."""
USUAL = {wg.float32, wg.int64, wg.bool, wg.complex64}
"""The dtypes that numbers get if no other is asked for."""


def text_of(value: Any) -> str | None:
    """An argument as text that gives it again; None if that cannot be said."""
    if isinstance(value, wg.Tensor):
        return tensor_text(value) + ".requires_grad_()" * value.requires_grad
    if isinstance(value, np.ndarray):
        return f"np.array({value.tolist()!r}, dtype='{value.dtype}')"
    if isinstance(value, (tuple, list)) and type(value) in (tuple, list):
        parts = [text_of(element) for element in value]
        if None in parts:
            return None
        inside = ", ".join(filter(None, parts))
        return f"[{inside}]" if isinstance(value, list) else f"({inside}{',' * (len(parts) == 1)})"
    return told_plain(value)


def tensor_text(value: Any) -> str:
    """A tensor by its elements, in two digits after the point."""
    dtype = "" if value.dtype in USUAL and value.numel() else f", dtype=wg.{value.dtype.name.removesuffix('_')}"
    if value.numel() > LARGEST:
        return f"wg.ones({tuple(value.shape)}{dtype})"
    if not value.numel():
        return f"wg.empty({tuple(value.shape)}{dtype})"
    elements = repr(rounded(value.detach().tolist()))
    return f"wg.tensor({re.sub('nan|inf', lambda word: f'float({word[0]!r})', elements)}{dtype})"


def rounded(value: Any) -> Any:
    """A number in fewer digits, which are easier to read."""
    if isinstance(value, list):
        return [rounded(element) for element in value]
    if isinstance(value, complex):
        return complex(round(value.real, 2), round(value.imag, 2))
    return round(value, 2) if isinstance(value, float) else value


def told_plain(value: Any) -> str | None:
    """A number, a text, a dtype or the like as text."""
    if isinstance(value, wg.dtype):
        return f"wg.{value.name.removesuffix('_')}"
    if isinstance(value, float) and not math.isfinite(value):
        return f"float('{value}')"
    if value is None or isinstance(value, (bool, int, float, complex, str, slice, type(...))):
        return repr(value)
    return None


def samples_of(name: str, card: Any) -> Iterator[tuple[list[str], dict[str, str]]]:
    """The arguments of the samples of a card that can be said, by position and by name."""
    maker = Maker(dtype_for(card), name)
    for sample in card.sampler(maker) if card.sampler else ():
        if isinstance(sample, Bad):
            continue
        args = [text_of(value) for value in sample.args]
        kwargs = {key: text_of(value) for key, value in sample.kwargs.items()}
        if None not in args and None not in kwargs.values():
            yield args, kwargs  # type: ignore[misc]


def dtype_for(card: Any) -> Any:
    """A dtype that a card exists for: float32 where it does."""
    declared = getattr(card, "declared_dtypes", ())
    return next((dtype for dtype in (wg.float32, wg.int64, wg.complex64) if dtype in declared), wg.float32)
