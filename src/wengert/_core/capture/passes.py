"""Backward passes of a segment that no list is for: they run ordinary nodes, and are recorded where a list can be."""

from __future__ import annotations

import functools
import warnings
from typing import Any

import numpy as np

from ..graph.node import Edge
from ..state.modes import current, everyone
from ..tensor.base import Tensor, share
from ..tensor.storage import Storage
from .comparing import compared
from .concluding import first_effect, refuse_temporary, refuse_writes, shortened
from .describing import Describing
from .expanding import Expansion, Seeds, sweep
from .graphs import KeptArray, Step
from .list_passes import ends_of, runs_natively
from .lists import copy_of, layout_of
from .native_calls import build_calls, call_list
from .outputs import Nest, Output, mark_alone, registers_of
from .recorder import Recorder, Refusal
from .segments import BackwardList, CompiledFunctionBackward, Connections, Segment, lead, replace
from .signatures import guard_of

MOST_LISTS = 16
"""Maximum number of backward lists of a segment: for gradients of other layouts, and for other edges that need one."""

MOST_FAILURES = 3
"""Number of recordings that become no list until passes are no longer recorded."""


class Passes:
    """The passes of one segment.

    Attributes:
        reason: the reason why passes are no longer recorded; "" if they are.
        stores: the storage of each saved register, if it has one.
        failed: the number of recordings that became no list, perhaps because of what other threads did meanwhile.
    """

    def __init__(self, graph: Connections, segment: Segment) -> None:
        self.graph = graph
        self.segment = segment
        self.reason = ""
        self.failed = 0
        kept = [value for at in segment.steps for value in graph.steps[at].kept() if not isinstance(value, KeptArray)]
        self.stores = {value.register: value.storage for value in kept}

    def show(self, node: CompiledFunctionBackward, edge: Edge) -> None:
        """Let an edge to a node lead to the ordinary node of its output, which is created now."""
        step, nr = self.segment.outputs[edge.nr][:2]
        if node.ordinary is None:
            expansion = Expansion(self.graph, node, 0)
            expansion.link()
            node.ordinary = expansion.nodes
        lead(edge, node.ordinary[step], nr, (edge.shape, edge.dtype))

    def expanded(self, node: CompiledFunctionBackward, grads: list[Any], wanted: int) -> list[Any]:
        """Run a pass over ordinary nodes, which adds to the gradients that have arrived at their ends before."""
        modes = current()
        create_graph, passing = modes.grad, modes.passing
        expansion = Expansion(self.graph, node, 0)
        seeds = Seeds(node, passing)
        try:
            outgoing, owned = sweep(expansion, grads, wanted, create_graph, seeds)
        except Exception as error:
            node.reported = error
            raise
        seeds.replace(outgoing, owned)
        node.ran = self.steps_of(wanted)
        if create_graph:
            expansion.link()
            node.expanded = list(expansion.nodes.values())
            self.graph.higher = True
            if passing is not None and passing.outer is None and len(everyone) == 1:  # no other pass has counted edges
                replace(node, expansion.starts())
        return outgoing

    def unknown(self, node: CompiledFunctionBackward, grads: list[Any], wanted: int, arrived: int) -> list[Any]:
        """Run a pass with gradients of a kind that no list is for, and record it."""
        if not self.reason and len(self.segment.lists) >= MOST_LISTS:
            self.reason = f"gradients of more than {MOST_LISTS} kinds have arrived"
        if self.reason or self.steps_of(wanted) & node.freed:
            return self.expanded(node, grads, wanted)
        outgoing, known, reason = self.recorded(node, grads, wanted, arrived)
        if known is None:
            self.failed += 1
            self.reason = reason if self.failed == MOST_FAILURES else ""
        else:
            build_lone(known)
            self.segment.lists = [known, *self.segment.lists]
        return outgoing

    def verified(
        self, node: CompiledFunctionBackward, grads: list[Any], wanted: int, arrived: int, known: BackwardList
    ) -> list[Any]:
        """Run a pass over ordinary nodes, and compare its calls with the list."""
        outgoing, again, reason = self.recorded(node, grads, wanted, arrived)
        if again is None:
            self.give_up(reason)
            return outgoing
        branch, difference = compared(known.entries, known.result, again.entries, again.result)
        if branch:
            others = self.segment.lists
            fresh = all(compared(o.entries, o.result, again.entries, again.result) != (False, "") for o in others)
            if fresh and len(others) < MOST_LISTS:
                build_lone(again)
                self.segment.lists = [again, *others]
        elif difference:
            self.give_up(f"its backward pass differs from call to call; {difference}")
            warnings.warn(f"torch.compile: gradients are computed eagerly: {self.reason}", stacklevel=2)
        return outgoing

    def give_up(self, reason: str) -> None:
        """Run ordinary nodes from now on."""
        self.segment.lists, self.reason = [], reason

    def steps_of(self, wanted: int) -> int:
        """Return bits of the steps that a pass runs: those that lead to a wanted edge."""
        steps: tuple[Step, ...] = self.graph.steps
        ends = {arrival[:2] for at, arrival in enumerate(self.segment.arrivals) if wanted >> at & 1}
        useful: set[int] = set()
        for at in reversed(self.segment.live):  # the oldest first
            for slot, target in enumerate(steps[at].edges):
                if (at, slot) in ends or (target is not None and target.step in useful):
                    useful.add(at)
        return sum([1 << at for at in useful])

    # ---- recording ---------------------------------------------------------------------------------------------------

    def recorded(
        self, node: CompiledFunctionBackward, grads: list[Any], wanted: int, arrived: int
    ) -> tuple[list[Any], BackwardList | None, str]:
        """Run a pass over ordinary nodes, and record it.

        Returns:
            The gradients; the list, or None if it could not be recorded; the reason.
        """
        recorder = Recorder(self.graph.position(), self.graph.natives)
        recorder.describing = describing = Describing(recorder)
        expansion = Expansion(self.graph, node, arrived)
        arrays = expansion.arrays or []
        grads = separated(grads, arrays)
        tensors = [self.saved_tensor(expansion, number) for number in range(len(arrays))]
        externals = [*tensors, *[grad for grad in grads if grad is not None]]
        for tensor in externals:
            recorder.external(tensor)
        recorder.closed = True
        try:
            recorder.start_noting()
            outgoing, owned = sweep(expansion, grads, wanted, False)
        except BaseException:
            recorder.release()
            raise
        finally:
            try:
                recorder.stop_noting()
            except BaseException:  # an interrupt as it began: once more
                recorder.stop_noting()
                raise
        node.ran = self.steps_of(wanted)
        known = None
        if recorder.reason is None:
            try:
                known = list_of(recorder, describing, grads, tensors, outgoing)
                known.wanted, known.arrived, known.steps = wanted, arrived, node.ran
                shared = [at for at, grad in enumerate(outgoing) if grad is not None and at not in owned]
                known.foreign = tuple(shared)
                known.ends = ends_of(self.segment, known, len(self.graph.sources))
            except Refusal as refusal:
                recorder.refuse(str(refusal))
        recorder.release()
        return outgoing, known, recorder.reason or ""

    def saved_tensor(self, expansion: Expansion, number: int) -> Tensor:
        """Return a tensor for a saved array: a leaf itself, otherwise one on the storage of the ordinary nodes."""
        node = expansion.node
        for at, place in self.segment.inputs:
            variable = getattr(node.outer[place].node, "variable", None)
            if at == number and variable is not None:
                return variable
        return expansion.tensor(self.segment.registers[number])


