"""Regions of a forward pass that keep nothing: their saved tensors are computed again in the backward pass.

This is the base of `utils.checkpoint`. The nodes of a region keep numbers in place of tensors (through the hooks for
saved tensors). When the first is unpacked in a backward pass, the region runs once more. The tensors that it saves then
are returned by number, each only once, so that memory is freed on the way.
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
"""Values of `determinism_check`: compare shape, dtype and device; only the number; all these and the operator."""

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
    """Raised if a checkpointed function does something else when it runs again."""


class Entry(NamedTuple):
    """Description of a saved tensor: the operator that saved it, and its shape, dtype and device."""

    operator: str
    metadata: dict[str, Any]


class Trace:
    """Record of one run of a region.

    Attributes:
        entries: one for each saved tensor.
        log: one line for each recorded operation; None without `debug`.
    """

    __slots__ = ("entries", "log", "operator")

    def __init__(self, debug: bool) -> None:
        self.entries: list[Entry] = []
        self.log: list[str] | None = [] if debug else None
        self.operator = ""

    def hear(self, node: Any) -> None:
        """Note a new node, which saves the next tensors."""
        self.operator = errors.operation_name(node.name())
        if self.log is not None:
            self.log.append(f"{self.operator} ({anomaly.source_line()})")

    def note(self, tensor: Tensor) -> None:
        """Note a saved tensor."""
        metadata = {"shape": tensor.shape, "dtype": tensor.dtype, "device": tensor.device}
        self.entries.append(Entry(self.operator, metadata))


class Kept:
    """The memory of a tensor (for a leaf that requires a gradient the tensor itself), and its version.

    While the tensor lives, and its place in the graph is unchanged, the tensor itself is returned.

    Raises:
        RuntimeError: if the tensor was made in inference mode, where versions are not counted.
    """

    __slots__ = ("origin", "saver", "tensor", "version")

    def __init__(self, tensor: Tensor, saver: str) -> None:
        if tensor._flags_ & flags.INFERENCE:
            raise RuntimeError(errors.INFERENCE_SAVED)
        # A view keeps its base, and a tensor that is written to refers to later nodes: cycles. A twin does not.
        is_leaf = tensor._edge_ is None and tensor._flags_ & flags.REQUIRES_GRAD
        self.tensor = tensor if is_leaf else twin_of(tensor)
        self.origin = weakref.ref(tensor)
        self.version = tensor._version
        self.saver = saver

    def unpack(self) -> Tensor:
        """Return the tensor.

        Raises:
            RuntimeError: if it was written to since.
        """
        tensor, source = self.tensor, self.origin()
        if tensor._version != self.version:
            # A write gave the tensor a history that its twin does not have.
            edge = (tensor if source is None else source)._edge_
            origin = f"output {edge.nr} of {errors.operation_name(edge.node.name())}" if edge is not None else ""
            raise RuntimeError(anomaly.stale(tensor._array_, tensor._storage_, origin, self.version, self.saver))
        if source is None or source._array_ is not tensor._array_ or source._edge_ is not tensor._edge_:
            return tensor
        return source


class Packed:
    """A tensor packed by a hook of the program, or of a region around this one."""

    __slots__ = ("packed", "requires_grad", "unpack_hook")

    def __init__(self, tensor: Tensor, hooks: tuple[Any, Any]) -> None:
        pack_hook, self.unpack_hook = hooks
        self.requires_grad = tensor.requires_grad
        with no_grad():
            self.packed = pack_hook(tensor)

    def unpack(self) -> Tensor:
        """Return the tensor without its history: no gradient flows back from a recomputation."""
        result: Tensor = self.unpack_hook(self.packed)
        return result.detach().requires_grad_(self.requires_grad)


class Inputs:
    """The arguments of a call; tensors among them are saved as by a node.

    Tensors within other arguments (lists, modules) are only kept alive.
    """

    __slots__ = ("args", "kwargs")

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.args = [keep(arg) for arg in args]
        self.kwargs = {name: keep(arg) for name, arg in kwargs.items()}

    def unpack(self) -> tuple[list[Any], dict[str, Any]]:
        """Return the arguments by position and by keyword."""
        return [give(arg) for arg in self.args], {name: give(arg) for name, arg in self.kwargs.items()}


def keep(value: Any) -> Any:
    """Return an argument in the form in which it is kept."""
    if not isinstance(value, Tensor):
        return value
    modes = current()
    if not modes.saved_hooks:
        return Kept(value, "checkpoint")
    if modes.listeners:
        modes.listeners[-1](Saver)
    return Packed(value, modes.saved_hooks[-1])


def give(value: Any) -> Any:
    """Return the argument that `keep` kept."""
    return value.unpack() if isinstance(value, Kept | Packed) else value


class Saver:
    """Placeholder for the node that saves the inputs of a region within a region."""

    @staticmethod
    def name() -> str:
        """Return the name for errors."""
        return "checkpoint"


class Stop(BaseException):
    """Raised to end a recomputation early. Not an `Exception`, so that programs do not catch it by accident."""

    def __init__(self, by: Recomputation) -> None:
        self.by = by


class Region:
    """A part of a forward pass whose nodes keep nothing.

    Args:
        run: function that runs the region once more.
        early_stop: stop the second run at the last tensor that it saves.
        check: see `CHECKS`.
        debug: list all operations of both runs in an error.
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
        """Call a function as the forward pass of the region."""
        outer = current().listeners[-1] if current().listeners else None
        self.outer = None if isinstance(getattr(outer, "__self__", None), Region | Trace) else outer
        try:
            result = watched(function, self.pack, self.unpack, self.hear, current().grad)
        finally:
            self.outer = None
        self.complete = True
        return result

    def hear(self, node: Any) -> None:
        """Note a node of the forward pass, and pass it on to other listeners, except regions around this one."""
        self.forward.hear(node)
        if self.outer is not None:
            self.outer(node)

    def pack(self, tensor: Tensor) -> int:
        """Return the number of a tensor, which is kept in its place."""
        self.forward.note(tensor)
        return len(self.forward.entries) - 1

    def unpack(self, number: int) -> Tensor:
        """Return saved tensor `number`; the region runs again for the first one in a backward pass.

        Raises:
            CheckpointError: if the region did not do the same, or this pass has read the tensor before.
        """
        backward = current().this_pass()
        values = self.values.get(backward)
        if values is None or number not in values:
            values = self.values[backward] = Recomputation(self).start()
        saved = values[number]
        if saved is None:
            raise CheckpointError(_TWICE)
        values[number] = None  # the memory is free from here on
        return saved.unpack()


