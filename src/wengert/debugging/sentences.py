"""Sentences shared by several explanations."""

from __future__ import annotations

from typing import Any

from wengert._core.graph.node import Node
from wengert._core.graph.places import Place, place_of
from wengert._core.leaves.accumulate import AccumulateGrad
from wengert._core.state.modes import current

from .mode import module_name
from .walk import name_of, place_of_node


def line(sentence: str, place: Place | None) -> str:
    """Return a sentence with `{}` replaced by a place; empty without a place."""
    return "" if place is None else sentence.format(place)


def cut_sentences(cut: Any) -> str:
    """Return the sentences about a cut: its line, its module, and what it cut off."""
    text = line("\nThat happened at {}.", place_of(cut))
    within = module_name(cut.scope)
    if within:
        text += f"\nIt is in the module {within}."
    if cut.reason in ("item", "numpy") and cut.cuts is not None:
        text += line(f"\nIts values left the graph through {cut.cuts.name} at {{}}.", place_of(cut.cuts))
        if cut.cuts.cuts is not None:
            text += cut_sentences(cut.cuts.cuts).replace(
                "\nThat happened at", "\nBefore that, values left the graph at"
            )
    return text + source_sentence(cut)


def source_sentence(cut: Any) -> str:
    """Return the sentence about the sources of a cut, if they still exist."""
    for source in sources_of(cut):
        what = "" if source is cut.source[0]() else "a value computed from "
        leaf = source.variable if isinstance(source, AccumulateGrad) else source
        if not isinstance(leaf, Node):
            return f"\nWhat was cut off: {what}a leaf of shape {tuple(leaf.shape)}."
        place = place_of_node(source)
        if place is not None:
            return f"\nWhat was cut off: {what}the result of {name_of(source)}, recorded at {place}."
    return ""


def sources_of(cut: Any) -> list[Any]:
    """Return the nodes (or the leaf) that a cut has cut off, if they still exist, the nearest first."""
    return [source for reference in cut.source or () if (source := reference()) is not None]


def exits_before(origin: Any) -> str:
    """Return the sentence about values that left the graph before: perhaps the tensor was computed from these."""
    debug = current().debug
    exits = origin.source or ([] if debug is None else [exit for _, exit in reversed(debug.exits)])
    known: list[str] = []
    for exit in exits:
        text = f"\n  {exit.name}: {place_of(exit)}"
        if text not in known:
            known.append(text)
    if not known:
        return ""
    return "\nValues left the graph earlier; it may have been computed from these:" + "".join(known[:3])
