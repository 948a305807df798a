"""Appearance of a graph in all formats: texts, colours and sizes of boxes, and the legend."""

import dataclasses
import unicodedata

from wengert.viz.data import LEAF, OPERATOR, OUTPUT, PARAMETER, Drawable, GraphNode, Saved, Shape
from wengert.viz.layout import Layout, lay_out

__all__ = ["FONT_SIZE", "LINE_HEIGHT", "Box", "Picture", "draw", "draw_boxes", "readable_bytes", "readable_shape"]

FONT_SIZE = 12.0
LINE_HEIGHT = 16.0
MARGIN = 24.0
HEADER = 78.0
CHARACTER = 0.602  # width of a character of a fixed-width font, in font sizes
_PADDING = 11.0
_LONGEST_TITLE = 40
_NARROWEST = 460.0  # width of the legend

FILL = {OUTPUT: "#1e293b", OPERATOR: "#ffffff", PARAMETER: "#d1fae5", LEAF: "#e0f2fe"}
EDGE = {OUTPUT: "#1e293b", OPERATOR: "#94a3b8", PARAMETER: "#059669", LEAF: "#0284c7"}
TEXT = "#0f172a"
PALE_TEXT = "#475569"
ARROW = "#64748b"
# Colour of the operators that save most; the others have a colour between it and white.
_SAVES_MOST = (0xFD, 0xBA, 0x74)
LEGEND = (
    (FILL[PARAMETER], EDGE[PARAMETER], "parameter"),
    (FILL[LEAF], EDGE[LEAF], "other leaf"),
    (FILL[OPERATOR], EDGE[OPERATOR], "operator"),
    ("#fdba74", EDGE[OPERATOR], "operator that saves most"),
    (FILL[OUTPUT], EDGE[OUTPUT], "output"),
)
TITLE = "Autograd graph"


@dataclasses.dataclass(frozen=True)
class Box:
    """A box of the picture.

    Args:
        lines: text, the first line in bold.
        width: width.
        height: height.
        fill: colour of the inside.
        edge: colour of the border.
        text: colour of the first line.
        pale_text: colour of the other lines.
        tip: text of the tooltip, with all details.
    """

    lines: tuple[str, ...]
    width: float
    height: float
    fill: str
    edge: str
    text: str
    pale_text: str
    tip: str


@dataclasses.dataclass(frozen=True)
class Picture:
    """A graph, ready to be drawn.

    Args:
        width: width of the picture.
        height: height of the picture.
        shift: offset of the positions of `layout`.
        summary: summary in one line.
        boxes: the boxes, in the order of the graph's nodes.
        layout: positions of boxes and arrows.
        counts: text at the head of each arrow that stands for several edges, else "".
    """

    width: float
    height: float
    shift: tuple[float, float]
    summary: str
    boxes: tuple[Box, ...]
    layout: Layout
    counts: tuple[str, ...]


def draw(graph: Drawable) -> Picture:
    """Compute everything that is visible of `graph`."""
    boxes = draw_boxes(graph)
    layout = lay_out([(box.width, box.height) for box in boxes], [(edge.source, edge.target) for edge in graph.edges])
    width = max(layout.width + 2 * MARGIN, _NARROWEST)
    return Picture(
        width=width,
        height=layout.height + HEADER + MARGIN,
        shift=((width - layout.width) / 2, HEADER),
        summary=summary(graph),
        boxes=boxes,
        layout=layout,
        counts=tuple(f"×{edge.count}" if edge.count > 1 else "" for edge in graph.edges),
    )


def draw_boxes(graph: Drawable) -> tuple[Box, ...]:
    """Return the boxes of `graph`, in the order of its nodes."""
    most = max((node.saved_bytes for node in graph.nodes), default=0)
    return tuple(box_of(node, most) for node in graph.nodes)


def box_of(node: GraphNode, most: int) -> Box:
    """Return the box of `node`; `most` is the largest number of bytes saved by a node."""
    lines = box_lines(node)
    columns = max(columns_of(line) for line in lines)
    on_dark = node.kind == OUTPUT
    return Box(
        lines=lines,
        width=columns * CHARACTER * FONT_SIZE + 2 * _PADDING,
        height=len(lines) * LINE_HEIGHT + _PADDING,
        fill=fill_of(node, most),
        edge=EDGE[node.kind],
        text="#ffffff" if on_dark else TEXT,
        pale_text="#cbd5e1" if on_dark else PALE_TEXT,
        tip="\n".join(tip_lines(node)),
    )


