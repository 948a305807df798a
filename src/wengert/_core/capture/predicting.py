"""Calls that a pattern predicts: they run natively, in the tensors that the last round of the function has left.

A tape of a followed function is compared with a pattern call by call, before each call runs. As long as all are those
of the pattern, native functions are called without dispatch, and each result is the tensor of the same call in the last
round, with its memory, if nothing else refers to it. The first other call ends that: the tape then has its calls as
usual.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import door, flags
from ..calls import dispatch
from ..graph.node import Edge, new_edge
from ..tensor.base import Tensor, wrap_flagged
from ..tensor.storage import Storage, next_serial
from ..tensor.tapes import Predicting, Tape
from . import direct, matching
from .matching import Match, Pattern, fit, is_laid_out
from .segments import lead

NOWHERE = -1
"""In the place of the number of a call that is predicted: none is."""


class Prediction(Predicting):
    """A tape that is compared with a pattern call by call.

    Attributes:
        pattern: the pattern.
        match: the tape, with the external tensors and the results so far.
        position: the number of calls so far.
        expected: the number of the call that has been compared, but has not run natively; or NOWHERE.
    """

    pattern: Pattern
    match: Match
    position: int
    expected: int

    __slots__ = ("expected", "match", "pattern", "position")

    def __init__(self, pattern: Pattern, tape: Tape) -> None:
        self.pattern = pattern
        self.match = Match(tape, len(pattern.guards))
        self.position = 0
        self.expected = NOWHERE

    def run(self, op: Any, args: tuple[Any, ...]) -> Any:
        """Run a call natively if it is the predicted one; return its result, or None: the call then runs as usual."""
        if not self.compares(op, args):
            return None
        pattern: Pattern = self.pattern
        at: int = self.position
        if not pattern.native[at]:
            return None
        plan: Any = pattern.tails[at]
        if plan is not None and dispatch.saves_tail(plan, args):
            return None
        values: list[Any] = pattern.values
        place: int = len(pattern.guards) + at
        result: Tensor = None
        if is_free(pattern.cached[at], values[place]):
            result = pattern.cached[at]
        array: Any = pattern.run_call(pattern.calls, values, at, None if result is None else result._array_)
        if array is NotImplemented:
            return None
        if result is not None and array is result._array_:
            lead(result._edge_, self.match.tape, 0, (None, None))
            result._storage_.serial = next_serial()
        else:
            result = wrap_flagged(array, flags.REQUIRES_GRAD)
            result._edge_ = new_edge(self.match.tape, 0, None, None)
            pattern.cached[at] = result
        self.advance(result)
        return result

    def compares(self, op: Any, args: tuple[Any, ...]) -> bool:
        """Return whether a call is the predicted one; note the arrays of its external tensors."""
        pattern: Pattern = self.pattern
        at: int = self.position
        self.expected = NOWHERE
        if at >= len(pattern.ops) or pattern.ops[at] is not op:
            return False
        places: tuple[int, ...] = pattern.places[at]
        if not fit(pattern, self.match, places, pattern.constants[at], args):
            return False
        self.expected = at
        put_arrays(self.match, pattern, places, pattern.constants[at])
        return True

    def takes(self, op: Any, args: tuple[Any, ...], result: Any) -> bool:
        """Take a call that has run as usual; return False if it is not the predicted one."""
        pattern: Pattern = self.pattern
        at: int = self.position
        if self.expected != at and not self.compares(op, args):
            return False
        if isinstance(result, tuple) or not is_laid_out(result, pattern.layouts[at]):
            return False
        tensor: Tensor = result
        tensor._edge_ = new_edge(self.match.tape, 0, None, None)
        tensor._flags_ |= flags.REQUIRES_GRAD
        pattern.values[len(pattern.guards) + at] = tensor._array_
        pattern.cached[at] = None
        self.advance(tensor)
        return True

    def advance(self, result: Tensor) -> None:
        """Note the result of a call."""
        self.match.results.append(result)
        self.position += 1
        self.expected = NOWHERE

    def end(self) -> None:
        """Write the calls so far to the tape, and end the comparison."""
        held: Prediction = self  # the tape gives up its reference below
        pattern: Pattern = held.pattern
        tape: Tape = held.match.tape
        results: list[Any] = held.match.results
        calls: list[Any] = []
        tensor: Tensor
        for at in range(held.position):
            tensor = results[at]
            args: Any = arguments(held.match, pattern.places[at], pattern.constants[at])
            calls += [pattern.ops[at], args, tensor, tensor._edge_]
        held.leave()
        tape.calls = calls

    def leave(self) -> None:
        """End the comparison."""
        pattern: Pattern = self.pattern
        self.match.tape.predicting = None
        pattern.cached[pattern.root] = None  # its edge will lead to the graph
        values: list[Any] = pattern.values
        for at in range(len(pattern.guards)):
            values[at] = None
        for at in range(len(pattern.ops)):
            if pattern.cached[at] is None:
                values[len(pattern.guards) + at] = None
        pattern.is_busy = False


def put_arrays(match: Match, pattern: Pattern, places: tuple[int, ...], constants: tuple[Any, ...]) -> None:
    """Put the arrays of the external tensors among arguments, also in sequences, to their places."""
    tensor: Tensor
    place: int
    for at in range(len(places)):
        place = places[at]
        if place >= 0:
            tensor = match.externals[place]
            pattern.values[place] = tensor._array_
        elif place == matching.NESTED:
            put_arrays(match, pattern, constants[at][0], constants[at][1])


def predict(tape: Tape, pattern: Pattern | None) -> None:
    """Compare the calls that will be written to a tape with a pattern, if it can be."""
    if pattern is None or pattern.cached is None or pattern.is_busy:
        return
    pattern.is_busy = True
    tape.predicting = Prediction(pattern, tape)


def arguments(match: Match, places: tuple[int, ...], constants: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the arguments of a call."""
    values: list[Any] = []
    place: int
    for at in range(len(places)):
        place = places[at]
        if place >= 0:
            values.append(match.externals[place])
        elif place <= matching.FIRST:
            values.append(match.results[matching.FIRST - place])
        elif place == matching.NESTED:
            inner: Any = arguments(match, constants[at][0], constants[at][1])
            values.append(inner if constants[at][2] is tuple else constants[at][2](inner))
        else:
            values.append(constants[at])
    return tuple(values)


