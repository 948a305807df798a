"""Names of torch's own library that programs use although they are not theirs; there is no such library here."""

from __future__ import annotations

from .ops.randomness.generator import Generator as Generator


def _log_api_usage_once(*args: object) -> None:
    """Nothing: nobody counts."""


def _get_tracing_state() -> None:
    """None: nothing is traced."""
