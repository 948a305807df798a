"""`profile`: profile selected steps of a loop."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from ..autograd.profiler import profiles
from ..autograd.profiler.ranges import record_function
from .schedules import ProfilerAction, ProfilerActivity, always, supported_activities

if TYPE_CHECKING:
    from ..autograd.profiler.event_list import EventList

NONE, WARMUP = ProfilerAction.NONE, ProfilerAction.WARMUP
USE_CUDA = "`use_cuda` is deprecated, use `activities` argument instead"
RECORD, SAVE = ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE


class profile:  # noqa: N801 - torch's name
    """Profile a block of code, or the steps of a loop in it that a schedule selects.

    Args:
        activities: the activities to profile; only `ProfilerActivity.CPU` is available.
        schedule: a function from the number of a step to a `ProfilerAction`, see `schedule`; by default all steps are
            recorded.
        on_trace_ready: function of the profile, called when a cycle of the schedule is complete.
        record_shapes, profile_memory, with_stack, with_flops, with_modules, experimental_config, acc_events,
            custom_trace_id_callback, post_processing_timeout_s: see `wengert.autograd.profiler.profile`.
        execution_trace_observer: an object with `start()`, `stop()` and `cleanup()`, called around each cycle.
        use_cuda: deprecated; no effect.

    Raises:
        AssertionError: if there is nothing to profile.

    Examples:
        >>> import wengert as wg
        >>> from wengert.profiler import profile, schedule
        >>> plan = schedule(wait=1, warmup=1, active=2, repeat=1)
        >>> with profile(schedule=plan, on_trace_ready=lambda p: print(len(p.events()))) as prof:
        ...     for _ in range(4):
        ...         y = wg.ones(2) * 2
        ...         prof.step()
        6
    """

    def __init__(
        self,
        *,
        activities: Iterable[Any] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[[profile], Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        experimental_config: Any = None,
        execution_trace_observer: Any = None,
        acc_events: bool = False,
        use_cuda: bool | None = None,
        custom_trace_id_callback: Callable[[], str] | None = None,
        post_processing_timeout_s: float | None = None,
    ) -> None:
        if use_cuda is not None:
            warnings.warn(USE_CUDA, FutureWarning, stacklevel=2)
        self.activities = supported_activities() if activities is None else named(activities)
        if not self.activities:
            raise AssertionError("No valid profiler activities found")
        self.options = {
            **{"record_shapes": record_shapes, "profile_memory": profile_memory, "with_stack": with_stack},
            **{"with_flops": with_flops, "with_modules": with_modules, "acc_events": acc_events},
            "experimental_config": experimental_config,
        }
        self.custom_trace_id_callback = custom_trace_id_callback
        self.execution_trace_observer = execution_trace_observer
        self.schedule = schedule or always
        self.record_steps = schedule is not None
        self.on_trace_ready = on_trace_ready
        self.step_num = 0
        self.current_action = self.schedule(0)
        self.profiler: profiles.profile | None = None
        self.running = False
        self._range: record_function | None = None
        self._metadata: dict[str, Any] = {}

    # ---- the loop ----------------------------------------------------------------------------------------------------

    def __enter__(self) -> profile:
        try:
            self.start()
        except BaseException:
            self._abandon()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        try:
            self.stop()
        except BaseException:
            self._abandon()
            raise
        if self.execution_trace_observer:
            self.execution_trace_observer.cleanup()

    def _abandon(self) -> None:
        """Stop recording after an error, perhaps that of a signal handler."""
        self.running = False
        session = None if self.profiler is None else self.profiler.session
        if session is not None:
            session.close()

    def start(self) -> None:
        """Start the first step."""
        self._go(NONE, self.current_action)
        self._begin_range()

    def stop(self) -> None:
        """End the last step; call `on_trace_ready` if it was recorded."""
        self._end_range()
        self._go(self.current_action, None)

    def step(self) -> None:
        """End a step and start the next one."""
        self._end_range()
        before = self.current_action
        self.current_action = self.schedule(self.step_num + 1)
        self.step_num += 1
        self._go(before, self.current_action)
        self._begin_range()

    def _begin_range(self) -> None:
        if self.record_steps:
            self._range = record_function(f"ProfilerStep#{self.step_num}")
            self._range.__enter__()

    def _end_range(self) -> None:
        if self._range is not None:
            self._range.__exit__()
            self._range = None

    def _go(self, before: ProfilerAction, after: ProfilerAction | None) -> None:
        """Do the transition between the actions of two steps; `after` is None after the last step."""
        noted = (RECORD, SAVE)
        going_on = before is RECORD and after in noted
        if before in noted and not going_on:
            if before is RECORD and after is not None:
                warnings.warn(f"Incorrect schedule: RECORD followed by {after.name}", stacklevel=4)
            self.stop_trace()
            if (before is SAVE or after is None) and self.on_trace_ready:
                self.on_trace_ready(self)
        elif before is WARMUP and after is NONE:
            warnings.warn("Incorrect schedule: WARMUP followed by NONE", stacklevel=4)
        if after in noted and not going_on:
            self.start_trace()

    def prepare_trace(self) -> None:
        """Prepare recording; nothing to do."""

    def start_trace(self) -> None:
        """Start recording; the record of an earlier cycle is discarded unless `acc_events` is set."""
        if self.profiler is None or not self.options["acc_events"]:
            use_cpu = ProfilerActivity.CPU in self.activities
            self.profiler = profiles.profile(
                use_kineto=True, use_cpu=use_cpu, custom_trace_id_callback=self.custom_trace_id_callback, **self.options
            )
            if not use_cpu:
                return
        if self.execution_trace_observer:
            self.execution_trace_observer.start()
        self.profiler._start()
        self.running = True

    def stop_trace(self) -> None:
        """Stop recording."""
        if not self.running:
            return
        self.running = False
        if self.execution_trace_observer:
            self.execution_trace_observer.stop()
        if self.profiler is not None:
            self.profiler._stop()

    # ---- the record --------------------------------------------------------------------------------------------------

    def _last_profile(self, purpose: str) -> profiles.profile:
        """Return the profile of the last cycle.

        Raises:
            AssertionError: if there is none.
        """
        if self.profiler is None:
            raise AssertionError(f"Profiler must be initialized before {purpose}")
        return self.profiler

    @property
    def function_events(self) -> EventList:
        """Events of the last cycle, as `events()`."""
        return self.events()

    def events(self) -> EventList:
        """Return the events of the last cycle: an `EventList` of `FunctionEvent`s."""
        return self._last_profile("accessing events").function_events

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> EventList:
        """Return sums over events with the same name: see `EventList.key_averages`."""
        profile_ = self._last_profile("getting key averages")
        return profile_.key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def _repr_html_(self) -> str | None:
        """Return the table of the last cycle, for a notebook; None before there is one."""
        return None if self.profiler is None else self.profiler._repr_html_()

    def export_chrome_trace(self, path: str, use_python_export: bool = False) -> None:
        """Write a trace of the last cycle: see `wengert.autograd.profiler.profile.export_chrome_trace`."""
        self._last_profile("exporting chrome trace").export_chrome_trace(path, self._metadata)

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Write stacks with their times, for flame graphs: see `EventList.export_stacks`."""
        self._last_profile("exporting stacks").export_stacks(path, metric)

    def export_memory_timeline(self, path: str, device: str | None = None) -> None:
        """Write the number of live bytes over time: see `wengert.autograd.profiler.memory.write_timeline`.

        Args:
            path: path of the file; its ending selects the format: ".html" for a page with a picture, ".json" for times
                and bytes, ".json.gz" for the same compressed, ".raw.json.gz" for each change.
            device: "cpu", or None for "cpu".

        Raises:
            ValueError: if memory was not recorded.
        """
        from ..autograd.profiler.memory import write_timeline

        if not self.options["profile_memory"]:
            raise ValueError("profile_memory=True required for memory profiling.")
        if device not in (None, "cpu"):
            raise ValueError(f"export_memory_timeline(): device must be 'cpu', not {device!r}")
        write_timeline(self._last_profile("exporting memory timeline"), path)

    def toggle_collection_dynamic(self, enable: bool, activities: Iterable[ProfilerActivity]) -> None:
        """Stop or resume recording in the middle of a step."""
        if self.profiler is not None:
            self.profiler.toggle_collection_dynamic(enable, activities)

    # ---- metadata of traces ------------------------------------------------------------------------------------------

    def add_metadata(self, key: str, value: str) -> None:
        """Add a member with a text to traces."""
        self._metadata[key] = value

    def add_metadata_json(self, key: str, value: str) -> None:
        """Add a member with a JSON value to traces.

        Raises:
            ValueError: if `value` is not JSON.
        """
        self._metadata[key] = json.loads(value)

    preset_metadata_json = add_metadata_json

    def set_custom_trace_id_callback(self, callback: Callable[[], str]) -> None:
        """Set a function that returns the identity of each cycle."""
        self.custom_trace_id_callback = callback

    def get_trace_id(self) -> str | None:
        """Return the identity of the last cycle; None before the first one."""
        return None if self.profiler is None else self.profiler.trace_id


def named(activities: Iterable[Any]) -> set[ProfilerActivity]:
    """Return the activities in a list, which may contain dictionaries from activities to options.

    Raises:
        TypeError: if the list contains something else.
        ValueError: if an activity occurs twice.
    """
    activities_: set[ProfilerActivity] = set()
    for item in activities:
        for activity in item if isinstance(item, dict) else (item,):
            if not isinstance(activity, ProfilerActivity):
                raise TypeError(f"Expected ProfilerActivity or dict, got {type(activity)}")
            if activity in activities_:
                raise ValueError(f"Activity {activity} specified more than once")
            activities_.add(activity)
    return activities_
