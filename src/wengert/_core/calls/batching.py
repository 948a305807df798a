"""The batching step of the pipeline: tensors with a dimension that the program does not see."""

from __future__ import annotations

from typing import Any

from ..state.modes import Modes


def call(op: Any, args: tuple[Any, ...], word: int, modes: Modes) -> Any:
    """Run an operator for each member of a batch at once.

    Raises:
        RuntimeError: always, until batch levels exist; nothing sets the BATCHED flag before.
    """
    raise RuntimeError(
        f"{op.name}(): an input carries a batch dimension, but there is no batch level that it belongs to"
    )
