"""`profile`: notes what a block of code calls, and what that costs."""

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
    """Notes each operator, node and range that a block of code runs, and what it costs.

    Off, it costs nothing; on, less than a microsecond for each event unless more than times is asked for. It notes what
    would run without it: native rules of a backward pass stay native, so that there a node is one event. Profiles may
    be nested: each has all events of its block. One that was not closed closes when it is no longer referred to.

    Args:
        enabled: False makes it do nothing.
        use_cuda, use_device: other devices; there are none, so these only warn.
        record_shapes: note shapes, and arguments that are numbers.
        with_flops: count floating-point operations of products, convolutions over two dimensions, sums and products
            element by element, by torch's formulas. Shapes are noted for that.
        profile_memory: note bytes of the storages that operators, factories and nodes make, when they are made and when
            they are given back. What kernels use in between is not counted, nor what was made before.
        with_stack: note the calls that lead to each operator.
        with_modules: note which modules are being called (`FunctionEvent.module_hierarchy`).
        use_kineto, use_cpu, post_processing_timeout_s, activity_filters: taken for torch's programs' sake.
        custom_trace_id_callback: makes the `trace_id`.
        experimental_config: an object whose attribute `profile_all_threads` asks for the events of all threads, those
            too that begin later. Otherwise those of the thread that enters are noted.
        acc_events: keep the events of earlier blocks; otherwise a `profile` serves for one.

    Raises:
        RuntimeError: it is entered a second time.

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
        except BaseException:  # of a signal handler
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

    def _is_unfinished(self) -> bool:
        return self.session is None or not self.session.closed

    def _finished(self) -> EventList:
        """The events, made when somebody asks; none while the block runs."""
        if self.session is None or not self.session.closed:
            return EventList()
        if self._events is None:
            self._events = events_of(self.session, with_flops=self.with_flops)
            self._events._trace["metadata"] = {"trace_id": self.trace_id, **self._metadata}
            self._events.extend(self._earlier)
        return self._events

    @property
    def function_events(self) -> EventList:
        """The events: an `EventList` of `FunctionEvent`s, in the order in which they began; empty before the end."""
        return self._finished()

    @property
    def self_cpu_time_total(self) -> float:
        """The sum of the times that events take outside of those within them, in microseconds."""
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
        """The events as a table, one to a row: `EventList.table`."""
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
        """Events with the same name together: `EventList.key_averages`."""
        events = self._finished()
        events._tree_built = True
        return events.key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def total_average(self) -> FunctionEventAvg:
        """All events together: `EventList.total_average`."""
        return self._finished().total_average()

    def export_chrome_trace(
        self, path: str, metadata: dict[str, Any] | None = None, use_python_export: bool = False
    ) -> None:
        """Write a trace, for https://ui.perfetto.dev and chrome://tracing.

        Operators and nodes lie in the rows of their threads, with an arrow from an operator to the node that it made;
        with `profile_memory` there is a track of the bytes that live.

        Args:
            path: of the file; one that ends with ".gz" is compressed.
            metadata: further members of the trace, which JSON can express.

        Raises:
            RuntimeError: nothing has been profiled.
        """
        if self._is_unfinished():
            raise RuntimeError("export_chrome_trace(): nothing to write: the profile has not been run to its end")
        events = self._finished()
        events._trace["metadata"] = {**events._trace.get("metadata", {}), **(metadata or {})}
        events.export_chrome_trace(path)

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Write stacks with their times, for flame graphs: `EventList.export_stacks`.

        Raises:
            AssertionError: stacks were not noted.
        """
        if not self.with_stack:
            raise AssertionError("export_stacks() requires with_stack=True")
        self._finished().export_stacks(path, metric)

    def toggle_collection_dynamic(self, enabled: bool, activities: Iterable[Any]) -> None:
        """Stop noting, or go on, in the middle of the block.

        Args:
            enabled: whether to note.
            activities: nothing happens unless `ProfilerActivity.CPU` is among them.
        """
        if self.session is None or not any(getattr(each, "name", "") == "CPU" for each in activities):
            return
        if enabled:
            self.session.resume()
        else:
            self.session.pause()


def warn_of_device(device: str | None) -> None:
    """Warn of a device that is not there."""
    if device is None:
        return
    known = device in DEVICES
    text = f"{device.upper()} is not available, disabling {device.upper()} profiling"
    warnings.warn(text if known else f"The {device} is not a valid device option.", stacklevel=3)
