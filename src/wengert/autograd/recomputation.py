"""Regions of a forward pass that keep nothing: what their nodes save is computed again in the backward pass.

`utils.checkpoint` is made of this. The nodes of a region keep numbers in place of tensors (through the hooks for saved
tensors). When the first is unpacked in a backward pass, the region runs once more, and what it saves then is handed
out by number, each once (a second time is refused), so that memory is given back on the way.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

from .._core import errors, flags
from .._core.graph import anomaly
from .._core.graph.anomaly import warn
from .._core.recording.saved import twin_of
from .._core.state.grad_mode import no_grad
from .._core.state.modes import current
from .._core.tensor.base import Tensor
from .scopes import OPEN

CHECKS = ("default", "none", "operators")
"""What `determinism_check` may be: shape, dtype and device; nothing but the number; these and the operator."""

_MORE = "trying to save more tensors during recomputation than during the original forward pass."
_TIP = (
    "\n\nThe function has to do the same each time that it is called with the same arguments and random numbers. Tip: "
    "pass `debug=True` to checkpoint(...), or wrap the code in `with set_checkpoint_debug_enabled(True):`, and this "
    "error lists all operations of both runs."
)
_TWICE = (
    "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked once. If you are calling "
    "ctx.saved_tensors in backward, make sure to do so only once. Otherwise please open an issue with details on your "
    "use case."
)
_LOGS = (
    "An error happened while unpacking tensors; dumping logs of latest computation because you passed `debug=True` to "
    "`torch.utils.checkpoint.checkpoint()`."
)


class CheckpointError(RuntimeError):
    """A checkpointed function did not do the same again."""


class Entry(NamedTuple):
    """What is known of a saved tensor: the operator that saved it, and what the tensor was like."""

    operator: str
    metadata: dict[str, Any]


class Trace:
    """What one run of a region recorded and saved.

    Attributes:
        entries: one for each saved tensor.
        log: one line for each recorded operation, or None where nobody will read it.
    """

    __slots__ = ("entries", "log", "operator")

    def __init__(self, debug: bool) -> None:
        self.entries: list[Entry] = []
        self.log: list[str] | None = [] if debug else None
        self.operator = ""

    def hear(self, node: Any) -> None:
        """A node was made; what is saved next is saved by it."""
        self.operator = errors.operation_name(node.name())
        if self.log is not None:
            self.log.append(f"{self.operator} ({anomaly.source_line()})")

    def note(self, tensor: Tensor) -> None:
        """A tensor is saved."""
        metadata = {"shape": tensor.shape, "dtype": tensor.dtype, "device": tensor.device}
        self.entries.append(Entry(self.operator, metadata))


class Kept:
    """A tensor of which only the memory is kept (a leaf that needs a gradient: as it is), and its version.

    While the tensor lives, and has the place in the graph that it had, it is given back itself.

    Raises:
        RuntimeError: it was made in inference mode, where versions are not counted.
    """

    __slots__ = ("origin", "saver", "tensor", "version")

    def __init__(self, tensor: Tensor, saver: str) -> None:
        if tensor._flags_ & flags.INFERENCE:
            raise RuntimeError(errors.INFERENCE_SAVED)
        # A view keeps its base, and a tensor comes to lead to later nodes when it is written to: cycles. A twin not.
        is_leaf = tensor._edge_ is None and tensor._flags_ & flags.REQUIRES_GRAD
        self.tensor = tensor if is_leaf else twin_of(tensor)
        self.origin = weakref.ref(tensor)
        self.version = tensor._version
        self.saver = saver

    def unpack(self) -> Tensor:
        """The tensor.

        Raises:
            RuntimeError: it was written to since.
        """
        tensor, given = self.tensor, self.origin()
        if tensor._version != self.version:
            # A write gave the tensor a history that its twin has not.
            edge = (tensor if given is None else given)._edge_
            origin = f"output {edge.nr} of {errors.operation_name(edge.node.name())}" if edge is not None else ""
            raise RuntimeError(anomaly.stale(tensor._array_, tensor._storage_, origin, self.version, self.saver))
        if given is None or given._array_ is not tensor._array_ or given._edge_ is not tensor._edge_:
            return tensor
        return given


class Packed:
    """A tensor that a pack hook of the program, or of a region around this one, has taken over."""

    __slots__ = ("packed", "requires_grad", "unpack_hook")

    def __init__(self, tensor: Tensor, hooks: tuple[Any, Any]) -> None:
        pack_hook, self.unpack_hook = hooks
        self.requires_grad = tensor.requires_grad
        with no_grad():
            self.packed = pack_hook(tensor)

    def unpack(self) -> Tensor:
        """The tensor, without its history: nothing flows back from a recomputation."""
        result: Tensor = self.unpack_hook(self.packed)
        return result.detach().requires_grad_(self.requires_grad)


class Inputs:
    """The arguments of a call; tensors among them are kept as a node keeps what it saves.

    Tensors within other arguments (lists, modules) are simply kept alive.
    """

    __slots__ = ("args", "kwargs")

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.args = [keep(arg) for arg in args]
        self.kwargs = {name: keep(arg) for name, arg in kwargs.items()}

    def unpack(self) -> tuple[list[Any], dict[str, Any]]:
        """The arguments by position and by keyword."""
        return [give(arg) for arg in self.args], {name: give(arg) for name, arg in self.kwargs.items()}


def keep(value: Any) -> Any:
    """Keep an argument."""
    if not isinstance(value, Tensor):
        return value
    modes = current()
    if not modes.saved_hooks:
        return Kept(value, "checkpoint")
    if modes.listeners:
        modes.listeners[-1](Saver)
    return Packed(value, modes.saved_hooks[-1])


def give(kept: Any) -> Any:
    """What `keep` kept."""
    return kept.unpack() if isinstance(kept, Kept | Packed) else kept


class Saver:
    """Stands for the node that the inputs of a region within a region are saved by."""

    @staticmethod
    def name() -> str:
        """What errors call it."""
        return "checkpoint"


class Stop(BaseException):
    """Raised within a recomputation that has all it needs. No `Exception`: programs do not catch it by accident."""

    def __init__(self, by: Recomputation) -> None:
        self.by = by


class Region:
    """A part of a forward pass whose nodes keep nothing.

    Args:
        run: runs it once more.
        early_stop: do not run it further than to the last tensor that it saves.
        check: see `CHECKS`.
        debug: tell all operations of both runs with an error.
    """

    def __init__(self, run: Callable[[], object], *, early_stop: bool, check: str, debug: bool) -> None:
        self.run = run
        self.early_stop = early_stop
        self.check = check
        self.debug = debug
        self.complete = False
        self.outer: Callable[[Any], None] | None = None
        self.forward = Trace(debug)
        self.values: weakref.WeakKeyDictionary[Any, dict[int, Kept | None]] = weakref.WeakKeyDictionary()

    def record(self, function: Callable[[], Any]) -> Any:
        """Call a function, whose call is the region's forward pass."""
        outer = current().listeners[-1] if current().listeners else None
        self.outer = None if isinstance(getattr(outer, "__self__", None), Region | Trace) else outer
        try:
            result = watched(function, self.pack, self.unpack, self.hear, current().grad)
        finally:
            self.outer = None
        self.complete = True
        return result

    def hear(self, node: Any) -> None:
        """A node of the forward pass was made: others may want to know it too, but no region around this one."""
        self.forward.hear(node)
        if self.outer is not None:
            self.outer(node)

    def pack(self, tensor: Tensor) -> int:
        """Keep the number of a tensor instead of it."""
        self.forward.note(tensor)
        return len(self.forward.entries) - 1

    def unpack(self, number: int) -> Tensor:
        """Saved tensor `number`; for the first one in a backward pass the region runs again.

        Raises:
            CheckpointError: it did not do the same, or this pass has had the tensor before.
        """
        backward = current().this_pass()
        values = self.values.get(backward)
        if values is None or number not in values:
            values = self.values[backward] = Recomputation(self).start()
        kept = values[number]
        if kept is None:
            raise CheckpointError(_TWICE)
        values[number] = None  # the memory is free from here on
        return kept.unpack()


