"""Calls that a pattern predicts: they run natively, in the tensors that the last round of the function has left.

A tape of a followed function is compared with a pattern call by call, before each call runs. As long as all are those
of the pattern, native functions are called without dispatch, and each result is the tensor of the same call in the last
round, with its memory, if nothing else refers to it. The first other call ends that: the tape then has its calls as
usual. There are predictions in the compiled build only.
"""

from __future__ import annotations

from typing import Any

from .. import flags
from ..aliasing import views
from ..calls import dispatch
from ..graph.node import Edge, new_edge
from ..tensor.base import Tensor, wrap_flagged
from ..tensor.storage import Storage, next_serial
from ..tensor.tapes import Predicting, Tape
from . import direct, matching
from .kept import is_same_view, origin_of, renew_view
from .matching import ExpectedCall, Match, Pattern, are_laid_out, fit, new_match


class Prediction(Predicting):
    """A tape that is compared with a pattern call by call.

    Attributes:
        pattern: the pattern.
        match: the tape, with the external tensors and the results so far.
        position: the number of calls so far.
        upcoming: the next call of the pattern, or None.
        is_compared: the call that runs is the next one.
    """

    pattern: Pattern
    match: Match
    position: int
    upcoming: Any
    is_compared: bool

    __slots__ = ("is_compared", "match", "pattern", "position", "upcoming")

    def run(self, op: Any, args: tuple[Any, ...]) -> Any:
        """Run a call natively if it is the predicted one; return its result, or None: the call then runs as usual."""
        tape: Tape = self.match.tape
        if tape.changer is not None:
            return None
        try:
            tape.changer = tape.modes
            return self.run_compared(op, args, tape)
        finally:
            tape.changer = None

    def run_compared(self, op: Any, args: tuple[Any, ...], tape: Tape) -> Any:
        """Run `run` while the tape is marked."""
        if not self.compares(op, args):
            return None
        expected: ExpectedCall = self.upcoming
        if expected.is_native:
            if expected.tail is not None and dispatch.saves_tail(expected.tail, args):
                return None
            return self.result_of(expected, tape)
        if expected.taken is not None:
            return self.take_view(expected, args[0])
        return None

    def run2(self, op: Any, first: Any, second: Any) -> Any:
        """Run a call with two arguments and defaults if it is the predicted one, see `run`."""
        returned: Any = direct.run_two(self, op, first, second, next_serial())
        if returned is None or isinstance(returned, Tensor):
            return returned
        tape: Tape = self.match.tape
        try:
            tape.changer = tape.modes
            return self.take_array(self.upcoming, tape, None if returned is ... else returned)
        finally:
            tape.changer = None

    def result_of(self, expected: ExpectedCall, tape: Tape) -> Any:
        """Run the predicted call by its native function, in the tensor of the last round if that is free."""
        returned: Any = direct.repeat(self, expected, next_serial())
        return returned if isinstance(returned, Tensor) else self.take_array(expected, tape, returned)

    def take_array(self, expected: ExpectedCall, tape: Tape, returned: Any) -> Any:
        """Return a new tensor for the result of the predicted call, or None if the call could not run.

        Args:
            expected: the call.
            tape: the tape.
            returned: what the call returned; None if it has not run.
        """
        pattern: Pattern = self.pattern
        if returned is None:
            returned = direct.run_call(pattern.handle, pattern.values, self.position, None)
        if returned is NotImplemented or tape.predicting is not self:  # a finaliser has ended the prediction
            return None
        number: int = expected.number
        result: Tensor = wrap_flagged(returned, flags.REQUIRES_GRAD)
        result._edge_ = new_edge(tape, 0, None, None)
        pattern.cached[number] = result if expected.is_kept else None
        self.match.results[number] = result
        self.advance()
        return result

    def take_view(self, expected: ExpectedCall, source: Tensor) -> Any:
        """Return the view of the last round, if taking it again would return the same; otherwise None."""
        pattern: Pattern = self.pattern
        cached: list[Any] = pattern.cached
        value: Any = pattern.values[expected.register]
        if not is_same_view(cached[expected.number], value, source, expected.taken, expected.layout):
            return None
        view: Tensor = cached[expected.number]
        renew_view(view)
        attach(view._edge_, self.match.tape)
        self.match.results[expected.number] = view
        self.advance()
        return view

    def compares(self, op: Any, args: tuple[Any, ...]) -> bool:
        """Return whether a call is the predicted one; note the arrays of its external tensors."""
        expected: ExpectedCall = self.upcoming
        self.is_compared = False
        if expected is None or expected.op is not op:
            return False
        match: Match = self.match
        if direct.first_unlike(expected.numbers, expected.constants, args, match.externals, match.results) >= 0:
            if not fit(self.pattern, match, expected.places, expected.constants, args):
                return False
        pattern: Pattern = self.pattern
        self.is_compared = direct.puts_arrays(expected.outside, match.externals, pattern.words, pattern.values)
        return self.is_compared

    def takes(self, op: Any, args: tuple[Any, ...], result: Any) -> bool:
        """Take a call that has run as usual, while the tape is marked; return False if it was not the predicted one."""
        if not self.is_compared and not self.compares(op, args):
            return False
        expected: ExpectedCall = self.upcoming
        if not are_laid_out(result, expected.layout):
            return False
        self.take_all(expected, args, result)
        return True

    def take_all(self, expected: ExpectedCall, args: tuple[Any, ...], result: Any) -> None:
        """Take the result, or each of several, of a call that has run as usual."""
        if not isinstance(result, tuple):
            self.take(result, expected.number, 0, True)
            if expected.is_kept:
                self.keep_view(expected, result, args)
        else:
            differentiable: Any = expected.op.differentiable
            for nr in range(len(result)):
                self.take(result[nr], expected.number + nr, nr, len(differentiable) == 0 or differentiable[nr])
        self.advance()

    def keep_view(self, expected: ExpectedCall, result: Any, args: tuple[Any, ...]) -> None:
        """Keep a view for the next round, if it can be."""
        expected.taken = origin_of(result, args, views.SINGLE, 0) if expected.op.view else None
        if expected.taken is not None:
            self.pattern.cached[expected.number] = result

    def take(self, result: Tensor, number: int, nr: int, recorded: bool) -> None:
        """Take a result of a call that has run as usual.

        Args:
            number: its number among the results of all calls.
            nr: its number among those of the call.
        """
        if recorded:
            result._edge_ = new_edge(self.match.tape, nr, None, None)
            result._flags_ |= flags.REQUIRES_GRAD
        self.pattern.values[len(self.pattern.guards) + number] = result._array_
        self.pattern.cached[number] = None
        self.match.results[number] = result

    def advance(self) -> None:
        """Go on to the next call."""
        expected: ExpectedCall = self.upcoming
        self.position += 1
        self.is_compared = False
        self.upcoming = expected.following

    def uses(self, storage: Storage) -> bool:
        """Return whether one of the calls so far has a tensor on a storage."""
        tensor: Tensor
        for tensor in self.match.externals:
            if tensor is not None and tensor._storage_ is storage:
                return True
        for tensor in self.match.results:
            if tensor is not None and tensor._storage_ is storage:
                return True
        return False

    def end(self) -> None:
        """Write the calls so far to the tape, and end the comparison."""
        held: Prediction = self  # the tape gives up its reference below
        pattern: Pattern = held.pattern
        tape: Tape = held.match.tape
        calls: list[Any] = []
        expected: ExpectedCall
        for expected in pattern.expected[: held.position]:
            args: Any = arguments(held.match, expected.places, expected.constants)
            calls += [expected.op, args, *results_of(expected, held.match)]
        count: int = len(pattern.ends) if held.upcoming is None else held.upcoming.number
        for at in range(count):
            pattern.cached[at] = None  # they are results of ordinary calls now
        held.leave()
        tape.calls = calls

    def leave(self) -> None:
        """End the comparison."""
        pattern: Pattern = self.pattern
        self.match.tape.predicting = None
        values: list[Any] = pattern.values
        for at in range(len(pattern.guards)):
            values[at] = None
        for at in range(len(pattern.cached)):
            if pattern.cached[at] is None:
                values[len(pattern.guards) + at] = None
        pattern.is_busy = False

    def release(self, number: int) -> None:
        """Keep a result no longer."""
        pattern: Pattern = self.pattern
        pattern.cached[number] = None
        pattern.values[len(pattern.guards) + number] = None


