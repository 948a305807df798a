"""`torch.onnx`: models cannot be exported."""

from __future__ import annotations

from typing import Any, NoReturn


def is_in_onnx_export() -> bool:
    """False."""
    return False


def export(*args: Any, **kwargs: Any) -> NoReturn:
    """Refused.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError("torch.onnx.export: models cannot be exported here; load the weights in torch and export there")


def register_custom_op_symbolic(
    symbolic_name: str, symbolic_fn: Any, opset_version: int, custom_opsets: Any = None
) -> None:
    """Nothing: no model is exported, so no operator needs a form for it."""


def unregister_custom_op_symbolic(symbolic_name: str, opset_version: int) -> None:
    """Nothing: none is registered."""
