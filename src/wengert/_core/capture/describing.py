"""Description of the tensors that a recorded function returns or sets as gradients."""

from __future__ import annotations

from typing import Any

from .. import flags
from ..aliasing.views import ViewInfo
from ..tensor.base import Tensor
from .outputs import Nest, Output
from .recorder import Recorder, Refusal
from .signatures import VALUES

ATOMS = (*VALUES, float, complex)


class Describing:
    """Description of the results of one recording.

    Args:
        recorder: the recording, which has just ended.
    """

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.known: dict[int, Output] = {}
        self.kept: list[Tensor] = []
        self.storages: dict[int, int] = {}

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
        if type(tensor) is not Tensor or tensor._flags_ & ~flags.VIEW:
            raise Refusal("a result requires a gradient, or is of a class of its own")
        if tensor._flags_ & flags.VIEW:
            info: ViewInfo = tensor._meta_.view
            output.base, output.steps, output.made = self.output(info.base), info.steps, info.made
            return
        output.register = recorder.operand(tensor)
        storage = tensor._storage_
        output.external = recorder.storages[id(storage)][2]
        if output.external < 0:
            output.storage = self.storages.setdefault(id(storage), len(self.storages))
            output.version = storage.version
