"""`solve_ivp` through recorded steps: outputs, events and dense output as differentiable functions."""

from __future__ import annotations

import bisect
from collections.abc import Callable
from typing import Any

import numpy as np

from .._tensor import Tensor
from ..autograd.grad_mode import no_grad
from ..ops.create.interchange import from_numpy
from ..ops.shapes.join import cat, stack
from .implicit import implicit
from .runge_kutta import Field, Integrator, Step, plain

MESSAGES = {
    0: "The solver successfully reached the end of the integration interval.",
    1: "A termination event occurred.",
    -1: "Required step size is less than spacing between numbers.",
}
Watch = Callable[[Any, Tensor], Tensor]
"""An event as a function of the time and the flat state, which returns a vector of one element."""


class Watched:
    """An event with its occurrences.

    Attributes:
        watch: its function; the event occurs where this crosses zero.
        limit: the number of times after which the integration ends; 0 for none.
        direction: positive for events where the function increases, negative where it decreases, 0 for all.
        value: the value at the last step.
        times, states: times and states of its occurrences.
    """

    def __init__(self, caller: str, event: Any, watch: Watch) -> None:
        self.caller, self.watch = caller, watch
        terminal = getattr(event, "terminal", None)
        self.limit = 0 if not terminal else int(terminal)
        self.direction = getattr(event, "direction", 0)
        self.value = 0.0
        self.times: list[Tensor] = []
        self.states: list[Tensor] = []

    def number(self, t: Any, y: Tensor) -> float:
        """Return the value of the function."""
        with no_grad():
            return float(self.watch(t, y)._array_[0])

    def has_crossed(self, value: float) -> bool:
        """Return whether the event occurred between the last value and this one; store this one as the last."""
        before, self.value = self.value, value
        up, down = before <= 0 <= value, before >= 0 >= value
        return bool((up and self.direction >= 0) or (down and self.direction <= 0)) and (before != 0 or value != 0)

    def when(self, brentq: Any, state: Callable[[Any], Tensor], low: float, high: float) -> Tensor:
        """Return the time of the event between two times, differentiable as the state and the event are."""
        with no_grad():
            now = brentq(lambda t: self.number(t, state(t)), low, high, xtol=4e-16 * max(abs(high), 1e-300), rtol=9e-16)
        watch = self.watch  # not `self`, which will hold the result
        equation = lambda t: watch(t[0], state(t[0]))  # noqa: E731
        return implicit(self.caller, "derivative of the event with respect to time", equation, [now])[0]

    def note(self, t: Tensor, y: Tensor) -> bool:
        """Note an occurrence; return whether it ends the integration."""
        self.times.append(t)
        self.states.append(y)
        return self.limit > 0 and len(self.times) >= self.limit


class Trajectory:
    """A solution with the requested outputs.

    Attributes:
        times, states: of the output; states are flat, of shape (n,).
        steps: all steps, if dense output was requested.
        status: 0 at the end of the interval, 1 if an event ended it, -1 if the steps became too small.
    """

    def __init__(self, integrator: Integrator, t_eval: Any, watched: list[Watched], dense: bool, brentq: Any) -> None:
        self.times: list[Any] = []
        self.states: list[Tensor] = []
        self.steps: list[Step] = []
        self.watched, self.brentq, self.dense = watched, brentq, dense
        self.status = 0
        self.wanted: list[Any] | None = None if t_eval is None else list(t_eval)
        self.direction = integrator.direction
        for event in watched:
            event.value = event.number(integrator.start, integrator.y)
        self.begin(integrator)
        for step in integrator.steps():
            end = self.events(step)
            self.output(step, end)
            if dense:
                self.steps.append(step)
            if end is not None:
                self.status = 1
                break
        if integrator.failed:
            self.status = -1

    def begin(self, integrator: Integrator) -> None:
        """Output the initial state, if requested."""
        if self.wanted is None:
            self.times.append(integrator.t0)
            self.states.append(integrator.y)
        while self.wanted and plain(self.wanted[0]) == integrator.start:
            wanted = self.wanted.pop(0)
            self.times.append(wanted)
            moved = wanted - integrator.t0  # zero, but not in derivatives
            if isinstance(moved, Tensor):
                self.states.append(integrator.y + moved * integrator.field(integrator.t0, integrator.y))
            else:
                self.states.append(integrator.y)

    def events(self, step: Step) -> Any:
        """Find the events in a step; return the time at which one ends the integration, or None."""
        low, high = plain(step.t), plain(step.end)
        crossed = [event for event in self.watched if event.has_crossed(event.number(high, step.new))]
        crossings = [(event.when(self.brentq, step.at, low, high), event) for event in crossed]
        for t, event in sorted(crossings, key=lambda pair: self.direction * plain(pair[0])):
            if event.note(t, step.at(t)):
                return t
        return None

    def output(self, step: Step, end: Any) -> None:
        """Output the states within a step, up to its end or the end of the integration."""
        last = step.end if end is None else end
        if self.wanted is None:
            self.times.append(last)
            self.states.append(step.new if end is None else step.at(end))
            return
        count = 0
        while count < len(self.wanted) and self.direction * (plain(self.wanted[count]) - plain(last)) <= 0:
            count += 1
        inside, self.wanted = self.wanted[:count], self.wanted[count:]
        if not inside:
            return
        self.times += inside
        if not any(isinstance(t, Tensor) for t in inside):
            self.states += step.at(np.array(inside)).unbind(1) if not is_end(inside, step) else [step.new]
        else:
            self.states += [step.at(t) for t in inside]


