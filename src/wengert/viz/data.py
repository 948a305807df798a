"""Data of a picture of a graph: boxes, arrows, and saved tensors."""

import dataclasses
from collections.abc import Iterable, Mapping

__all__ = ["Drawable", "GraphEdge", "GraphNode", "Kind", "Saved"]

Shape = tuple[int, ...]
Kind = str
OUTPUT: Kind = "output"
OPERATOR: Kind = "operator"
PARAMETER: Kind = "parameter"
LEAF: Kind = "leaf"


@dataclasses.dataclass(frozen=True)
class Saved:
    """A tensor that a node saves for the backward pass.

    Args:
        name: name of the attribute without `_saved_`, with the position if there are several.
        shape: shape of the tensor.
        dtype: name of its dtype; empty for a packed tensor without measurable memory.
        memory: key of the storage; equal for tensors that share it.
        nbytes: bytes of that storage.
        packed: whether a hook packed it: shape, dtype and bytes are then those of the packed value.
    """

    name: str
    shape: Shape
    dtype: str
    memory: object
    nbytes: int
    packed: bool = False


@dataclasses.dataclass(frozen=True)
class GraphNode:
    """A box of the picture.

    Args:
        kind: "output", "operator", "parameter" (a leaf with a name) or "leaf".
        title: name of the operator or of the parameter.
        shapes: shapes of its outputs; empty if unknown.
        saved: its saved tensors, in the order of the names.
        released: whether the saved tensors were released already, as after a backward pass.
        module: path of its module, "encoder.0"; empty if it has none.
        scope: path of its name scope, "step/attention"; empty if it has none.
        source: the line of the program that created it, if `set_debug` or anomaly mode recorded it; else empty.
        sequence: sequence number, counted per thread; None for leaves.
        gradient: norm of the gradient that arrives at it; None if not computed.
        forward: microseconds of its operator, from a profile; None if unknown.
        backward: microseconds of its backward step, likewise.
    """

    kind: Kind
    title: str
    shapes: tuple[Shape, ...] = ()
    saved: tuple[Saved, ...] = ()
    released: bool = False
    module: str = ""
    scope: str = ""
    source: str = ""
    sequence: int | None = None
    gradient: float | None = None
    forward: float | None = None
    backward: float | None = None

    @property
    def saved_bytes(self) -> int:
        """Bytes saved by this node; a storage that is saved twice counts once."""
        return total_bytes(self.saved)


@dataclasses.dataclass(frozen=True)
class GraphEdge:
    """An arrow: data flow from the box at index `source` to the box at index `target`, `count` times."""

    source: int
    target: int
    count: int = 1


@dataclasses.dataclass(frozen=True)
class Drawable:
    """Boxes and the arrows between them.

    Args:
        nodes: the boxes; the first one is the tensor itself.
        edges: the arrows, in the direction of the forward computation.
        modules: types of the modules by their paths, {"encoder.0": "Linear"}; empty if the model is not known.
    """

    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    modules: Mapping[str, str] = dataclasses.field(default_factory=dict, kw_only=True)

    @property
    def saved_bytes(self) -> int:
        """Bytes saved for the backward pass by all nodes; shared storages count once."""
        return total_bytes(saved for node in self.nodes for saved in node.saved)


def total_bytes(saved: Iterable[Saved]) -> int:
    """Return the bytes of the distinct storages among `saved`."""
    return sum({tensor.memory: tensor.nbytes for tensor in saved}.values())
