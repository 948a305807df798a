"""`torch._export`: programs captured as graphs, which are not there; see `export`."""

from ..export import stand_in


def __getattr__(name: str) -> object:
    """Return a placeholder that raises when it is called or instantiated."""
    return stand_in(__name__, name)
