"""Forward mode's step in the pipeline: tangents of dual tensors."""

from __future__ import annotations

from typing import Any

from ..state.modes import Modes


def call(op: Any, args: tuple[Any, ...], word: int, modes: Modes) -> Any:
    """Compute values and tangents.

    Raises:
        RuntimeError: always, until dual levels exist; nothing sets the DUAL flag before.
    """
    raise RuntimeError(
        f"{op.name}(): an input carries a tangent, but there is no forward-mode level that it belongs to"
    )
