"""Steps of optimisers as calls of one function of arrays for each group of parameters, without Python code.

A replay calls `optimizer.step()` as it is. Where the optimiser describes its step as a `PlannedStep`, that is run
instead: it reads the options, the counts and the state anew in each run, as the method does, and runs only if nothing
that the method's choices depend on has changed.
"""

from __future__ import annotations

from typing import Any

from .. import door, flags
from ..state.modes import Modes, current
from ..tensor.base import Tensor
from ..writes.tensor_lists import arrays_of, counted, entries, with_gradients, written

REFUSED = flags.SPARSE | flags.OBSERVED
"""Flags of parameters and gradients whose steps are other calls."""
MOST_FAILURES = 16
"""Number of steps in a row that were not as planned, after which no more are planned."""
EXACT = 2**53
"""Integers below it are numbers of double precision."""


class GroupStep:
    """The step of one group.

    Its function is called with lists of the arrays of parameters, gradients, and columns of the state, the counts of
    steps (if any), the numbers, and the last arguments.

    Attributes:
        function: the function, which writes to the parameters and to the state.
        group: the group.
        params: its list of parameters.
        facts: (name, value) of the options that must be the same objects.
        numbers: (name, place) of the options that are numbers, read in each step; `place` in a tuple, or -1.
        signs: (number, whether it is not zero) of the numbers that the function's arguments depend on.
        columns: for each column of the state the name of its entries; "" if there are none.
        count: the name of the entries that count steps, or "".
        last: the last arguments.
        shrink: the function that first multiplies each parameter by 1 - rate * decay, the first and the last of the
            numbers, for which the decay is then 0; or None.
    """

    function: Any
    group: dict[str, Any]
    params: list[Any]
    facts: tuple[Any, ...]
    numbers: tuple[Any, ...]
    signs: tuple[Any, ...]
    columns: tuple[Any, ...]
    count: str
    last: tuple[Any, ...]
    shrink: Any

    __slots__ = ("columns", "count", "facts", "function", "group", "last", "numbers", "params", "shrink", "signs")

    def __init__(
        self,
        function: Any,
        group: dict[str, Any],
        facts: tuple[str, ...],
        numbers: tuple[Any, ...],
        columns: tuple[str, ...],
        last: tuple[Any, ...],
    ) -> None:
        self.function = function
        self.group = group
        self.params = group["params"]
        self.facts = tuple([(name, group.get(name)) for name in facts])
        self.numbers = numbers
        self.columns = columns
        self.last = last
        self.signs = ()
        self.count = ""
        self.shrink = None


class PlannedStep:
    """The step of an optimiser.

    Attributes:
        owner: the attributes of the optimiser.
        attributes: their number.
        watched: (name, value) of the attributes that must be the same objects.
        empty: dictionaries that must be empty, those of hooks.
        defaults: the default options, of which "differentiable" must not be true.
        states: the state of each parameter.
        groups: the list of groups.
        steps: a `GroupStep` for each group.
    """

    owner: dict[str, Any]
    attributes: int
    watched: tuple[Any, ...]
    empty: tuple[Any, ...]
    defaults: dict[str, Any]
    states: Any
    groups: list[Any]
    steps: list[Any]

    __slots__ = ("attributes", "defaults", "empty", "groups", "owner", "states", "steps", "watched")

    def __init__(
        self, optimizer: Any, watched: tuple[str, ...], empty: tuple[Any, ...], steps: list[GroupStep]
    ) -> None:
        self.owner = optimizer.__dict__
        self.attributes = len(self.owner)
        self.watched = tuple([(name, self.owner[name]) for name in watched])
        self.empty = empty
        self.defaults = optimizer.defaults
        self.states = optimizer.state
        self.groups = optimizer.param_groups
        self.steps = steps


class Island:
    """A function of Python that each replay calls, the step of an optimiser.

    Attributes:
        function, args, kwargs: the call.
        planned: the step as planned after the last call, or None.
        failures: the number of latest calls that were not as planned.
    """

    function: Any
    args: Any
    kwargs: Any
    planned: Any
    failures: int

    __slots__ = ("args", "failures", "function", "kwargs", "planned")

    def __init__(self, function: Any, args: Any, kwargs: Any) -> None:
        self.function = function
        self.args = args
        self.kwargs = kwargs
        self.planned = None
        self.failures = 0


