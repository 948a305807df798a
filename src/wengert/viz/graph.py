"""The autograd graph of a tensor as a picture: dependencies, and tensors saved for the backward pass.

The walk follows the edges of the nodes, which have the shapes; `autograd.kept` lists the saved tensors without
unpacking them. So a picture changes nothing. The walk is not recursive: only memory limits the depth of a graph.
"""

import dataclasses
import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wengert.autograd.kept import innermost, kept_by
from wengert.autograd.scopes import metadata_of, place_of
from wengert.debugging.walk import place_of_node
from wengert.viz.data import LEAF, OPERATOR, OUTPUT, PARAMETER, Drawable, GraphEdge, GraphNode, Saved, Shape
from wengert.viz.measures import gradient_norms, name_of, times_of
from wengert.viz.scopes import infer_modules

if TYPE_CHECKING:
    from wengert import Tensor, nn

__all__ = ["Graph", "graph"]


PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


@dataclasses.dataclass(frozen=True)
class Graph(Drawable):
    """The autograd graph of one tensor; a notebook shows its explorer page.

    Args:
        profile: profile whose timeline the explorer page shows, or None.
    """

    profile: Any = None

    def to_svg(self) -> str:
        """Return the picture as the text of an SVG file."""
        from wengert.viz.svg import write_svg

        return write_svg(self)

    def to_dot(self) -> str:
        """Return the graph in the language of Graphviz."""
        from wengert.viz.dot import write_dot

        return write_dot(self)

    def to_png(self) -> bytes:
        """Return the picture as the content of a PNG file; needs matplotlib, which is part of `wengert[full]`."""
        from wengert.viz.png import write_png

        return write_png(self)

    def to_mermaid(self) -> str:
        """Return the graph in the language of Mermaid, which many forges draw in Markdown."""
        from wengert.viz.mermaid import write_mermaid

        return write_mermaid(self)

    def to_html(self) -> str:
        """Return the explorer: one self-contained page for a browser."""
        from wengert.viz.explorer import write_page

        return write_page(self, self.profile)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the graph to a file.

        Args:
            path: name of the file; its suffix selects the format: `.html` (a page to explore the graph), `.svg`,
                `.png`, `.dot` or `.mmd` (Mermaid).

        Returns:
            The path that was written.

        Raises:
            ValueError: if the suffix is none of these.
            ImportError: if a `.png` is requested and matplotlib is not installed.
        """
        path = Path(path)
        forms: dict[str, Callable[[], str | bytes]] = {
            ".svg": self.to_svg,
            ".png": self.to_png,
            ".dot": self.to_dot,
            ".mmd": self.to_mermaid,
            ".html": self.to_html,
        }
        form = forms.get(path.suffix.lower())
        if form is None:
            raise ValueError(
                f"Graph.save(): the suffix must be one of {', '.join(forms)}, but got {path.suffix!r} in {str(path)!r}"
            )
        content = form()
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        return path

    def _repr_html_(self) -> str:
        """Return the explorer page in a frame, for a notebook."""
        from wengert.viz.page_text import in_frame

        return in_frame(self.to_html(), "Autograd graph")

    def _repr_svg_(self) -> str:
        """Return the picture, for a notebook that is exported to other formats."""
        return self.to_svg()

    def __repr__(self) -> str:
        return f"Graph({len(self.nodes)} nodes, {len(self.edges)} edges, {self.saved_bytes} bytes saved)"


def graph(
    loss: "Tensor",
    params: "Mapping[str, Tensor] | nn.Module | None" = None,
    *,
    profile: Any = None,
    gradients: bool = False,
) -> Graph:
    """Return the autograd graph of `loss`.

    Args:
        loss: Tensor with a history, of any shape.
        params: names of leaves, such as `dict(model.named_parameters())`, or the model itself. Other leaves are
            anonymous. Operators are grouped by modules inferred from these names; `viz.record_scopes` records the
            modules exactly. A model also says which types its modules have.
        profile: profile of the forward pass, possibly also of the backward pass: an object whose `function_events` have
            the attributes of torch's `FunctionEvent`, such as `autograd.profiler.profile`. It adds times to nodes, by
            sequence number, and a timeline to the explorer page.
        gradients: whether to compute the norm of the gradient at each node by a backward pass from `loss` (with
            gradients of ones if it has several elements). It runs hooks, but changes no `.grad` and frees nothing.

    Returns:
        A `Graph`: `.save(path)` writes it as .html, .svg, .png, .dot or .mmd, and a notebook shows the explorer page.

    Raises:
        TypeError: if `loss` is not a tensor, `params` neither mapping nor module, or `profile` has no `function_events`
            (yet).
        ValueError: if `loss` has no history: it does not require a gradient.
        RuntimeError: if `gradients` is True, but the graph was freed by an earlier backward pass.
    """
    check_history(loss, "viz.graph()")
    if profile is not None and getattr(profile, "function_events", None) is None:
        raise TypeError(
            f"viz.graph(): profile must have function_events, but got {type(profile).__name__}; "
            "use autograd.profiler.profile, after its block has ended"
        )
    walk = Walk({id(tensor): name for name, tensor in named(params).items()}, types_of(params))
    return walk.run(loss, profile, gradients)


def check_history(loss: Any, caller: str) -> None:
    """Check that `loss` is a tensor with a history.

    Raises:
        TypeError: if it is not a tensor.
        ValueError: if it does not require a gradient.
    """
    if not hasattr(loss, "grad_fn"):
        raise TypeError(f"{caller}: loss must be a tensor, but got {type(loss).__name__}")
    if loss.grad_fn is None and not loss.requires_grad:
        volatile = "it is volatile, because it was computed from a volatile tensor; its requires_grad is False"
        reason = volatile if getattr(loss, "volatile", False) else "requires_grad is False"
        raise ValueError(
            f"{caller}: the tensor has no history, because it does not require a gradient ({reason}); "
            "compute it from tensors that do, outside of no_grad()"
        )


def named(params: "Mapping[str, Tensor] | nn.Module | None", caller: str = "viz.graph()") -> "Mapping[str, Tensor]":
    """Return the tensors of `params` by name."""
    if params is None:
        return {}
    if isinstance(params, Mapping):
        return params
    if hasattr(params, "named_parameters"):
        return dict(params.named_parameters())
    raise TypeError(
        f"{caller}: params must map names to tensors, or be a module, but got {type(params).__name__}; "
        "use dict(model.named_parameters())"
    )


def types_of(params: "Mapping[str, Tensor] | nn.Module | None") -> dict[str, str]:
    """Return the types of the modules of `params` by their paths; empty if it is not a module."""
    if params is None or isinstance(params, Mapping) or not hasattr(params, "named_modules"):
        return {}
    return {path: type(module).__name__ for path, module in params.named_modules()}


class Walk:
    """One walk over a graph, from the tensor to the leaves.

    Args:
        names: names of leaves by identity.
        modules: types of modules by their paths.
    """

    def __init__(self, names: dict[int, str], modules: dict[str, str]) -> None:
        self.names = names
        self.modules = modules
        self.boxes: list[GraphNode] = []
        self.arrows: dict[tuple[int, int], int] = {}
        # Index of each node's box by identity; `nodes` keeps the nodes alive, so that no identity is reused.
        self.index: dict[int, int] = {}
        self.nodes: list[Any] = []
        # Shapes of outputs of the boxes by number of the output: only the arrows have them.
        self.flowing: dict[int, dict[int, Shape]] = {}

    def run(self, loss: "Tensor", profile: Any, gradients: bool) -> Graph:
        """Return the graph of `loss`."""
        self.boxes.append(GraphNode(OUTPUT, "output", (tuple(loss.shape),)))
        self.nodes.append(loss)
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
                self._add(box, shapes=tuple(shapes[number] for number in sorted(shapes)))
        edges = [GraphEdge(source, target, count) for (source, target), count in self.arrows.items()]
        self._place(edges)
        if gradients and loss.grad_fn is not None:
            for box, norm in gradient_norms(loss, dict(enumerate(self.nodes[1:], 1))).items():
                self._add(box, gradient=norm)
        if profile is not None:
            self._time(profile)
        return Graph(tuple(self.boxes), tuple(edges), profile, modules=self.modules)

    def _add(self, box: int, **facts: Any) -> None:
        """Set further fields of a box."""
        self.boxes[box] = dataclasses.replace(self.boxes[box], **facts)

    def _place(self, edges: list[GraphEdge]) -> None:
        """Set modules and scopes of the boxes: recorded ones, else those inferred from names."""
        inferred = infer_modules(self.boxes, edges)
        for box, module in enumerate(inferred):
            place = place_of(self.nodes[box]) if self.boxes[box].kind == OPERATOR else None
            if place is None and self.boxes[box].kind == OPERATOR:
                place = place_of(innermost(self.nodes[box]))
            if place is not None:
                self._add(box, module=place.module, scope=place.scope)
            elif module:
                self._add(box, module=module)

    def _time(self, profile: Any) -> None:
        """Set the times of the boxes from a profile, and the ranges in which their operators ran."""
        names = {box.sequence: box.title for box in self.boxes if box.sequence is not None}
        forward, backward, ranges = times_of(profile.function_events, names)
        for index, box in enumerate(self.boxes):
            if box.sequence is not None:
                number = box.sequence
                self._add(
                    index,
                    forward=forward.get(number),
                    backward=backward.get(number),
                    scope=box.scope or ranges.get(number, ""),
                )

    def _expand(self, target: int) -> Iterator[int]:
        """Add the arrows into the box at `target`; yield the new boxes."""
        for edge in self.nodes[target].next_edges:
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
        """Create the box of a new node; return its index."""
        position = len(self.boxes)
        self.index[id(node)] = position
        self.nodes.append(node)
        is_leaf = name_of(node) == "AccumulateGrad"
        self.boxes.append(self._leaf(node.variable) if is_leaf else operator(node))
        return position

    def _leaf(self, variable: "Tensor") -> GraphNode:
        """Return the box of a leaf."""
        name = self.names.get(id(variable))
        shapes = (tuple(variable.shape),)
        return GraphNode(LEAF, "leaf", shapes) if name is None else GraphNode(PARAMETER, name, shapes)


def operator(node: Any) -> GraphNode:
    """Return the box of an operator's node; the shapes follow from the arrows."""
    inner = innermost(node)
    title = name_of(node) if inner is node else f"{name_of(node)}({name_of(inner)})"
    saved_tensors = kept_by(node)
    saved = tuple(
        Saved(
            tensor.name,
            tensor.shape,
            tensor.dtype,
            tensor.address if tensor.nbytes else tensor.name,
            tensor.nbytes,
            tensor.packed,
        )
        for tensor in saved_tensors or ()
    )
    number = getattr(node, "sequence_number", None)
    return GraphNode(OPERATOR, title, (), saved, saved_tensors is None, source=source_of(node), sequence=number)


def source_of(node: Any) -> str:
    """Return the line of the program that created a node, recorded by `set_debug` or anomaly mode; else empty."""
    place = place_of_node(node)
    if place is not None:
        return in_words(place.filename, place.lineno, place.function, place.line)
    for frame in reversed(metadata_of(node).get("traceback_", ())):
        match = re.match(r'\s*File "(.*)", line (\d+), in ([^\n]*)\n?([^\n]*)', frame)
        if match is not None and not match[1].startswith(PACKAGE):
            return in_words(match[1], int(match[2]), match[3].strip(), match[4].strip())
    return ""


def in_words(file: str, number: int, function: str, line: str) -> str:
    """Describe a line of a program, with its text if it is known."""
    return f"{file}:{number} in {function}" + (f": {line}" if line else "")
