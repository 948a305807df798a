"""Gradient reports as a text table, and as a picture by matplotlib."""

import io
import math
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from wengert.viz.boxes import clean, columns_of
from wengert.viz.figures import new_figure

if TYPE_CHECKING:
    from wengert.viz.gradient_report import GradientReport, LayerStep

__all__ = ["write_picture", "write_table"]

_DOTS_PER_INCH = 120
_PALE = "#475569"
_MISSING = "#e2e8f0"
_HEADINGS = ("layer", "gradient", "mean", "largest", "weight", "ratio", "dead", "always dead", "")


def write_table(report: "GradientReport") -> str:
    """Return the layers as a table, one per line."""
    rows = [_HEADINGS, *(_row(report, layer) for layer in report.layers)]
    widths = [max(columns_of(row[column]) for row in rows) for column in range(len(_HEADINGS))]
    lines = []
    for row in rows:
        first = row[0] + " " * (widths[0] - columns_of(row[0]))
        rest = [text.rjust(width) for text, width in zip(row[1:-1], widths[1:-1], strict=True)]
        lines.append("  ".join([first, *rest, row[-1]]).rstrip())
    return "\n".join(lines)


def _row(report: "GradientReport", layer: str) -> tuple[str, ...]:
    """Return the row of a layer in the table."""
    entries = report.layers[layer]
    known = [entry for entry in entries if entry is not None]
    name = clean(layer)
    if not known:
        return (name, *("-",) * 7, "no gradient" if entries else "")
    norms = [entry.gradient for entry in known]
    last = known[-1]
    remarks = []
    broken = sum(not math.isfinite(norm) for norm in norms)
    if broken:
        remarks.append(f"NaN or infinite in {broken} of {len(entries)} steps")
    if len(known) < len(entries):
        remarks.append(f"no gradient in {len(entries) - len(known)} of {len(entries)} steps")
    dead = (f"{last.dead}/{last.units}", str(report.always_dead(layer))) if last.units else ("-", "-")
    numbers = (last.gradient, sum(norms) / len(norms), max(norms), last.weight, last.ratio)
    return (name, *(f"{number:.3g}" for number in numbers), *dead, ", ".join(remarks))


def write_picture(report: "GradientReport", form: str) -> bytes:
    """Return the picture of a report: three maps of layers over steps, for norms, ratios and dead units.

    Args:
        report: the report.
        form: "svg" or "png".

    Raises:
        ImportError: if matplotlib is not installed.
    """
    layers = list(report.layers)
    longest = max(columns_of(clean(layer)) for layer in layers)
    height = min(40.0, 1.5 + 0.24 * max(4, len(layers)))
    figure = new_figure("GradientReport.save()", (14.0 + min(longest, 60) * 0.07, height))
    maps: tuple[tuple[str, Callable[[LayerStep], float], bool], ...] = (
        ("norm of the gradient", lambda entry: entry.gradient, True),
        ("gradient / weight", lambda entry: entry.ratio, True),
        ("share of dead units", lambda entry: entry.dead / entry.units if entry.units else math.nan, False),
    )
    content = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph", category=UserWarning)  # the font lacks a character
        for position, (title, read, logarithmic) in enumerate(maps):
            axes = figure.add_subplot(1, len(maps), position + 1)
            _draw_map(figure, axes, report, read, logarithmic)
            axes.set_title(title, loc="left", fontsize=11, fontweight="bold", parse_math=False)
            _name_rows(axes, layers if position == 0 else [])
        figure.set_layout_engine("tight")
        figure.savefig(content, format=form, dpi=_DOTS_PER_INCH, metadata={"Date": None} if form == "svg" else None)
    return content.getvalue()


def _draw_map(
    figure: Any, axes: Any, report: "GradientReport", read: "Callable[[LayerStep], float]", logarithmic: bool
) -> None:
    """Draw one map: a row for each layer, a column for each step; grey for no value, red for values not finite."""
    from matplotlib.colors import LogNorm, Normalize
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    values = np.array(
        [[math.nan if entry is None else read(entry) for entry in entries] for entries in report.layers.values()]
    ).reshape(len(report.layers), -1)
    broken = np.array(
        [[entry is not None and not math.isfinite(entry.gradient) for entry in row] for row in report.layers.values()]
    ).reshape(values.shape)
    shown = np.ma.masked_invalid(values)
    positive = shown[shown > 0].compressed() if logarithmic else np.array([])
    norm = LogNorm(positive.min(), max(positive.max(), positive.min() * 1.01)) if positive.size else Normalize(0, 1)
    axes.set_facecolor(_MISSING)
    axes.set_xlabel("step", color=_PALE)
    if not values.size:
        axes.text(0.5, 0.5, "no step was noted", ha="center", va="center", color=_PALE, transform=axes.transAxes)
        return
    colours = "viridis" if logarithmic else "OrRd"
    drawn = axes.imshow(
        np.ma.masked_where(shown <= 0, shown) if logarithmic else shown,
        aspect="auto",
        interpolation="nearest",
        cmap=colours,
        norm=norm,
    )
    if broken.any():
        axes.imshow(np.ma.masked_where(~broken, np.ones(values.shape)), aspect="auto", cmap="Reds", vmin=0, vmax=1.2)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    steps = report.steps
    axes.xaxis.set_major_formatter(
        FuncFormatter(
            lambda position, _: (
                str(steps[int(position)]) if position == int(position) and 0 <= position < len(steps) else ""
            )
        )
    )
    figure.colorbar(drawn, ax=axes, fraction=0.04, pad=0.02).ax.tick_params(labelsize=7, which="both")


def _name_rows(axes: Any, layers: list[str]) -> None:
    """Write the names of the layers beside their rows; no character in a name is special to matplotlib."""
    axes.set_yticks(range(len(layers)))
    axes.set_yticklabels([clean(layer) for layer in layers], fontsize=8)
    for label in axes.get_yticklabels():
        label.set_parse_math(False)
