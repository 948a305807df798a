"""A captured call: the list of a function's calls, its guards, and its results."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import flags
from ..state.modes import Modes, current
from ..tensor.base import Tensor
from . import direct
from .comparing import compared, other_graph
from .concluding import first_effect, refuse_temporary, refuse_writes, shortened
from .describing import Describing
from .dividing import graph_of
from .lists import GRADS, Entry, run
from .native_calls import call_list
from .outputs import Output, build, mark_alone, registers_of
from .passes import prepare
from .recorder import Recorder, Refusal
from .segments import connect
from .signatures import External, found, kinship

MOST_COMPARED = 4 * 16
"""Bytes of the numbers of external tensors that are others in each call, up to which each is compared with all."""
UNUSED: dict[int, Any] = {}
"""In the place of the tensors and storages built so far, where no result needs them."""
AGAIN = object()
"""Result of a replay that could not run and has changed nothing: the function is then called."""


class Captured:
    """A list with its guards and results.

    Attributes:
        entries: the entries of the list.
        count: the number of registers.
        values: the registers, all None, between calls; None while a call has them.
        left: the numbers, of 32 bits, of the registers that the entries leave filled.
        externals: the external tensors.
        twins: (place, other place) of leaves that are one tensor.
        kin: for each external tensor the first one with the same storage.
        groups: the same numbers as bytes, of 32 bits.
        registers: the numbers, of 32 bits, of the registers of the external tensors, -1 for those that are not used.
        recent: the addresses of the storages of the external tensors of the latest call that had to compare them.
        independent: each result shares nothing with others.
        changing: the numbers of the external tensors that may be others in each call, of 32 bits.
        result: the description of the result.
        graph: the history of the result, or None.
        effects: the first entry whose effect outlives the list, or -1.
        draws: it draws random numbers from the default generator, which a caller restores if it calls the function.
        replays: the number of calls that it matched.
        calls: the list, as replays run it; until `build_calls`, the function that returns it.
    """

    entries: Any
    count: int
    externals: list[Any]
    twins: tuple[tuple[int, int], ...]
    values: Any
    left: bytes
    independent: bool
    changing: bytes
    groups: bytes
    registers: bytes
    recent: bytearray
    kin: tuple[int, ...]
    result: Any
    graph: Any
    effects: int
    draws: bool
    calls: Any
    replays: int

    __slots__ = (
        "calls",
        "changing",
        "count",
        "draws",
        "effects",
        "entries",
        "externals",
        "graph",
        "groups",
        "independent",
        "kin",
        "left",
        "recent",
        "registers",
        "replays",
        "result",
        "twins",
        "values",
    )

    def owners(self, leaves: Any) -> Any:
        """Return the external tensors for a call with other arguments; None if a guard fails.

        Args:
            leaves: the tensors among the arguments, a list or a tuple.
        """
        for one, other in self.twins:
            if leaves[one] is not leaves[other]:
                return None
        tensors: list[Any] = [None] * len(self.externals)
        state: int = direct.find(self.externals, leaves, tensors, flags.VIEW)
        if state < 0:
            state = found(self.externals, leaves, tensors)
        if not state:
            return None
        if state == direct.MOVED or len(self.changing) > MOST_COMPARED:
            return tensors if self.compares(tensors) else None
        return tensors if direct.share_as(tensors, self.groups, self.changing, self.recent) else None

    def compares(self, owners: list[Any]) -> bool:
        """Compare the storages of all external tensors; keep those of the tensors that are the same in each call."""
        if kinship(owners) != self.kin:
            return False
        tensor: Tensor
        external: External
        for at in range(len(owners)):
            external = self.externals[at]
            tensor = owners[at]
            external.storage = tensor._storage_ if external.source == -1 else None
        return True

    def replay(self, owners: list[Any]) -> Any:
        """Run the list; return the result, or AGAIN."""
        values: list[Any] = self.values
        self.values = None
        if values is None:
            values = [None] * self.count
        direct.fill(values, owners, self.registers)
        built: dict[int, Any] = UNUSED if self.independent else {}
        storages: dict[int, Any] = UNUSED if self.independent else {}
        stopped: int = run(self.calls, values, owners, built, storages)
        if stopped >= 0:
            if 0 <= self.effects < stopped:
                raise RuntimeError(interrupted(self.entries[stopped]))
            return AGAIN
        result: Any
        if self.graph is None:
            result = build(self.result, values, owners, built, storages)
            self.rest(values)
            return result
        modes: Modes = current()
        grad: bool = modes.grad
        mask: int = modes.mask
        try:
            modes.set_grad(False)
            result = build(self.result, values, owners, built, storages)
        finally:  # stores only, see `modes`
            modes.grad = grad
            modes.mask = mask
        connect(self.graph, values, owners, built, storages)
        self.rest(values)
        return result

    def rest(self, values: list[Any]) -> None:
        """Empty the registers, and keep them for the next call."""
        if direct.keeps_registers():
            direct.empty(values, self.left)
            self.values = values


def is_again(result: Any) -> bool:
    """Return whether the result of a replay is AGAIN: for typed code, which finds a function faster than an object."""
    return result is AGAIN


def interrupted(entry: Entry) -> str:
    """Return the error text of a replay that can neither continue nor restart."""
    return (
        f"torch.compile: the replay of a list stopped at {entry.title}, after a write to memory that cannot be undone; "
        "call the function itself, not the compiled one"
    )


def record(
    function: Callable[..., Any], args: Any, kwargs: Any, leaves: list[Any], recorder: Recorder
) -> tuple[Any, Any]:
    """Call a function and record it.

    Args:
        leaves: the tensors among the arguments.
        recorder: a new one; afterwards it has the reason why the call could not be captured, if it could not.

    Returns:
        The result of the call; the `Captured`, or None if it could not be captured.
    """
    recorder.describing = Describing(recorder)
    for tensor in leaves:
        if is_usual(tensor):
            recorder.external(tensor)
        else:
            recorder.refuse("an argument is sparse, on another device, or of a class of its own")
    if holds_array(args) or holds_array(tuple(kwargs.values())):
        recorder.refuse("an argument is a NumPy array, whose values may change: pass a tensor")
    try:
        recorder.start_noting()
        result = function(*args, **kwargs)
    except BaseException:
        recorder.release()
        raise
    finally:
        try:
            recorder.stop_noting()
        except BaseException:  # an interrupt as it began: once more
            recorder.stop_noting()
            raise
    captured = None
    if recorder.reason is None:
        try:
            captured = captured_of(recorder, leaves, result)
        except Refusal as refusal:
            recorder.refuse(str(refusal))
    recorder.release()
    return result, captured


def holds_array(values: Any) -> bool:
    """Return whether arguments contain a NumPy array, also in lists and dictionaries."""
    if isinstance(values, dict):
        return holds_array(tuple(values.values()))
    if isinstance(values, (tuple, list)):
        return any(map(holds_array, values))
    return isinstance(values, np.ndarray)


def is_usual(tensor: Tensor) -> bool:
    """Return whether a tensor can be an argument of a list."""
    return not tensor._flags_ & ~(flags.REQUIRES_GRAD | flags.VIEW)


def captured_of(recorder: Recorder, leaves: list[Any], result: Any) -> Captured:
    """Return the captured call of a recording.

    Raises:
        Refusal: if a replay of the list would not be equivalent to the call.
    """
    recorder.refuse_draws()
    recorder.settle()
    describing = recorder.describing
    description = describing.describe(result)
    graph = graph_of(recorder, describing.recorded, describing.storages)
    refuse_writes(recorder)
    captured = Captured()
    captured.graph = graph
    captured.independent = False
    captured.values = None
    tensors = [tensor for tensor, _ in recorder.externals]
    set_externals(captured, recorder, leaves, tensors)
    captured.result = description
    wanted = registers_of(description)
    if graph is not None:
        prepare(graph)
        wanted.update(*[segment.registers for segment in graph.segments])
    entries, touched = shortened(recorder.entries, wanted)
    captured.entries = entries
    captured.count = len(recorder.arrays)
    for external in captured.externals:
        if external.register not in touched:
            external.register = -1
    captured.registers = np.array([external.register for external in captured.externals], np.int32).tobytes()
    captured.left = np.array(sorted(wanted), np.int32).tobytes()
    if graph is None:
        mark_results(captured, recorder)
        wanted = set()  # no results that the engine may take over
    captured.calls = functools.partial(call_list, entries, recorder.arrays, wanted, recorder.natives)
    captured.replays = 0
    captured.effects = first_effect(entries)
    captured.draws = any(entry.draws for entry in entries)
    for tensor, (word, edge) in zip(tensors, recorder.histories):
        if tensor._flags_ != word or tensor._edge_ is not edge:
            raise Refusal("a tensor that outlives the call gets a history, or begins to require a gradient")
    return captured


def mark_results(captured: Captured, recorder: Recorder) -> None:
    """Mark the results that share nothing, and the gradients of leaves that are replaced once and used no more."""
    entries = [entry for entry in captured.entries if entry.kind == GRADS]
    used, captured.independent = mark_alone([captured.result, *[grad for entry in entries for grad in grads_of(entry)]])
    used.update([at for entry in captured.entries for at, _ in entry.counts])
    if len(entries) != 1:
        return
    known = {leaf: at for at, leaf in recorder.of_grad.items() if at not in used}
    args = entries[0].args
    groups = [known.get(leaf, -1) if isinstance(output, Output) and output.alone else -1 for leaf, output in args]
    renewals = [
        (leaf, before, output.register, output.version) if before >= 0 else (leaf, -1, -1, 0)
        for (leaf, output), before in zip(args, groups)
    ]
    entries[0].groups, entries[0].renewals = tuple(groups), np.array(renewals, np.int32).tobytes()


def grads_of(entry: Entry) -> list[Any]:
    """Return the descriptions of the gradients that an entry sets."""
    return [description for _, description in entry.args] if entry.kind == GRADS else []


def set_externals(captured: Captured, recorder: Recorder, leaves: list[Any], tensors: list[Any]) -> None:
    """Set what a captured call knows of the tensors that existed before it.

    Raises:
        Refusal: if one of them is temporary.
    """
    places = {id(leaf): at for at, leaf in reversed(list(enumerate(leaves)))}
    captured.twins = tuple([(at, places[id(leaf)]) for at, leaf in enumerate(leaves) if places[id(leaf)] != at])
    sources = [
        -2 - recorder.of_grad[at] if at in recorder.of_grad else places.get(id(tensor), -1)
        for at, tensor in enumerate(tensors)
    ]
    bare = {at for at in recorder.leaves if at not in recorder.of_grad.values()}
    refuse_temporary([tensor if source == -1 else None for source, tensor in zip(sources, tensors)])
    captured.externals = [
        External(tensor, source, register, at in bare)
        for at, ((tensor, register), source) in enumerate(zip(recorder.externals, sources))
    ]
    captured.kin = kinship(tensors)
    captured.groups = np.array(captured.kin, np.int32).tobytes()
    captured.recent = bytearray(8 * len(tensors))
    captured.changing = np.array([at for at, source in enumerate(sources) if source != -1], np.int32).tobytes()


def difference(known: Captured, again: Captured) -> tuple[bool, str]:
    """Compare two recordings of one function, as `compared` does, with the tensors and the graphs."""
    branch, other = compared(known.entries, known.result, again.entries, again.result)
    if branch or other:
        return branch, other
    if len(known.externals) != len(again.externals) or any(map(is_other, known.externals, again.externals)):
        return False, "it used a different tensor that is not an argument"
    return False, other_graph(known.graph, again.graph)


def is_other(one: External, other: External) -> bool:
    """Return whether an external tensor is not the same, or comes from another place."""
    return one.source != other.source or one.tensor is not other.tensor