def results_of(expected: ExpectedCall, match: Match) -> tuple[Any, Any]:
    """Return the result of a call and its edge, or tuples of several, as they stand on a tape."""
    tensor: Tensor
    if not expected.op.several:
        tensor = match.results[expected.number]
        return tensor, tensor._edge_
    results: list[Any] = match.results[expected.number : expected.number + len(expected.layout)]
    edges: list[Any] = []
    for tensor in results:
        edges.append(tensor._edge_)
    return tuple(results), tuple(edges)


def attach(edge: Edge, tape: Tape) -> None:
    """Let the edge of a kept result lead to a tape."""
    edge.node = tape
    if edge.nr != 0 or edge.shape is not None or edge.dtype is not None:
        edge.nr = 0
        edge.shape = edge.dtype = None


def new_prediction(pattern: Pattern, tape: Tape) -> Prediction:
    """Return the comparison of an empty tape with a pattern."""
    prediction: Prediction = Prediction.__new__(Prediction)
    prediction.pattern = pattern
    prediction.match = new_match(tape, len(pattern.guards))
    prediction.match.results = [None] * len(pattern.ends)
    prediction.position = 0
    prediction.upcoming = pattern.first
    prediction.is_compared = False
    return prediction


def handle_of(calls: Any) -> bytes:
    """Return what runs one of several native calls, see `direct.handle_of`."""
    return direct.handle_of(calls)


def predict(tape: Tape, pattern: Pattern | None) -> None:
    """Compare the calls that will be written to a tape with a pattern, if it can be."""
    if pattern is None or pattern.cached is None or pattern.is_busy:
        return
    pattern.is_busy = True
    tape.predicting = new_prediction(pattern, tape)


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
