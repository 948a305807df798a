"""Inline caches of followed functions: calls that nothing records run again as they ran in the last round.

A followed function has one cache. Each cached call knows the operator, the layouts of the operands, the constants and
the native function, and has the result of its last run, in which the next one returns its result if nothing else refers
to it. The calls are found by their order: behind each one stand those that came after it, at most `MOST_FOLLOWING`. A
call that is none of these runs as usual.
"""

from __future__ import annotations

from operator import is_
from typing import Any

from .. import door, flags
from ..aliasing import views
from ..operators.declaration import Declaration
from ..state.modes import Modes
from ..tensor.base import Tensor, wrap_flagged
from ..tensor.storage import next_serial
from ..tensor.tapes import Cache
from . import direct
from .kept import is_same_view, origin_of, renew_view
from .lists import layout_of
from .matching import in_32_bits, is_equal
from .native_calls import RETURNS, is_native
from .recorder import MOST_ARGUMENTS
from .signatures import Guard, guard_of, holds, is_capturable

MOST_FOLLOWING = 4
"""Maximum number of calls that are known to come after a call."""
MOST_CALLS = 1 << 10
"""Maximum number of calls in a cache."""
MOST_BYTES = 1 << 14
"""Bytes of a result up to which a call is cached."""
MOST_BYTES_KEPT = 1 << 20
"""Maximum number of bytes of all results in a cache."""
NEVER = -1
"""In the place of flags: a tensor has none like these."""


class CachedCall:
    """A call as it ran in the last round.

    Attributes:
        op: the operator.
        guards: for each argument the guard of a tensor, or None for a constant.
        facts: (classes, layouts, flags, constants, values) for `direct.takes_args`; for the flags see `word_of`.
        is_short: all arguments from the third on are the defaults.
        constants: the arguments, None in the place of tensors.
        grad: whether gradients were recorded.
        calls: the native call; None for a view, and if the function has declined it.
        values: the arrays of the tensors (None but while the call runs), then that of the result.
        result: the last result, or None.
        origin: of a view what it was taken of, see `kept.origin_of`; None for other calls.
        layout: the layout of the result.
        following: the latest of the calls that came after it, or None.
        other: the next one that comes after the same call, or None.
    """

    op: Declaration
    guards: tuple[Any, ...]
    facts: tuple[Any, ...]
    constants: tuple[Any, ...]
    is_short: bool
    grad: bool
    calls: Any
    handle: Any
    values: list[Any]
    result: Any
    origin: Any
    layout: Any
    following: Any
    other: Any

    __slots__ = (
        "calls",
        "constants",
        "facts",
        "following",
        "grad",
        "guards",
        "handle",
        "is_short",
        "layout",
        "op",
        "origin",
        "other",
        "result",
        "values",
    )

    def __init__(self, op: Any, required: tuple[Any, ...], constants: tuple[Any, ...], grad: bool) -> None:
        guards: tuple[Any, ...] = required[0]
        self.op = op
        self.guards = guards
        self.constants = constants
        self.is_short = len(constants) >= 2 and are_identical(constants[2:], op.after2)
        self.grad = grad
        self.calls = self.handle = self.result = self.origin = self.layout = self.following = self.other = None
        self.values = [None] * (len(guards) - guards.count(None) + 1)
        self.facts = required[1], required[2], required[3], constants, self.values


def required_by(guards: tuple[Any, ...], grad: bool) -> tuple[Any, ...]:
    """Return the guards of operands, then their classes, layouts and flags as `CachedCall.facts` has them."""
    classes = tuple([None if guard is None else guard.cls for guard in guards])
    layouts = tuple([None if guard is None else guard.layout for guard in guards])
    return guards, classes, layouts, in_32_bits(tuple([word_of(guard, grad) for guard in guards]))


def word_of(guard: Guard | None, grad: bool) -> int:
    """Return the flags of a tensor that satisfies a guard; NEVER for a constant.

    Whether a view requires a gradient depends on its base, too, and is to be looked up where gradients are recorded.
    """
    return NEVER if guard is None or (grad and guard.word & flags.VIEW) else guard.word


def are_identical(values: tuple[Any, ...], others: tuple[Any, ...]) -> bool:
    """Return whether two tuples have the same objects."""
    return len(values) == len(others) and all(map(is_, values, others))


def keeps_results() -> bool:
    """Return whether calls can be cached: no other thread runs between two statements of this file."""
    return direct.keeps_registers()


