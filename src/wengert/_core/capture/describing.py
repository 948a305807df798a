"""Description of the tensors that a recorded function returns or sets as gradients."""

from __future__ import annotations

from typing import Any

from .. import flags
from ..aliasing import views
from ..aliasing.views import ViewInfo
from ..tensor.base import Tensor
from .outputs import Nest, Output
from .recorder import PLAIN, Recorder, Refusal
from .signatures import VALUES

ATOMS = (*VALUES, float, complex)


class Describing:
    """Description of the results of one recording.

    Args:
        recorder: the recording, which has just ended.

    Attributes:
        recorded: the results that require a gradient, with their descriptions.
        storages: for each storage of the results (by identity) its number.
    """

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.known: dict[int, Output] = {}
        self.kept: list[Tensor] = []
        self.storages: dict[int, int] = {}
        self.recorded: list[tuple[Output, Tensor]] = []

    def describe(self, value: Any) -> Any:
        """Return the description of a result.

        Raises:
            Refusal: if a replay cannot build the result.
        """
        kind = type(value)
        if isinstance(value, Tensor):
            return self.output(value)
        if kind in ATOMS:
            return value
        if kind is list or isinstance(value, tuple):
            return Nest(kind, (), tuple([self.describe(part) for part in value]))
        if kind is dict:
            return Nest(dict, tuple(value), tuple([self.describe(part) for part in value.values()]))
        raise Refusal(f"the function returns an object of type {kind.__name__}")

    def output(self, tensor: Tensor) -> Output:
        """Return the description of a tensor."""
        output = self.known.get(id(tensor))
        if output is None:
            output = self.known[id(tensor)] = Output()
            self.kept.append(tensor)  # so that its identity is not reused
            self.fill(output, tensor)
        return output

    def fill(self, output: Output, tensor: Tensor) -> None:
        """Describe a tensor."""
        recorder = self.recorder
        at = recorder.of_external.get(id(tensor))
        if at is not None and recorder.externals[at][0] is tensor:
            output.external = at
            return
        if type(tensor) is not Tensor or tensor._flags_ & ~PLAIN:
            raise Refusal("a result is sparse, on another device, or of a class of its own")
        if tensor._flags_ & flags.VIEW:
            info: ViewInfo = tensor._meta_.view
            self.note(output, tensor, info)
            output.base, output.steps, output.kind = self.output(info.base), info.steps, info.kind
            return
        output.register = recorder.operand(tensor)
        storage = tensor._storage_
        output.external = recorder.storages[id(storage)][2]
        self.note(output, tensor, None)
        if output.external < 0:
            output.storage = self.storages.setdefault(id(storage), len(self.storages))
            output.version = storage.version

    def note(self, output: Output, tensor: Tensor, info: ViewInfo | None) -> None:
        """Note a result that requires a gradient.

        Args:
            info: how a view is taken, None for other tensors.

        Raises:
            Refusal: if it is a leaf on memory from outside, or a view whose history cannot be brought up to date.
        """
        if info is not None and info.base._flags_ & flags.REQUIRES_GRAD:
            try:
                views.refresh(tensor)
            except RuntimeError as error:
                raise Refusal("a view is returned whose base was written to after it was taken") from error
        if tensor._flags_ & flags.REQUIRES_GRAD:
            if tensor._edge_ is None and info is None and output.external >= 0:
                raise Refusal("a result is a view of a tensor that the function does not use itself, or its `detach()`")
            self.recorded.append((output, tensor))