def is_end(inside: list[Any], step: Step) -> bool:
    """Return whether the only output time is the end of the step."""
    return len(inside) == 1 and inside[0] == plain(step.end) and not isinstance(step.end, Tensor)


class Dense:
    """The solution between the steps.

    Attributes:
        ts: the ends of the steps.
        t_min, t_max: the ends of the interval.
    """

    def __init__(self, steps: list[Step], start: float, end: Any, y: Tensor) -> None:
        self.steps, self.y = steps, y
        self.ts = np.array([start, *(plain(step.end) for step in steps)])
        self.t_min, self.t_max = float(self.ts.min()), float(self.ts.max())
        self.increasing = len(steps) == 0 or self.ts[-1] >= self.ts[0]

    def __call__(self, t: Any) -> Tensor:
        """Return the flat state at a time, of shape (n,), or at a vector of m times, of shape (n, m)."""
        times = t.unbind(0) if isinstance(t, Tensor) and t.ndim else [t] if np.ndim(t) == 0 else list(t)
        states = [self.at(time) for time in times]
        scalar = t.ndim == 0 if isinstance(t, Tensor) else np.ndim(t) == 0
        result: Tensor = states[0] if scalar else stack(states, 1)
        return result

    def at(self, t: Any) -> Tensor:
        """Return the state at one time; outside of the interval, extrapolate the nearest step."""
        if not self.steps:
            return self.y
        ts = self.ts if self.increasing else -self.ts
        place = bisect.bisect_left(ts.tolist(), plain(t) if self.increasing else -plain(t))
        return self.steps[min(max(place - 1, 0), len(self.steps) - 1)].at(t)


def as_times(times: list[Any]) -> Any:
    """Return times as an array; as a tensor if one of them is a tensor with a history or a tangent."""
    if not any(isinstance(t, Tensor) for t in times):
        return np.array(times, np.float64)
    return stack([t if isinstance(t, Tensor) else from_numpy(np.array(t, np.float64)) for t in times])


def columns(states: list[Tensor], like: Tensor) -> Tensor:
    """Return states as the columns of one tensor of shape (n, m)."""
    result: Tensor = stack(states, 1) if states else cat([like.new_zeros(like.numel(), 0)], 1)
    return result


def field_of(run: Callable[..., list[Tensor]], elements: Callable[[Tensor], list[Any]]) -> Field:
    """Return the derivative of the flat state.

    Args:
        run: the user's function of the elements of the state and the arguments before it.
        elements: the elements of a flat state.
    """

    def field(t: Any, y: Tensor) -> Tensor:
        outputs = [output.reshape(-1).double() for output in run(elements(y), (t,))]
        result: Tensor = outputs[0] if len(outputs) == 1 else cat(outputs)
        return result

    return field
