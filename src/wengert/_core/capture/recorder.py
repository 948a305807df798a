"""A log that notes the calls of a function on arrays, as entries of a list.

It replaces a profile's log, so that calls take the same paths as without it. Arrays are identified by their
memory: address, shape, strides and dtype. All arrays that were seen stay alive until the recording ends, so that no
address is used twice. An array is one of:

- memory of a tensor that existed before the recording (external), read by each replay;
- the result of a noted call;
- other memory allocated during the recording, by a factory: a constant, of which each replay gets a copy. If it was
  computed from values that Python code has read, the read itself was noted.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import door, flags
from ..calls import attempts, dispatch, meta, unusual
from ..cards import composed
from ..leaves import accumulate
from ..operators import batch_rules
from ..operators.layouts import address_of
from ..profiling import events
from ..profiling.events import Event, Log
from ..state.modes import current
from ..tensor import slots
from ..tensor.base import Tensor, wrap
from ..tensor.meta_array import meta_array
from ..tensor.storage import Storage, next_serial
from ..types.dtypes import get_default_dtype
from ..writes.inplace import InPlaceOp
from .lists import (
    ADD,
    CALL,
    CONSTANT,
    COPY,
    GRADS,
    ISLAND,
    NESTED,
    READ,
    VIEW,
    WRITE,
    Entry,
    Nested,
    bytes_of,
    copy_of,
    layout_of,
)
from .optimiser_steps import Island

PACKAGE = __name__.partition(".")[0]
PLAIN = flags.REQUIRES_GRAD | flags.VIEW
"""The flags of tensors that a list can have."""
BLANK = "any values"
"""The second argument of a COPY whose values do not matter."""
MOST_ARGUMENTS = 24
"""`WENGERT_MOST_REGISTERS` of `direct.pxd`."""
MOST_READ = 64
"""Number of elements up to which values that Python code reads are compared by a replay."""


class Refusal(Exception):  # noqa: N818 - not an error of the program
    """The reason why a call cannot be noted; it never leaves the recorder."""


class Recorder(Log):
    """Notes of one call of a function.

    Attributes:
        entries: the list so far.
        arrays: the array that each register had when it was first seen.
        externals: (tensor, register) of the tensors that existed before.
        reason, origin: why the function cannot be captured, and (code, offset) of the program's line; or None.
        effects: the number of entries before the first whose effect outlives the list, or -1: a write to external
            memory, a draw from a generator of the program. (The default generator can be restored.)
        position: a function that returns the position of the default generator of random numbers.
        natives: the native functions `replay_calls` and `run_calls`, or None.
        describing: describes tensors for a replay (`Describing`).
        closed: tensors on the memory of external tensors are all taken inside.
        born, sequence: older storages, and nodes of the graph, existed before the recording.
        leaves: the `.grad` of each leaf, by its number: before the call, or as set by an entry.
        of_grad: the number of the leaf whose `.grad` an external tensor was, by the tensor's number.
        drawn: the position at the end of the last noted call.
        busy: a noted call runs.
        registers: the register of each array, by `key_of`.
        storages: [storage, version, number of the external tensor or -1, register, number] by identity.
        of_external: the numbers of the external tensors by identity.
        outside: the registers of external tensors.
        outer_wholes: the identities of the arrays that own their memory, or wrap it.
        foreign: those of the registers whose memory no array owns: several arrays may wrap it.
        histories: the flags and the edge of each external tensor.
        pending: entries that come before the one of the call that runs.
        wholes: a register of each array that owns memory, by identity.
        spans: the serial numbers of storages before and after each noted call.
    """

    entries: list[Entry]
    arrays: list[Any]
    externals: list[tuple[Tensor, int]]
    reason: str | None
    origin: Any
    effects: int
    position: Any
    natives: Any
    describing: Any
    closed: bool
    born: int
    sequence: int
    leaves: dict[int, Any]
    of_grad: dict[int, int]
    drawn: Any
    busy: bool
    registers: dict[Any, int]
    storages: dict[int, list[Any]]
    of_external: dict[int, int]
    outside: set[int]
    outer_wholes: set[int]
    foreign: set[int]
    histories: list[tuple[int, Any]]
    pending: list[Entry]
    wholes: dict[int, int]
    spans: list[tuple[int, int]]

    __slots__ = (
        "arrays",
        "born",
        "busy",
        "closed",
        "describing",
        "drawn",
        "effects",
        "entries",
        "externals",
        "foreign",
        "histories",
        "leaves",
        "natives",
        "of_external",
        "of_grad",
        "origin",
        "outer_wholes",
        "outside",
        "pending",
        "position",
        "reason",
        "registers",
        "sequence",
        "spans",
        "storages",
        "wholes",
    )

    def __init__(self, position: Callable[[], Any], natives: Any = None) -> None:
        super().__init__(None)
        self.describing = None
        self.exact = True
        self.entries, self.arrays, self.externals = [], [], []
        self.reason = self.origin = None
        self.effects = -1
        self.closed = False
        self.position = position
        self.natives = natives
        self.drawn = position()
        self.busy = False
        self.born = next_serial()
        self.sequence = current().sequence
        self.registers, self.storages, self.wholes = {}, {}, {}
        self.of_external, self.histories = {}, []
        self.outside, self.outer_wholes, self.foreign = set(), set(), set()
        self.leaves, self.of_grad = {}, {}
        self.pending, self.spans = [], []

    # ---- the interface of a log --------------------------------------------------------------------------------------

    def call(self, event: Event, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """Run a call, and note it unless it is part of a noted call, or composed of noted calls."""
        note = None if self.busy or self.reason is not None else NOTES.get(function)
        try:
            if note is None:
                return function(*args)
            return note(self, event.what, function, args)
        finally:
            self.depth = event.depth

    def read(self, value: Any, what: str) -> None:
        """Note that Python code reads the values of a tensor."""
        if self.busy or self.reason is not None:
            return
        if not isinstance(value, Tensor):
            self.refuse(f"{what} reads values, which a replay would not read again")
            return
        try:
            register = self.operand(value)
        except Refusal as refusal:
            self.refuse(str(refusal))
            return
        array = value._array_
        if array.size > MOST_READ:
            self.refuse(f"{what} reads {array.size} elements of a tensor; up to {MOST_READ} are compared by a replay")
            return
        entry = Entry(READ, None, None, what)
        entry.args, entry.places, entry.layouts = (None,), (register,), (bytes_of(array),)
        self.add(entry)

    def decided(self, function: Any, tensors: Any, constants: Any, result: Any) -> None:
        """Note that code of the package has decided by values of tensors."""
        if self.busy or self.reason is not None:
            return
        entry = Entry(READ, function, None, function.__name__)
        try:
            self.fill(entry, (*tensors, *constants))
        except Refusal as refusal:
            self.refuse(str(refusal))
            return
        entry.layouts = (bytes_of(np.array(result)),)
        self.add(entry)

    def see(self, values: Any) -> None:
        """Add the memory of tensors to the list; functions of arrays get it next."""
        if self.busy or self.reason is not None:
            return
        try:
            for tensor in tensors_in((values,)):
                self.operand(tensor)
        except Refusal as refusal:
            self.refuse(str(refusal))

    def leaf(self, leaf: Any) -> None:
        """Note the `.grad` of a leaf before it is used or changed, the first time."""
        if self.busy or self.reason is not None:
            return
        try:
            at = self.leaf_of(leaf)
            if at not in self.leaves:
                grad = None if leaf._meta_ is None else leaf._meta_.grad
                self.leaves[at] = grad
                if grad is not None:
                    self.external(grad)
                    self.of_grad[self.of_external[id(grad)]] = at
        except Refusal as refusal:
            self.refuse(str(refusal))

    def leaf_of(self, leaf: Tensor) -> int:
        """Return the number of a leaf among the external tensors.

        Raises:
            Refusal: if the leaf was created during the recording.
        """
        if leaf._flags_ & ~PLAIN or not 0 < abs(leaf._storage_.serial) <= self.born:
            raise Refusal("the `.grad` of a tensor is used that the function itself created")
        self.external(leaf)
        return self.of_external[id(leaf)]

    def tail(self, loses: Callable[[Any], bool], tensor: Tensor) -> Any:
        """Return a copy of a tensor if `loses(array)`, otherwise None; note the decision, which is part of a call."""
        lost = loses(tensor._array_)
        if self.reason is None:
            decision = Entry(READ, loses, None, "a choice between formulas")
            try:
                self.fill(decision, (tensor,))
                decision.layouts = (bytes_of(np.array(lost)),)
                self.pending.append(decision)
            except Refusal as refusal:
                self.refuse(str(refusal))
        return self.copied(tensor) if lost else None

    def copied(self, tensor: Tensor) -> Tensor:
        """Return a copy of a tensor within a call, and note it before the call."""
        result = wrap(tensor._array_.copy())
        if self.reason is None:
            entry = Entry(CALL, copied, None, "copy of memory")
            try:
                self.fill(entry, (tensor,))
                entry.outs, entry.layouts = (self.result(result),), (layout_of(result._array_),)
                self.pending.append(entry)
            except Refusal as refusal:
                self.refuse(str(refusal))
        return result

    def island(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a function that a replay calls, too: an optimiser's step."""
        if self.busy or self.reason is not None:
            return function(*args, **kwargs)
        self.refuse_draws()
        entry = Entry(ISLAND, function, None, "optimiser's step")
        entry.args, entry.lasting = (args, kwargs, Island(function, args, kwargs)), True
        if takes_closure((*args[1:], *kwargs.values())):
            self.refuse("an optimiser's step with a closure is not captured")
            return function(*args, **kwargs)
        self.settle()
        self.busy = True
        try:
            result = function(*args, **kwargs)
        except BaseException:
            self.refuse("an optimiser's step raised an error")
            raise
        finally:
            self.busy = False
        self.drawn = self.position()
        for known in self.storages.values():
            known[1] = known[0].version
        self.add(entry)
        return result

    def start_noting(self) -> None:
        """Begin to note the calls of this thread."""
        slots.watch(id(self), True)
        events.hold_open(id(self), True)
        current().profile(self)

    def stop_noting(self) -> None:
        """End that; it may be called twice, or without `start_noting`."""
        if current().log is not self:
            self.refuse("a profile is opened or closed inside the function")
        current().profile(None)
        events.hold_open(id(self), False)
        slots.watch(id(self), False)

    def settle(self) -> None:
        """Add an entry for the gradients set on leaves since the last such entry."""
        changes = []
        for at, before in self.leaves.items():
            grad = None if self.externals[at][0]._meta_ is None else self.externals[at][0]._meta_.grad
            if grad is not before:
                try:
                    if grad is not None and grad.requires_grad and id(grad) not in self.of_external:
                        raise Refusal("it requires a gradient itself")
                    changes.append((at, self.describing.describe(grad)))
                except Refusal as refusal:
                    self.refuse(f"the gradient of a leaf: {refusal}")
                self.leaves[at] = grad
        if changes:
            entry = Entry(GRADS, None, None, "gradients of leaves")
            entry.args, entry.lasting = tuple(changes), True
            self.add(entry)

    def release(self) -> None:
        """Release all arrays and tensors; keep the reason and its origin."""
        self.describing = None
        self.entries, self.arrays, self.externals, self.histories, self.pending = [], [], [], [], []
        self.registers, self.storages, self.leaves, self.wholes = {}, {}, {}, {}

    # ---- notes -------------------------------------------------------------------------------------------------------

    def refuse(self, reason: str) -> None:
        """Note the first reason why the function cannot be captured."""
        if self.reason is None:
            self.reason, self.origin = reason, line_of_program()

    def note(
        self, entry: Entry, args: tuple[Any, ...], function: Callable[..., Any], arguments: tuple[Any, ...]
    ) -> Any:
        """Run a call, and add its entry.

        Args:
            args: the arguments of the entry.
            function, arguments: the function to run, and its arguments.
        """
        self.refuse_draws()
        try:
            if entry.kind == WRITE and entry.op.functional.overwrites:
                self.overwritten(args[0])
            self.fill(entry, args)
            versions = [(tensor, tensor._storage_.version) for tensor in tensors_in(args)]
        except Refusal as refusal:
            self.refuse(str(refusal))
            return function(*arguments)
        first = next_serial()
        self.busy = True
        try:
            result = function(*arguments)
        except BaseException:
            self.refuse(f"{entry.title} raised an error")
            raise
        finally:
            self.busy = False
        self.spans.append((first, next_serial()))
        if result is NotImplemented:
            return result
        position = self.position()
        entry.draws = position != self.drawn
        self.drawn = position
        lasting = entry.op is not None and bool(entry.op.random) and any(hasattr(value, "get_state") for value in args)
        try:
            self.conclude_entry(entry, args, result, versions, lasting)
        except Refusal as refusal:
            self.refuse(str(refusal))
        return result

    def conclude_entry(
        self, entry: Entry, args: tuple[Any, ...], result: Any, versions: list[tuple[Tensor, int]], lasting: bool
    ) -> None:
        """Complete an entry by the results of its call; `lasting`: it draws from a generator of the program."""
        if entry.kind == CALL:
            entry.several = isinstance(result, (tuple, list))
            results = result if entry.several else (result,)
            entry.outs = tuple([-1 if output is None else self.result(output) for output in results])
            entry.layouts = tuple([None if output is None else layout_of(array_in(output)) for output in results])
        for earlier in self.pending:
            self.add(earlier)
        self.pending.clear()
        counts: dict[int, int] = {}
        for tensor, version in versions:
            written = tensor._storage_.version - version
            if written:
                known = self.storages[id(tensor._storage_)]
                known[1] = tensor._storage_.version
                if known[2] >= 0:
                    counts[known[2]] = written
        entry.counts = tuple(counts.items())
        if entry.kind == ADD and self.is_outside(args[0]):  # to a `.grad`; the engine counts the write afterwards
            owners = [at for at, (_, register) in enumerate(self.externals) if register == entry.places[0]]
            if len(owners) != 1:
                raise Refusal("a gradient is added to a part of memory that outlives the call")
            entry.counts = ((owners[0], 1),)
            self.storages[id(self.externals[owners[0]][0]._storage_)][1] += 1
        entry.lasting = lasting or bool(entry.counts)
        self.add(entry, args)

    def add(self, entry: Entry, args: tuple[Any, ...] = ()) -> None:
        """Add an entry with its arguments; refuse it if a replay could not restart after its failure."""
        entry.origin = line_of_program()
        begins = bool(entry.counts) or entry.lasting
        if self.effects >= 0 and not begins and is_fallible(entry, args):
            self.refuse(f"{entry.title} depends on values after a write to memory that outlives the call")
            return
        if begins and self.effects < 0:
            self.effects = len(self.entries)
        self.entries.append(entry)

    def refuse_draws(self) -> None:
        """Refuse random numbers that were drawn outside of the noted calls."""
        if self.position() != self.drawn:
            self.refuse("random numbers are drawn by a factory, not by an operator")

    def is_outside(self, array: Any) -> bool:
        """Return whether an array that is written to may be memory of an external tensor."""
        whole = whole_of(array)
        if id(whole) in self.outer_wholes:
            return True
        suspects = self.foreign if whole.flags.owndata else self.outside
        return any(np.may_share_memory(array, self.arrays[register]) for register in suspects)

    # ---- memory ------------------------------------------------------------------------------------------------------

    def fill(self, entry: Entry, args: tuple[Any, ...]) -> None:
        """Set the arguments of an entry."""
        constants, places, groups = [], [], []
        for value in args:
            place, constant, group = self.place(value)
            constants.append(constant)
            places.append(place)
            groups.append(group)
        if len(places) > MOST_ARGUMENTS:
            raise Refusal(f"{entry.title} has more than {MOST_ARGUMENTS} arguments")
        entry.args, entry.places = tuple(constants), tuple(places)
        entry.simple, entry.constants = NESTED not in places, (CONSTANT,) * len(places)
        entry.groups = tuple(groups) if entry.kind == WRITE else ()

    def place(self, value: Any) -> tuple[int, Any, int]:
        """Return the place of an argument, the constant there, and the number of its storage."""
        if isinstance(value, Tensor):
            return self.operand(value), None, self.number_of(value._storage_)
        if isinstance(value, np.ndarray):
            return self.known(value), None, -1
        if isinstance(value, (tuple, list)) and holds_operands(value):
            places, constants = [], []
            for element in value:
                place, constant, _ = self.place(element)
                if place == NESTED:
                    raise Refusal("lists of lists of tensors are not captured")
                places.append(place)
                constants.append(constant)
            return NESTED, Nested(tuple(places), tuple(constants), type(value)), -1
        return CONSTANT, value, -1

    def number_of(self, storage: Storage) -> int:
        """Return a number that identifies a storage within the list."""
        return self.storages[id(storage)][4]

    def known(self, array: Any) -> int:
        """Return the register of an array that was seen before.

        Raises:
            Refusal: if the array is unknown.
        """
        register = self.registers.get(key_of(array))
        if register is None:
            whole = self.wholes.get(id(whole_of(array)))
            if whole is None:
                raise Refusal("an array is used that is not the result of an operator")
            return self.view(array, whole)
        return register

    def operand(self, tensor: Tensor) -> int:
        """Return the register of a tensor.

        Raises:
            Refusal: if its memory is unknown.
        """
        array, storage = tensor._array_, tensor._storage_
        if tensor._flags_ & ~PLAIN or not door.is_ndarray(array):
            raise Refusal("a tensor is sparse, on another device, conjugated, batched, dual or of a class of its own")
        root = self.storages.get(id(storage))
        register = self.registers.get(key_of(array))
        if register is not None and root is not None:
            return register
        outside = 0 < abs(storage.serial) <= self.born or (root is not None and root[2] >= 0)
        if outside and (root is None or not self.closed):
            return self.external(tensor)
        if root is not None:
            return self.view(array, root[3])
        if register is not None:
            if register in self.outside:
                raise Refusal("two tensors without a common history share memory")
            self.remember(storage, -1, register)
            return register
        if storage.serial <= 0:
            raise Refusal("a tensor has memory that was resized or replaced")
        if self.is_of_call(storage.serial):
            raise Refusal("a tensor has memory that was allocated inside of an operator, but is not its result")
        return self.constant(tensor)

    def is_of_call(self, serial: int) -> bool:
        """Return whether a noted call has allocated the memory with a serial number."""
        return any(first < serial < last for first, last in self.spans)

    def external(self, tensor: Tensor) -> int:
        """Return the register of a tensor that existed before."""
        at = self.of_external.get(id(tensor))
        if at is None:
            at = self.of_external[id(tensor)] = len(self.externals)
            key = key_of(tensor._array_)
            register = self.registers.get(key)
            if register is None:
                register = self.new_register(tensor._array_)
            self.externals.append((tensor, register))
            self.outside.add(register)
            whole = whole_of(tensor._array_)
            self.outer_wholes.add(id(whole))
            if not whole.flags.owndata:
                self.foreign.add(register)
            self.histories.append((tensor._flags_, tensor._edge_))
            self.remember(tensor._storage_, at, register)
        return self.externals[at][1]

    def constant(self, tensor: Tensor) -> int:
        """Return the register of memory allocated during the recording, filled by a copy of its values."""
        array = tensor._array_
        entry = Entry(COPY, None, None, "constant")
        entry.args = (copy_of(array),)
        register = self.new_register(array)
        entry.outs, entry.layouts = (register,), (layout_of(array),)
        self.remember(tensor._storage_, -1, register)
        self.entries.append(entry)
        return register

    def overwritten(self, tensor: Tensor) -> None:
        """Add memory that is overwritten as a whole to the list: its earlier values do not matter."""
        if id(tensor._storage_) not in self.storages and tensor._storage_.array is tensor._array_:
            register = self.operand(tensor)
            latest = self.entries[-1] if self.entries else None
            if latest is not None and latest.kind == COPY and latest.outs == (register,):
                latest.args = (latest.args[0], BLANK)

    def view(self, array: Any, root: int) -> int:
        """Return the register of a view of a register's memory that was not taken by an operator."""
        source = self.arrays[root]
        offset = address_of(array) - address_of(source)
        register = self.new_register(array)
        entry = Entry(VIEW, None, None, "part of memory")
        entry.args = (None, offset, array.shape, array.strides, array.dtype)
        entry.places = (root, CONSTANT, CONSTANT, CONSTANT, CONSTANT)
        entry.outs, entry.layouts = (register,), (layout_of(array),)
        self.entries.append(entry)
        return register

    def result(self, value: Any) -> int:
        """Return the register of a result, a tensor or an array."""
        array = array_in(value)
        if not door.is_ndarray(array):
            raise Refusal("a result is sparse, batched, conjugated or on another device")
        key = key_of(array)
        register = self.registers.get(key)
        if register is None:
            register = self.new_register(array)
        if isinstance(value, Tensor):
            self.remember(value._storage_, -1, register)
        return register

    def new_register(self, array: Any) -> int:
        """Return a new register for an array."""
        register = self.registers[key_of(array)] = len(self.arrays)
        self.arrays.append(array)
        self.wholes.setdefault(id(whole_of(array)), register)
        return register

    def remember(self, storage: Storage, external: int, register: int) -> None:
        """Note a storage: its version, its external tensor (-1 for none), and a register of it."""
        if id(storage) not in self.storages:
            self.storages[id(storage)] = [storage, storage.version, external, register, len(self.storages)]


