"""The autograd graph of a tensor as plain data: what is computed from what, and what is kept for the backward pass.

The walk reads the graph as any user can, and knows nothing else of the engine: `tensor.grad_fn`, `node.name()`,
`node.next_functions`, the `variable` of a leaf's node and the `_saved_*` attributes; shapes come from `_input_metadata`
of a node or from its `edges`, where there are such. It keeps its own stack: memory alone limits the depth of a graph.
"""

import dataclasses
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wengert import Tensor

__all__ = ["Graph", "GraphEdge", "GraphNode", "Kind", "Saved", "graph"]

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
        dtype: Name of its dtype.
        memory: What identifies the storage; equal for tensors that share it.
        nbytes: Bytes of that storage.
    """

    name: str
    shape: Shape
    dtype: str
    memory: object
    nbytes: int


@dataclasses.dataclass(frozen=True)
class GraphNode:
    """A box of the picture.

    Args:
        kind: "output", "operator", "parameter" (a leaf with a name) or "leaf".
        title: Name of the operator or of the parameter.
        shapes: Shapes of what flows out of it, one per output; empty where unknown.
        saved: What it keeps, in the order of the names.
        released: Whether what it kept is gone already, as after a backward pass.
    """

    kind: Kind
    title: str
    shapes: tuple[Shape, ...] = ()
    saved: tuple[Saved, ...] = ()
    released: bool = False

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
class Graph:
    """The autograd graph of one tensor; shows itself as a picture in a notebook.

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

    def to_svg(self) -> str:
        """The picture as the text of an SVG file."""
        from wengert.viz.svg import write_svg

        return write_svg(self)

    def to_dot(self) -> str:
        """The graph in the language of Graphviz."""
        from wengert.viz.dot import write_dot

        return write_dot(self)

    def to_png(self) -> bytes:
        """The picture as the content of a PNG file; needs matplotlib, which `wengert[full]` brings along."""
        from wengert.viz.png import write_png

        return write_png(self)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the graph into a file.

        Args:
            path: Name of the file; its suffix chooses the form: `.svg`, `.png` or `.dot`.

        Returns:
            The path that was written.

        Raises:
            ValueError: The suffix is another one.
            ImportError: A `.png` is wanted and matplotlib is not installed.
        """
        path = Path(path)
        forms: dict[str, Callable[[], str | bytes]] = {".svg": self.to_svg, ".png": self.to_png, ".dot": self.to_dot}
        form = forms.get(path.suffix.lower())
        if form is None:
            raise ValueError(
                f"Graph.save(): the suffix must be one of {', '.join(forms)}, but got {path.suffix!r} in {str(path)!r}"
            )
        content = form()
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        return path

    def _repr_svg_(self) -> str:
        """What a notebook shows."""
        return self.to_svg()

    def __repr__(self) -> str:
        return f"Graph({len(self.nodes)} nodes, {len(self.edges)} edges, {self.saved_bytes} bytes saved)"


def total_bytes(saved: Iterable[Saved]) -> int:
    """Bytes of the distinct storages among `saved`."""
    return sum({one.memory: one.nbytes for one in saved}.values())


def graph(loss: "Tensor", params: "Mapping[str, Tensor] | None" = None) -> Graph:
    """The autograd graph behind `loss`.

    Args:
        loss: Tensor with a history, of any shape.
        params: Names of leaves, such as `dict(model.named_parameters())`. Leaves that are not in it stay anonymous.

    Returns:
        A `Graph`: `.save(path)` writes it as .svg, .png or .dot, and a notebook shows it.

    Raises:
        TypeError: `loss` is no tensor, or `params` is no mapping.
        ValueError: `loss` has no history: it does not require a gradient.
    """
    if not hasattr(loss, "grad_fn"):
        raise TypeError(f"viz.graph(): loss must be a tensor, but got {type(loss).__name__}")
    if params is not None and not isinstance(params, Mapping):
        raise TypeError(
            f"viz.graph(): params must map names to tensors, but got {type(params).__name__}; "
            "use dict(model.named_parameters())"
        )
    if loss.grad_fn is None and not loss.requires_grad:
        raise ValueError(
            "viz.graph(): the tensor has no history, because it does not require a gradient (requires_grad is False); "
            "compute it from tensors that do, outside of no_grad()"
        )
    return _Walk({id(tensor): name for name, tensor in (params or {}).items()}).run(loss)


class _Walk:
    """One walk over a graph, from the tensor to the leaves."""

    def __init__(self, names: dict[int, str]) -> None:
        self.names = names
        self.boxes: list[GraphNode] = []
        self.arrows: dict[tuple[int, int], int] = {}
        # Index of each node's box by identity. `found` and `kept` hold what was met until the walk is over: the
        # identity of a node, or the address of a tensor that a hook unpacked, might otherwise be used again.
        self.index: dict[int, int] = {}
        # What flows out of the boxes by number of the output, where only the arrows know it.
        self.flowing: dict[int, dict[int, Shape]] = {}
        self.found: list[Any] = []
        self.kept: list[Any] = []

    def run(self, loss: "Tensor") -> Graph:
        """The graph of `loss`."""
        self.boxes.append(GraphNode(OUTPUT, "output", (tuple(loss.shape),)))
        self.found.append(loss)
        if loss.grad_fn is None:
            self.boxes.append(self._leaf(loss))
            self.arrows[1, 0] = 1
        else:
            waiting = [self._visit(loss.grad_fn)]
            self.arrows[waiting[0], 0] = 1
            self.flowing[waiting[0]] = {getattr(loss, "output_nr", 0): tuple(loss.shape)}
            while waiting:
                waiting.extend(self._expand(waiting.pop()))
        for box, shapes in self.flowing.items():
            if not self.boxes[box].shapes:
                flows = tuple(shapes[number] for number in sorted(shapes))
                self.boxes[box] = dataclasses.replace(self.boxes[box], shapes=flows)
        edges = tuple(GraphEdge(source, target, count) for (source, target), count in self.arrows.items())
        return Graph(tuple(self.boxes), edges)

    def _expand(self, target: int) -> Iterator[int]:
        """Draws the arrows into the box at `target`; yields the boxes that are new."""
        follow = self.found[target].next_functions
        edges = getattr(self.found[target], "edges", None) or [None] * len(follow)
        for (node, number), edge in zip(follow, edges, strict=True):
            if node is None:
                continue
            source = self.index.get(id(node))
            if source is None:
                source = self._visit(node)
                yield source
            self.arrows[source, target] = self.arrows.get((source, target), 0) + 1
            if edge is not None:
                self.flowing.setdefault(source, {})[number] = tuple(edge.shape)

    def _visit(self, node: Any) -> int:
        """Makes the box of a node that is met for the first time; returns its index."""
        position = len(self.boxes)
        self.index[id(node)] = position
        self.found.append(node)
        variable = getattr(node, "variable", None)
        self.boxes.append(self._operator(node) if variable is None else self._leaf(variable))
        return position

    def _leaf(self, variable: "Tensor") -> GraphNode:
        """The box of a leaf."""
        name = self.names.get(id(variable))
        shapes = (tuple(variable.shape),)
        return GraphNode(LEAF, "leaf", shapes) if name is None else GraphNode(PARAMETER, name, shapes)

    def _operator(self, node: Any) -> GraphNode:
        """The box of an operator's node."""
        saved: list[Saved] = []
        released = False
        for name in dir(node):
            # `saved_tensors` is what a user's own Function kept.
            if not (name.startswith("_saved_") or name == "saved_tensors"):
                continue
            try:
                value = getattr(node, name)
            except RuntimeError:  # freed by a backward pass, or changed in place since: nothing to measure
                released = True
                continue
            self.kept.append(value)
            saved.extend(_describe(name.removeprefix("_saved_"), value))
        return GraphNode(OPERATOR, node.name(), _output_shapes(node, saved), tuple(saved), released)


