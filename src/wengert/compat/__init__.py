"""Interfaces of other libraries, for programs that were written for them."""

from __future__ import annotations

from .._start.loading import on_demand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import array_api as array_api, hips as hips

_IN_PACKAGE = ("array_api",)

__getattr__, __dir__ = on_demand(globals())

__all__ = ["array_api", "hips"]