def copied(array: Any) -> Any:
    """Return a copy of an array."""
    return array.copy()


def whole_of(array: Any) -> Any:
    """Return the array that owns the memory of an array, or wraps foreign memory."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def key_of(array: Any) -> Any:
    """Return the identity of an array among all live ones."""
    return address_of(array), array.shape, array.strides, array.dtype


def array_in(value: Any) -> Any:
    """Return the array of a tensor, or an array itself."""
    return value._array_ if isinstance(value, Tensor) else value


def takes_closure(values: tuple[Any, ...]) -> bool:
    """Return whether an optimiser's step gets a function or a tensor."""
    return any(isinstance(value, Tensor) or callable(value) for value in values)


def holds_operands(values: Any) -> bool:
    """Return whether a sequence has tensors or arrays."""
    return any(isinstance(value, (Tensor, np.ndarray)) for value in values)


def tensors_in(args: Any) -> list[Tensor]:
    """Return the tensors among arguments, also in lists."""
    found: list[Tensor] = []
    for value in args:
        for element in value if isinstance(value, (tuple, list)) else (value,):
            if isinstance(element, Tensor):
                found.append(element)
    return found


def line_of_program() -> Any:
    """Return (code, offset) of the innermost frame outside of the package, or None."""
    frame: Any = sys._getframe()  # compiled, this function has no frame
    while frame is not None:
        if not is_inside(str(frame.f_globals.get("__name__", ""))):
            return frame.f_code, frame.f_lasti
        frame = frame.f_back
    return None