def is_free(tensor: Tensor | None, value: Any) -> bool:
    """Return whether nothing but a pattern refers to a tensor and its memory, so that it can be a new result.

    Args:
        value: the array at its place among the values of the pattern.
    """
    if tensor is None or value is not tensor._array_:
        return False
    storage: Storage = tensor._storage_
    edge: Edge = tensor._edge_
    if door.references(tensor) != HOLD_TENSOR or door.references(storage) != HOLD_STORAGE:
        return False
    if door.references(edge) != HOLD_EDGE or door.references(value) != HOLD_ARRAY or storage.array is not value:
        return False
    if tensor._flags_ != flags.REQUIRES_GRAD or tensor._meta_ is not None:
        return False
    if storage.version or storage.detached or storage.writes is not None or storage.counting is not None:
        return False
    return direct.is_bare(tensor) and direct.is_bare(storage) and direct.is_bare(value)


def references_of_a_free_one() -> tuple[int, int, int, int]:
    """Return the numbers of references that `is_free` sees to a tensor, its storage, its edge and its array."""
    cached: list[Any] = [wrap_flagged(np.zeros(1), flags.REQUIRES_GRAD)]
    own: Tensor = cached[0]
    own._edge_ = new_edge(None, 0, None, None)
    values: list[Any] = [own._array_]
    del own
    return counted(cached[0], values[0])


def counted(tensor: Tensor | None, value: Any) -> tuple[int, int, int, int]:
    """Return the numbers of references to a tensor, its storage, its edge, and its array."""
    assert tensor is not None
    storage: Storage = tensor._storage_
    edge: Edge = tensor._edge_
    return door.references(tensor), door.references(storage), door.references(edge), door.references(value)


HOLD_TENSOR, HOLD_STORAGE, HOLD_EDGE, HOLD_ARRAY = references_of_a_free_one()