def build_lone(known: BackwardList) -> None:
    """Build the list that passes run, see `build_calls`; note whether it may stand for a pass alone."""
    build_calls(known)
    if not runs_natively(known.calls):
        known.ends = None


def separated(grads: list[Any], arrays: list[Any]) -> list[Any]:
    """Return gradients that share memory neither with each other nor with other arrays: copies of those that do."""
    result: list[Any] = []
    known = list(arrays)
    for grad in grads:
        if grad is not None:
            if any(np.may_share_memory(grad._array_, array) for array in known):
                array = copy_of(grad._array_)
                grad = share(array, Storage(array))
                grad._storage_.serial = 1
            known.append(grad._array_)
        result.append(grad)
    return result


def list_of(
    recorder: Recorder, describing: Describing, grads: list[Any], tensors: list[Tensor], outgoing: list[Any]
) -> BackwardList:
    """Return the list of a recorded pass.

    Args:
        grads: the gradients that arrived.
        tensors: those for the saved arrays.
        outgoing: the gradients for the edges.

    Raises:
        Refusal: if a replay of the list would not be equivalent to the pass.
    """
    recorder.refuse_draws()
    recorder.settle()
    description = describing.describe(outgoing)
    refuse_writes(recorder)
    if describing.recorded:
        raise Refusal("a gradient requires a gradient")
    known = BackwardList()
    wanted = registers_of(description)
    entries, _ = shortened(recorder.entries, wanted)
    if first_effect(entries) >= 0 or any(entry.draws for entry in entries):
        raise Refusal("the backward pass writes to memory that outlives it, or draws random numbers")
    mark_alone([description])
    known.count, known.result, known.replays = len(recorder.arrays), description, 0
    known.entries = entries
    known.calls = functools.partial(call_list, entries, recorder.arrays, wanted, recorder.natives)
    number_of = {id(tensor): -2 - number for number, tensor in enumerate(tensors)}
    number_of.update({id(grad): at for at, grad in enumerate(grads) if grad is not None})
    known.owners = tuple([number_of.get(id(tensor), -1) for tensor, _ in recorder.externals])
    registers = [register for _, register in recorder.externals]
    known.fills = tuple([(-2 - owner, registers[at]) for at, owner in enumerate(known.owners) if owner < -1])
    places = {owner: registers[at] for at, owner in enumerate(known.owners) if owner >= 0}
    known.grads = tuple([places.get(at, -1) for at in range(len(grads))])
    known.layouts = tuple([None if grad is None else layout_of(grad._array_) for grad in grads])
    known.used = tuple(sorted(externals_of(description)))
    held = [at for at, owner in enumerate(known.owners) if owner == -1]
    if {registers[at] for at in held} & {registers[at] for at in range(len(registers)) if at not in held}:
        raise Refusal("two tensors without a common history share memory")
    refuse_temporary([recorder.externals[at][0] for at in held])
    others = [recorder.externals[at][0] for at in held]
    known.held = tuple([(at, tensor, guard_of(tensor), registers[at]) for at, tensor in zip(held, others)])
    return known


def externals_of(description: Any) -> set[int]:
    """Return the external tensors that described results are, or share memory with."""
    if isinstance(description, Nest):
        return {at for part in description.parts for at in externals_of(part)}
    if not isinstance(description, Output):
        return set()
    externals = set() if description.base is None else externals_of(description.base)
    return externals | ({description.external} if description.external >= 0 else set())


def prepare(graph: Connections) -> None:
    """Let the segments of a graph run passes that no list is for."""
    for segment in graph.segments:
        segment.passes = Passes(graph, segment)
    for step in graph.steps:
        step.remember(False)
