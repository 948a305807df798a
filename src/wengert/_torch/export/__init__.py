"""`torch.export`: programs captured as graphs, which are not there. Libraries may name them; calls are refused."""

from __future__ import annotations

import functools
from typing import Any

from wengert._start import absent

SAYS = (
    "there is no compiler here that captures a program as a graph; keep the class and save its state_dict() with "
    "torch.save"
)
MODULES = frozenset(
    """
    custom_obj custom_ops decomp_utils dynamic_shapes experimental exported_program graph_signature passes pt2_archive
    unflatten
    """.split()  # noqa: SIM905 - so that it can be read
)
"""Submodules that programs use without an import."""


def stand_in(module: str, name: str) -> Any:
    """Return the placeholder for `name` in a module of torch.export."""
    if name in MODULES:
        return below(f"{module}.{name}")
    return absent.stand_in(module, name, SAYS)


def __getattr__(name: str) -> Any:
    """Return a submodule; other names are placeholders that raise when they are called or instantiated."""
    return stand_in(__name__, name)


below = absent.hollows(stand_in)
Below = functools.partial(absent.Below, below)
"""Importer of the submodules."""
