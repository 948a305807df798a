"""What hooks are made of, under the names of `torch.utils.hooks`."""

from __future__ import annotations

from ..nn.modules.backward_hooks import BackwardHook
from ..tensor import RemovableHandle

__all__ = ["BackwardHook", "RemovableHandle"]
