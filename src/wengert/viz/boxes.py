"""How a graph is shown, in every form: the words in its boxes, their colours, the sizes, the legend."""

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
_NARROWEST = 460.0  # the legend needs that much

FILL = {OUTPUT: "#1e293b", OPERATOR: "#ffffff", PARAMETER: "#d1fae5", LEAF: "#e0f2fe"}
EDGE = {OUTPUT: "#1e293b", OPERATOR: "#94a3b8", PARAMETER: "#059669", LEAF: "#0284c7"}
TEXT = "#0f172a"
PALE_TEXT = "#475569"
ARROW = "#64748b"
# Operators that save most are filled with this colour, the others with something between it and white.
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
    """A box as it is drawn.

    Args:
        lines: The words, the first line in bold.
        width: Width.
        height: Height.
        fill: Colour of the inside.
        edge: Colour of the border.
        text: Colour of the first line.
        pale_text: Colour of the other lines.
        tip: All that is known, over several lines.
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
        width: Width of the picture.
        height: Height of the picture.
        shift: What to add to the places of `layout`.
        summary: One line about the whole.
        boxes: The boxes, in the order of the graph's nodes.
        layout: Their places.
        counts: Per arrow a text for its head where it stands for more than one, else "".
    """

    width: float
    height: float
    shift: tuple[float, float]
    summary: str
    boxes: tuple[Box, ...]
    layout: Layout
    counts: tuple[str, ...]


def draw(graph: Drawable) -> Picture:
    """Decide on everything that is to be seen of `graph`."""
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
    """The boxes of `graph`, in the order of its nodes."""
    most = max((node.saved_bytes for node in graph.nodes), default=0)
    return tuple(box_of(node, most) for node in graph.nodes)


def box_of(node: GraphNode, most: int) -> Box:
    """The box of `node`, where the node that saves most keeps `most` bytes."""
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
    """What stands in the box of `node`."""
    title = clean(node.title) or "(no name)"
    if len(title) > _LONGEST_TITLE:
        half = _LONGEST_TITLE // 2
        title = title[: half - 1] + "…" + title[-half:]
    lines = [title]
    if node.shapes:
        lines.append(readable_shapes(node.shapes))
    if node.saved:
        packed = ", packed" if any(one.packed for one in node.saved) else ""
        lines.append("saves " + readable_bytes(node.saved_bytes) + packed)
    elif node.released:
        lines.append("saved: released")
    return tuple(lines)


def tip_lines(node: GraphNode) -> list[str]:
    """All that is known about `node`."""
    lines = [clean(node.title), *(f"gives {readable_shape(shape)}" for shape in node.shapes[:20])]
    lines += [f"saves {clean(one.name)}: {tip_of(one)}" for one in node.saved]
    return [*lines, "what it saved is released"] if node.released else lines


def tip_of(saved: Saved) -> str:
    """All that is known about a saved tensor."""
    if not saved.dtype:
        return "packed by a hook, where its size cannot be seen"
    known = f"{saved.dtype} {readable_shape(saved.shape)}, {saved.nbytes} bytes"
    return f"{known}, packed by a hook" if saved.packed else known


def fill_of(node: GraphNode, most: int) -> str:
    """Colour of a node's box: for operators the stronger, the more they save. The eye reads areas, hence the root."""
    if node.kind != OPERATOR or not node.saved_bytes:
        return FILL[node.kind]
    share = 0.15 + 0.85 * (node.saved_bytes / most) ** 0.5
    return "#" + "".join(f"{round(255 + (channel - 255) * share):02x}" for channel in _SAVES_MOST)


def summary(graph: Drawable) -> str:
    """The whole graph in one line."""
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
    """`[64, 10]`, or `scalar`."""
    return f"[{', '.join(map(str, shape))}]" if shape else "scalar"


def readable_shapes(shapes: tuple[Shape, ...]) -> str:
    """The shapes of all outputs, short."""
    if len(shapes) > 1 and len(set(shapes)) == 1:
        return f"{len(shapes)} × {readable_shape(shapes[0])}"
    shown = "  ".join(map(readable_shape, shapes[:3]))
    return shown if len(shapes) <= 3 else f"{shown}  and {len(shapes) - 3} more"


def readable_bytes(count: int) -> str:
    """`512 B`, `2.5 KiB`, ..."""
    if count < 1024:
        return f"{count} B"
    amount = float(count)
    for unit in ("KiB", "MiB", "GiB", "TiB"):
        amount /= 1024
        if amount < 1023.95 or unit == "TiB":
            break
    return f"{amount:.1f} {unit}"


def clean(text: str) -> str:
    """`text` without what cannot be shown, such as line ends, control characters and lone surrogates."""
    return "".join(character if character.isprintable() else "\ufffd" for character in text)


def columns_of(text: str) -> int:
    """Columns that `text` takes in a fixed-width font; East Asian characters take two."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)
