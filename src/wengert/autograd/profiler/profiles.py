"""`profile`: record the calls of a block of code, and their cost."""

from __future__ import annotations

import uuid
import warnings
from collections.abc import Callable, Iterable
from typing import Any, Literal

from .event_list import EventList
from .parse import events_of
from .records import FunctionEventAvg
from .session import Session

DEVICES = ("cuda", "xpu", "mtia", "hpu")
USE_CUDA = "The attribute `use_cuda` will be deprecated soon, please use ``use_device = 'cuda'`` instead."
UNFINISHED = "<unfinished torch.autograd.profile>"


class profile:  # noqa: N801 - torch's name
    """Record each operator, node and range of a block of code, and its cost.

    A profile costs nothing while it is off, and less than a microsecond for each event if only times are recorded. It
    does not change what runs: native rules of a backward pass stay native, so that there a node is one event. Profiles
    may be nested: each has all events of its block. A profile that was not closed closes when it is freed.

    Args:
        enabled: whether to do anything.
        use_cuda, use_device: other devices; there are none, so these options only warn.
        record_shapes: record shapes, and arguments that are numbers.
        with_flops: count floating-point operations of matrix products, two-dimensional convolutions, elementwise sums
            and products, by torch's formulas. It implies that shapes are recorded.
        profile_memory: record the bytes of storages that operators, factories and nodes make, when they are made and
            when they are freed. Temporary memory of kernels, and earlier storages, are not counted.
        with_stack: record the calls that lead to each operator.
        with_modules: record the modules that are being called (`FunctionEvent.module_hierarchy`).
        use_kineto, use_cpu, post_processing_timeout_s, activity_filters: accepted for torch's programs; no effect.
        custom_trace_id_callback: function that returns the `trace_id`.
        experimental_config: an object whose attribute `profile_all_threads` asks for the events of all threads,
            including threads that start later. By default only the events of the entering thread are recorded.
        acc_events: keep the events of earlier blocks; otherwise a `profile` can be entered only once.

    Raises:
        RuntimeError: if it is entered a second time.

    Examples:
        >>> import wengert as wg
        >>> from wengert.autograd.profiler import profile
        >>> x = wg.ones(2, 3, requires_grad=True)
        >>> with profile() as prof:
        ...     y = (x * x).sum()
        >>> [event.name for event in prof.function_events]
        ['aten::mul', 'aten::sum']
    """

    def __init__(
        self,
        enabled: bool = True,
        *,
        use_cuda: bool = False,
        use_device: str | None = None,
        record_shapes: bool = False,
        with_flops: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_modules: bool = False,
        use_kineto: bool = False,
        use_cpu: bool = True,
        experimental_config: Any = None,
        acc_events: bool = False,
        custom_trace_id_callback: Callable[[], str] | None = None,
        post_processing_timeout_s: float | None = None,
        activity_filters: Any = None,
    ) -> None:
        self.enabled = enabled
        self.session: Session | None = None
        self.entered = False
        self.trace_id = ""
        self.use_device: str | None = None
        self._events: EventList | None = None
        self._earlier: list[Any] = []
        self._metadata: dict[str, Any] = {}
        self.record_shapes = record_shapes or with_flops
        self.with_flops, self.profile_memory = with_flops, profile_memory
        self.with_stack, self.with_modules, self.acc_events = with_stack, with_modules, acc_events
        self.custom_trace_id_callback = custom_trace_id_callback
        self.all_threads = bool(getattr(experimental_config, "profile_all_threads", False))
        if not enabled:
            return
        if not use_cpu and not use_kineto:
            raise AssertionError("Device-only events supported only with Kineto (use_kineto=True)")
        if use_cuda:
            warnings.warn(USE_CUDA, FutureWarning, stacklevel=2)
        warn_of_device("cuda" if use_cuda else use_device)

    def __enter__(self) -> profile | None:
        if not self.enabled:
            return None
        if self.entered:
            raise RuntimeError("Profiler context manager is not reentrant")
        self._start()
        return self

    def _start(self) -> None:
        self.entered = True
        make_id = self.custom_trace_id_callback
        self.trace_id = make_id() if make_id else f"{uuid.uuid4().int:032X}"
        self.session = Session(
            shapes=self.record_shapes,
            stacks=self.with_stack,
            modules=self.with_modules,
            memory=self.profile_memory,
            several=self.all_threads,
        )
        self._events = None
        self.session.open()

    def __exit__(self, *error: object) -> Literal[False]:
        try:
            self._stop()
        except BaseException:  # from a signal handler
            self._stop()
            raise
        return False

    def _stop(self) -> None:
        if self.session is None:
            return
        self.session.close()
        if self.acc_events:
            self._earlier = list(self._finished())

    def __del__(self) -> None:
        session = getattr(self, "session", None)
        if session is not None:
            session.close()

    def __repr__(self) -> str:
        return UNFINISHED if self._is_unfinished() else repr(self.function_events)

    def __str__(self) -> str:
        return UNFINISHED if self._is_unfinished() else str(self.function_events)

    def _repr_html_(self) -> str | None:
        """Return the sums over events with the same name as a table, for a notebook; None while the block runs."""
        if self._is_unfinished():
            return None
        averages = self.key_averages()
        averages.sort(key=lambda event: event.self_cpu_time_total, reverse=True)
        return averages._repr_html_()

    def _is_unfinished(self) -> bool:
        return self.session is None or not self.session.closed

    def _finished(self) -> EventList:
        """Return the events, built on demand; none while the block runs."""
        if self.session is None or not self.session.closed:
            return EventList()
        if self._events is None:
            self._events = events_of(self.session, with_flops=self.with_flops)
            self._events._trace["metadata"] = {"trace_id": self.trace_id, **self._metadata}
            self._events.extend(self._earlier)
        return self._events

    @property
    def function_events(self) -> EventList:
        """`EventList` of `FunctionEvent`s, sorted by their beginning; empty before the end."""
        return self._finished()

    @property
    def self_cpu_time_total(self) -> float:
        """Sum of the times of events outside of their children, in microseconds."""
        return self._finished().self_cpu_time_total

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int | None = 75,
        max_name_column_width: int | None = 55,
        max_shapes_column_width: int | None = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
    ) -> str:
        """Return the events as a table, with a row for each event: see `EventList.table`."""
        return self._finished().table(
            sort_by=sort_by,
            row_limit=row_limit,
            max_src_column_width=max_src_column_width,
            max_name_column_width=max_name_column_width,
            max_shapes_column_width=max_shapes_column_width,
            header=header,
            top_level_events_only=top_level_events_only,
        )

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> EventList:
        """Return sums over events with the same name: see `EventList.key_averages`."""
        events = self._finished()
        events._tree_built = True
        return events.key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def total_average(self) -> FunctionEventAvg:
        """Return the sums over all events: see `EventList.total_average`."""
        return self._finished().total_average()

    def export_chrome_trace(
        self, path: str, metadata: dict[str, Any] | None = None, use_python_export: bool = False
    ) -> None:
        """Write a trace, for https://ui.perfetto.dev and chrome://tracing.

        Operators and nodes are shown in the rows of their threads, with an arrow from an operator to the node that it
        made; with `profile_memory` there is a track of live bytes.

        Args:
            path: path of the file; it is compressed if the name ends with ".gz".
            metadata: further members of the trace, as JSON values.

        Raises:
            RuntimeError: if nothing has been profiled.
        """
        if self._is_unfinished():
            raise RuntimeError("export_chrome_trace(): nothing to write: the profile has not been run to its end")
        events = self._finished()
        events._trace["metadata"] = {**events._trace.get("metadata", {}), **(metadata or {})}
        events.export_chrome_trace(path)

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Write stacks with their times, for flame graphs: see `EventList.export_stacks`.

        Raises:
            AssertionError: if stacks were not recorded.
        """
        if not self.with_stack:
            raise AssertionError("export_stacks() requires with_stack=True")
        self._finished().export_stacks(path, metric)

    def toggle_collection_dynamic(self, enabled: bool, activities: Iterable[Any]) -> None:
        """Stop or resume recording in the middle of the block.

        Args:
            enabled: whether to record.
            activities: the activities to switch; ignored without `ProfilerActivity.CPU`.
        """
        if self.session is None or not any(getattr(activity, "name", "") == "CPU" for activity in activities):
            return
        if enabled:
            self.session.resume()
        else:
            self.session.pause()


def warn_of_device(device: str | None) -> None:
    """Warn of a device that is not available."""
    if device is None:
        return
    known = device in DEVICES
    text = f"{device.upper()} is not available, disabling {device.upper()} profiling"
    warnings.warn(text if known else f"The {device} is not a valid device option.", stacklevel=3)
