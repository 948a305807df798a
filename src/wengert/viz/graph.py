"""The autograd graph of a tensor as a picture: what is computed from what, and what is kept for the backward pass.

The walk follows the edges of the nodes, which know the shapes; what nodes keep tells `autograd.kept`, which unpacks
nothing. So a picture changes nothing. The walk has a stack of its own: memory alone limits the depth of a graph.
"""

import dataclasses
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wengert.autograd.kept import innermost, kept_by
from wengert.viz.data import LEAF, OPERATOR, OUTPUT, PARAMETER, Drawable, GraphEdge, GraphNode, Saved, Shape

if TYPE_CHECKING:
    from wengert import Tensor

__all__ = ["Graph", "graph"]


@dataclasses.dataclass(frozen=True)
class Graph(Drawable):
    """The autograd graph of one tensor; shows itself as a picture in a notebook."""

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
        volatile = "it is volatile, because it was computed from a volatile tensor; its requires_grad is False"
        reason = volatile if getattr(loss, "volatile", False) else "requires_grad is False"
        raise ValueError(
            f"viz.graph(): the tensor has no history, because it does not require a gradient ({reason}); "
            "compute it from tensors that do, outside of no_grad()"
        )
    return _Walk({id(tensor): name for name, tensor in (params or {}).items()}).run(loss)


class _Walk:
    """One walk over a graph, from the tensor to the leaves."""

    def __init__(self, names: dict[int, str]) -> None:
        self.names = names
        self.boxes: list[GraphNode] = []
        self.arrows: dict[tuple[int, int], int] = {}
        # Index of each node's box by identity; `found` holds the nodes, so that no identity is used again meanwhile.
        self.index: dict[int, int] = {}
        self.found: list[Any] = []
        # What flows out of the boxes by number of the output: only the arrows know it.
        self.flowing: dict[int, dict[int, Shape]] = {}

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
            if self.boxes[box].kind == OPERATOR:
                flows = tuple(shapes[number] for number in sorted(shapes))
                self.boxes[box] = dataclasses.replace(self.boxes[box], shapes=flows)
        edges = tuple(GraphEdge(source, target, count) for (source, target), count in self.arrows.items())
        return Graph(tuple(self.boxes), edges)

    def _expand(self, target: int) -> Iterator[int]:
        """Draws the arrows into the box at `target`; yields the boxes that are new."""
        for edge in self.found[target].next_edges:
            if edge is None:
                continue
            source = self.index.get(id(edge.node))
            if source is None:
                source = self._visit(edge.node)
                yield source
            self.arrows[source, target] = self.arrows.get((source, target), 0) + 1
            if edge.shape is not None:
                self.flowing.setdefault(source, {})[edge.nr] = tuple(edge.shape)

    def _visit(self, node: Any) -> int:
        """Makes the box of a node that is met for the first time; returns its index."""
        position = len(self.boxes)
        self.index[id(node)] = position
        self.found.append(node)
        is_leaf = name_of(node) == "AccumulateGrad"
        self.boxes.append(self._leaf(node.variable) if is_leaf else operator(node))
        return position

    def _leaf(self, variable: "Tensor") -> GraphNode:
        """The box of a leaf."""
        name = self.names.get(id(variable))
        shapes = (tuple(variable.shape),)
        return GraphNode(LEAF, "leaf", shapes) if name is None else GraphNode(PARAMETER, name, shapes)


def operator(node: Any) -> GraphNode:
    """The box of an operator's node; the shapes follow from the arrows."""
    inner = innermost(node)
    title = name_of(node) if inner is node else f"{name_of(node)}({name_of(inner)})"
    kept = kept_by(node)
    saved = tuple(
        Saved(one.name, one.shape, one.dtype, one.address if one.nbytes else one.name, one.nbytes, one.packed)
        for one in kept or ()
    )
    return GraphNode(OPERATOR, title, (), saved, kept is None)


def name_of(node: Any) -> str:
    """The name of a node without namespaces, whatever a program calls the attributes of its `ctx`."""
    return str(type(node).name(node)).rpartition("::")[2]
