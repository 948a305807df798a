"""`torch.utils.data._utils`: the modules that loaders are made of."""

from __future__ import annotations

from ...._start.loading import on_demand

MP_STATUS_CHECK_INTERVAL = 5.0
"""Seconds between two looks whether a worker is still there, in torch."""

__getattr__, __dir__ = on_demand(globals(), {name: name for name in ("collate", "fetch", "pin_memory", "worker")})
