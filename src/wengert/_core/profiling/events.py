"""Events of a thread in an open profile: a few numbers, and the operator, node or name.

Strings, averages and the tree are computed afterwards, in `autograd/profiler`. Nothing here runs unless the bit
`flags.PROFILED` is set in the mode word of the thread.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from types import FrameType
from typing import Any

try:
    import cython
except ImportError:
    from .. import plain as cython

from ..state.modes import Modes
from ..tensor.base import Tensor, wrap
from ..tensor.storage import Storage, next_serial, size_in_bytes
from . import clock, kinds

opened: int = 0
"""Number of profiles, and of modes that functions ask, that are open in this process: checked first where the flags are
not at hand."""


_counted: int = 0
_holders: set[int] = set()


def count_open(change: int) -> None:
    """Count a profile, or a mode that functions ask, that opens (1) or closes (-1)."""
    global opened, _counted
    _counted += change
    opened = _counted + len(_holders)


def hold_open(holder: int, is_open: bool) -> None:
    """Count a mode that `holder` identifies as open or closed; it counts once, however often this is noted."""
    global opened
    if is_open:
        _holders.add(holder)
    else:
        _holders.discard(holder)
    opened = _counted + len(_holders)


@cython.no_gc
@cython.freelist(512)
@cython.cclass
class Event:
    """An event in a thread.

    Attributes:
        kind, what: see `kinds`; an operator, the class of a node, or a name.
        begun, ended: by `time.perf_counter_ns`; `ended` is 0 as long as it has not.
        depth: how many events were open around it.
        sequence: the number of the node that it creates or runs, -1 for none.
        node: the identity of the node that it created or ran, if several threads are profiled; otherwise 0.
        size: of an event of memory.
        details: of each argument the shape as a list, or the value of a number; None where they are not noted.
        stack: code objects and offsets in turn, innermost first; None where they are not noted.
        modules: the modules that are being called, as "Net.layers.0"; None where they are not noted.
    """

    kind: int
    what: Any
    begun: int
    ended: int
    depth: int
    sequence: int
    node: int
    size: int
    details: Any
    stack: Any
    modules: Any

    __slots__ = (
        "begun",
        "depth",
        "details",
        "ended",
        "kind",
        "modules",
        "node",
        "sequence",
        "size",
        "stack",
        "what",
    )


class Log:
    """The events of one thread, in the order in which they began.

    Attributes:
        depth: how many events are open.
        keeping: events are stored; otherwise only `emitters` receive them.
        more: one of the following is switched on.
        shapes: note the arguments.
        stacks: note the calls that lead to an event.
        modules: note the modules that are being called.
        exact: it is that of a recording (`capture.recorder`), which sees also the functions of arrays that stand for
            several operators.
        several: other threads are profiled, too, so that numbers of nodes alone do not identify them.
        live: the bytes of each storage that was created and is alive, by a weak reference; None if memory is not noted.
        serial: the storages up to this number have been seen.
        emitters: objects with `push(event)` and `pop(event)`, which receive each event at once.
        thread: the identity of the thread.
        users: the profiles that are open in this thread.
    """

    events: list[Any]
    depth: int
    keeping: bool
    more: bool
    shapes: bool
    stacks: bool
    several: bool
    exact: bool
    live: Any
    serial: int
    emitters: tuple[Any, ...]
    thread: Any
    users: list[Any]
    modules: bool

    __slots__ = (
        "__weakref__",
        "depth",
        "emitters",
        "events",
        "exact",
        "keeping",
        "live",
        "modules",
        "more",
        "serial",
        "several",
        "shapes",
        "stacks",
        "thread",
        "users",
    )

    def __init__(self, thread: Any) -> None:
        self.events = []
        self.depth = 0
        self.keeping = False
        self.more = False
        self.shapes = False
        self.stacks = False
        self.several = False
        self.exact = False
        self.live = None
        self.serial = next_serial()
        self.emitters = ()
        self.thread = thread
        self.users = []
        self.modules = False

    def begin(self, kind: int, what: Any, sequence: int, args: Any) -> Event:
        """Note that an event begins.

        Args:
            args: its arguments, or None.
        """
        event: Event = Event.__new__(Event)
        event.kind = kind
        event.what = what
        event.ended = 0
        event.depth = self.depth
        event.sequence = sequence
        event.node = 0
        event.size = 0
        event.details = None
        event.stack = None
        event.modules = None
        self.depth += 1
        if self.keeping:
            self.events.append(event)
        if self.more:
            self.describe(event, args)
        event.begun = clock.now()
        return event

    def begin_call(self, op: Any, args: Any, modes: Modes) -> Event:
        """Note that a call of an operator begins."""
        return self.begin(kinds.OPERATOR, op, next_number(modes), args)

    def end(self, event: Event, results: Any) -> None:
        """Note that an event ends, and with it all events that began within it.

        Args:
            results: the results, of which the storages are new memory, or None.
        """
        event.ended = clock.now()
        if self.more:
            self.conclude(event, results)
        self.depth = event.depth

    def cancel(self, event: Event) -> None:
        """Remove an event that did not take place, and all since, except events of memory."""
        events: list[Any] = self.events
        kept: list[Any] = []
        other: Event = None
        while events and other is not event:
            other = events.pop()
            if other.kind == kinds.MEMORY:
                other.depth = event.depth
                kept.append(other)
        events.extend(reversed(kept))
        self.depth = event.depth
        for emitter in self.emitters:
            emitter.pop(event)

    def call(self, event: Event, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """Call a function within an event, which ends with it; one whose result is NotImplemented is removed."""
        result: Any = None
        try:
            result = function(*args)
        finally:
            if result is NotImplemented:
                self.cancel(event)
            else:
                self.end(event, result)
        return result

    def read(self, value: Any, what: str) -> None:
        """See that Python code reads the values of a tensor: nothing to a profile."""

    def island(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a function that a replay is to call, too: an optimiser's step."""
        return function(*args, **kwargs)

    def tail(self, loses: Callable[[Any], bool], tensor: Tensor) -> Any:
        """Return a copy of a tensor if `loses(array)`, otherwise None; see `recorded.tail_of`."""
        return wrap(tensor._array_.copy()) if loses(tensor._array_) else None

    def copied(self, tensor: Tensor) -> Tensor:
        """Return a copy of a tensor, without history, that is made within a call: see `inplace.copied`."""
        return wrap(tensor._array_.copy())

    def see(self, values: Any) -> None:
        """See the tensors of which functions of arrays get the arrays next: nothing to a profile."""

    def leaf(self, leaf: Any) -> None:
        """See that the `.grad` of a tensor is read or set: nothing to a profile."""

    def decided(self, function: Any, tensors: Any, constants: Any, result: Any) -> None:
        """See that code of the package has decided by values of tensors: nothing to a profile."""

    def describe(self, event: Event, args: Any) -> None:
        """Note the details of an event that begins."""
        if self.shapes and args is not None:
            event.details = details_of(args)
        if self.stacks:
            event.stack = calls_around()
        if self.modules:
            event.modules = modules_around()
        for emitter in self.emitters:
            emitter.push(event)

    def conclude(self, event: Event, results: Any) -> None:
        """Note the details of an event that ends."""
        for emitter in self.emitters:
            emitter.pop(event)
        if not self.keeping:
            return
        if self.several and event.sequence >= 0 and isinstance(results, Tensor):
            tensor: Tensor = results
            if tensor._edge_ is not None and tensor._edge_.node.sequence_number == event.sequence:
                event.node = id(tensor._edge_.node)
        if self.live is not None and results is not None:
            self.depth = event.depth + 1
            for value in results if isinstance(results, (tuple, list)) else (results,):
                if isinstance(value, Tensor):
                    tensor = value
                    if tensor._storage_.serial > self.serial:
                        self.note_memory(tensor._storage_, event.ended)
            self.serial = next_serial()

    def note_memory(self, storage: Storage, time: int) -> None:
        """Note new memory, and later that it is freed; once for each storage."""
        live: Any = self.live
        reference: Any = weakref.ref(storage, self.freed)
        if reference not in live:
            size: int = size_in_bytes(storage)
            live[reference] = size
            self.events.append(memory_event(size, time, self.depth))

    def freed(self, reference: Any) -> None:
        """Note that a storage was freed. (Usually in this thread, not always: it is counted here in any case.)"""
        live: Any = self.live
        size: Any = None if live is None else live.pop(reference, None)
        if size is not None and self.keeping:
            self.events.append(memory_event(-size, clock.now(), self.depth))


