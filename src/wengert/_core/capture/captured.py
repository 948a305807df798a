"""A captured call: the list of a function's calls, its guards, and its results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import door, flags
from ..profiling import events
from ..state.modes import current
from ..tensor import slots
from ..tensor.base import Tensor, wrap_flagged
from .describing import Describing
from .lists import CALL, COPY, GRADS, ISLAND, NESTED, READ, VIEW, Entry, NativeCalls, Nested, run
from .native_calls import descriptions
from .outputs import build, registers_of, same_outputs
from .recorder import Recorder, Refusal
from .signatures import flattened, guard_of, hold, kinship

FEW_CHANGES = 8
"""Number of external tensors that are others in each call, up to which their memory is compared one by one."""
AGAIN = object()
"""Result of a replay that could not run and has changed nothing: the function is then called."""


class Captured:
    """A list with its guards and results.

    Attributes:
        entries: the list.
        count: the number of registers.
        filled: for each external tensor its register.
        sources: for each external tensor its number among the leaves of the arguments, or -1; -2 - n if it is the
            `.grad` of external tensor n.
        bare: the external tensors that had no `.grad`.
        held: the external tensors that are not arguments; None for arguments.
        twins: (place, other place) of leaves that are one tensor.
        guards, kin: the guards of all external tensors, and the groups that share memory.
        changing, fixed: the external tensors that may be others in each call, and those that are the same.
        stores: the storages of the latter at the latest comparison.
        result: the description of the result.
        effects: the first entry whose effect outlives the list, or -1.
        draws: it draws random numbers from the default generator, which a caller restores if it calls the function.
        replays: the number of calls that it matched.
        native: the native loop that runs entries, or None.
    """

    entries: list[Any]
    count: int
    filled: tuple[int, ...]
    sources: tuple[int, ...]
    bare: tuple[int, ...]
    twins: tuple[tuple[int, int], ...]
    held: list[Any]
    guards: list[Any]
    stores: list[Any]
    changing: tuple[int, ...]
    fixed: tuple[int, ...]
    kin: tuple[int, ...]
    result: Any
    effects: int
    draws: bool
    native: Any
    replays: int

    __slots__ = (
        "bare",
        "changing",
        "count",
        "draws",
        "effects",
        "entries",
        "filled",
        "fixed",
        "guards",
        "held",
        "kin",
        "native",
        "replays",
        "result",
        "sources",
        "stores",
        "twins",
    )

    def owners(self, leaves: list[Any]) -> Any:
        """Return the external tensors for a call with other arguments; None if a guard fails."""
        for one, other in self.twins:
            if leaves[one] is not leaves[other]:
                return None
        found: list[Any] = list(self.held)
        place: int
        for at in range(len(found)):
            place = self.sources[at]
            if place >= 0:
                found[at] = leaves[place]
            elif place < -1:
                found[at] = grad_of(found[-2 - place])
        if not hold(self.guards, found) or not self.shares_as_recorded(found):
            return None
        for at in self.bare:
            if grad_of(found[at]) is not None:
                return None
        return found

    def shares_as_recorded(self, owners: list[Any]) -> bool:
        """Return whether the same external tensors share memory as in the recording."""
        tensor: Tensor
        other: Tensor
        at: int
        place: int
        kin: int
        for at in self.fixed:
            tensor = owners[at]
            if self.stores[at] is not tensor._storage_:
                return self.compares(owners)
        if len(self.changing) > FEW_CHANGES:
            return self.compares(owners)
        for at in self.changing:
            tensor = owners[at]
            kin = self.kin[at]
            for place in range(len(owners)):
                other = owners[place]
                if (other._storage_ is tensor._storage_) != (kin == self.kin_of(place)):
                    return False
        return True

    def kin_of(self, at: int) -> int:
        """Return the number of the first external tensor that shares memory with external tensor `at`."""
        return self.kin[at]

    def compares(self, owners: list[Any]) -> bool:
        """Compare the storages of all external tensors; keep those of the tensors that are the same in each call."""
        if kinship(owners) != self.kin:
            return False
        tensor: Tensor
        at: int
        for at in self.fixed:
            tensor = owners[at]
            self.stores[at] = tensor._storage_
        return True

    def replay(self, owners: list[Any]) -> Any:
        """Run the list; return the result, or AGAIN."""
        values: list[Any] = [None] * self.count
        tensor: Tensor
        for at in range(len(owners)):
            tensor = owners[at]
            values[self.filled[at]] = tensor._array_
        made: dict[int, Any] = {}
        storages: dict[int, Any] = {}
        stopped: int = run(self.entries, self.native, values, owners, made, storages)
        if stopped >= 0:
            if 0 <= self.effects < stopped:
                raise RuntimeError(interrupted(self.entries[stopped]))
            return AGAIN
        return build(self.result, values, owners, made, storages)


def grad_of(leaf: Tensor) -> Any:
    """Return the `.grad` of a tensor without warnings."""
    return None if leaf._meta_ is None else leaf._meta_.grad


def interrupted(entry: Entry) -> str:
    """Return the error text of a replay that can neither continue nor restart."""
    return (
        f"torch.compile: the replay of a list stopped at {entry.title}, after a write to memory that cannot be undone; "
        "call the function itself, not the compiled one"
    )


def record(
    function: Callable[..., Any],
    args: Any,
    kwargs: Any,
    leaves: list[Any],
    position: Callable[[], Any],
    natives: Any = None,
) -> tuple[Any, Any, Recorder]:
    """Call a function and record it.

    Args:
        leaves: the tensors among the arguments.
        position: as in `Recorder`.
        natives: the native functions `replay_calls` and `run_calls`, or None.

    Returns:
        The result of the call; the `Captured`, or None if it could not be captured; the recorder, with the reason.
    """
    modes = current()
    recorder = Recorder(position)
    recorder.describing = Describing(recorder).describe
    try:
        for tensor in leaves:
            if is_usual(tensor):
                recorder.external(tensor)
            else:
                recorder.refuse("an argument is sparse, on another device, or of a class of its own")
        if holds_array(args) or holds_array(tuple(kwargs.values())):
            recorder.refuse("an argument is a NumPy array, whose values may change: pass a tensor")
        slots.watch(1)
        events.count_open(1)
        modes.profile(recorder)
        result = function(*args, **kwargs)
        if modes.log is not recorder:
            recorder.refuse("a profile is opened or closed inside the function")
    except BaseException:
        recorder.release()
        raise
    finally:
        modes.profile(None)
        events.count_open(-1)
        slots.watch(-1)
    captured = None
    if recorder.reason is None:
        try:
            captured = captured_of(recorder, leaves, result, natives)
        except Refusal as refusal:
            recorder.refuse(str(refusal))
    recorder.release()
    return result, captured, recorder


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


def captured_of(recorder: Recorder, leaves: list[Any], result: Any, natives: Any) -> Captured:
    """Return the captured call of a recording.

    Raises:
        Refusal: if a replay of the list would not be equivalent to the call.
    """
    recorder.refuse_draws()
    recorder.settle()
    description = recorder.describing(result)
    for storage, version, _, _ in recorder.storages.values():
        if storage.version != version:
            raise Refusal("a tensor is written to by code that is not an operator (`out=`, an optimiser, `.data`)")
    if recorder.reason is not None:
        raise Refusal(recorder.reason)
    captured = Captured()
    places = {id(leaf): at for at, leaf in reversed(list(enumerate(leaves)))}
    captured.twins = tuple([(at, places[id(leaf)]) for at, leaf in enumerate(leaves) if places[id(leaf)] != at])
    tensors = [tensor for tensor, _ in recorder.externals]
    captured.sources = tuple(
        [
            -2 - recorder.of_grad[at] if at in recorder.of_grad else places.get(id(tensor), -1)
            for at, tensor in enumerate(tensors)
        ]
    )
    captured.bare = tuple([at for at in recorder.leaves if at not in recorder.of_grad.values()])
    captured.held = [None if at != -1 else tensor for at, tensor in zip(captured.sources, tensors)]
    refuse_temporary(captured)
    captured.filled = tuple([register for _, register in recorder.externals])
    captured.guards = [guard_of(tensor) for tensor in tensors]
    captured.kin = kinship(tensors)
    captured.stores = [None] * len(tensors)
    captured.changing = tuple([at for at, source in enumerate(captured.sources) if source != -1])
    captured.fixed = tuple([at for at, source in enumerate(captured.sources) if source == -1])
    captured.result = description
    captured.entries = shortened(recorder.entries, registers_of(description))
    captured.count = len(recorder.arrays)
    captured.native = native_calls(captured, recorder.arrays, natives)
    captured.replays = 0
    captured.effects = first_effect(captured.entries)
    captured.draws = any(entry.draws for entry in captured.entries)
    for tensor, (word, edge) in zip(tensors, recorder.histories):
        if tensor._flags_ != word or tensor._edge_ is not edge:
            raise Refusal("a tensor that outlives the call gets a history, or begins to require a gradient")
    return captured


def native_calls(captured: Captured, arrays: list[Any], natives: Any) -> Any:
    """Return the native loop for the entries of a list; None without native functions."""
    if natives is None:
        return None
    replay_calls, run_calls = natives
    known = descriptions(captured.entries, arrays, slots.table.iadd.native)
    for entry, description in zip(captured.entries, known):
        entry.runs_native = description is not None
    writes = [(at, *change) for at, entry in enumerate(captured.entries) for change in entry.counts]
    return NativeCalls(run_calls, replay_calls(known, captured.count), tuple(writes))


def refuse_temporary(captured: Captured) -> None:
    """Refuse tensors on external memory that the function itself created by `detach` or `.data`.

    Only the recording keeps them alive: a replay would read memory that the program may have replaced.
    """
    probe: Any = wrap_flagged(np.zeros(()), 0)
    holders = [probe], [(probe, 0)], [probe]  # as many as hold the tensors
    alone = door.references(probe)
    del probe
    for tensor in captured.held:
        if tensor is not None and door.references(tensor) <= alone:
            raise Refusal("a tensor that is not an argument is read through `detach()` or `.data`")
    del holders


def first_effect(entries: list[Entry]) -> int:
    """Return the index of the first entry whose effect outlives the list, or -1."""
    return next((at for at, entry in enumerate(entries) if entry.lasting), -1)


def uses_of(entry: Entry) -> list[int]:
    """Return the registers that an entry reads."""
    used = [place for place in entry.places if place >= 0]
    if entry.kind == GRADS:
        return [register for _, description in entry.args for register in registers_of(description)]
    for place, value in zip(entry.places, entry.args):
        if place == NESTED:
            used += [inner for inner in value.places if inner >= 0]
    return used


def is_view(entry: Entry) -> bool:
    """Return whether an entry takes a view, and does nothing else."""
    return entry.kind == VIEW or (entry.kind == CALL and entry.op is not None and bool(entry.op.view))


def without_repeated_views(entries: list[Entry]) -> list[Entry]:
    """Return a list without views that are already in their registers: of the same memory, with the same strides."""
    filled: set[int] = set()
    kept = []
    for entry in entries:
        if not (is_view(entry) and filled.issuperset(entry.outs)):
            kept.append(entry)
        filled.update(entry.outs)
    return kept


def shortened(entries: list[Entry], wanted: set[int]) -> list[Entry]:
    """Return a list without unused views and constants; note the last use of each register."""
    needed, kept = set(wanted), []
    last = set(wanted)
    for entry in reversed(without_repeated_views(entries)):
        idle = entry.kind == COPY or is_view(entry)
        if idle and not needed.intersection(entry.outs):
            continue
        used = uses_of(entry)
        needed.update(used)
        entry.frees = tuple({register for register in (*used, *entry.outs) if register >= 0} - last)
        last.update(entry.frees)
        kept.append(entry)
    return kept[::-1]


# ---- verification ----------------------------------------------------------------------------------------------------


def difference(known: Captured, again: Captured) -> tuple[bool, str]:
    """Compare two recordings of one function.

    Returns:
        Whether they differ in a value that Python code read (so that the second is another branch), and a description
        of another difference; "" if there is none.
    """
    for one, other in zip(known.entries, again.entries):
        if one.kind == READ and other.kind == READ and one.places == other.places:
            if one.layouts != other.layouts:
                return True, ""
        told = of_entries(one, other)
        if told:
            return False, told
    if len(known.entries) != len(again.entries):
        return False, "it called a different number of operators"
    if known.sources != again.sources or any(map(is_other, known.held, again.held)):
        return False, "it used a different tensor that is not an argument"
    if not same_outputs(known.result, again.result):
        return False, "it returned a different result"
    return False, ""


def is_other(one: Any, other: Any) -> bool:
    """Return whether two objects are not the same."""
    return one is not other


def of_entries(one: Entry, other: Entry) -> str:
    """Return a description of the difference of two entries; "" if they are equal."""
    if one.kind != other.kind or one.title != other.title or one.op is not other.op or one.native is not other.native:
        return f"it called {other.title}, where it had called {one.title}"
    if one.places != other.places or one.outs != other.outs:
        return f"it called {one.title} with other tensors"
    if one.kind == GRADS:
        leaves = [[at for at, _ in entry.args] for entry in (one, other)]
        same = leaves[0] == leaves[1] and all(same_outputs(a[1], b[1]) for a, b in zip(one.args, other.args))
        return "" if same else "it set other gradients of leaves"
    if one.kind == ISLAND:
        return "" if same_constants(one.args, other.args) else "it took an optimiser's step with other arguments"
    for place, value, new in zip(one.places, one.args, other.args):
        if place == -1 and not same_constants(value, new):
            return f"it called {one.title} with {shown(new)}, where that had been {shown(value)}"
        if place == NESTED and not same_nested(value, new):
            return f"it called {one.title} with another list"
    if one.kind == COPY and len(one.args) == 1 and one.args[0].tobytes() != other.args[0].tobytes():
        return "a constant has another value"
    if one.counts != other.counts or one.draws != other.draws:
        return f"{one.title} wrote to other memory, or drew other numbers"
    return ""


def same_constants(one: Any, other: Any) -> bool:
    """Return whether two arguments are equal."""
    return bool(flattened(one, []) == flattened(other, [])) or one is other or is_equal(one, other)


def is_equal(one: Any, other: Any) -> bool:
    """Return whether two objects of one class are equal by `==`."""
    try:
        return type(one) is type(other) and bool(one == other)
    except (TypeError, ValueError, RuntimeError):
        return False


def same_nested(one: Nested, other: Nested) -> bool:
    """Return whether two sequences of registers and constants are equal."""
    return one.places == other.places and all(map(same_constants, one.values, other.values))


def shown(value: Any) -> str:
    """Return a constant as text for messages."""
    text = repr(value)
    return text if len(text) < 60 else f"{text[:57]}..."
