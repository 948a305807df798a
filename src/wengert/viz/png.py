"""A graph as PNG, drawn by matplotlib without its global state."""

import io
import warnings
from typing import Any

from wengert.viz.boxes import (
    ARROW,
    FONT_SIZE,
    LEGEND,
    LINE_HEIGHT,
    MARGIN,
    PALE_TEXT,
    TEXT,
    TITLE,
    Picture,
    draw,
)
from wengert.viz.figures import new_figure
from wengert.viz.graph import Graph

__all__ = ["write_png"]

_POINTS_PER_INCH = 72
_SHARPEST = 144.0  # dots per inch; less where the picture would become too large
_LONGEST_SIDE = 30_000  # pixels; the renderer refuses 65,536
_LARGEST_AREA = 20_000_000  # pixels; four bytes each
_FONT = "DejaVu Sans Mono"  # comes with matplotlib


def write_png(graph: Graph) -> bytes:
    """The picture of `graph` as the content of a PNG file.

    Raises:
        ImportError: matplotlib is not installed.
    """
    picture = draw(graph)
    size = (picture.width / _POINTS_PER_INCH, picture.height / _POINTS_PER_INCH)
    dots = min(_SHARPEST, _LONGEST_SIDE / max(size), (_LARGEST_AREA / (size[0] * size[1])) ** 0.5)
    figure = new_figure("viz.Graph.save()", size)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, picture.width)
    axes.set_ylim(picture.height, 0)
    _add_header(axes, picture)
    _add_arrows(axes, picture)
    _add_boxes(axes, picture)
    content = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph", category=UserWarning)  # a name in a script the font lacks
        figure.savefig(content, format="png", dpi=dots)
    return content.getvalue()


def _write(axes: Any, x: float, y: float, words: str, size: float, colour: str, **look: Any) -> None:
    """Words with their baseline at `y`; dollar signs are no formulas."""
    axes.text(x, y, words, fontsize=size, color=colour, family=_FONT, parse_math=False, **look)


def _add_header(axes: Any, picture: Picture) -> None:
    """Title, summary and legend."""
    from matplotlib.patches import Rectangle

    _write(axes, MARGIN, 26, TITLE, 15, TEXT, weight="bold")
    _write(axes, MARGIN, 43, picture.summary, 10, PALE_TEXT)
    x = MARGIN
    for fill, edge, words in LEGEND:
        axes.add_patch(Rectangle((x, 51), 10, 10, facecolor=fill, edgecolor=edge, linewidth=1))
        _write(axes, x + 14, 60, words, 9, PALE_TEXT)
        x += 14 + len(words) * 5.42 + 14


def _add_arrows(axes: Any, picture: Picture) -> None:
    """All arrows and the counts beside their heads."""
    from matplotlib.collections import PathCollection, PolyCollection
    from matplotlib.path import Path

    right, down = picture.shift
    paths, heads = [], []
    for route, count in zip(picture.layout.routes, picture.counts, strict=True):
        points = [(x + right, y + down) for x, y in route]
        x, y = points[-1]
        points[-1] = (x, y - 6)
        heads.append([(x - 4, y - 7), (x + 4, y - 7), (x, y)])
        vertices, codes = [points[0]], [Path.MOVETO]
        for index in range(1, len(points)):
            if index % 2 == 0:
                vertices.append(points[index])
                codes.append(Path.LINETO)
            else:
                middle = (points[index - 1][1] + points[index][1]) / 2
                vertices += [(points[index - 1][0], middle), (points[index][0], middle), points[index]]
                codes += [Path.CURVE4] * 3
        paths.append(Path(vertices, codes))
        if count:
            _write(axes, x + 6, y - 5, count, 10, PALE_TEXT)
    axes.add_collection(PathCollection(paths, facecolors="none", edgecolors=ARROW, linewidths=1.2), autolim=False)
    axes.add_collection(PolyCollection(heads, facecolors=ARROW), autolim=False)


def _add_boxes(axes: Any, picture: Picture) -> None:
    """All boxes and their words."""
    from matplotlib.patches import FancyBboxPatch

    right, down = picture.shift
    for box, (x, y) in zip(picture.boxes, picture.layout.centres, strict=True):
        x, y = x + right, y + down
        corner = (x - box.width / 2, y - box.height / 2)
        axes.add_patch(
            FancyBboxPatch(
                corner,
                box.width,
                box.height,
                boxstyle="round,pad=0,rounding_size=6",
                facecolor=box.fill,
                edgecolor=box.edge,
                linewidth=1,
            )
        )
        first = y - (len(box.lines) - 1) * LINE_HEIGHT / 2 + FONT_SIZE * 0.35
        for row, line in enumerate(box.lines):
            baseline = first + row * LINE_HEIGHT
            if row:
                _write(axes, x, baseline, line, 11, box.pale_text, ha="center")
            else:
                _write(axes, x, baseline, line, FONT_SIZE, box.text, ha="center", weight="bold")
