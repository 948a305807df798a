"""What a program has computed, as one line of JSON on standard output."""

from __future__ import annotations

import json
from typing import Any


def numbers(value: Any) -> Any:
    """Return tensors, and containers of them, as lists and numbers."""
    if hasattr(value, "detach"):
        return value.detach().double().tolist() if not value.dtype.is_complex else [value.abs().tolist()]
    if isinstance(value, dict):
        return {name: numbers(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [numbers(part) for part in value]
    return value


def report(**results: Any) -> None:
    """Print results by name; what else a program prints is not compared."""
    print("RESULTS " + json.dumps(numbers(results)), flush=True)
