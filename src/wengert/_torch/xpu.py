"""`torch.xpu` without such a device: not available, no devices."""

from __future__ import annotations

from wengert._start.absent import Absent, NoDevice

_xpu = Absent("xpu", "XPU")

is_available = _xpu.is_available
is_initialized = _xpu.is_initialized
is_bf16_supported = _xpu.is_bf16_supported
device_count = _xpu.device_count
manual_seed = manual_seed_all = _xpu.manual_seed
seed = seed_all = _xpu.seed
synchronize = _xpu.synchronize
empty_cache = _xpu.empty_cache
memory_allocated = max_memory_allocated = memory_reserved = max_memory_reserved = _xpu.memory_allocated
reset_peak_memory_stats = _xpu.reset_peak_memory_stats
memory_stats = _xpu.memory_stats
get_rng_state_all = _xpu.get_rng_state_all
set_rng_state_all = _xpu.set_rng_state_all
set_device = _xpu.set_device
init = current_device = get_device_name = get_device_capability = get_device_properties = _xpu.refuse
get_rng_state = set_rng_state = initial_seed = mem_get_info = current_stream = _xpu.refuse


class device(NoDevice):  # noqa: N801 - torch's name
    """A context manager that chooses a device; `None` chooses none."""

    absent = _xpu


def is_current_stream_capturing() -> bool:
    """Return False: there is no stream."""
    return False
