"""`torch.version`: the version of torch whose behaviour this package follows, and its build options."""

from __future__ import annotations

__version__ = "2.13.0"
debug = False
cuda: str | None = None
git_version = "Unknown"
hip: str | None = None
rocm: str | None = None
xpu: str | None = None
