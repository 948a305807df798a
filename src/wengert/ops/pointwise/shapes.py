"""The shapes of what is not computed element by element from all operands: parts of complex numbers, and grids."""

from __future__ import annotations

from typing import Any

from ..shape_rules import BOOL, common_shape, seen
from .complex import view_as_complex
from .complex_copies import view_as_complex_copy, view_as_real_copy
from .mixtures import lerp
from .quantised import fake_quantize_per_channel_affine_cachemask

lerp.shape(common_shape)


@view_as_real_copy.shape
def view_as_real_copy_shape(self: Any) -> Any:
    return (*self.shape, 2)


@view_as_complex_copy.shape
def view_as_complex_copy_shape(self: Any) -> Any:
    shown = seen(view_as_complex, self)
    return shown.shape, shown.dtype


@fake_quantize_per_channel_affine_cachemask.shape
def fake_quantize_shape(self: Any, *others: Any) -> Any:
    return [self.shape, (self.shape, BOOL)]
