"""Division of a recorded graph into segments, for each of which a replay creates one node.

A segment is a stretch, in the order of creation, of nodes that the same results depend on. So a backward pass that
reaches one of them reaches all, as if they were one, and the order of creation remains the order of the pass. A result
that another one depends on is the end of a segment: what programs see there (hooks, `retain_grad`, `autograd.grad`) is
the sum of all that arrives.
"""

from __future__ import annotations

import math
from typing import Any

from ..state.modes import current
from ..tensor.base import Tensor
from .graphs import (
    CARD,
    ERROR,
    FUNCTION,
    KEPT,
    OUTSIDE,
    VIEW,
    KeptArray,
    KeptInput,
    KeptOutput,
    Reading,
    Step,
    Target,
)
from .outputs import Output
from .recorder import Recorder, Refusal
from .segments import Connections, Segment
from .single import ARRAY, CONSTANT, INPUT, OUTPUT, Recipe


def graph_of(recorder: Recorder, recorded: list[tuple[Output, Tensor]], numbers: dict[int, int]) -> Connections | None:
    """Return the graph of a recording; None if no result requires a gradient.

    Args:
        recorded: the results that require a gradient, with their descriptions.
        numbers: as in `Reading`.

    Raises:
        Refusal: if a replay cannot build the graph.
    """
    if not recorded:
        return None
    reading = Reading(recorder, numbers)
    attached = [(output, tensor) for output, tensor in recorded if tensor._edge_ is not None]
    ends = reading.read([tensor._edge_ for _, tensor in attached])
    graph = Connections()
    graph.steps = tuple(reading.steps)
    graph.count = current().sequence - recorder.sequence
    graph.sources, graph.dtypes = tuple(reading.sources), tuple(reading.spaces)
    graph.stores = reading.places()
    graph.finals = tuple([storage.version for storage in reading.storages])
    graph.higher = False
    graph.position, graph.natives = type(recorder.position), recorder.natives
    numbering = Numbering(graph, ends)
    groups, reached = groups_of(graph.steps, ends)
    graph.segments = tuple([numbering.segment(group, [at for at in group if reached[at]]) for group in groups])
    places = {id(output): numbering.number(end) for (output, _), end in zip(attached, ends)}
    graph.results = tuple([(output, places.get(id(output), -1), tensor._flags_) for output, tensor in recorded])
    return graph


def groups_of(steps: tuple[Step, ...], ends: list[Target]) -> tuple[list[list[int]], dict[int, int]]:
    """Return the steps of each segment, the oldest first; and for each step bits of the results that reach it.

    Raises:
        Refusal: if there are several segments, and an edge leads from an older step to a newer one.
    """
    order = sorted(range(len(steps)), key=lambda number: steps[number].offset)
    reached = dict.fromkeys(order, 0)
    for bit, end in enumerate(ends):
        if end.step >= 0:
            reached[end.step] |= 1 << bit
    back = all(leads_back(step, steps) for step in steps)
    for _ in order if not back else order[:1]:  # until nothing changes
        for at in reversed(order):
            for target in steps[at].edges:
                if target is not None and target.step >= 0:
                    reached[target.step] |= reached[at]
    groups: list[list[int]] = []
    latest = 0
    for at in order:
        if groups and (reached[at] == 0 or reached[at] == latest or latest == 0):
            groups[-1].append(at)
        else:
            groups.append([at])
        latest = reached[at] or latest
    if len(groups) > 1 and not back:
        raise Refusal("the history of a result was replaced, and other results depend on it")
    return groups, reached


def leads_back(step: Step, steps: tuple[Step, ...]) -> bool:
    """Return whether all edges of a step lead to older ones."""
    inside = [target for target in step.edges if target is not None and target.step >= 0]
    return all(steps[target.step].offset < step.offset for target in inside)