class Recomputation:
    """One more run of a region."""

    def __init__(self, region: Region) -> None:
        self.region = region
        self.wanted = len(region.forward.entries)
        self.stops = region.early_stop or not region.complete
        self.trace = Trace(region.debug)
        self.values: dict[int, Kept | None] = {}

    def start(self) -> dict[int, Kept | None]:
        """Run the region and give what it saved.

        Raises:
            CheckpointError: not the same as in the forward pass.
        """
        try:
            watched(self.region.run, self.pack, self.unpack, self.trace.hear, True)
        except Stop as stop:
            if stop.by is not self:
                raise
        self.compare()
        return self.values

    def pack(self, tensor: Tensor) -> Tensor:
        """Keep a tensor for the node of the forward pass that saved its like; the node made now gets it too."""
        detached = tensor.detach() if tensor.requires_grad else tensor
        number = len(self.trace.entries)
        self.trace.note(tensor)
        if number >= self.wanted:
            self.fail(_MORE)
        self.values[number] = Kept(detached, self.trace.operator)
        if self.stops and number + 1 == self.wanted:
            raise Stop(self)
        return detached

    @staticmethod
    def unpack(tensor: Tensor) -> Tensor:
        """Needed where the region itself asks for gradients."""
        return tensor

    def compare(self) -> None:
        """Refuse a run that saved something else than the forward pass did."""
        before, now = self.region.forward.entries, self.trace.entries
        if len(now) < self.wanted:
            self.fail(
                "A different number of tensors was saved during the original forward and recomputation.\n"
                f"Number of tensors saved during forward: {len(before)}\n"
                f"Number of tensors saved during recomputation: {len(now)}.{first_difference(before, now)}"
            )
        check = self.region.check
        if check == "none":
            return
        lines = [
            f"tensor at position {at}:\nsaved metadata: {old.metadata}, by {old.operator}\n"
            f"recomputed metadata: {new.metadata}, by {new.operator}\n"
            for at, (old, new) in enumerate(zip(before, now, strict=False))
            if old.metadata != new.metadata or (check == "operators" and old.operator != new.operator)
        ]
        if lines:
            self.fail(
                "Recomputed values for the following tensors have different metadata than during the forward pass.\n"
                f"{''.join(lines)}{first_difference(before, now).lstrip()}"
            )

    def fail(self, what: str) -> None:
        """Raise the error, with all that is known where that was asked for.

        Raises:
            CheckpointError: always.
        """
        text = f"torch.utils.checkpoint: {what}"
        if self.trace.log is None:
            raise CheckpointError(text + _TIP)
        logs = (
            f"{_LOGS}\n\nOperations executed during the original forward:\n{listed(self.region.forward.log)}\n\n"
            f"Operations executed during recomputation:\n{listed(self.trace.log)}"
        )
        raise CheckpointError(f"{logs}\n\n{text}")


