"""The interfaces of other libraries, for programs that were written for them."""

from __future__ import annotations

from .._start.loading import on_demand

__getattr__, __dir__ = on_demand(globals(), {name: name for name in ("array_api", "hips")})
