"""Steps of optimisers as calls of one function of arrays for each group of parameters, without Python code.

A replay calls `optimizer.step()` as it is. Where the optimiser describes its step as a `PlannedStep`, that is run
instead: it reads rates, betas, counts and gradients anew in each run, and runs only if nothing else that the method
reads has changed.
"""

from __future__ import annotations

from typing import Any

from .. import door, flags
from ..state.modes import Modes, current
from ..tensor.base import Tensor
from ..tensor.storage import count
from ..writes.tensor_lists import arrays_of, entries, with_gradients
from . import direct

REFUSED = flags.SPARSE | flags.OBSERVED
"""Flags of parameters and gradients whose steps are other calls."""
MOST_FAILURES = 16
"""Number of steps in a row that were not as planned, after which no more are planned."""
EXACT = 2**53
"""Integers below it are numbers of double precision."""


CELL = object()
"""In the place of an option that each step reads."""


class GroupStep:
    """The step of one group.

    Its function is called with lists of the arrays of parameters, gradients, and columns of the state, the counts of
    steps (if any), the numbers, and the last arguments. `fill` looks up the tensors; the step is as planned as long as
    they are the same ones, with the same arrays, and the same parameters have a gradient.

    Attributes:
        function: the function, which writes to the parameters and to the state.
        group: the group.
        names, values: the names of its options, and the options; CELL for those that are read in each step.
        params: its list of parameters.
        numbers: (name, place) of the options that are numbers, read in each step; `place` in a tuple, or -1.
        signs: (number, whether it is not zero) of the numbers that the function's arguments depend on.
        columns: for each column of the state the name of its entries; "" if there are none.
        count: the name of the entries that count steps, or "".
        last: the last arguments.
        shrink: the function that first multiplies each parameter by 1 - rate * decay, the first and the last of the
            numbers, for which the decay is then 0; or None.
        known: the parameters.
        tensors, arrays: what is written to, the parameters that have a gradient first, with their arrays.
        lists: the lists of arrays of these parameters and of the columns; of None for a column that there is none of.
        counts: the arrays that count steps.
        chosen: for each parameter the place among those that have a gradient, or -1.
    """

    function: Any
    group: dict[str, Any]
    names: tuple[Any, ...]
    values: tuple[Any, ...]
    params: list[Any]
    numbers: tuple[Any, ...]
    signs: tuple[Any, ...]
    columns: tuple[Any, ...]
    count: str
    last: tuple[Any, ...]
    shrink: Any
    known: list[Any]
    tensors: list[Any]
    arrays: list[Any]
    lists: list[Any]
    counts: list[Any]
    chosen: tuple[int, ...]

    __slots__ = (
        "arrays",
        "chosen",
        "columns",
        "count",
        "counts",
        "function",
        "group",
        "known",
        "last",
        "lists",
        "names",
        "numbers",
        "params",
        "shrink",
        "signs",
        "tensors",
        "values",
    )

    def __init__(
        self,
        function: Any,
        group: dict[str, Any],
        numbers: tuple[Any, ...],
        columns: tuple[str, ...],
        last: tuple[Any, ...],
    ) -> None:
        self.function = function
        self.group = group
        self.names = tuple(group)
        cells = {name for name, _ in numbers}
        self.values = tuple([CELL if name in cells else value for name, value in group.items()])
        self.params = group["params"]
        self.numbers = numbers
        self.columns = columns
        self.last = last
        self.signs = ()
        self.count = ""
        self.shrink = None
        self.known = self.tensors = self.arrays = self.lists = self.counts = []
        self.chosen = ()

    def fill(self, states: Any) -> bool:
        """Look up the tensors; return whether the next step can be taken with them.

        Args:
            states: the state of each parameter.
        """
        pair = with_gradients(self.params, REFUSED)
        if pair is None:
            return False
        params = pair[0]
        places = {id(param): at for at, param in enumerate(params)}
        self.known = list(self.params)
        self.chosen = tuple([places.get(id(param), -1) for param in self.params])
        names = [name for name in (*self.columns, self.count) if name]
        columns = entries(states, params, tuple(names)) if names else []
        if columns is None or len(places) != len(params):
            return False
        self.tensors = [tensor for column in (params, *columns) for tensor in column]
        self.arrays = arrays_of(self.tensors)
        if any(not door.is_ndarray(array) or door.is_complex(array) for array in self.arrays):
            return False
        by_name = dict(zip(names, columns))
        self.counts = arrays_of(by_name.get(self.count, []))
        none = [None] * len(params)
        self.lists = [arrays_of(params), *[arrays_of(by_name[name]) if name else none for name in self.columns]]
        return True


