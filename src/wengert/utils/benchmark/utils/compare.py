"""Tables of measurements: a row for each statement, a column for each description."""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable, Sequence

from .common import Measurement, ordered_unique, select_unit, trim_sigfig, unit_to_english

Cells = list[Measurement | None]
BEST, GOOD, BAD, VERY_BAD, BOLD, END = "\033[92m", "\033[34m", "\033[2m\033[91m", "\033[31m", "\033[1m", "\033[0m"
BETWEEN = "  |  "


class Colorize(enum.Enum):
    """Groups of times in a table whose best and worst are coloured."""

    NONE = "none"
    COLUMNWISE = "columnwise"
    ROWWISE = "rowwise"


class Compare:
    """Tables of measurements, one for each label; measurements of the same statement and labels are merged.

    Args:
        results: the measurements.

    Raises:
        ValueError: if a result is not a `Measurement`.
    """

    def __init__(self, results: Iterable[Measurement]) -> None:
        self._results: list[Measurement] = []
        self._trim = self._highlight = False
        self._colorize = Colorize.NONE
        self.extend_results(results)

    def extend_results(self, results: Iterable[Measurement]) -> None:
        """Add measurements.

        Raises:
            ValueError: if a result is not a `Measurement`.
        """
        for measurement in (measurements := list(results)):
            if not isinstance(measurement, Measurement):
                raise ValueError(f"Expected an instance of `Measurement`, got {type(measurement)} instead.")
        self._results += measurements

    def trim_significant_figures(self) -> None:
        """Show only significant figures."""
        self._trim = True

    def colorize(self, rowwise: bool = False) -> None:
        """Colour the best and the worst times of each column, or of each row."""
        self._colorize = Colorize.ROWWISE if rowwise else Colorize.COLUMNWISE

    def highlight_warnings(self) -> None:
        """Show the spread of times where it is large."""
        self._highlight = True

    def print(self) -> None:
        """Print the tables."""
        print(str(self))

    def __str__(self) -> str:
        groups: dict[str | None, list[Measurement]] = {}
        for measurement in Measurement.merge(self._results):
            groups.setdefault(measurement.task_spec.label, []).append(measurement)
        tables = (Table(group, self._trim, self._highlight, self._colorize) for group in groups.values())
        return "\n".join(table.render() for table in tables)


Key = tuple[int, str, str]


def row_of(measured: Measurement) -> Key:
    """Return the key of a row: number of threads, environment, name."""
    return measured.task_spec.num_threads, measured.task_spec.env or "", measured.as_row_name


class Table:
    """Table of one label."""

    def __init__(self, results: list[Measurement], trim: bool, highlight: bool, colorize: Colorize) -> None:
        self.trim, self.colorize = trim, colorize
        self.label = results[0].task_spec.label or ""
        self.unit, self.scale = select_unit(min(result.median for result in results))
        self.warned = highlight and any(result.has_warnings for result in results)
        self.highlight = highlight
        rows = sorted(ordered_unique(row_of(result) for result in results), key=lambda key: key[:2])
        self.names = ordered_unique(result.task_spec.description or "" for result in results)
        measurements = {(row_of(result), result.task_spec.description or ""): result for result in results}
        self.rows: dict[Key, Cells] = {row: [measurements.get((row, name)) for name in self.names] for row in rows}

    def render(self) -> str:
        """Return the text, with a final line break."""
        columns = [self.column([cells[at] for cells in self.rows.values()]) for at in range(len(self.names))]
        texts = [self.titles(), *columns]
        widths = [max(map(len, (head, *cells))) for head, cells in zip(["", *self.names], texts)]
        lines = [BETWEEN.join(head.center(width) for head, width in zip(["", *self.names], widths))]
        full_width = len(lines[0])
        threads = None
        for at, (key, cells) in enumerate(self.rows.items()):
            if key[0] != threads:
                threads = key[0]
                lines.append(f"{threads} threads: ".ljust(full_width, "-"))
            padded = [text[at].center(width) for text, width in zip(columns, widths[1:])]
            lines.append(BETWEEN.join([texts[0][at].ljust(widths[0]), *self.coloured(padded, key, cells)]))
        head = f" {self.label} ".center(full_width - 2, "-")
        last = "(! XX%) Measurement has high variance, where XX is the IQR / median * 100.\n" if self.warned else ""
        times = f"Times are in {unit_to_english(self.unit)}s ({self.unit})."
        return "\n".join([f"[{head}]", *lines, "", times, last])

    def titles(self) -> list[str]:
        """Return the names of the rows, with the environment if it differs from the previous row's."""
        environments = {env for _, env, _ in self.rows}
        width = max(map(len, environments)) if len(environments) > 1 else 0
        titles_ = []
        before: tuple[int, str] | None = None
        for threads, env, name in self.rows:
            shown = f"({env})" if width and before != (threads, env) else ""
            before = threads, env
            titles_.append(f"  {shown.ljust(width + 4)}{name}")
        return titles_

    def column(self, cells: Cells) -> list[str]:
        """Return the numbers of a column, aligned at their decimal points."""
        there = [cell for cell in cells if cell is not None]
        sizes = [math.ceil(math.log10(measurement.median / self.scale)) for measurement in there]
        places = 1
        if self.trim:
            places = min(max(measurement.significant_figures - size, 0) for measurement, size in zip(there, sizes))
        length = max(sizes) + places + bool(places)
        beside = 7 if self.highlight and any(measurement.has_warnings for measurement in there) else 0
        return [self.number(cell, length, places, beside) for cell in cells]

    def number(self, measured: Measurement | None, length: int, places: int, beside: int) -> str:
        """Return the number of a cell, with its spread; blank if there is none."""
        if measured is None:
            return " " * (len(f"{1:>{length}.{places}f}") + beside)
        value = measured.median / self.scale
        value = trim_sigfig(value, measured.significant_figures) if self.trim else value
        spread = f" (! {measured.iqr / measured.median * 100:.0f}%)" if beside and measured.has_warnings else ""
        return f"{value:>{length}.{places}f}{spread:>{beside}}"

    def coloured(self, texts: Sequence[str], key: Key, cells: Cells) -> list[str]:
        """Return the numbers of a row, coloured by their times."""
        if self.colorize is Colorize.NONE:
            return list(texts)
        coloured_texts = []
        for at, (text, measured) in enumerate(zip(texts, cells)):
            others = cells if self.colorize is Colorize.ROWWISE else self.same_threads(key[0], at)
            best = min(other.median for other in others if other is not None) if measured else 0.0
            coloured_texts.append(colour(text, measured.median, best) if measured else text)
        return coloured_texts

    def same_threads(self, threads: int, at: int) -> Cells:
        """Return the cells of a column with the same number of threads."""
        return [cells[at] for key, cells in self.rows.items() if key[0] == threads]


def colour(text: str, value: float, best: float) -> str:
    """Return a text in the colour of a time relative to the best one."""
    if value <= best * 1.01 or value <= best + 100e-9:
        return BEST + BOLD + text + END * 2
    if value <= best * 1.1:
        return GOOD + BOLD + text + END * 2
    if value >= best * 5:
        return VERY_BAD + BOLD + text + END * 2
    return BAD + text + END * 2 if value >= best * 2 else text