def box_lines(node: GraphNode) -> tuple[str, ...]:
    """Return the lines of text in the box of `node`."""
    title = clean(node.title) or "(no name)"
    if len(title) > _LONGEST_TITLE:
        half = _LONGEST_TITLE // 2
        title = title[: half - 1] + "…" + title[-half:]
    lines = [title]
    if node.shapes:
        lines.append(readable_shapes(node.shapes))
    if node.saved:
        packed = ", packed" if any(tensor.packed for tensor in node.saved) else ""
        lines.append("saves " + readable_bytes(node.saved_bytes) + packed)
    elif node.released:
        lines.append("saved: released")
    return tuple(lines)


def tip_lines(node: GraphNode) -> list[str]:
    """Return all details of `node`."""
    lines = [clean(node.title), *(f"gives {readable_shape(shape)}" for shape in node.shapes[:20])]
    lines += [f"saves {clean(tensor.name)}: {tip_of(tensor)}" for tensor in node.saved]
    return [*lines, "what it saved is released"] if node.released else lines


def tip_of(saved: Saved) -> str:
    """Return all details of a saved tensor."""
    if not saved.dtype:
        return "packed by a hook, where its size cannot be seen"
    known = f"{saved.dtype} {readable_shape(saved.shape)}, {saved.nbytes} bytes"
    return f"{known}, packed by a hook" if saved.packed else known


def fill_of(node: GraphNode, most: int) -> str:
    """Colour of a node's box: stronger for operators that save more. The eye reads areas, hence the square root."""
    if node.kind != OPERATOR or not node.saved_bytes:
        return FILL[node.kind]
    share = 0.15 + 0.85 * (node.saved_bytes / most) ** 0.5
    return "#" + "".join(f"{round(255 + (channel - 255) * share):02x}" for channel in _SAVES_MOST)


def summary(graph: Drawable) -> str:
    """Return a summary of the graph in one line."""
    kinds = [node.kind for node in graph.nodes]
    parts = [
        _counted(kinds.count(kind), word)
        for kind, word in ((OPERATOR, "operator"), (PARAMETER, "parameter"), (LEAF, "other leaf"))
        if kind != LEAF or LEAF in kinds
    ]
    return ", ".join(parts) + f"; {readable_bytes(graph.saved_bytes)} saved for the backward pass"


def _counted(count: int, word: str) -> str:
    if count == 1:
        return f"1 {word}"
    return f"{count} {word[:-1]}ves" if word.endswith("leaf") else f"{count} {word}s"


def readable_shape(shape: Shape) -> str:
    """Return a shape as `[64, 10]`, or `scalar`."""
    return f"[{', '.join(map(str, shape))}]" if shape else "scalar"


def readable_shapes(shapes: tuple[Shape, ...]) -> str:
    """Return the shapes of all outputs, abbreviated."""
    if len(shapes) > 1 and len(set(shapes)) == 1:
        return f"{len(shapes)} × {readable_shape(shapes[0])}"
    shown = "  ".join(map(readable_shape, shapes[:3]))
    return shown if len(shapes) <= 3 else f"{shown}  and {len(shapes) - 3} more"


def readable_bytes(count: int) -> str:
    """Return a number of bytes as `512 B`, `2.5 KiB`, ..."""
    if count < 1024:
        return f"{count} B"
    amount = float(count)
    for unit in ("KiB", "MiB", "GiB", "TiB"):
        amount /= 1024
        if amount < 1023.95 or unit == "TiB":
            break
    return f"{amount:.1f} {unit}"


def clean(text: str) -> str:
    """Replace characters that cannot be shown, such as line ends, control characters and lone surrogates."""
    return "".join(character if character.isprintable() else "\ufffd" for character in text)


def columns_of(text: str) -> int:
    """Return the width of `text` in columns of a fixed-width font; East Asian characters take two."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)
