"""`torch.fx.experimental.proxy_tensor`: no trace is ever under way."""

from __future__ import annotations


def get_proxy_mode() -> None:
    """None: nothing is traced."""