@functools.lru_cache(1024)
def is_inside(module: str) -> bool:
    """Return whether a module is one of the package."""
    return module.partition(".")[0] == PACKAGE


def is_fallible(entry: Entry, args: tuple[Any, ...]) -> bool:
    """Return whether an entry may fail to run, or return other shapes, for other values."""
    if entry.kind == READ:
        return True
    if entry.kind != CALL:
        return False
    return entry.uncertain if entry.op is None else not knows_shape(entry.op, args)


def knows_shape(op: Any, args: tuple[Any, ...]) -> bool:
    """Return whether the shapes of the results depend on shapes only."""
    if op.view or batch_rules.is_elementwise(op):
        return True
    try:
        meta.shapes_of(op, tuple(map(without_values, args)), current())
    except Exception:  # errors of the rule do not matter here
        return False
    return True


def without_values(value: Any) -> Any:
    """Return a tensor, or a list of them, without values."""
    if isinstance(value, Tensor):
        array = value._array_
        return wrap(meta_array(array.shape, array.dtype, [step // array.itemsize for step in array.strides]))
    if isinstance(value, (tuple, list)):
        return type(value)(map(without_values, value))
    return value


# ---- the calls that are noted ----------------------------------------------------------------------------------------


def note_operator(recorder: Recorder, what: Any, function: Any, arguments: tuple[Any, ...]) -> Any:
    """Note `dispatch.completed`."""
    op, args = arguments[0], arguments[1]
    return recorder.note(Entry(CALL, op.native, op, op.name), args, function, arguments)


def note_attempt(recorder: Recorder, what: Any, function: Any, arguments: tuple[Any, ...]) -> Any:
    """Note `attempts.attempt_plain`."""
    op, native, args, shaped = arguments[:4]
    entry = Entry(CALL, native, None if shaped else op, op.name)
    return recorder.note(entry, args, function, arguments)


def note_unrecorded(recorder: Recorder, what: Any, function: Any, arguments: tuple[Any, ...]) -> Any:
    """Note `attempts.unrecorded_plain`."""
    native, args = arguments[0], arguments[1]
    entry = Entry(CALL, native, None, getattr(native, "__name__", "function"))
    entry.uncertain = True
    return recorder.note(entry, args, function, arguments)


def note_unusual(recorder: Recorder, what: Any, function: Any, arguments: tuple[Any, ...]) -> Any:
    """Note `unusual.call` of an in-place operator."""
    op, args, word = arguments[0], arguments[1], arguments[2]
    if word & flags.UNUSUAL & ~flags.QUIET or word & (flags.LEVELS | flags.BATCHES):
        recorder.refuse(f"{op.name} is called within a transform or a mode, or with a tensor that is not plain")
        return function(*arguments)
    if not isinstance(op, InPlaceOp):
        return recorder.note(Entry(CALL, op.native, op, op.name), args, function, arguments)
    if type(op) is not InPlaceOp:  # it changes the shape of a tensor, which later entries find by its memory
        try:
            recorder.operand(args[0])
            if recorder.storages[id(args[0]._storage_)][2] >= 0:
                recorder.refuse(f"{op.name} changes in place the shape of a tensor that outlives the call")
        except Refusal as refusal:
            recorder.refuse(str(refusal))
        version = args[0]._storage_.version
        result = function(*arguments)
        if recorder.reason is None:
            recorder.storages[id(args[0]._storage_)][1] += args[0]._storage_.version - version
        return result
    return recorder.note(Entry(WRITE, None, op, op.name), args, function, arguments)


def note_sum(recorder: Recorder, what: Any, function: Any, arguments: tuple[Any, ...]) -> Any:
    """Note `accumulate.add_quietly`."""
    return recorder.note(Entry(ADD, None, None, "add_into"), arguments[:2], function, arguments)


def note_arrays(recorder: Recorder, what: Any, function: Any, arguments: tuple[Any, ...]) -> Any:
    """Note `events.run_on_arrays`: the native function of a reverse rule, or a copy that the engine makes."""
    native, args = arguments
    return recorder.note(Entry(CALL, native, None, getattr(native, "__name__", "rule")), args, function, arguments)


def note_factory(recorder: Recorder, what: Any, function: Any, arguments: tuple[Any, ...]) -> Any:
    """Note `composed.run_factory`: only draws of random numbers are noted, other results are constants."""
    factory, args, kwargs = arguments
    if not factory.draws or kwargs:
        return function(*arguments)
    values = (get_default_dtype().numpy, *args)
    return recorder.note(Entry(CALL, factory.native, None, factory.function.__name__), values, function, arguments)


NOTES: dict[Any, Callable[..., Any]] = {
    dispatch.completed: note_operator,
    attempts.attempt_plain: note_attempt,
    attempts.unrecorded_plain: note_unrecorded,
    unusual.call: note_unusual,
    accumulate.add_quietly: note_sum,
    events.run_on_arrays: note_arrays,
    composed.run_factory: note_factory,
}
