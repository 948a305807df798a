"""The version of torch whose behaviour this is, as `torch.version` tells it, and what it would have been built with."""

from __future__ import annotations

__version__ = "2.13.0"
debug = False
cuda: str | None = None
git_version = "Unknown"
hip: str | None = None
rocm: str | None = None
xpu: str | None = None
