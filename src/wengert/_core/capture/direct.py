"""Calls on registers without tuples: the plain Python form of the C code of the compiled build.

This file is never compiled. In the compiled build the core modules take the functions of `direct.pxd` instead.
"""

from __future__ import annotations

from typing import Any

import numpy as np

CALL, GRADS, ISLAND = 0, 6, 7
"""Kinds of entries of a list, see `lists`; constants in the compiled build."""
MOVED = 2
"""Result of `find`: an external tensor has another storage than at the latest comparison; a constant, too."""
NOTHING = object()
"""Stands for a value that is not known."""


def on_registers(function: Any, args: tuple[Any, ...], places: tuple[int, ...], values: list[Any]) -> Any:
    """Call a function with the arrays of registers as arguments.

    Args:
        args: the constants.
        places: for each argument, its register, or a negative number for a constant.
        values: the registers.

    Returns:
        The result; NotImplemented if NumPy refuses an array of the size of the result.
    """
    try:
        return function(*[values[place] if place >= 0 else arg for place, arg in zip(places, args)])
    except ValueError:
        return NotImplemented


def has_layout(array: Any, layout: Any) -> bool:
    """Return whether an object is an array with the dtype, shape and strides of another one."""
    if type(array) is not np.ndarray or array.dtype is not layout.dtype:
        return False
    return array.shape == layout.shape and array.strides == layout.strides


def has_items(mapping: Any, keys: tuple[Any, ...], values: tuple[Any, ...], cell: Any) -> bool:
    """Return whether a dictionary has these objects as its items, in this order.

    Args:
        cell: an object that stands for any value.
    """
    if not isinstance(mapping, dict) or len(mapping) != len(keys):
        return False
    return all(
        key is own and (value is known or known is cell)
        for (key, value), own, known in zip(mapping.items(), keys, values)
    )


def is_bare(object: Any) -> bool:
    """Return whether an object has no weak references and no attributes of its own, as far as this can be seen."""
    return False


def first_unlike(
    numbers: bytes, constants: tuple[Any, ...], args: tuple[Any, ...], externals: list[Any], results: list[Any]
) -> int:
    """Return the number of the first argument of a call that is not known to be the expected one, -1 if there is none.

    Args:
        numbers: for each argument, of 32 bits: from 0 on the number of an external tensor; from -3 downwards that of a
            result; -1 for a constant; -2 for a sequence, of which nothing is known.
        constants: the expected constants.
        args: the arguments.
        externals: the external tensors, None for those that have not been met.
        results: the results.
    """
    places = np.frombuffer(numbers, np.int32).tolist()
    if len(places) != len(args):
        return 0
    for at, (place, value, constant) in enumerate(zip(places, args, constants)):
        known: Any = NOTHING
        if place >= 0:
            known = externals[place]
        elif place <= -3 and -3 - place < len(results):
            known = results[-3 - place]
        elif place == -1:
            known = constant
        if known is not value:
            return at
    return -1


def takes_args(args: tuple[Any, ...], facts: tuple[Any, ...]) -> bool:
    """Return whether the arguments of a call are like those of a cached call; put their arrays into a list.

    Args:
        args: the arguments, or the first of them.
        facts: for each argument the class, an array of the layout, and the flags (of 32 bits) of a tensor, and the
            constants; the layout of a constant is None. Then the list, which receives the arrays.
    """
    classes, layouts, words, constants, values = facts
    place = 0
    known = zip(args, classes, layouts, np.frombuffer(words, np.int32).tolist(), constants)
    for value, cls, layout, word, constant in known:
        if layout is None:
            if value is not constant:
                return False
            continue
        if type(value) is not cls or value._flags_ != word or not has_layout(value._array_, layout):
            return False
        values[place] = value._array_
        place += 1
    return True


def takes_two(first: Any, second: Any, facts: tuple[Any, ...]) -> bool:
    """Return whether the first two arguments of a call are like those of a cached call, see `takes_args`."""
    return takes_args((first, second), facts)


def puts_arrays(outside: bytes, externals: list[Any], words: bytes, values: list[Any]) -> bool:
    """Put the arrays of external tensors to their places; return False if the flags of one have changed.

    Args:
        outside: the numbers of the tensors, of 32 bits.
        externals: the tensors.
        words: the flags of all external tensors, of 32 bits.
        values: receives each array at the number of its tensor.
    """
    known = np.frombuffer(words, np.int32)
    for place in np.frombuffer(outside, np.int32).tolist():
        if externals[place] is None or externals[place]._flags_ != known[place]:
            return False
        values[place] = externals[place]._array_
    return True


def handle_of(capsule: Any) -> bytes:
    """Return what runs one call of a list, which holds as long as the capsule with the calls exists."""
    return b""


