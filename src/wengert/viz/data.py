"""What pictures of a graph are made from: boxes, arrows, and what is kept, as plain data."""

import dataclasses
from collections.abc import Iterable

__all__ = ["Drawable", "GraphEdge", "GraphNode", "Kind", "Saved"]

Shape = tuple[int, ...]
Kind = str
OUTPUT: Kind = "output"
OPERATOR: Kind = "operator"
PARAMETER: Kind = "parameter"
LEAF: Kind = "leaf"


@dataclasses.dataclass(frozen=True)
class Saved:
    """A tensor that a node keeps for the backward pass.

    Args:
        name: Name of the attribute without `_saved_`, with the position where there are several.
        shape: Shape of the tensor.
        dtype: Name of its dtype; empty for a packed one without memory that could be measured.
        memory: What identifies the storage; equal for tensors that share it.
        nbytes: Bytes of that storage.
        packed: Whether a hook packed it: shape, dtype and bytes are those of what the hook made.
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
        title: Name of the operator or of the parameter.
        shapes: Shapes of what flows out of it, one per output; empty where unknown.
        saved: What it keeps, in the order of the names.
        released: Whether what it kept is gone already, as after a backward pass.
        module: Path of the module it belongs to, "encoder.0"; empty where it belongs to none.
        scope: Path of the name scope it was made in, "step/attention"; empty where it was made in none.
        source: The program's line that made it, where `set_debug` or anomaly mode noted that; else empty.
        sequence: When it was made, counted per thread; None for leaves.
        gradient: Norm of the gradient that arrives at it; None where that was not asked for.
        forward: Microseconds of the operator that made it, from a profile; None where that is not known.
        backward: Microseconds of its backward step, likewise.
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
        """Bytes that this node keeps; a storage that it keeps twice counts once."""
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
        nodes: The boxes; the first one is the tensor itself.
        edges: The arrows, in the direction of the forward computation.
    """

    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]

    @property
    def saved_bytes(self) -> int:
        """Bytes kept for the backward pass by all nodes together; shared storages count once."""
        return total_bytes(saved for node in self.nodes for saved in node.saved)


def total_bytes(saved: Iterable[Saved]) -> int:
    """Bytes of the distinct storages among `saved`."""
    return sum({one.memory: one.nbytes for one in saved}.values())
