"""Parts of data loaders: the mirror of `torch.utils.data._utils`."""

from __future__ import annotations

from ...._start.loading import on_demand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import collate as collate, fetch as fetch, pin_memory as pin_memory, worker as worker

MP_STATUS_CHECK_INTERVAL = 5.0
"""Seconds between two checks of workers, in torch."""

__getattr__, __dir__ = on_demand(globals())
