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
