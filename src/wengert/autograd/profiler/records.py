"""Events of a profile, and sums over events with the same name."""

from __future__ import annotations

import warnings
from enum import Enum
from typing import Any, NamedTuple

from .formats import format_time


class DeviceType(Enum):
    """Device of an event: always the CPU, except in files read by `load_nvprof`."""

    CPU = 0
    CUDA = 1


class Kernel(NamedTuple):
    """A kernel that an operator started on another device."""

    name: str
    device: int
    duration: float


class Interval:
    """Interval from `start` to `end`, in microseconds since the profile began."""

    def __init__(self, start: float, end: float) -> None:
        self.start = start
        self.end = end

    def elapsed_us(self) -> float:
        """Return the length of the interval."""
        return self.end - self.start


def as_text(name: str) -> Any:
    """Return a property that formats a time with a unit that fits it."""
    return property(lambda self: format_time(getattr(self, name)), doc=f"`{name}` as text, with its unit.")


def deprecated(name: str, instead: str) -> Any:
    """Return a property under its deprecated name for CUDA."""

    def get(self: Any) -> Any:
        warnings.warn(f"`{name}` is deprecated, please use `{instead}` instead.", FutureWarning, stacklevel=2)
        return getattr(self, instead)

    return property(get, doc=f"Deprecated: `{instead}`.")


