"""`torch._subclasses.fake_tensor`: tensors without memory; there are none here."""

from __future__ import annotations

from typing import Any

from ..absent import StandIn

SAYS = "tensors have memory here"


class FakeTensor(metaclass=StandIn):
    """A tensor without memory: nothing here is one, none can be made."""

    path, says = "torch._subclasses.fake_tensor.FakeTensor", SAYS


class FakeTensorMode(metaclass=StandIn):
    """What makes tensors without memory: cannot be made."""

    path, says = "torch._subclasses.fake_tensor.FakeTensorMode", SAYS


def is_fake(x: Any) -> bool:
    """False."""
    return False
