"""A graph in the language of Graphviz, for its own layouts and for further work on it."""

from wengert.viz.boxes import TITLE, draw_boxes
from wengert.viz.data import Drawable

__all__ = ["write_dot"]


def write_dot(graph: Drawable) -> str:
    """Return the text of a `.dot` file with the same boxes, texts and colours as the picture."""
    lines = [
        "digraph autograd {",
        f"  graph [label={_quoted(TITLE)}, labelloc=t, rankdir=TB, fontname=monospace];",
        '  node [shape=box, style="rounded,filled", fontname=monospace, fontsize=11];',
        '  edge [color="#64748b", fontname=monospace, fontsize=10];',
    ]
    for index, box in enumerate(draw_boxes(graph)):
        words = "\\n".join(_escaped(line) for line in box.lines)
        lines.append(
            f'  n{index} [label="{words}", tooltip={_quoted(box.tip)}, fillcolor="{box.fill}", '
            f'color="{box.edge}", fontcolor="{box.text}"];'
        )
    for edge in graph.edges:
        label = f' [label="×{edge.count}"]' if edge.count > 1 else ""
        lines.append(f"  n{edge.source} -> n{edge.target}{label};")
    return "\n".join([*lines, "}"]) + "\n"


def _escaped(text: str) -> str:
    """Escape `text` for use between quotes: a backslash would start an escape of Graphviz."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _quoted(text: str) -> str:
    return f'"{_escaped(text)}"'
