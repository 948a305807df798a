"""Distributions."""

from __future__ import annotations

from . import norm

__all__ = ["norm"]
