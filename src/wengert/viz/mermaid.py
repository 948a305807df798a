"""A graph in the language of Mermaid, which many forges and editors draw in Markdown."""

from wengert.viz.boxes import EDGE, FILL, box_lines
from wengert.viz.data import LEAF, OPERATOR, OUTPUT, PARAMETER, Drawable

__all__ = ["write_mermaid"]

_SHAPES = {OUTPUT: ("([", "])"), OPERATOR: ("[", "]"), PARAMETER: ("[/", "/]"), LEAF: ("[/", "/]")}
_TEXT = {OUTPUT: "#ffffff", OPERATOR: "#0f172a", PARAMETER: "#0f172a", LEAF: "#0f172a"}


def write_mermaid(graph: Drawable) -> str:
    """Return the text of a `.mmd` file with the same boxes, texts and colours as the picture."""
    lines = ["flowchart TB"]
    for kind in _SHAPES:
        lines.append(f"  classDef {kind} fill:{FILL[kind]},stroke:{EDGE[kind]},color:{_TEXT[kind]}")
    for index, node in enumerate(graph.nodes):
        begin, end = _SHAPES[node.kind]
        words = "<br/>".join(_escaped(line) for line in box_lines(node))
        lines.append(f'  n{index}{begin}"{words}"{end}:::{node.kind}')
    for edge in graph.edges:
        label = f'|"×{edge.count}"|' if edge.count > 1 else ""
        lines.append(f"  n{edge.source} -->{label} n{edge.target}")
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    """Escape `text` for use between quotes: characters special to Mermaid, Markdown or HTML become numbers."""
    return "".join(
        character if character.isalnum() or character in " .,:()[]×…-/" else f"#{ord(character)};" for character in text
    )
