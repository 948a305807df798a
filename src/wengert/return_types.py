"""`torch.return_types`: the classes of what operators with several results return."""

from __future__ import annotations

from .ops import return_types as _classes

__all__ = [name for name in dir(_classes) if isinstance(getattr(_classes, name), type) and name.islower()]
globals().update({name: getattr(_classes, name) for name in __all__})