class Numbering:
    """Numbers of the edges that a replay creates: those of external tensors, then the outputs of each segment."""

    def __init__(self, graph: Connections, ends: list[Target]) -> None:
        self.graph = graph
        self.ends = ends
        self.numbers: dict[tuple[int, int], int] = {}
        used = [target for step in graph.steps for target in step.edges if target is not None]
        self.least: dict[int, int] = {}
        for target in (*used, *ends):
            size = math.prod(target.shape)
            self.least[target.step] = min(size, self.least.get(target.step, size))

    def number(self, target: Target) -> int:
        """Return the number of an edge that is external, or an output of a segment that was divided before."""
        return target.nr if target.step < 0 else self.numbers[target.step, target.nr]

    def segment(self, group: list[int], live: list[int]) -> Segment:
        """Return the segment of a group of steps, of which gradients reach those in `live`."""
        steps, inside = self.graph.steps, set(group)
        segment = Segment()
        segment.steps, segment.live = tuple(reversed(group)), tuple(reversed(live))
        segment.outputs = tuple(self.outputs(inside))
        segment.origins = tuple([(steps[output[0]].title, output[1]) for output in segment.outputs])
        reads: dict[int, int] = {}
        arrivals = []
        for at in segment.steps:
            for slot, target in enumerate(steps[at].edges):
                if target is not None and target.step not in inside:
                    number = self.number(target)
                    arrivals.append((at, slot, reads.setdefault(number, len(reads))))
        segment.arrivals = tuple(arrivals)
        for target in self.saved_targets(segment):
            if target.step not in inside:
                reads.setdefault(self.number(target), len(reads))
        segment.reads = tuple(reads)
        edges: dict[int, list[int]] = {}
        for at, (_, _, place) in enumerate(arrivals):
            edges.setdefault(place, []).append(at)
        segment.shared = tuple([(place, tuple(several)) for place, several in edges.items() if len(several) > 1])
        segment.parts = tuple(
            {
                place
                for at, slot, place in arrivals
                if self.is_part(at, steps[at].edges[slot]) and steps[at].kind == VIEW
            }
        )
        self.fill(segment, reads)
        for at, nr, _, _ in segment.outputs:
            self.numbers[at, nr] = len(self.graph.sources) + len(self.numbers)
        return segment

    def is_part(self, at: int, end: Target | None) -> bool:
        """Return whether a step has fewer elements than the end of its edge."""
        return end is not None and at in self.least and self.least[at] < math.prod(end.shape)

    def outputs(self, inside: set[int]) -> list[Any]:
        """Return the outputs of some steps that results or other steps use, with shapes and dtypes."""
        outputs: dict[tuple[int, int], Target] = {}
        targets = list(self.ends)
        for at, step in enumerate(self.graph.steps):
            if at not in inside:
                targets += [target for target in step.edges if target is not None]
                targets += [kept.target for kept in step.kept() if isinstance(kept, KeptInput) and kept.target]
        for target in targets:
            if target.step in inside:
                outputs.setdefault((target.step, target.nr), target)
        return [(*place, target.shape, target.dtype) for place, target in sorted(outputs.items())]

    def saved_targets(self, segment: Segment) -> list[Target]:
        """Return the ends of the edges of the tensors that a segment saves."""
        kept = [kept for at in segment.steps for kept in self.graph.steps[at].kept()]
        return [value.target for value in kept if isinstance(value, KeptInput) and value.target is not None]

    def fill(self, segment: Segment, reads: dict[int, int]) -> None:
        """Set the attributes that follow from the steps."""
        steps = [self.graph.steps[at] for at in segment.steps]
        kept = [value for step in steps for value in step.kept()]
        registers = tuple(dict.fromkeys([value.register for value in kept]))
        stores = {value.storage: value.lag for value in kept if isinstance(value, (KeptInput, KeptOutput))}
        inputs = [(value.register, value.target) for value in kept if isinstance(value, KeptInput)]
        segment.registers = registers
        segment.checks = tuple([store for store in stores if max(self.graph.stores[store]) >= 0])
        segment.inputs = tuple(
            {
                (registers.index(register), reads[target.nr])
                for register, target in inputs
                if target is not None and target.step == OUTSIDE
            }
        )
        segment.offset = steps[0].offset
        segment.frees = sum([1 << at for at in segment.live if self.graph.steps[at].frees])
        stale = any(value.lag for value in kept if isinstance(value, (KeptInput, KeptOutput)))
        freed = any(step.saved is None for step in steps)
        segment.ordinary = stale or freed or any(step.kind == ERROR for step in steps)
        segment.takes_nothing = any(step.kind in (FUNCTION, ERROR) for step in steps)
        segment.recipe = self.recipe(steps[0]) if len(steps) == 1 else None
        segment.lists = []
        segment.passes = None

    def recipe(self, step: Step) -> Recipe | None:
        """Return how the ordinary node of a step is created; None for custom Functions and writes to views."""
        if step.kind not in (CARD, VIEW) or step.saved is None:
            return None
        recipe = Recipe()
        recipe.cls, recipe.op, recipe.plan = step.cls, step.fields["op"], step.fields["plan"]
        recipe.outputs, recipe.offset, recipe.step = step.outputs, step.offset, step.fields.get("step")
        recipe.edges = tuple([-1 if target is None else self.number(target) for target in step.edges])
        parts = [self.part(value) for value in step.saved]
        if None in parts:
            return None
        recipe.saved = tuple(parts)
        return recipe

    def part(self, value: Any) -> tuple[Any, ...] | None:
        """Return one saved value as `Recipe.saved` has it; None for lists, and for results of writes to views."""
        if isinstance(value, KeptInput):
            edge = -1 if value.target is None else self.number(value.target)
            return INPUT, None, value.register, value.storage, value.lag, edge, value.word
        if isinstance(value, KeptOutput):
            return OUTPUT, None, value.register, value.storage, value.lag, value.nr, 0
        if isinstance(value, KeptArray):
            return ARRAY, None, value.register, -1, 0, -1, 0
        return None if isinstance(value, KEPT) else (CONSTANT, value, -1, -1, 0, -1, 0)