class PlannedStep:
    """The step of an optimiser.

    Attributes:
        owner: the attributes of the optimiser.
        attributes: their number.
        watched: (name, value) of the attributes that must be the same objects.
        empty: dictionaries that must be empty, those of hooks.
        defaults: the default options, of which "differentiable" must not be true.
        groups: the list of groups.
        steps: a `GroupStep` for each group.
        mappings: (dictionary, keys, values) of the states of all parameters and of each of them, whose items must be
            the same objects.
    """

    owner: dict[str, Any]
    attributes: int
    watched: tuple[Any, ...]
    empty: tuple[Any, ...]
    defaults: dict[str, Any]
    groups: list[Any]
    steps: list[Any]
    mappings: list[Any]

    __slots__ = ("attributes", "defaults", "empty", "groups", "mappings", "owner", "steps", "watched")

    def __init__(
        self, optimizer: Any, watched: tuple[str, ...], empty: tuple[Any, ...], steps: list[GroupStep]
    ) -> None:
        self.owner = optimizer.__dict__
        self.attributes = len(self.owner)
        self.watched = tuple([(name, self.owner[name]) for name in watched])
        self.empty = empty
        self.defaults = optimizer.defaults
        self.groups = optimizer.param_groups
        self.steps = steps
        states = optimizer.state
        self.mappings = [(own, tuple(own), tuple(own.values())) for own in (states, *states.values())]


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
    for mapping, keys, values in step.mappings:
        if not direct.has_items(mapping, keys, values, CELL):
            return False
    grads: list[Any] = []
    numbers: list[Any] = []
    for at in range(len(groups)):
        part = step.steps[at]
        if groups[at] is not part.group or not direct.has_items(part.group, part.names, part.values, CELL):
            return False
        grads.append(grads_of(part))
        numbers.append(numbers_of(part, part.group))
        if grads[at] is None or numbers[at] is None:
            return False
    modes: Modes = current()
    for at in range(len(groups)):
        if grads[at]:
            take_group(step.steps[at], grads[at], numbers[at], modes)
    return True


def grads_of(part: GroupStep) -> Any:
    """Return the arrays of the gradients of a group; None if a tensor is not as planned."""
    params: list[Any] = part.params
    known: list[Any] = part.known
    tensors: list[Any] = part.tensors
    arrays: list[Any] = part.arrays
    grads: list[Any] = []
    param: Tensor
    grad: Tensor
    place: int
    if len(params) != len(known):
        return None
    for at in range(len(params)):
        if params[at] is not known[at]:
            return None
        param = params[at]
        place = part.chosen[at]
        value: Any = None if param._meta_ is None else param._meta_.grad
        if value is None:
            if place >= 0:
                return None
            continue
        if place < 0 or not isinstance(value, Tensor):
            return None
        grad = value
        if (param._flags_ | grad._flags_) & REFUSED or not door.share_space(grad._array_, param._array_):
            return None
        grads.append(grad._array_)
    for at in range(len(tensors)):
        param = tensors[at]
        if param._array_ is not arrays[at]:
            return None
    return grads


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


def take_group(part: GroupStep, grads: list[Any], numbers: list[Any], modes: Modes) -> None:
    """Take the step of a group."""
    counts: Any = None
    tensor: Tensor
    last: int = len(numbers) - 1
    if part.count:
        counts = door.incremented(part.counts)
        if counts is None:
            for array in part.counts:
                array += 1
            counts = [int(array) for array in part.counts]
    if part.shrink is not None and numbers[last] != 0:
        part.shrink(part.lists[0], 1 - numbers[0] * numbers[last])
        numbers[last] = 0.0
    passed: list[Any] = list(part.lists)
    passed.insert(1, grads)
    if counts is not None:
        passed.append(counts)
    passed += numbers
    passed += part.last
    modes.quietly(part.function, passed)
    for tensor in part.tensors:
        count(tensor._storage_)
