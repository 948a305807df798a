"""Table of a profile: torch's columns, with a row for each event or key."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .formats import flops_scale, format_memory, format_share, format_time

GAP = "  "
PLAIN = 12
"""Width of columns of numbers."""


class Column(NamedTuple):
    """Column of a table: title, width, function from an event to its text, alignment."""

    title: str
    width: int
    show: Callable[[Any], Any]
    side: str = ">"


class Layout(NamedTuple):
    """Layout of a table, see `EventList.table`."""

    max_src_column_width: int | None
    max_name_column_width: int | None
    max_shapes_column_width: int | None
    profile_memory: bool
    with_flops: bool
    time_unit: str | None


def fit(longest: int, limit: int | None) -> int:
    """Return the width of a column of texts."""
    return longest + 4 if limit is None else min(longest + 4, limit)


def shortened(text: str, limit: int | None) -> str:
    """Return a name, cut if it is too long."""
    return text if limit is None or len(text) < limit - 3 else text[: limit - 3] + "..."


def end_of(path: str, width: int) -> str:
    """Return the end of a path that is too long for its column."""
    if len(path) <= width:
        return path
    path = path[len(path) - width :]
    return "..." + path[3:] if len(path) > 3 else path


def time_columns(events: Sequence[Any], unit: str | None) -> list[Column]:
    """Return the columns of times on the CPU."""
    total = sum(event.self_cpu_time_total for event in events)

    def own_share(event: Any) -> str:
        event.self_cpu_percent = format_share(event.self_cpu_time_total, total)
        return event.self_cpu_percent

    def total_share(event: Any) -> Any:
        event.total_cpu_percent = 0 if event.is_async else format_share(event.cpu_time_total, total)
        return event.total_cpu_percent

    return [
        Column("Self CPU %", PLAIN, own_share),
        Column("Self CPU", PLAIN, lambda event: format_time(event.self_cpu_time_total, unit)),
        Column("CPU total %", PLAIN, total_share),
        Column("CPU total", PLAIN, lambda event: format_time(event.cpu_time_total, unit)),
        Column("CPU time avg", PLAIN, lambda event: format_time(event.cpu_time, unit)),
    ]


def device_columns(events: Sequence[Any], unit: str | None) -> list[Column]:
    """Return the columns of times on another device; none if there are no such times.

    Raises:
        RuntimeError: if the events do not name the device.
    """
    total = sum(event.self_device_time_total for event in events)
    if total <= 0:
        return []
    if not events[0].use_device:
        raise RuntimeError("use_device is None, but there is device performance data.")
    device = events[0].use_device.upper()
    return [
        Column(f"Self {device}", PLAIN, lambda event: format_time(event.self_device_time_total, unit)),
        Column(f"Self {device} %", PLAIN, lambda event: format_share(event.self_device_time_total, total)),
        Column(f"{device} total", PLAIN, lambda event: format_time(event.device_time_total, unit)),
        Column(f"{device} time avg", PLAIN, lambda event: format_time(event.device_time, unit)),
    ]


def further_columns(events: Sequence[Any], layout: Layout) -> list[Column]:
    """Return the columns of bytes, calls, shapes, sources and operations."""
    columns = []
    if layout.profile_memory:
        columns += [
            Column("CPU Mem", PLAIN, lambda event: format_memory(event.cpu_memory_usage)),
            Column("Self CPU Mem", PLAIN, lambda event: format_memory(event.self_cpu_memory_usage)),
        ]
    columns.append(Column("# of Calls", PLAIN, lambda event: event.count))
    if any(event.node_id != -1 for event in events):
        columns.append(Column("Node ID", PLAIN, lambda event: event.node_id))
    if any(event.input_shapes for event in events):
        width = fit(max(len(str(event.input_shapes)) for event in events), layout.max_shapes_column_width)
        columns.append(Column("Input Shapes", width, lambda event: str(event.input_shapes)[:width]))
    lines = [len(line) for event in events for line in event.stack or ()]
    if lines:
        space = fit(max(lines), layout.max_src_column_width)
        columns.append(
            Column("Source Location", space, lambda event: end_of(event.stack[0], space) if event.stack else "", "<")
        )
    counted = [event.flops for event in events if event.flops]
    if layout.with_flops and counted:
        scale, unit = flops_scale(min(counted))
        columns.append(
            Column(f"Total {unit}", PLAIN, lambda event: f"{event.flops * scale:8.3f}" if event.flops else "--")
        )
    return columns


def all_columns(events: Sequence[Any], layout: Layout) -> list[Column]:
    """Return the columns of a table of events, of which there is at least one."""
    limit, unit = layout.max_name_column_width, layout.time_unit
    return [
        Column("Name", fit(max(len(event.key) for event in events), limit), lambda event: shortened(event.key, limit)),
        *time_columns(events, unit),
        *device_columns(events, unit),
        *further_columns(events, layout),
    ]


def build_table(
    events: Sequence[Any],
    layout: Layout,
    *,
    sort_by: str | None = None,
    row_limit: int = 100,
    header: str | None = None,
    top_level_events_only: bool = False,
) -> str:
    """Return the table of events, see `EventList.table`."""
    if not events:
        return ""
    if sort_by is not None:
        field = sort_by.replace("cuda", "device").replace("xpu", "device").replace("privateuse1", "device")
        events = sorted(events, key=lambda event: getattr(event, field), reverse=True)
    unit = layout.time_unit
    columns = all_columns(events, layout)
    rule = "".join("-" * column.width + GAP for column in columns)
    double = "=" * (len(rule) - len(GAP))
    lines = [] if header is None else [double, header]
    if top_level_events_only:
        lines += [double, "This report only display top-level ops statistics"]
    lines += [rule, row(columns, [column.title for column in columns]), rule]
    shown = [event for event in events if not (top_level_events_only and event.cpu_parent is not None)]
    for event in shown if row_limit < 0 else shown[:row_limit]:
        lines.append(row(columns, [column.show(event) for column in columns]))
        lines += further_lines(columns, event)
    total = sum(event.self_cpu_time_total for event in events)
    lines += [rule, f"Self CPU time total: {format_time(total, unit)}"]
    on_device = sum(event.self_device_time_total for event in events)
    if on_device > 0:
        lines.append(f"Self {events[0].use_device.upper()} time total: {format_time(on_device, unit)}")
    return "\n".join(lines) + "\n"


def build_html_table(events: Sequence[Any], layout: Layout, row_limit: int) -> str:
    """Return the first `row_limit` events as a table in HTML, for a notebook; texts of the program are escaped."""
    import html

    if not events:
        return "<p>no events</p>"
    columns = all_columns(events, layout)
    heads = "".join(cell("th", column, html.escape(column.title)) for column in columns)
    rows = [
        "".join(cell("td", column, html.escape(str(column.show(event)))) for column in columns)
        for event in events[:row_limit]
    ]
    total = format_time(sum(event.self_cpu_time_total for event in events), layout.time_unit)
    left = len(events) - len(rows)
    caption = f"Self CPU time total: {total}" + (f"; {left} more rows are not shown" if left > 0 else "")
    body = "\n".join(f"<tr>{row}</tr>" for row in rows)
    return (
        f"<table>\n<caption>{html.escape(caption)}</caption>\n<thead><tr>{heads}</tr></thead>\n"
        f"<tbody>\n{body}\n</tbody>\n</table>"
    )


def cell(tag: str, column: Column, text: str) -> str:
    """Return a cell of a table in HTML: names to the left, numbers to the right."""
    side = "left" if column.side == "<" or column.title in ("Name", "Input Shapes") else "right"
    return f'<{tag} style="text-align: {side}">{text}</{tag}>'


def row(columns: list[Column], values: list[Any]) -> str:
    """Return one line of the table."""
    return "".join(f"{value!s:{column.side}{column.width}}{GAP}" for column, value in zip(columns, values))


def further_lines(columns: list[Column], event: Any) -> list[str]:
    """Return the lines for the rest of a stack below its event, and an empty line."""
    at = next((at for at, column in enumerate(columns) if column.title == "Source Location"), None)
    if at is None:
        return []
    texts = [end_of(line, columns[at].width) for line in (event.stack or ())[1:]]
    return [row(columns, [text if place == at else "" for place in range(len(columns))]) for text in [*texts, ""]]
