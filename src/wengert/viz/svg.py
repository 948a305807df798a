"""A graph as SVG: text only, no scripts, no fonts or pictures from elsewhere."""

from wengert.viz.boxes import ARROW, FONT_SIZE, LEGEND, LINE_HEIGHT, MARGIN, PALE_TEXT, TEXT, TITLE, Box, Picture, draw
from wengert.viz.data import Drawable

__all__ = ["escape", "write_svg"]

_FONTS = "DejaVu Sans Mono, Menlo, Consolas, Liberation Mono, monospace"
_ARROW_HEAD = 7.0


def write_svg(graph: Drawable) -> str:
    """Return the picture of `graph` as the text of an SVG file."""
    picture = draw(graph)
    width, height = _number(picture.width), _number(picture.height)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" font-family="{_FONTS}" font-size="{_number(FONT_SIZE)}">',
        f"<title>{escape(TITLE)}</title>",
        f"<desc>{escape(picture.summary)}. Arrows follow the forward computation.</desc>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        *_header(picture),
        f'<g transform="translate({_number(picture.shift[0])} {_number(picture.shift[1])})">',
        *_arrows(picture),
    ]
    for box, (x, y) in zip(picture.boxes, picture.layout.centres, strict=True):
        parts.extend(_box(box, x, y))
    parts += ["</g>", "</svg>"]
    return "\n".join(parts) + "\n"


def _header(picture: Picture) -> list[str]:
    """Return title, summary and legend."""
    left = _number(MARGIN)
    parts = [
        f'<text x="{left}" y="26" font-size="15" font-weight="bold" fill="{TEXT}">{escape(TITLE)}</text>',
        f'<text x="{left}" y="43" font-size="10" fill="{PALE_TEXT}">{escape(picture.summary)}</text>',
    ]
    x = MARGIN
    for fill, edge, words in LEGEND:
        parts.append(f'<rect x="{_number(x)}" y="51" width="10" height="10" rx="3" fill="{fill}" stroke="{edge}"/>')
        parts.append(f'<text x="{_number(x + 14)}" y="60" font-size="9" fill="{PALE_TEXT}">{escape(words)}</text>')
        x += 14 + len(words) * 5.42 + 14
    return parts


def _arrows(picture: Picture) -> list[str]:
    """Return all arrows and the counts beside their heads."""
    lines, heads, counts = [], [], []
    for route, count in zip(picture.layout.routes, picture.counts, strict=True):
        x, y = route[-1]
        lines.append(_curve([*route[:-1], (x, y - _ARROW_HEAD + 1)]))
        heads.append(f"M{_number(x - 4)} {_number(y - _ARROW_HEAD)}h8l-4 {_number(_ARROW_HEAD)}z")
        if count:
            place = f'x="{_number(x + 6)}" y="{_number(y - 5)}"'
            counts.append(f'<text {place} font-size="10" fill="{PALE_TEXT}">{escape(count)}</text>')
    strokes = [f'<path d="{line}"/>' for line in lines]
    return [
        f'<g fill="none" stroke="{ARROW}" stroke-width="1.2">',
        *strokes,
        "</g>",
        f'<path d="{"".join(heads)}" fill="{ARROW}"/>',
        *counts,
    ]


def _curve(points: list[tuple[float, float]]) -> str:
    """Return the path along the points of a route: curve, straight line, curve, ..."""
    path = f"M{_number(points[0][0])} {_number(points[0][1])}"
    for index in range(1, len(points)):
        (x0, y0), (x, y) = points[index - 1], points[index]
        if index % 2 == 0 or x0 == x:
            path += f"L{_number(x)} {_number(y)}"
        else:
            middle = _number((y0 + y) / 2)
            path += f"C{_number(x0)} {middle} {_number(x)} {middle} {_number(x)} {_number(y)}"
    return path


def _box(box: Box, x: float, y: float) -> list[str]:
    """Return one box with its texts around the centre (x, y); a browser shows the tip under the pointer."""
    left, top = _number(x - box.width / 2), _number(y - box.height / 2)
    parts = [
        "<g>",
        f"<title>{escape(box.tip)}</title>",
        f'<rect x="{left}" y="{top}" width="{_number(box.width)}" height="{_number(box.height)}" rx="6" '
        f'fill="{box.fill}" stroke="{box.edge}"/>',
    ]
    first = y - (len(box.lines) - 1) * LINE_HEIGHT / 2 + FONT_SIZE * 0.35
    for row, line in enumerate(box.lines):
        look = f'font-weight="bold" fill="{box.text}"' if row == 0 else f'font-size="11" fill="{box.pale_text}"'
        place = f'x="{_number(x)}" y="{_number(first + row * LINE_HEIGHT)}"'
        parts.append(f'<text {place} text-anchor="middle" {look}>{escape(line)}</text>')
    return [*parts, "</g>"]


def escape(text: str) -> str:
    """Escape `text` for use between tags and in attributes."""
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        text = text.replace(character, entity)
    return text


def _number(value: float) -> str:
    """Return a coordinate, rounded to a tenth of a point."""
    return f"{value:.1f}".removesuffix(".0")