def visit(island: Island) -> None:
    """Run an island."""
    if island.planned is not None and take(island.planned):
        island.failures = 0
        return
    island.function(*island.args, **island.kwargs)
    if island.failures < MOST_FAILURES:
        island.failures += 1
        island.planned = plan_of(island.args[0])


def plan_of(optimizer: Any) -> Any:
    """Return the planned step of an optimiser, or None."""
    plan: Any = getattr(optimizer, "_planned_step", None)
    return None if plan is None else plan()


def take(step: PlannedStep) -> bool:
    """Take a step if it is as planned; return whether it was."""
    owner: dict[str, Any] = step.owner
    groups: list[Any] = step.groups
    part: GroupStep
    if len(owner) != step.attributes:
        return False
    for name, value in step.watched:
        if owner.get(name) is not value:
            return False
    for hooks in step.empty:
        if hooks:
            return False
    if len(groups) != len(step.steps) or step.defaults.get("differentiable"):
        return False
    parts: list[Any] = []
    for at in range(len(groups)):
        part = step.steps[at]
        if groups[at] is not part.group:
            return False
        arguments: Any = arguments_of(part, step.states)
        if arguments is None:
            return False
        parts.append(arguments)
    modes: Modes = current()
    for at in range(len(groups)):
        if parts[at]:
            take_group(step.steps[at], parts[at], modes)
    return True


def arguments_of(part: GroupStep, states: Any) -> Any:
    """Return the parameters, the gradients, the columns, the counts and the numbers of a group.

    Returns:
        An empty tuple if no parameter has a gradient; None if something is not as planned.
    """
    group: dict[str, Any] = part.group
    if group.get("params") is not part.params:
        return None
    for name, value in part.facts:
        if group.get(name) is not value:
            return None
    numbers: list[Any] = numbers_of(part, group)
    if numbers is None:
        return None
    pair: Any = with_gradients(part.params, REFUSED)
    if pair is None:
        return None
    params: list[Any] = pair[0]
    if not params:
        return ()
    if have_complex(params) or have_complex(pair[1]):
        return None
    names: list[Any] = [name for name in part.columns if name]
    if part.count:
        names.append(part.count)
    known: Any = entries(states, params, tuple(names)) if names else []
    if known is None:
        return None
    return params, pair[1], known, numbers


def numbers_of(part: GroupStep, group: dict[str, Any]) -> Any:
    """Return the numbers of a step; None if one is of another type, or is zero where it had not been."""
    numbers: list[Any] = []
    place: int
    for name, place in part.numbers:
        value: Any = group.get(name)
        if place >= 0:
            if type(value) is not tuple or len(value) <= place:
                return None
            value = value[place]
        kind: Any = type(value)
        if kind is not float and (kind is not int or not -EXACT < value < EXACT):
            return None
        numbers.append(float(value))
    for place, known in part.signs:
        if (numbers[place] != 0) is not known:
            return None
    return numbers


def have_complex(tensors: list[Any]) -> bool:
    """Return whether a tensor of a list has complex values, or has none in memory."""
    tensor: Tensor
    for tensor in tensors:
        array: Any = tensor._array_
        if not door.is_ndarray(array) or door.is_complex(array):
            return True
    return False


def take_group(part: GroupStep, arguments: tuple[Any, ...], modes: Modes) -> None:
    """Take the step of a group."""
    params: list[Any] = arguments[0]
    columns: list[Any] = list(arguments[2])
    numbers: list[Any] = arguments[3]
    counts: Any = None
    if part.count:
        counts = counted(columns[len(columns) - 1])
    arrays: list[Any] = arrays_of(params)
    if part.shrink is not None and numbers[len(numbers) - 1] != 0:
        part.shrink(arrays, 1 - numbers[0] * numbers[len(numbers) - 1])
        numbers[len(numbers) - 1] = 0.0
    passed: list[Any] = [arrays, arrays_of(arguments[1])]
    at: int = 0
    for name in part.columns:
        if name:
            passed.append(arrays_of(columns[at]))
            at += 1
        else:
            passed.append([None] * len(params))
    if counts is not None:
        passed.append(counts)
    passed += numbers
    passed += part.last
    modes.quietly(part.function, passed)
    written([params, *columns], "an optimiser's step")
