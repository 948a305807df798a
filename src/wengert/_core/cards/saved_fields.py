"""Saved values of nodes as `_saved_*`: in torch's form, with the further fields of its nodes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..recording.recorded import OpNode
from ..recording.saved_tensor import read_operand, read_saved

Read = Callable[[OpNode, str], Any]

REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}
"""The numbers by which torch's nodes show how a loss is reduced."""
WHOLE = frozenset(
    """
    diagonal dim dim0 dim1 dim2 dimension dims end ignore_index index k offset pad padding_idx shifts start
    """.split()  # noqa: SIM905 - so that it can be read
)
"""Saved values that torch's nodes hold as 64-bit integers, and show as unsigned."""
LAST = 2**63 - 1  # the end of a slice without one


def reader_of(name: str) -> Read:
    """Return the function that reads a saved value as torch shows it, if its card states none."""
    if name == "reduction":
        return lambda node, name: REDUCTIONS.get(read_saved(node, name))
    return read_integers if name in WHOLE else read_saved


def unsigned(value: Any) -> Any:
    """Integers below zero as torch shows them: with their sign bit read as 2^63."""
    if type(value) is int:
        return value % 2**64
    return tuple(map(unsigned, value)) if isinstance(value, tuple) else value


def repeated(value: Any, count: int) -> Any:
    """One integer for each of several dimensions; None stays None."""
    return () if value is None else (value,) * count if isinstance(value, int) else tuple(value)


def read_integers(node: OpNode, name: str) -> Any:
    """Saved integers."""
    return unsigned(read_saved(node, name))


def read_pair(node: OpNode, name: str) -> Any:
    """Lengths along two dimensions."""
    return repeated(read_saved(node, name), 2)


def read_triple(node: OpNode, name: str) -> Any:
    """Lengths along three dimensions."""
    return repeated(read_saved(node, name), 3)


def read_dimensions(node: OpNode, name: str) -> Any:
    """Saved dimensions, a single one as a tuple."""
    dims = unsigned(read_saved(node, name))
    return (dims,) if isinstance(dims, int) else dims


def read_spread_dimensions(node: OpNode, name: str) -> Any:
    """The dimensions of a variance; a bool in their place is not a dimension, but the correction."""
    return None if isinstance(read_saved(node, name), bool) else read_dimensions(node, name)


def read_correction(node: OpNode, name: str) -> Any:
    """The correction of a variance, in whichever form it was passed."""
    correction, unbiased, dim = (read_saved(node, field) for field in (name, "unbiased", "dim"))
    if correction is None and isinstance(dim, bool):
        return int(dim)
    if correction is None and unbiased is not None:
        return int(unbiased)
    return 1 if correction is None and dim is not None else correction


def read_bound(node: OpNode, name: str) -> Any:
    """The start or end of a slice; torch has no open ones."""
    bound = read_saved(node, name)
    return (0 if name == "start" else LAST) if bound is None else unsigned(bound)


def read_argument(node: Any, name: str) -> Any:
    """An argument of a view, which are stored to take it again."""
    return unsigned(node.step[1][node.step[0].names.index(name)])


def read_count(node: OpNode, name: str) -> Any:
    """The number of elements of an input whose shape is saved."""
    return math.prod(read_saved(node, f"{name.removesuffix('_sym_numel')}_shape"))


def read_shape(node: OpNode, name: str) -> Any:
    """The shape of the first input."""
    edge = node.next_edges[0]
    return None if edge is None else tuple(edge.shape)


def read_false(node: OpNode, name: str) -> Any:
    """A switch that is off here."""
    return False


READERS: dict[str, Read] = {
    "as argument of the view": read_argument,
    "as bound": read_bound,
    "as correction": read_correction,
    "as count": read_count,
    "as dimensions": read_dimensions,
    "as dimensions of variance": read_spread_dimensions,
    "as off": read_false,
    "as operand": read_operand,
    "as pair": read_pair,
    "as shape of the first input": read_shape,
    "as triple": read_triple,
}
"""Forms of saved values that cards name, with their readers."""


def shown(node: OpNode, attribute: str, source: Any) -> Any:
    """The value of `_saved_<attribute>` of a node, from a source as in `NodeClasses.shown`."""
    if not isinstance(source, str):
        return source(node)
    return READERS[source](node, attribute) if source in READERS else reader_of(source)(node, source)
