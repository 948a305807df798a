"""Methods of Tensor for sparse tensors."""

from __future__ import annotations

from ..._core.cards.late import bind
from .forms import METHODS as FORMS
from .reading import METHODS
from .resizing import METHODS as RESIZING

for name, method in {**METHODS, **FORMS, **RESIZING}.items():
    bind(name, method)