class Recomputation:
    """One more run of a region."""

    def __init__(self, region: Region) -> None:
        self.region = region
        self.wanted = len(region.forward.entries)
        self.stops = region.early_stop or not region.complete
        self.trace = Trace(region.debug)
        self.values: dict[int, Kept | None] = {}

    def start(self) -> dict[int, Kept | None]:
        """Run the region and return the tensors that it saved.

        Raises:
            CheckpointError: if they differ from those of the forward pass.
        """
        try:
            watched(self.region.run, self.pack, self.unpack, self.trace.hear, True)
        except Stop as stop:
            if stop.by is not self:
                raise
        self.compare()
        return self.values

    def pack(self, tensor: Tensor) -> Tensor:
        """Store a tensor for the node of the forward pass that saved the same number; the new node keeps it as well."""
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
        """Return the tensor; needed if the region itself computes gradients."""
        return tensor

    def compare(self) -> None:
        """Refuse a run that did not save the same tensors as the forward pass."""
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
        """Raise the error, with the logs of both runs if `debug`.

        Raises:
            CheckpointError: always; the second run differs from the first.
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
    """Return a sentence that names the first operator that differs."""
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
    """Return the numbered lines of a log."""
    return "\n".join(f"{number}: {line}" for number, line in enumerate(log or (), 1)) or "none"


def is_partial() -> bool:
    """Return whether the current backward pass, or one around it, computes only some gradients."""
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
        RuntimeError: if hooks are forbidden, see `disable_saved_tensors_hooks`.
    """
    modes = current()
    if modes.no_saved_hooks is not None:
        raise RuntimeError(modes.no_saved_hooks)
    saved_hooks, listeners, noting, grad, mask = (
        modes.saved_hooks,
        modes.listeners,
        modes.noting,
        modes.grad,
        modes.mask,
    )
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
        del OPEN.modules[opened:]  # left by a run that stopped early


__all__ = ["CHECKS", "CheckpointError", "Inputs", "Region", "is_partial", "warn"]