class CallCache(Cache):
    """The cached calls of a followed function.

    Attributes:
        replay_calls: the native function that describes calls.
        guards: what calls share: the guards of operands, by what they require; layouts of results, by dtype, shape and
            strides; what is required of all operands, by the mode and their guards, see `required_by`.
        first: stands before the first call.
        last: the last call that was cached.
        stale: the cached call that runs as usual now, or None.
        count: the number of calls.
        kept: the number of bytes of their results.
        rounds: the number of calls of the function; those of the first one are not cached.
        born: a number that storages of this round exceed.
        is_busy: a call of the function uses the cache.
    """

    replay_calls: Any
    guards: dict[Any, Any]
    first: Any
    last: Any
    stale: Any
    count: int
    kept: int
    rounds: int
    born: int
    is_busy: bool

    __slots__ = ("born", "count", "first", "guards", "is_busy", "kept", "last", "replay_calls", "rounds", "stale")

    def __init__(self, replay_calls: Any) -> None:
        self.replay_calls = replay_calls
        self.forget()

    def forget(self) -> None:
        """Discard all calls."""
        self.guards = {}
        self.first = self.last = CachedCall(None, required_by((), True), (), True)
        self.stale = None
        self.count = self.kept = self.rounds = self.born = 0
        self.is_busy = False

    def begin(self) -> None:
        """Begin a round."""
        self.is_busy = True
        self.rounds += 1
        self.born = next_serial()
        self.last = self.first
        self.stale = None

    def run(self, op: Any, args: tuple[Any, ...], modes: Modes) -> Any:
        """Run a call that is cached; return its result, or None: the call then runs as usual."""
        last: CachedCall = self.last
        known: CachedCall = last.following
        while known is not None:
            if known.op is op and known.grad == modes.grad and takes(known, args):
                result: Any = self.result_of(known, args[0])
                self.last = known
                self.stale = known if result is None else None
                return result
            known = known.other
        self.stale = None
        return None

    def result_of(self, known: CachedCall, first: Any) -> Any:
        """Return the result of a cached call; None if it has to run as usual."""
        if known.origin is not None:
            return take_again(known, first)
        return None if known.calls is None else run_again(known)

    def run2(self, op: Any, first: Any, second: Any, modes: Modes) -> Any:
        """Run a call with two arguments and defaults, see `run`."""
        last: CachedCall = self.last
        known: CachedCall = last.following
        while known is not None:
            if known.op is op and known.is_short and known.grad == modes.grad:
                if direct.takes_two(first, second, known.facts):
                    result: Any = self.result_of(known, first)
                    if result is not None:  # otherwise `run` is asked next
                        self.last = known
                    return result
            known = known.other
        return None

    def learn(self, op: Any, args: tuple[Any, ...], result: Tensor, modes: Modes) -> None:
        """Cache a call that has run as usual, if it can be."""
        if self.stale is not None:
            renew(self.stale, args, result, modes)
            self.stale = None
            return
        if self.rounds == 1 or self.count >= MOST_CALLS:
            return
        last: CachedCall = self.last
        count: int = 0
        known: CachedCall = last.following
        while known is not None:
            count += 1
            known = known.other
        if count >= MOST_FOLLOWING:
            return
        known = self.cached(op, args, result, modes)
        if known is not None:
            known.other = last.following
            last.following = self.last = known
            self.count += 1

    def cached(self, op: Any, args: tuple[Any, ...], result: Tensor, modes: Modes) -> Any:
        """Return a cached call for one that has run as usual; None if it cannot be cached."""
        array: Any = result._array_
        if not has_plain_arguments(args):
            return None
        if op.view:
            return self.cached_view(op, args, result, modes)
        size: int = door.size_of(array) * array.itemsize
        if result._flags_ != 0 or self.kept + size > MOST_BYTES_KEPT or not is_suitable(op, array):
            return None
        self.kept += size
        return self.described(op, args, array, modes)

    def cached_view(self, op: Any, args: tuple[Any, ...], view: Tensor, modes: Modes) -> Any:
        """Return a cached call for a view that is not recorded; None if it cannot be cached."""
        origin: Any = origin_of(view, args, kind_in(modes), self.born)
        if origin is None or view._edge_ is not None:
            return None
        known: CachedCall = self.prepared(op, args, modes)
        known.origin = origin
        known.result = view
        known.layout = self.layout(view._array_)
        known.values[1] = view._array_
        return known

    def described(self, op: Any, args: tuple[Any, ...], array: Any, modes: Modes) -> Any:
        """Return a cached call for a call that has returned an array."""
        known: CachedCall = self.prepared(op, args, modes)
        places: list[int] = []
        count: int = 0
        for guard in known.guards:
            places.append(-1 if guard is None else count)
            count += guard is not None
        known.layout = self.layout(array)
        call = RETURNS, op.native, tuple(places), known.constants, False, (count,), (known.layout,), (-1,), (), None
        known.calls = self.replay_calls((call,), count + 1)
        known.handle = direct.handle_of(known.calls)
        return known

    def prepared(self, op: Any, args: tuple[Any, ...], modes: Modes) -> CachedCall:
        """Return a cached call with the guards of its arguments."""
        guards: list[Any] = []
        constants: list[Any] = []
        for value in args:
            guards.append(self.guard(value) if isinstance(value, Tensor) else None)
            constants.append(None if isinstance(value, Tensor) else value)
        key = (modes.grad, *guards)
        required: Any = self.guards.get(key)
        if required is None:
            required = self.guards[key] = required_by(tuple(guards), modes.grad)
        return CachedCall(op, required, tuple(constants), modes.grad)

    def guard(self, tensor: Tensor) -> Guard:
        """Return the guard of a tensor; those of equal tensors are one object."""
        array: Any = tensor._array_
        key = type(tensor), tensor._flags_, tensor.requires_grad, array.dtype, array.shape, array.strides
        known: Guard = self.guards.get(key)
        if known is None:
            known = self.guards[key] = guard_of(tensor)
        return known

    def layout(self, array: Any) -> Any:
        """Return an array with the layout of an array; those of equal layouts are one object."""
        key = array.dtype, array.shape, array.strides
        if key not in self.guards:
            self.guards[key] = layout_of(array)
        return self.guards[key]


