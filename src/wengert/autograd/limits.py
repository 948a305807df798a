"""Restrictions of torch on a function while a transform runs it."""

from __future__ import annotations

from typing import Any

from .._core.state.modes import Modes, current
from .._core.state.regions import Region

SAVED_HOOKS = (
    "torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks. Please open an issue with your use "
    "case."
)


def depth() -> int:
    """Return the number of transforms under way; a batch of directions of a derivative counts as one more."""
    modes = current()
    return int(modes.transforms + sum(batch.directions for batch in modes.batches))


class Limits(Region):
    """A context in which `backward`, `retain_grad`, `requires_grad_` and Functions without `setup_context` are refused.

    Args:
        recording: whether the transform is one of reverse mode; then hooks for saved tensors are refused, too.

    Raises:
        RuntimeError: if hooks for saved tensors are in force (on entry).
    """

    __slots__ = ("recording",)

    def __init__(self, recording: bool = False) -> None:
        self.recording = recording

    def _before_(self, modes: Modes) -> Any:
        if self.recording and modes.saved_hooks is not None:
            raise RuntimeError(SAVED_HOOKS)
        return modes.transforms, modes.no_saved_hooks

    def _begin_(self, modes: Modes, before: Any) -> None:
        if self.recording:
            modes.no_saved_hooks = SAVED_HOOKS
        modes.transforms += 1

    def _end_(self, modes: Modes, before: Any) -> None:
        modes.transforms, modes.no_saved_hooks = before
