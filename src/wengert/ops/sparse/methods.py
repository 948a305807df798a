"""What Tensor has because of sparse tensors."""

from __future__ import annotations

from ..._core.tensor.base import bind
from .forms import METHODS as FORMS
from .reading import METHODS

for name, method in {**METHODS, **FORMS}.items():
    bind(name, method)
