"""`torch.ao`: quantisation and pruning for it, which are not there. Programs may name them; calls are refused.

Parts of models that may be quantised exist, and compute on floats: `FloatFunctional`, `QuantStub`.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any

from wengert._start import absent

MODULES = frozenset(("intrinsic", "nn", "ns", "pruning", "qat", "quantizable", "quantization", "quantized"))
"""Submodules that programs use without an import."""

FLOATING = {
    "quantization": (".stubs", frozenset(("DeQuantStub", "QuantStub", "QuantWrapper"))),
    "nn.quantized": ("..nn.quantized", frozenset(("FloatFunctional",))),
}
"""Prefix of a module's name below `torch` or `torch.ao` -> the module that has some of its names, and these names."""


def stand_in(module: str, name: str) -> Any:
    """Return the placeholder for `name` in a module of torch.ao."""
    if name in MODULES:
        return below(f"{module}.{name}")
    for start, (place, names) in FLOATING.items():
        if name in names and module.partition(".")[2].removeprefix("ao.").startswith(start):
            return getattr(importlib.import_module(place, __name__), name)
    return absent.stand_in(module, name, "there are no quantised tensors here")


def __getattr__(name: str) -> Any:
    """Return a submodule; other names are placeholders that raise when they are called or instantiated."""
    return stand_in(__name__, name)


below = absent.hollows(stand_in)
Below = functools.partial(absent.Below, below)
"""Importer of the submodules."""
