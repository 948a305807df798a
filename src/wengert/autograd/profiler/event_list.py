"""The events of a profile: averages, tables, traces, stacks."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

from .records import FunctionEvent, FunctionEventAvg
from .table import Layout, build_html_table, build_table

METRICS = ("self_cpu_time_total", "self_cuda_time_total", "self_xpu_time_total", "self_privateuse1_time_total")

ROWS_IN_NOTEBOOK = 20


class EventList(list[Any]):
    """A list of `FunctionEvent`s, or of `FunctionEventAvg`s.

    Args:
        events: the events.
        use_device: name of another device whose times are shown, or None.
        profile_memory, with_flops: whether tables show bytes and operations.
    """

    def __init__(
        self,
        events: Iterable[Any] = (),
        *,
        use_device: str | None = None,
        profile_memory: bool = False,
        with_flops: bool = False,
    ) -> None:
        super().__init__(events)
        self._use_device = use_device
        self._profile_memory = profile_memory
        self._with_flops = with_flops
        self._tree_built = False
        self._trace: dict[str, Any] = {}

    def __str__(self) -> str:
        return self.table()

    def _build_tree(self) -> None:
        """Set parents and children of events by their times; the events of a profile have them already."""
        events = [event for event in self if not event.is_async]
        events.sort(key=lambda event: (event.thread, event.node_id))
        for _, together in itertools.groupby(events, key=lambda event: (event.thread, event.node_id)):
            around: list[FunctionEvent] = []
            for event in sorted(together, key=lambda event: (event.time_range.start, -event.time_range.end)):
                start, end = event.time_range.start, event.time_range.end
                while around and (start >= around[-1].time_range.end or end > around[-1].time_range.end):
                    around.pop()
                if around:
                    around[-1].append_cpu_child(event)
                    event.set_cpu_parent(around[-1])
                around.append(event)
        self._tree_built = True

    @property
    def self_cpu_time_total(self) -> float:
        """Sum of the times of events outside of their children, in microseconds."""
        return sum(event.self_cpu_time_total for event in self)

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int | None = 75,
        max_name_column_width: int | None = 55,
        max_shapes_column_width: int | None = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
        time_unit: str | None = None,
    ) -> str:
        """Return the events as a table, with a row for each event.

        Args:
            sort_by: an attribute of the events, the largest first; by default the order of the list. Useful are
                `cpu_time`, `cpu_time_total`, `self_cpu_time_total`, `cpu_memory_usage`, `self_cpu_memory_usage`,
                `flops` and `count`.
            row_limit: the largest number of rows; -1 for all.
            max_src_column_width, max_name_column_width, max_shapes_column_width: longer texts are cut; None for no
                limit.
            header: a line above the table.
            top_level_events_only: leave out events within other events.
            time_unit: "s", "ms" or "us" for all times; by default the unit that fits each time.

        Returns:
            The table; "" if there are no events.

        Raises:
            AttributeError: if the events have no attribute `sort_by`.
        """
        widths = (max_src_column_width, max_name_column_width, max_shapes_column_width)
        return build_table(
            self,
            Layout(*widths, self._profile_memory, self._with_flops, time_unit),
            sort_by=sort_by,
            row_limit=row_limit,
            header=header,
            top_level_events_only=top_level_events_only,
        )

    def _repr_html_(self) -> str:
        """Return the table, for a notebook: the first 20 events in the order of the list."""
        return build_html_table(
            self, Layout(75, 55, 80, self._profile_memory, self._with_flops, None), ROWS_IN_NOTEBOOK
        )

    def key_averages(
        self, group_by_input_shapes: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> EventList:
        """Return sums over events with the same name.

        Args:
            group_by_input_shapes: group only events whose arguments have the same shapes.
            group_by_stack_n: group only events whose stacks agree in this number of innermost calls.
            group_by_overload_name: group only events with the same `overload_name`.

        Returns:
            A list of `FunctionEventAvg`s, in the order of their first events.

        Raises:
            AssertionError: if this is not a list of single events.
        """
        if not self._tree_built:
            raise AssertionError("Expected tree to be built before calling key_averages")
        groups: dict[tuple[str, ...], FunctionEventAvg] = {}
        for event in self:
            key: tuple[str, ...] = (
                event.key,
                str(event.node_id),
                str(event.device_type),
                str(event.is_user_annotation),
            )
            if group_by_overload_name:
                key += (event.overload_name,)
            if group_by_input_shapes:
                key += (str(event.input_shapes),)
            if group_by_stack_n > 0:
                key += tuple(event.stack[:group_by_stack_n])
            groups.setdefault(key, FunctionEventAvg()).add(event)
        averages = self._like(groups.values())
        for event in averages:
            event.stack = (event.stack or [])[:group_by_stack_n]
            event.input_shapes = event.input_shapes if group_by_input_shapes else ""
            event.overload_name = event.overload_name if group_by_overload_name else ""
        return averages

    def _like(self, events: Iterable[Any]) -> EventList:
        """Return a list of other events with the same options."""
        return EventList(
            events, use_device=self._use_device, profile_memory=self._profile_memory, with_flops=self._with_flops
        )

    def total_average(self) -> FunctionEventAvg:
        """Return the sums over all events."""
        total = FunctionEventAvg()
        for event in self:
            total.add(event)
            total.key = None
        total.key = "Total"
        return total

    def export_chrome_trace(self, path: str) -> None:
        """Write the events as a trace, for https://ui.perfetto.dev and chrome://tracing.

        Args:
            path: path of the file; it is compressed if the name ends with ".gz".
        """
        from .trace import write_trace

        write_trace(self, path, self._trace)

    def supported_export_stacks_metrics(self) -> list[str]:
        """Return the metrics of `export_stacks`."""
        return list(METRICS)

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Write a line for each event, for flame graphs: the calls that led to it, outermost first, and its time.

        Args:
            path: path of the file.
            metric: the time to write, in whole microseconds; events without it are left out.

        Raises:
            ValueError: if there is no such metric.
        """
        if metric not in METRICS:
            raise ValueError(f"metric should be one of: {list(METRICS)}")
        field = metric.replace("cuda", "device").replace("xpu", "device").replace("privateuse1", "device")
        plain = str.maketrans(" ;\t\n", "____")
        with open(path, "w", encoding="utf-8") as file:
            for event in self:
                time = int(getattr(event, field))
                if event.stack and time > 0:
                    calls = ";".join(call.translate(plain) for call in reversed(event.stack))
                    file.write(f"{calls} {time}\n")