class FormattedTimesMixin:
    """Averages and formatted times, derived from `count`, `cpu_time_total` and `device_time_total`."""

    count: int
    cpu_time_total: float
    device_time_total: float

    cpu_time_str = as_text("cpu_time")
    device_time_str = as_text("device_time")
    cpu_time_total_str = as_text("cpu_time_total")
    device_time_total_str = as_text("device_time_total")
    self_cpu_time_total_str = as_text("self_cpu_time_total")
    self_device_time_total_str = as_text("self_device_time_total")
    cuda_time = deprecated("cuda_time", "device_time")

    @property
    def cpu_time(self) -> float:
        """Average time of a call, in microseconds."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def device_time(self) -> float:
        """Average time of a call on another device, in microseconds."""
        return self.device_time_total / self.count if self.count else 0.0


FIELDS: dict[str, Any] = {
    "overload_name": "",
    "fwd_thread": None,
    "input_shapes": None,
    "stack": None,
    "scope": 0,
    "use_device": None,
    "cpu_memory_usage": 0,
    "device_memory_usage": 0,
    "is_async": False,
    "is_remote": False,
    "sequence_nr": -1,
    "node_id": -1,
    "device_type": DeviceType.CPU,
    "device_index": 0,
    "is_legacy": False,
    "flops": None,
    "trace_name": None,
    "concrete_inputs": None,
    "kwinputs": None,
    "activity_type": None,
    "is_python_function": False,
    "is_user_annotation": False,
    "module_hierarchy": "",
}
"""Optional attributes of an event and their defaults."""


class FunctionEvent(FormattedTimesMixin):
    """A call of an operator, a node of a backward pass, or a range of the program.

    Attributes:
        id: the number in the profile.
        name, key: the name: "aten::mul", "MulBackward0", the name of a range.
        trace_name: the name in a trace, where the steps of a training loop keep their numbers; None if it is not shown.
        time_range: the time, an `Interval` in microseconds.
        thread: the number of the thread, from 1.
        fwd_thread: for a node of a backward pass the number of the thread that made it; otherwise 0.
        sequence_nr: the number of the node that the operator made, or that runs; -1 without a node.
        scope: 0 for operators, 1 for nodes, 7 for ranges of the program.
        cpu_children, cpu_parent: the events within this event, and the event around it.
        input_shapes: for each argument its shape, `[]` for arguments that are not tensors.
        concrete_inputs: for each argument its value, None for tensors.
        kwinputs: empty: keyword arguments of operators are among the others.
        activity_type: "user_annotation" for ranges of the program, "cpu_op" for all else.
        self_cpu_percent, total_cpu_percent, total_device_percent: shares as texts, set by a table; -1 before.
        stack: the calls that led here, innermost first; for a backward event those that led to its operator.
        module_hierarchy: the modules that were being called, such as "Net.layers.0".
        cpu_memory_usage: bytes allocated minus bytes freed, here and in children.
        flops: floating-point operations, see `profile`.
        count: 1.
        node_id, is_async, is_remote, is_legacy, use_device, device_type, device_index, kernels, device_memory_usage,
        overload_name, is_python_function: as in torch; always the same on one machine without other devices.
    """

    overload_name: str
    trace_name: str | None
    fwd_thread: int | None
    input_shapes: Any
    concrete_inputs: Any
    kwinputs: Any
    activity_type: str | None
    is_python_function: bool
    stack: Any
    scope: int
    use_device: str | None
    cpu_memory_usage: int
    device_memory_usage: int
    is_async: bool
    is_remote: bool
    sequence_nr: int
    node_id: int
    device_type: DeviceType
    device_index: int
    is_legacy: bool
    flops: int | None
    is_user_annotation: bool
    module_hierarchy: str
    self_cpu_percent: Any = -1
    total_cpu_percent: Any = -1
    total_device_percent: Any = -1

    cuda_time_total = deprecated("cuda_time_total", "device_time_total")
    self_cuda_time_total = deprecated("self_cuda_time_total", "self_device_time_total")
    self_cuda_memory_usage = deprecated("self_cuda_memory_usage", "self_device_memory_usage")

    def __init__(self, id: int, name: str, thread: int, start_us: float, end_us: float, **fields: Any) -> None:
        unknown = set(fields) - set(FIELDS)
        if unknown:
            raise TypeError(f"FunctionEvent.__init__() got an unexpected keyword argument '{min(unknown)}'")
        self.id = id
        self.name = name
        self.thread = thread
        self.time_range = Interval(start_us, end_us)
        self.count = 1
        self.kernels: list[Kernel] = []
        self.cpu_children: list[FunctionEvent] = []
        self.cpu_parent: FunctionEvent | None = None
        for field, value in {**FIELDS, **fields}.items():
            setattr(self, field, value)

    def append_kernel(self, name: str, device: int, duration: float) -> None:
        """Add a kernel that was started on another device."""
        self.kernels.append(Kernel(name, device, duration))

    def append_cpu_child(self, child: FunctionEvent) -> None:
        """Add an event as a direct child of this event."""
        if not isinstance(child, FunctionEvent):
            raise AssertionError("Expected child to be a FunctionEvent")
        self.cpu_children.append(child)

    def set_cpu_parent(self, parent: FunctionEvent) -> None:
        """Set the parent of this event."""
        if not isinstance(parent, FunctionEvent):
            raise AssertionError("Expected parent to be a FunctionEvent")
        self.cpu_parent = parent

    @property
    def key(self) -> str:
        """Name of the event."""
        return self.name

    @property
    def cpu_time_total(self) -> float:  # type: ignore[override]
        """Time from beginning to end, in microseconds."""
        return self.time_range.elapsed_us()

    @property
    def self_cpu_time_total(self) -> float:
        """Time outside of children, in microseconds."""
        if self.is_async:
            return 0
        return self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    @property
    def device_time_total(self) -> float:  # type: ignore[override]
        """Time of the kernels of this event and of its children."""
        if self.is_async or not self.use_device:
            return 0
        within = sum(child.device_time_total for child in self.cpu_children)
        return sum(kernel.duration for kernel in self.kernels) + within

    @property
    def self_device_time_total(self) -> float:
        """Time of the kernels of this event, without children."""
        return self.device_time_total - sum(child.device_time_total for child in self.cpu_children)

    @property
    def self_cpu_memory_usage(self) -> int:
        """Bytes allocated minus bytes freed, without children."""
        if self.is_async:
            return 0
        return self.cpu_memory_usage - sum(child.cpu_memory_usage for child in self.cpu_children)

    @property
    def self_device_memory_usage(self) -> int:
        """Bytes allocated minus bytes freed on another device, without children."""
        return self.device_memory_usage - sum(child.device_memory_usage for child in self.cpu_children)

    def __repr__(self) -> str:
        device = self.use_device
        return (
            f"<FunctionEvent id={self.id} name={self.name} overload_name={self.overload_name} "
            f"device_type={self.device_type} node_id={self.node_id} cpu_time={self.cpu_time_str} "
            f"start_us={self.time_range.start} end_us={self.time_range.end} "
            f"cpu_children={[child.id for child in self.cpu_children]} {device}_time={self.device_time_str} "
            f"name={self.name} thread={self.thread} input_shapes={self.input_shapes} "
            f"cpu_memory_usage={self.cpu_memory_usage} {device}_memory_usage={self.device_memory_usage} "
            f"is_async={self.is_async} is_remote={self.is_remote} seq_nr={self.sequence_nr} is_legacy={self.is_legacy}>"
        )


SUMMED = (
    "cpu_time_total",
    "device_time_total",
    "self_cpu_time_total",
    "self_device_time_total",
    "cpu_memory_usage",
    "device_memory_usage",
    "self_cpu_memory_usage",
    "self_device_memory_usage",
    "count",
)
SHARED = (
    "key",
    "node_id",
    "is_async",
    "is_remote",
    "cpu_parent",
    "cpu_children",
    "overload_name",
    "input_shapes",
    "stack",
    "scope",
    "device_type",
    "is_legacy",
    "use_device",
    "is_user_annotation",
)
"""Attributes that are summed over events with the same key, and attributes of the first event."""


class FunctionEventAvg(FormattedTimesMixin):
    """Sums of times, bytes and counts over events with the same key.

    It has the attributes of `FunctionEvent`, with times as sums; `count` is the number of events.
    """

    cpu_time_total: float
    device_time_total: float
    self_cpu_time_total: float
    self_device_time_total: float
    cpu_memory_usage: int
    device_memory_usage: int
    self_cpu_memory_usage: int
    self_device_memory_usage: int
    self_cpu_percent: Any
    total_cpu_percent: Any

    def __init__(self) -> None:
        self.key: str | None = None
        self.node_id = 0
        self.is_async = self.is_remote = self.is_legacy = self.is_user_annotation = False
        self.use_device: str | None = None
        self.input_shapes: Any = None
        self.overload_name: str | None = None
        self.stack: Any = None
        self.scope: int | None = None
        self.cpu_children: list[FunctionEvent] | None = None
        self.cpu_parent: FunctionEvent | None = None
        self.device_type = DeviceType.CPU
        self.flops: int | None = 0
        for name in SUMMED:
            setattr(self, name, 0)

    def add(self, other: FunctionEvent | FunctionEventAvg) -> FunctionEventAvg:
        """Add another event with the same key, or several.

        Raises:
            AssertionError: if `other` is not an event, or has another key.
        """
        if not isinstance(other, (FunctionEvent, FunctionEventAvg)):
            raise AssertionError("Expected other to be a FunctionEvent or FunctionEventAvg")
        if self.key is None:
            for name in SHARED:
                setattr(self, name, getattr(other, name))
        if other.key != self.key:
            raise AssertionError(f"Expected keys to match, but got {other.key} vs {self.key}")
        for name in SUMMED:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        if self.flops is None:
            self.flops = other.flops
        elif other.flops is not None:
            self.flops += other.flops
        return self

    __iadd__ = add

    def __repr__(self) -> str:
        device = self.use_device or "cuda"
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} "
            f"cpu_time={self.cpu_time_str}  self_{device}_time={self.self_device_time_total_str} "
            f"{device}_time={self.device_time_str} input_shapes={self.input_shapes} "
            f"cpu_memory_usage={self.cpu_memory_usage} {device}_memory_usage={self.device_memory_usage}>"
        )
