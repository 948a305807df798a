"""Table of the operators behind Python's operators and protocols, for the compiled class Tensor."""

from __future__ import annotations

from typing import Any


class Operator:
    """Interface that an operator slot calls; `op.Op` implements it."""

    __slots__ = ()

    def call1(self, a: Any) -> Any:
        """Apply to one operand."""
        raise NotImplementedError

    def call2(self, a: Any, b: Any) -> Any:
        """Apply to two operands; NotImplemented if one is not an operand."""
        raise NotImplementedError

    def call3(self, a: Any, b: Any, c: Any) -> None:
        """Write `c` into the part of `a` that `b` selects."""
        raise NotImplementedError

    def applied(self, *operands: Any) -> Any:
        """Apply to one, two or three operands; Python code sees this method in both builds."""
        if len(operands) == 1:
            return self.call1(operands[0])
        if len(operands) == 2:
            return self.call2(operands[0], operands[1])
        return self.call3(operands[0], operands[1], operands[2])


class Operators:
    """The operators behind Python's operators, set by the families in `ops` at import.

    `add_into(array, other, array)` is the kernel of sums of gradients, `copy_into(target, source)` that of copies,
    `converted(array, dtype)` that of halves;
    `copy_`, `fill_`, `select`, `slice`, `stack`, `unsqueeze` are the operators of those names, `enter_batch` and
    `leave_batch` those that lead into batches and out of them; `same_draws(generator)` returns a function that resets a
    generator of random numbers to its present state. Python's other protocols (`text` is `repr`), `construct` (for
    `Tensor(...)`), `refresh` and `rebase` (update the history of a stale view, or replace that of a tensor),
    `reshaped_view` (a view by shape and strides) and `resize` (change the shape of a tensor) come from layers above,
    too: a compiled class takes no slots later. `tracing` is the module that notes where tensors come from.
    """

    abs: Operator
    add: Operator
    bitwise_and: Operator
    bitwise_or: Operator
    bitwise_xor: Operator
    bitwise_not: Operator
    conjugate: Operator
    div: Operator
    eq: Operator
    floor_divide: Operator
    ge: Operator
    gt: Operator
    le: Operator
    lshift: Operator
    lt: Operator
    matmul: Operator
    mul: Operator
    ne: Operator
    neg: Operator
    pow: Operator
    reciprocal: Operator
    remainder: Operator
    rshift: Operator
    rsub: Operator
    sub: Operator
    iadd: Operator
    iand: Operator
    idiv: Operator
    ifloor_divide: Operator
    ilshift: Operator
    imul: Operator
    ior: Operator
    ipow: Operator
    iremainder: Operator
    irshift: Operator
    isub: Operator
    ixor: Operator
    add_into: Any
    copy_into: Any
    converted: Any
    copy_: Any
    fill_: Any
    construct: Any
    enter_batch: Any
    same_draws: Any
    stack: Any
    contains: Any
    contiguous: Any
    getitem: Operator
    index: Any
    iterate: Any
    leave_batch: Any
    length: Any
    refresh: Any
    rebase: Any
    reshaped_view: Any
    resize: Any
    select: Any
    slice: Any
    unsqueeze: Any
    setitem: Operator
    text: Any
    to_complex: Any
    to_integer: Any
    to_real: Any
    tracing: Any

    __slots__ = (
        "abs",
        "add",
        "bitwise_and",
        "bitwise_or",
        "bitwise_xor",
        "bitwise_not",
        "conjugate",
        "div",
        "eq",
        "floor_divide",
        "ge",
        "gt",
        "le",
        "lshift",
        "lt",
        "matmul",
        "mul",
        "ne",
        "neg",
        "pow",
        "reciprocal",
        "remainder",
        "rshift",
        "rsub",
        "sub",
        "iadd",
        "iand",
        "idiv",
        "ifloor_divide",
        "ilshift",
        "imul",
        "ior",
        "ipow",
        "iremainder",
        "irshift",
        "isub",
        "ixor",
        "add_into",
        "converted",
        "copy_into",
        "copy_",
        "construct",
        "contains",
        "contiguous",
        "enter_batch",
        "fill_",
        "getitem",
        "index",
        "iterate",
        "leave_batch",
        "length",
        "rebase",
        "refresh",
        "reshaped_view",
        "resize",
        "same_draws",
        "select",
        "slice",
        "stack",
        "unsqueeze",
        "setitem",
        "text",
        "to_complex",
        "to_integer",
        "to_real",
        "tracing",
    )


watched: int = 0
"""Number of recordings (`capture`) under way in this process: tested before one is told that values are read."""
_recordings: set[int] = set()


def watch(recording: int, goes_on: bool) -> None:
    """Note that a recording begins or has ended; it counts once, however often this is noted."""
    global watched
    if goes_on:
        _recordings.add(recording)
    else:
        _recordings.discard(recording)
    watched = len(_recordings)


caching: int = 0
"""Number of caches in this process that calls are looked for in (`capture.caching`)."""
_caches: set[Any] = set()
taping: int = 0
"""Number of tapes in this process that calls are written to (`tapes`): tested before memory or a leaf is changed."""
_tapes: list[Any] = []


def open_cache(cache: Any) -> None:
    """Note that calls are looked for in a cache."""
    global caching
    _caches.add(cache)
    caching = len(_caches)


def close_cache(cache: Any) -> None:
    """End that; nothing happens if it is not open."""
    global caching
    _caches.discard(cache)
    caching = len(_caches)


class TapeOwner:
    """What creates the nodes of the calls on a tape; `capture.following` implements it."""

    __slots__ = ()

    def settle_changed(self, tape: Any) -> None:
        """Create the nodes, before a tensor changes that the calls may have used."""
        raise NotImplementedError

    def settle_written(self, tape: Any, storage: Any) -> None:
        """Create the nodes if a call has a tensor on a storage, which is about to count a write."""
        raise NotImplementedError


def open_tape(tape: Any) -> None:
    """Note that calls are written to a tape, unless a handler that has come before has discarded it."""
    global taping
    if tape.follower is not None:
        _tapes.append(tape)
    taping = len(_tapes)


def close_tape(tape: Any) -> None:
    """End that; nothing happens if the tape is not open."""
    global taping
    if tape in _tapes:  # only the thread of a tape closes it
        _tapes.remove(tape)
    taping = len(_tapes)


def noted() -> tuple[Any, Any, Any]:
    """Return the tapes, caches and recordings that are noted: of a counter, the compiled build has no name."""
    return _tapes, _caches, _recordings


def settle_tapes() -> None:
    """Create the nodes of all calls on tapes, before a tensor changes that they may have used."""
    owner: TapeOwner
    for tape in list(_tapes):
        owner = tape.follower
        if owner is not None:  # it has not been discarded meanwhile
            owner.settle_changed(tape)


def settle_written(storage: Any) -> None:
    """Create the nodes of all tapes that have a call with a tensor on a storage, which is about to count a write."""
    owner: TapeOwner
    for tape in list(_tapes):
        owner = tape.follower
        if owner is not None:
            owner.settle_written(tape, storage)


table = Operators()
OPERATORS = table
"""The same object: a C variable of the compiled build has no name in Python."""