def first_difference(before: list[Entry], now: list[Entry]) -> str:
    """A sentence that names the first operator that differs."""
    for at, (old, new) in enumerate(zip(before, now, strict=False)):
        if old.operator != new.operator:
            return (
                f"\nThe first operator that differs saved tensor {at}: {old.operator} during forward, {new.operator} "
                "during recomputation."
            )
    if len(now) < len(before):
        missing = before[len(now)]
        return f"\nThe first operator that is missing during recomputation is {missing.operator}."
    return ""


def listed(log: list[str] | None) -> str:
    """The lines of a log with their numbers."""
    return "\n".join(f"{number}: {line}" for number, line in enumerate(log or (), 1)) or "none"


def is_partial() -> bool:
    """Whether the backward pass under way, or one around it, was asked for some gradients only."""
    return current().this_pass().partial


def watched(
    function: Callable[[], Any],
    pack_hook: Callable[[Tensor], Any],
    unpack_hook: Callable[[Any], Tensor],
    listener: Callable[[Any], None],
    recording: bool,
) -> Any:
    """Call a function under hooks for saved tensors; `listener` is called with each new node.

    Raises:
        RuntimeError: hooks are forbidden, see `disable_saved_tensors_hooks`.
    """
    modes = current()
    if modes.no_saved_hooks is not None:
        raise RuntimeError(modes.no_saved_hooks)
    saved_hooks, listeners, noting, grad, mask = (
        modes.saved_hooks, modes.listeners, modes.noting, modes.grad, modes.mask,
    )  # fmt: skip
    opened = len(OPEN.modules)
    try:
        modes.saved_hooks = (*(saved_hooks or ()), (pack_hook, unpack_hook))
        modes.listen([*listeners, listener])
        modes.set_grad(recording)
        return function()
    finally:  # stores only, see `_core.state.modes`
        modes.saved_hooks = saved_hooks
        modes.listeners = listeners
        modes.noting = noting
        modes.grad = grad
        modes.mask = mask
        del OPEN.modules[opened:]  # those that a run left which stopped early


__all__ = ["CHECKS", "CheckpointError", "Inputs", "Region", "is_partial", "warn"]
