"""Results of a function, described once and built anew by each replay."""

from __future__ import annotations

from typing import Any

from .. import flags
from ..aliasing.views import ViewInfo
from ..tensor.base import Tensor, share
from ..tensor.storage import Storage, next_serial


class Output:
    """One tensor among the results.

    Attributes:
        external: the number of the external tensor that the result is, or whose memory it shares, or -1.
        register: the register of its array; -1 if it is the external tensor itself.
        storage: the number of its storage among the new ones, or -1.
        version: the number of writes to a new storage.
        base: the base of a view, or None.
        steps, kind: as in `ViewInfo`.
        alone: no other output is this tensor or shares its memory.
    """

    external: int
    register: int
    storage: int
    version: int
    base: Any
    steps: tuple[Any, ...]
    kind: int
    alone: bool

    __slots__ = ("alone", "base", "external", "kind", "register", "steps", "storage", "version")

    def __init__(self) -> None:
        self.external = self.register = self.storage = -1
        self.version = self.kind = 0
        self.base = None
        self.steps = ()
        self.alone = False

    def facts(self) -> tuple[Any, ...]:
        """Return all attributes as one value, for comparison."""
        base = None if self.base is None else self.base.facts()
        steps = tuple([(step[0].name, step[1], step[2]) for step in self.steps])
        return self.external, self.register, self.storage, self.version, base, steps, self.kind


class Nest:
    """A tuple, list or dictionary among the results, with the descriptions of its elements."""

    kind: Any
    keys: tuple[Any, ...]
    parts: tuple[Any, ...]

    __slots__ = ("keys", "kind", "parts")

    def __init__(self, kind: Any, keys: tuple[Any, ...], parts: tuple[Any, ...]) -> None:
        self.kind = kind
        self.keys = keys
        self.parts = parts


def registers_of(description: Any) -> set[int]:
    """Return the registers of the results."""
    if isinstance(description, Nest):
        return {register for part in description.parts for register in registers_of(part)}
    if not isinstance(description, Output):
        return set()
    if description.base is not None:
        return registers_of(description.base)
    return {description.register} if description.register >= 0 else set()


def mark_alone(descriptions: list[Any]) -> tuple[set[int], bool]:
    """Mark the outputs that are one tensor with memory of its own, of which there are no other tensors.

    Args:
        descriptions: all results of a list.

    Returns:
        The numbers of the external tensors among the results; whether all others are marked.
    """
    outputs: list[Output] = []
    for description in descriptions:
        add_outputs(description, outputs)
    for output in outputs:
        if output.base is None and output.external < 0:
            output.alone = sum([other is output or other.storage == output.storage for other in outputs]) == 1
    independent = all(output.alone or (output.register < 0 and output.base is None) for output in outputs)
    return {output.external for output in outputs}, independent


def add_outputs(description: Any, outputs: list[Output]) -> None:
    """Add the outputs in a description to a list, with the bases of views."""
    if isinstance(description, Nest):
        for part in description.parts:
            add_outputs(part, outputs)
    elif isinstance(description, Output):
        outputs.append(description)
        add_outputs(description.base, outputs)


def same_outputs(one: Any, other: Any) -> bool:
    """Return whether two descriptions are equal."""
    if type(one) is not type(other):
        return False
    if isinstance(one, Nest):
        same = one.kind is other.kind and one.keys == other.keys and len(one.parts) == len(other.parts)
        return same and all(map(same_outputs, one.parts, other.parts))
    if isinstance(one, Output):
        return one.facts() == other.facts()
    return bool(one == other) or one != one


def build(
    description: Any, values: list[Any], owners: list[Any], built: dict[int, Any], storages: dict[int, Any]
) -> Any:
    """Return the results of a replay.

    Args:
        description: what `Describing` returned.
        values: the registers.
        owners: the external tensors.
        built, storages: the tensors and storages built so far.
    """
    if isinstance(description, Output):
        return build_tensor(description, values, owners, built, storages)
    if not isinstance(description, Nest):
        return description
    parts: list[Any] = []
    for part in description.parts:
        parts.append(build(part, values, owners, built, storages))
    if description.kind is list:
        return parts
    if description.kind is dict:
        return dict(zip(description.keys, parts))
    return tuple(parts) if description.kind is tuple else tuple.__new__(description.kind, parts)


def build_tensor(
    output: Output, values: list[Any], owners: list[Any], built: dict[int, Any], storages: dict[int, Any]
) -> Any:
    """Return one tensor of the results."""
    tensor: Tensor
    if output.alone:
        return fresh_tensor(output, values)
    if output.register < 0 and output.external >= 0:
        return owners[output.external]
    known: Any = built.get(id(output))
    if known is not None:
        return known
    if output.base is not None:
        result: Any = build_tensor(output.base, values, owners, built, storages)
        for op, args, nr in output.steps:
            result = op.call((result, *args[1:]))
            if nr >= 0:
                result = result[nr]
        tensor = result
        if tensor._flags_ & flags.VIEW:
            info: ViewInfo = tensor._meta_.view
            info.kind = output.kind
    elif output.external >= 0:
        owner: Tensor = owners[output.external]
        tensor = share(values[output.register], owner._storage_)
    else:
        tensor = share(values[output.register], new_storage(output, values[output.register], storages))
    built[id(output)] = tensor
    return tensor


def fresh_tensor(output: Output, values: list[Any]) -> Tensor:
    """Return a tensor with memory of its own."""
    array: Any = values[output.register]
    return share(array, fresh_storage(array, output.version))


def new_storage(output: Output, array: Any, storages: dict[int, Any]) -> Storage:
    """Return the storage of a new tensor; tensors with the same number share it."""
    storage: Storage = storages.get(output.storage)
    if storage is None:
        storage = fresh_storage(array, output.version)
        storages[output.storage] = storage
    return storage


def fresh_storage(array: Any, version: int) -> Storage:
    """Return a new storage to which some writes are counted."""
    storage: Storage = Storage.__new__(Storage)
    storage.array, storage.serial, storage.version = array, next_serial(), version
    storage.detached, storage.writes, storage.counting = 0, None, None
    return storage
