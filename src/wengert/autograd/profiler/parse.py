"""Events of a profile, built from the logs of its threads."""

from __future__ import annotations

from typing import Any

from ..._core.profiling import kinds
from ..._core.profiling.events import Event
from . import flops
from .event_list import EventList
from .names import frames_of, name_of
from .records import FunctionEvent
from .session import Part, Session

STEP = "ProfilerStep#"
SCOPES = {kinds.BACKWARD: 1, kinds.RANGE: 7}
TOP_MEMORY = "[memory]"


class Thread:
    """The events of one thread of a profile, while they are built.

    Attributes:
        number: the number of the thread, from 1.
        events: the events, sorted by their beginning.
        raw: the entry of the log for each event.
    """

    def __init__(self, number: int, part: Part, session: Session) -> None:
        self.number, self.part, self.session = number, part, session
        self.events: list[FunctionEvent] = []
        self.raw: list[Event] = []
        self.open: list[int] = []
        self.ends: list[int] = []

    def read(self) -> None:
        """Build the events with their children, and sum the memory that they take."""
        for event in self.part.events:
            self.close(event.depth, event.begun)
            if event.kind != kinds.MEMORY:
                self.begin(event)
            elif self.session.memory:
                self.take(event)
        self.close(-1, self.session.closed)
        for child in reversed(self.events):
            if child.cpu_parent is not None:
                child.cpu_parent.cpu_memory_usage += child.cpu_memory_usage

    def close(self, depth: int, time: int) -> None:
        """End the events of this depth and deeper.

        After an interrupt an event may lack an end: then its children are unknown. A range without an end was open when
        the profile was closed, and ends at `time`.
        """
        while self.open and self.raw[self.open[-1]].depth >= depth:
            at = self.open.pop()
            limit = self.ends[self.open[-1]] if self.open else self.session.closed
            end = self.raw[at].ended
            if not end and self.raw[at].kind == kinds.RANGE:
                end = time
            elif not end:
                end = self.raw[at].begun
                self.empty(self.events[at])
            self.ends[at] = min(end, limit) if limit else end
            self.events[at].time_range.end = (self.ends[at] - self.session.opened) / 1000

    def empty(self, event: FunctionEvent) -> None:
        """Make the children of an event its siblings."""
        for child in event.cpu_children:
            child.cpu_parent = event.cpu_parent
            if event.cpu_parent is not None:
                event.cpu_parent.cpu_children.append(child)
        event.cpu_children = []

    def begin(self, event: Event) -> None:
        """Build an event, as a child of the innermost open event."""
        result = self.converted(event)
        if self.open:
            parent = self.events[self.open[-1]]
            parent.append_cpu_child(result)
            result.set_cpu_parent(parent)
        self.open.append(len(self.events))
        self.ends.append(event.ended)
        self.events.append(result)
        self.raw.append(event)

    def take(self, event: Event) -> None:
        """Count memory for the innermost open event, or as an event of its own."""
        if self.open:
            self.events[self.open[-1]].cpu_memory_usage += event.size
            return
        at = (event.begun - self.session.opened) / 1000
        alone = FunctionEvent(
            0, TOP_MEMORY, self.number, at, at, stack=[], input_shapes=[], cpu_memory_usage=event.size
        )
        self.ends.append(event.begun)
        self.events.append(alone)
        self.raw.append(event)

    def converted(self, event: Event) -> FunctionEvent:
        """Return the public event, with its names and texts."""
        session = self.session
        name = name_of(event)
        start = (event.begun - session.opened) / 1000
        details = (event.details or ()) if session.shapes else ()
        result = FunctionEvent(
            0,
            "ProfilerStep*" if name.startswith(STEP) and event.kind == kinds.RANGE else name,
            self.number,
            start,
            start,
            trace_name=name,
            scope=SCOPES.get(event.kind, 0),
            sequence_nr=event.sequence,
            fwd_thread=0,
            input_shapes=[detail if isinstance(detail, list) else [] for detail in details],
            concrete_inputs=[None if isinstance(detail, list) else detail for detail in details],
            kwinputs={},
            activity_type="user_annotation" if event.kind == kinds.RANGE else "cpu_op",
            stack=list(frames_of(event.stack)) if session.stacks and event.stack else [],
            module_hierarchy=(event.modules or "") if session.modules else "",
            is_user_annotation=event.kind == kinds.RANGE,
            flops=flops.of_operator(name, event.details) if event.kind == kinds.OPERATOR else 0,
        )
        return result


def events_of(session: Session, *, with_flops: bool) -> EventList:
    """Return the events of a closed profile, sorted by their beginning."""
    threads = [Thread(number, part, session) for number, part in enumerate(session.parts, 1)]
    for thread in threads:
        thread.read()
    pairs = tie(threads)
    events = [event for thread in threads for event in thread.events]
    dropped = merge_twins(events)
    events = [event for event in events if id(event) not in dropped]
    events.sort(key=lambda event: event.time_range.start)  # stable: parents stay before children
    for number, event in enumerate(events, 1):
        event.id = number
    events_list = EventList(events, profile_memory=session.memory, with_flops=with_flops)
    events_list._tree_built = True
    events_list._trace = {"session": session, "pairs": [pair for pair in pairs if id(pair[0]) not in dropped]}
    return events_list


def merge_twins(events: list[FunctionEvent]) -> set[int]:
    """Drop an event that is the only child of an event of the same name; return the identities of dropped events."""
    dropped: set[int] = set()
    for event in events:  # outer events first
        while len(event.cpu_children) == 1 and event.cpu_children[0].name == event.name:
            inner = event.cpu_children[0]
            event.cpu_children = inner.cpu_children
            for child in inner.cpu_children:
                child.cpu_parent = event
            dropped.add(id(inner))
    return dropped


def tie(threads: list[Thread]) -> list[tuple[FunctionEvent, FunctionEvent]]:
    """Set for nodes of backward passes the thread and the stack of the operator that made them.

    Returns:
        Pairs of an operator and the node that it made.
    """
    makers: dict[Any, tuple[FunctionEvent, int]] = {}
    for thread in threads:
        for raw, event in zip(thread.raw, thread.events):
            if raw.sequence >= 0 and raw.kind in (kinds.OPERATOR, kinds.FUNCTION):
                key = (raw.sequence, raw.node) if raw.node else (raw.sequence, 0, thread.number)
                makers[key] = (event, thread.number)  # the last one with that number made the node
    pairs = []
    for thread in threads:
        for raw, event in zip(thread.raw, thread.events):
            if raw.sequence < 0 or raw.kind not in (kinds.EVALUATE, kinds.BACKWARD):
                continue
            maker = makers.get((raw.sequence, raw.node)) or makers.get((raw.sequence, 0, thread.number))
            event.fwd_thread = maker[1] if maker else thread.number
            if maker and raw.kind == kinds.BACKWARD:
                pairs.append((maker[0], event))
                spread(event, maker[0].stack)
    return pairs


def spread(event: FunctionEvent, stack: list[str]) -> None:
    """Set the stack of a forward operator for a backward event and its descendants."""
    pending = [event]
    while pending:
        child = pending.pop()
        child.stack = stack
        pending += child.cpu_children
