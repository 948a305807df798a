"""`torch.fx.passes.infra.pass_base`: functions that change a graph, and say whether they have."""

from __future__ import annotations

from typing import Any, NamedTuple


class PassResult(NamedTuple):
    """Result of a pass.

    Attributes:
        graph_module: the module, changed in place or a new one.
        modified: whether it was changed.
    """

    graph_module: Any
    modified: bool


class PassBase:
    """Base of passes: subclasses define `call(graph_module)`, and optionally `requires` and `ensures`."""

    def __call__(self, graph_module: Any) -> PassResult | None:
        """Run the pass, between the two checks."""
        self.requires(graph_module)
        result = self.call(graph_module)
        self.ensures(graph_module)
        return result

    def call(self, graph_module: Any) -> PassResult | None:
        """Change the module."""
        raise NotImplementedError(f"{type(self).__name__} does not define call()")

    def requires(self, graph_module: Any) -> None:
        """Raise an error if the module is none for the pass."""

    def ensures(self, graph_module: Any) -> None:
        """Raise an error if the pass has not done its work."""


__all__ = ["PassBase", "PassResult"]