def logged(
    op: Any, args: tuple[Any, ...], modes: Modes, function: Callable[..., Any], arguments: tuple[Any, ...]
) -> Any:
    """Carry out a call of an operator by `function(*given)`, noted in the log of this thread if there is one.

    Args:
        op: the operator, or the name of a function.
        args: its arguments, for the log.
    """
    log: Log = modes.profiling()
    if log is None:
        return function(*arguments)
    return log.call(log.begin_call(op, args, modes), function, arguments)


def on_arrays(modes: Modes, function: Callable[..., Any], *args: Any) -> Any:
    """Call a function of arrays, noted by a recording if this thread is in one; a profile does not see it."""
    log: Log = modes.profiling() if modes.log is not None else None
    if log is None or not log.exact:
        return function(*args)
    return log.call(log.begin(kinds.OPERATOR, function, -1, None), run_on_arrays, (function, args))


def run_on_arrays(function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """Call a function of arrays."""
    return function(*args)


def next_number(modes: Modes) -> int:
    """The number of the node that a call would create now; -1 if none is created."""
    return modes.sequence if modes.grad else -1


def memory_event(size: int, time: int, depth: int) -> Event:
    """An event of memory."""
    event: Event = Event.__new__(Event)
    event.kind = kinds.MEMORY
    event.what = None
    event.begun = time
    event.ended = time
    event.depth = depth
    event.sequence = -1
    event.node = 0
    event.size = size
    event.details = None
    event.stack = None
    event.modules = None
    return event


def details_of(args: Any) -> tuple[Any, ...]:
    """Details of each argument: a tensor's shape as a list, for several a tuple; a number itself; None for all else."""
    details: list[Any] = []
    for value in args:
        if isinstance(value, Tensor):
            details.append(list(value._array_.shape))
        elif isinstance(value, (tuple, list)):
            details.append(details_of(value) if len(value) <= MOST_DETAILS else ())
        else:
            details.append(value if isinstance(value, (int, float, str)) else None)
    return tuple(details)


MOST_DETAILS = 1024
"""Length of tuples of arguments above which nothing is noted: they are data."""


def calls_around() -> tuple[Any, ...]:
    """The calls that led to this one, innermost first: code objects and offsets of the instructions in turn."""
    calls: list[Any] = []
    frame: FrameType | None = sys._getframe(0)
    while frame is not None:
        calls.append(frame.f_code)
        calls.append(frame.f_lasti)
        frame = frame.f_back
    return tuple(calls)


MODULE_CALL = "Hooking.__call__"
"""The method by which modules of `nn` are called while a profile is open: its frames have the module as `self`."""


def modules_around() -> str:
    """The modules that are being called, outermost first: the class of the first one, then names in the one before."""
    chain: list[Any] = []
    frame: FrameType | None = sys._getframe(0)
    while frame is not None:
        if frame.f_code.co_qualname == MODULE_CALL and "_modules" in vars(frame.f_locals["self"]):
            chain.append(frame.f_locals["self"])
        frame = frame.f_back
    names: list[Any] = []
    outer: Any = None
    for module in reversed(chain):
        name = type(module).__name__
        for key, child in () if outer is None else outer._modules.items():
            if child is module:
                name = key
        names.append(name)
        outer = module
    return ".".join(names)
