"""One event of a profile, and several with the same name together."""

from __future__ import annotations

import warnings
from enum import Enum
from typing import Any, NamedTuple

from .formats import format_time


class DeviceType(Enum):
    """Where an event happened: on the CPU, but in files that `load_nvprof` reads."""

    CPU = 0
    CUDA = 1


class Kernel(NamedTuple):
    """A kernel that an operator started on another device."""

    name: str
    device: int
    duration: float


class Interval:
    """From `start` to `end`, in microseconds since the profile began."""

    def __init__(self, start: float, end: float) -> None:
        self.start = start
        self.end = end

    def elapsed_us(self) -> float:
        """Its length."""
        return self.end - self.start


def as_text(name: str) -> Any:
    """A property: a time as text, with a unit that fits it."""
    return property(lambda self: format_time(getattr(self, name)), doc=f"`{name}` as text, with its unit.")


def deprecated(name: str, instead: str) -> Any:
    """A property under the name that it had for CUDA."""

    def get(self: Any) -> Any:
        warnings.warn(f"`{name}` is deprecated, please use `{instead}` instead.", FutureWarning, stacklevel=2)
        return getattr(self, instead)

    return property(get, doc=f"Deprecated: `{instead}`.")


class FormattedTimesMixin:
    """What follows from `count`, `cpu_time_total` and `device_time_total`: averages, and times as texts."""

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
        """The average time of a call, in microseconds."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def device_time(self) -> float:
        """The average time of a call on another device, in microseconds."""
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
"""What may be said about an event beside its identity, name, thread and time, and what holds otherwise."""


class FunctionEvent(FormattedTimesMixin):
    """One call of an operator, one node of a backward pass, or one range of the program.

    Attributes:
        id: its number in the profile.
        name, key: what happened: "aten::mul", "MulBackward0", the name of a range.
        trace_name: its name in a trace: there the steps of a training loop keep their numbers; None: it is not shown.
        time_range: when, an `Interval` in microseconds.
        thread: number of the thread, from 1.
        fwd_thread: of a node of a backward pass the number of the thread that made it; otherwise 0.
        sequence_nr: the number of the node that the operator made, or that runs; -1 where there is none.
        scope: 0 operators, 1 nodes, 7 ranges of the program.
        cpu_children, cpu_parent: the events within it, and the one around it.
        input_shapes: for each argument its shape, `[]` for what is no tensor.
        concrete_inputs: for each argument its value, None for tensors.
        kwinputs: empty: what operators are given by name has its place among the others.
        activity_type: "user_annotation" for ranges of the program, "cpu_op" for all else.
        self_cpu_percent, total_cpu_percent, total_device_percent: shares as texts, once a table has shown them; -1.
        stack: the calls that led here, innermost first; of a backward event those that led to its operator.
        module_hierarchy: the modules that were being called, as "Net.layers.0".
        cpu_memory_usage: bytes taken less bytes given back, here and within.
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
        """Add an event that happened within this one, and in no other within this one."""
        if not isinstance(child, FunctionEvent):
            raise AssertionError("Expected child to be a FunctionEvent")
        self.cpu_children.append(child)

    def set_cpu_parent(self, parent: FunctionEvent) -> None:
        """Say within which event this one happened."""
        if not isinstance(parent, FunctionEvent):
            raise AssertionError("Expected parent to be a FunctionEvent")
        self.cpu_parent = parent

    @property
    def key(self) -> str:
        """The name."""
        return self.name

    @property
    def cpu_time_total(self) -> float:  # type: ignore[override]
        """From beginning to end, in microseconds."""
        return self.time_range.elapsed_us()

    @property
    def self_cpu_time_total(self) -> float:
        """The time that no event within this one takes."""
        if self.is_async:
            return 0
        return self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    @property
    def device_time_total(self) -> float:  # type: ignore[override]
        """The time of the kernels, of those of the events within, too."""
        if self.is_async or not self.use_device:
            return 0
        within = sum(child.device_time_total for child in self.cpu_children)
        return sum(kernel.duration for kernel in self.kernels) + within

    @property
    def self_device_time_total(self) -> float:
        """The time of the kernels of this very event."""
        return self.device_time_total - sum(child.device_time_total for child in self.cpu_children)

    @property
    def self_cpu_memory_usage(self) -> int:
        """Bytes taken less bytes given back outside of the events within this one."""
        if self.is_async:
            return 0
        return self.cpu_memory_usage - sum(child.cpu_memory_usage for child in self.cpu_children)

    @property
    def self_device_memory_usage(self) -> int:
        """Such bytes on another device."""
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
    "cpu_time_total", "device_time_total", "self_cpu_time_total", "self_device_time_total", "cpu_memory_usage",
    "device_memory_usage", "self_cpu_memory_usage", "self_device_memory_usage", "count",
)  # fmt: skip
SHARED = (
    "key", "node_id", "is_async", "is_remote", "cpu_parent", "cpu_children", "overload_name", "input_shapes", "stack",
    "scope", "device_type", "is_legacy", "use_device", "is_user_annotation",
)  # fmt: skip
"""What is added up over events with the same key, and what is that of the first one."""


class FunctionEventAvg(FormattedTimesMixin):
    """Events with the same key: their times, bytes and counts added up.

    Attributes: those of `FunctionEvent`, the times as sums; `count` says of how many events.
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
            AssertionError: it is no event, or has another key.
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