def takes(known: CachedCall, args: tuple[Any, ...]) -> bool:
    """Return whether a call has operands of the layouts of a cached one, and its constants; note their arrays."""
    guard: Guard
    tensor: Tensor
    place: int = 0
    values: list[Any] = known.values
    if len(args) != len(known.guards):
        return False
    if direct.takes_args(args, known.facts):
        return True
    for at in range(len(args)):
        guard = known.guards[at]
        value: Any = args[at]
        if guard is None:
            constant: Any = known.constants[at]
            if constant is not value and not is_equal(constant, value):
                return False
            continue
        if not holds(guard, value):
            return False
        tensor = value
        values[place] = tensor._array_
        place += 1
    return True


def run_again(known: CachedCall) -> Any:
    """Run a cached call on the operands that `takes` has noted; return its result, or None if it could not run."""
    values: list[Any] = known.values
    count: int = len(values) - 1
    result: Tensor
    returned: Any = direct.repeat_cached(known, values, count)
    if returned is None:
        returned = direct.run_call(known.handle, values, 0, None)
    for at in range(count):
        values[at] = None
    if isinstance(returned, Tensor):
        result = returned
        result._storage_.serial = next_serial()
        return result
    if returned is NotImplemented:
        known.calls = None
        return None
    result = wrap_flagged(returned, 0)
    known.result = result
    return result


def take_again(known: CachedCall, source: Tensor) -> Any:
    """Return the view that a cached call returned last, if it would do so again; otherwise None."""
    view: Tensor = None
    if is_same_view(known.result, known.values[1], source, known.origin, known.layout):
        view = known.result
        renew_view(view)
    known.values[0] = None
    return view


def kind_in(modes: Modes) -> int:
    """Return the kind of the views that are taken now, see `ViewInfo`."""
    return views.SINGLE if modes.grad else views.NO_GRAD


def renew(known: CachedCall, args: tuple[Any, ...], result: Tensor, modes: Modes) -> None:
    """Let a cached call of a view return another one from now on, if it can be kept: only of a leaf."""
    if known.origin is None:
        return
    origin: Any = origin_of(result, args, kind_in(modes), 0)
    known.origin = origin
    known.result = None if origin is None else result
    known.values[1] = None if origin is None else result._array_


def is_suitable(op: Any, array: Any) -> bool:
    """Return whether calls that return such an array can be cached: one native function, small memory of its own."""
    if not is_native(op.native) or op.random:
        return False
    if not door.is_ndarray(array) or not array.flags.owndata or not array.flags.writeable:
        return False
    return 0 < array.size * array.itemsize <= MOST_BYTES


def has_plain_arguments(args: tuple[Any, ...]) -> bool:
    """Return whether the arguments of a call are plain tensors, and constants that are compared by value."""
    if len(args) > MOST_ARGUMENTS:
        return False
    for value in args:
        if isinstance(value, Tensor):
            if not is_capturable(value):
                return False
        elif type(value) not in CONSTANTS and not is_tuple_of_numbers(value):
            return False
    return True


CONSTANTS = (bool, int, float, str, type(None))
"""Types of the arguments of cached calls that are not tensors, or tuples of numbers."""


def is_tuple_of_numbers(value: Any) -> bool:
    """Return whether an argument is a tuple of integers."""
    if type(value) is not tuple:
        return False
    for element in value:
        if type(element) is not int:
            return False
    return True