def run_call(handle: bytes, values: list[Any], number: int, array: Any) -> Any:
    """Run a call of a list natively.

    Args:
        handle: what `handle_of` returned.
        values: the registers.
        number: the number of the call.
        array: the array for its result, which nobody else uses; None for a new one.

    Returns:
        The array with the result; NotImplemented if the call could not run.
    """
    return NotImplemented


def repeat(prediction: Any, expected: Any, serial: int) -> Any:
    """Run the next call of a prediction in the memory of its kept result, if nothing else refers to that.

    Args:
        prediction: the prediction.
        expected: the call.
        serial: the number of its storage.

    Returns:
        The tensor, as the next result of the prediction; or what `run_call` returned instead, which the prediction has
        not taken; or None if the kept result is not free: then nothing has run.
    """
    return None


def run_two(prediction: Any, op: Any, first: Any, second: Any, serial: int) -> Any:
    """Run the next call of a prediction, see `repeat`, if an operator with two operands is that call.

    Args:
        prediction: the prediction.
        op: the operator.
        first, second: the operands; all further arguments are the defaults.
        serial: as in `repeat`.

    Returns:
        What `repeat` returns, with Ellipsis in the place of None; None if it is another call, or one that has to be
        compared in more detail.
    """
    return None


def repeat_cached(known: Any, values: list[Any], place: int) -> Any:
    """Run a cached call in the memory of its latest result, see `repeat`.

    Args:
        known: the cached call.
        values: the registers.
        place: that of the result.
    """
    return None


def edges_of(tensors: list[Any]) -> list[Any]:
    """Return the edges of some tensors."""
    return [tensor._edge_ for tensor in tensors]


def is_held(edges: list[Any], cached: list[Any], at: int) -> bool:
    """Return whether something refers to the edge at a place but its list, or to the kept tensor that has it.

    Args:
        edges: the edges, None for results that are not recorded.
        cached: for each edge the kept tensor, or None.
        at: the place.
    """
    return True


def are_held(edges: list[Any], cached: list[Any], root: int) -> bool:
    """Return whether `is_held` is true of one of several edges.

    Args:
        edges, cached: as there.
        root: the place of an edge that is left out.
    """
    return True


def keeps_registers() -> bool:
    """Return whether no other thread can run between two statements."""
    return False


def empty(values: list[Any], numbers: bytes) -> None:
    """Set registers to None.

    Args:
        values: all registers.
        numbers: those that are set, as numbers of 32 bits.
    """
    for register in np.frombuffer(numbers, np.int32).tolist():
        values[register] = None


def renew(numbers: bytes, values: list[Any], tensors: list[Any], cls: Any, serial: int) -> bool:
    """Let the `.grad` of leaves, to which nothing else refers, become results.

    They cannot be told from new tensors. If one has another holder, none is changed, and False is returned.

    Args:
        numbers: (leaf, number of its `.grad` among the external tensors, or -1, register, version) of 32 bits each.
        values: the registers.
        tensors: the external tensors.
        cls: the class of the gradients, which have no flags, history or attributes.
        serial: the number of the first new storage.
    """
    return False


def fill(values: list[Any], tensors: list[Any], numbers: bytes) -> None:
    """Put the arrays of tensors into registers.

    Args:
        values: all registers.
        tensors: the tensors.
        numbers: for each tensor its register, of 32 bits; a negative number for none.
    """
    for tensor, number in zip(tensors, np.frombuffer(numbers, np.int32).tolist()):
        if number >= 0:
            values[number] = tensor._array_


def count_writes(writes: bytes, first: int, end: int, tensors: list[Any]) -> bool:
    """Count the writes of the entries from `first` to `end`; return False, and count none, if `count` must do so.

    Args:
        writes: (place, tensor, number of writes) of 32 bits each.
        first, end: places of entries.
        tensors: the external tensors.
    """
    return False


def find(externals: list[Any], leaves: Any, tensors: list[Any], unknown: int) -> int:
    """Put the external tensors of a call into a list, as `signatures.found` does; return -1 if it must do so.

    Args:
        externals: what is known of them.
        leaves: the tensors among the arguments, a list or a tuple.
        tensors: the list that they are put into, of as many elements.
        unknown: flags of tensors whose guards need more than a comparison of fields.
    """
    return -1


def share_as(tensors: list[Any], groups: bytes, numbers: bytes, recent: bytearray) -> bool:
    """Return whether some of the tensors share storages with others exactly where they belong to one group.

    Args:
        tensors: the tensors.
        groups: a number for each tensor, of 32 bits; equal ones for those that are to share a storage.
        numbers: which tensors are compared with all others, as numbers of 32 bits.
        recent: the addresses of the storages that were compared last, if they shared as they do here.
    """
    group = np.frombuffer(groups, np.int32)
    return all(
        (tensors[at]._storage_ is tensors[own]._storage_) == bool(group[at] == group[own])
        for own in np.frombuffer(numbers, np.int32).tolist()
        for at in range(len(tensors))
    )
