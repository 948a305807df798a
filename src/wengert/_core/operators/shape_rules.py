"""The rules of the shapes and dtypes of results, by operator, as cards state them; `calls.meta` defines a rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

RULES: dict[str, str | Callable[..., Any]] = {}
"""By the name of the operator: the rule, or its name in `ops/shape_rules.py`."""
