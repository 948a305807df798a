"""Operator cards, one file per family. Imported one by one: the registry is filled by these imports.

This file imports the families that every program needs; all others are loaded when one of their operators is first
used (`_start/names.py`, which is generated, lists the modules of all names).
"""

from .._core.cards.arguments import Truth as Truth, asking as asking, asking_by_name as asking_by_name
from .._core.cards.card import checked as checked
from .._core.cards.forms import functions_of as functions_of
from .._core.cards.late import promise_all
from .._core.cards.plain_case import FUNCTIONAL as FUNCTIONAL, plain_case as plain_case
from .create import create
from .indexing import advanced, index
from .linalg import matmul, products
from .memory import convert, kept, overwrite
from .pointwise import binary, compare, logic, power, rounding, unary
from .randomness import generator
from .reductions import reduce
from .shapes import as_strided, batches, join, shape, slices, view_shape, views

promise_all()
kept.begin()


def __getattr__(name: str) -> object:
    """Return the namespace of operators that a program declares (`library`), which exists before the first of them."""
    from importlib.util import find_spec

    from .namespaces import load_library, namespace  # imported on demand

    if name == "load_library":
        return load_library
    absent = name.startswith("__") or not name.isidentifier()
    if absent or find_spec(f"{__name__}.{name}") is not None:  # a module that is not yet imported
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return namespace(name)
