"""A graph as PNG, drawn by matplotlib without its global state."""

import io
import warnings
from typing import Any

import numpy as np

from wengert.viz.boxes import ARROW, FONT_SIZE, LEGEND, LINE_HEIGHT, MARGIN, PALE_TEXT, TEXT, TITLE, Picture, draw
from wengert.viz.data import Drawable
from wengert.viz.figures import new_figure

__all__ = ["write_png"]

_POINTS_PER_INCH = 72
_SHARPEST = 144.0  # dots per inch; less if the picture would become too large
_LONGEST_SIDE = 30_000  # pixels; the renderer refuses 65,536
_LARGEST_AREA = 20_000_000  # pixels; four bytes each
_FONT = "DejaVu Sans Mono"  # comes with matplotlib


def write_png(graph: Drawable) -> bytes:
    """Return the picture of `graph` as the content of a PNG file.

    Raises:
        ImportError: if matplotlib is not installed.
    """
    picture = draw(graph)
    size = (picture.width / _POINTS_PER_INCH, picture.height / _POINTS_PER_INCH)
    dots = min(_SHARPEST, _LONGEST_SIDE / max(size), (_LARGEST_AREA / (size[0] * size[1])) ** 0.5)
    figure = new_figure("viz.Graph.save()", size)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, picture.width)
    axes.set_ylim(picture.height, 0)
    content = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph", category=UserWarning)  # the font lacks a character
        words = _Words()
        _add_header(axes, words, picture)
        _add_arrows(axes, words, picture)
        _add_boxes(axes, words, picture)
        words.add_to(axes)
        figure.savefig(content, format="png", dpi=dots)
    return content.getvalue()


class _Words:
    """Outlines of all texts of a picture, drawn several times as fast as matplotlib's texts: most words recur."""

    def __init__(self) -> None:
        self.shapes: dict[tuple[str, bool], tuple[Any, Any, float]] = {}
        self.paths: dict[str, list[Any]] = {}

    def write(
        self, x: float, y: float, words: str, size: float, colour: str, bold: bool = False, centred: bool = False
    ) -> None:
        """Add words with their baseline at `y` that start at `x`, or are centred there."""
        from matplotlib.path import Path

        if (words, bold) not in self.shapes:
            self.shapes[words, bold] = self.outline(words, bold)
        outline, codes, width = self.shapes[words, bold]
        if len(outline):
            left = x - width * size / 2 if centred else x
            self.paths.setdefault(colour, []).append(Path(outline * (size, -size) + (left, y), codes))

    def outline(self, words: str, bold: bool) -> tuple[Any, Any, float]:
        """Return points and codes of the outline of words in size 1, y upwards, and their width."""
        from matplotlib.font_manager import FontProperties
        from matplotlib.textpath import text_to_path

        scale = text_to_path.FONT_SCALE
        font = FontProperties(family=_FONT, weight="bold" if bold else "normal", size=scale)
        points, codes = text_to_path.get_text_path(font, words, ismath=False)
        width = text_to_path.get_text_width_height_descent(words, font, ismath=False)[0]
        return np.reshape(points, (-1, 2)) / scale, codes, width / scale

    def add_to(self, axes: Any) -> None:
        """Draw all words, on top."""
        from matplotlib.collections import PathCollection

        for colour, paths in self.paths.items():
            axes.add_collection(PathCollection(paths, facecolors=colour, linewidths=0, zorder=5), autolim=False)


def _add_header(axes: Any, words: _Words, picture: Picture) -> None:
    """Draw title, summary and legend."""
    from matplotlib.patches import Rectangle

    words.write(MARGIN, 26, TITLE, 15, TEXT, bold=True)
    words.write(MARGIN, 43, picture.summary, 10, PALE_TEXT)
    x = MARGIN
    for fill, edge, meaning in LEGEND:
        axes.add_patch(Rectangle((x, 51), 10, 10, facecolor=fill, edgecolor=edge, linewidth=1))
        words.write(x + 14, 60, meaning, 9, PALE_TEXT)
        x += 14 + len(meaning) * 5.42 + 14


def _add_arrows(axes: Any, words: _Words, picture: Picture) -> None:
    """Draw all arrows and the counts beside their heads."""
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
            words.write(x + 6, y - 5, count, 10, PALE_TEXT)
    axes.add_collection(PathCollection(paths, facecolors="none", edgecolors=ARROW, linewidths=1.2), autolim=False)
    axes.add_collection(PolyCollection(heads, facecolors=ARROW), autolim=False)


def _add_boxes(axes: Any, words: _Words, picture: Picture) -> None:
    """Draw all boxes and their texts."""
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import FancyBboxPatch

    right, down = picture.shift
    patches = []
    for box, (x, y) in zip(picture.boxes, picture.layout.centres, strict=True):
        x, y = x + right, y + down
        corner = (x - box.width / 2, y - box.height / 2)
        patches.append(FancyBboxPatch(corner, box.width, box.height, boxstyle="round,pad=0,rounding_size=6"))
        first = y - (len(box.lines) - 1) * LINE_HEIGHT / 2 + FONT_SIZE * 0.35
        for row, line in enumerate(box.lines):
            size, colour = (11.0, box.pale_text) if row else (FONT_SIZE, box.text)
            words.write(x, first + row * LINE_HEIGHT, line, size, colour, bold=row == 0, centred=True)
    fills, edges = [box.fill for box in picture.boxes], [box.edge for box in picture.boxes]
    axes.add_collection(PatchCollection(patches, facecolors=fills, edgecolors=edges, linewidths=1), autolim=False)