def _output_shapes(node: Any, saved: list[Saved]) -> tuple[Shape, ...]:
    """Shapes of what the operator returned: as the node remembers them, or else that of the result it saved."""
    remembered = getattr(node, "_input_metadata", None)
    if remembered is not None:
        return tuple(tuple(meta.shape) for meta in remembered)
    return tuple(one.shape for one in saved if one.name == "result")


def _describe(name: str, value: Any) -> Iterator[Saved]:
    """What is known of a saved value: one entry per tensor in it."""
    if isinstance(value, list | tuple):
        for position, item in enumerate(value):
            yield from _describe(f"{name}[{position}]", item) if _is_tensor(item) else ()
    elif _is_tensor(value):
        memory, nbytes = _memory(value)
        yield Saved(name, tuple(value.shape), str(value.dtype).removeprefix("torch."), memory, nbytes)


def _is_tensor(value: Any) -> bool:
    """Whether `value` is a tensor: it has a history to ask for."""
    return hasattr(value, "grad_fn") and hasattr(value, "shape")


def _memory(tensor: Any) -> tuple[object, int]:
    """What identifies the storage of a tensor, and its size in bytes."""
    if hasattr(tensor, "untyped_storage"):
        storage = tensor.untyped_storage()
        return storage.data_ptr(), storage.nbytes()
    return tensor.data_ptr(), tensor.nbytes
