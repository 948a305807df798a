"""`torch.cuda` without CUDA: not available, no devices; seeds, caches and `synchronize` do nothing."""

from __future__ import annotations

from typing import Any

from wengert._start.absent import Absent, NoDevice, NoDeviceOf, NoStream
from wengert._start.loading import on_demand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import amp as amp, nvtx as nvtx, random as random

_IN_PACKAGE = ("AcceleratorError", "OutOfMemoryError")

_cuda = Absent("cuda", "CUDA")

is_available = _cuda.is_available
is_initialized = _cuda.is_initialized
is_bf16_supported = _cuda.is_bf16_supported
device_count = _cuda.device_count
manual_seed = manual_seed_all = _cuda.manual_seed
seed = seed_all = _cuda.seed
synchronize = _cuda.synchronize
empty_cache = _cuda.empty_cache
ipc_collect = _cuda.ipc_collect
memory_allocated = max_memory_allocated = memory_reserved = max_memory_reserved = memory_cached = _cuda.memory_allocated
reset_peak_memory_stats = reset_max_memory_allocated = reset_max_memory_cached = _cuda.reset_peak_memory_stats
memory_stats = _cuda.memory_stats
get_arch_list = _cuda.get_arch_list
get_rng_state_all = _cuda.get_rng_state_all
set_rng_state_all = _cuda.set_rng_state_all
set_device = _cuda.set_device
init = current_device = get_device_name = get_device_capability = get_device_properties = _cuda.refuse
get_rng_state = set_rng_state = initial_seed = mem_get_info = memory_summary = current_stream = _cuda.refuse
default_stream = can_device_access_peer = utilization = set_stream = _cuda.refuse


class device(NoDevice):
    """Context manager for the current device, without effect."""

    absent = _cuda


class device_of(NoDeviceOf):
    """A context manager that changes to the device of a tensor, which is the CPU."""

    absent = _cuda


class Stream(NoStream):
    """A queue of work on a device: it cannot be instantiated."""

    absent = _cuda


class Event(NoStream):
    """A mark in a queue of work: it cannot be instantiated."""

    absent = _cuda


class CUDAGraph(NoStream):
    """Recorded work of a device: it cannot be instantiated."""

    absent = _cuda


class graph(NoStream):
    """Context manager that records the work of a device: it cannot be instantiated."""

    absent = _cuda


class StreamContext(NoDevice):
    """A context manager that changes the current stream; `None` changes nothing."""

    absent = _cuda


stream = StreamContext


def is_current_stream_capturing() -> bool:
    """Return False: there is no stream."""
    return False


default_generators: tuple[Any, ...] = ()
"""Generators of the devices: none."""


class CudaError(RuntimeError):
    """An error of the CUDA library; never raised here, so that programs may name it."""


class AcceleratorError(RuntimeError):
    """An error of an accelerator; never raised here, so that programs may name it."""


class OutOfMemoryError(RuntimeError):
    """A device has no more memory; never raised here, so that programs may name it."""


__getattr__, __dir__ = on_demand(globals())

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import amp

    _: Any = amp
