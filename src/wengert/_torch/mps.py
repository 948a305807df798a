"""`torch.mps` without Metal: not available, no devices."""

from __future__ import annotations

from wengert._start.absent import Absent

_mps = Absent("mps", "MPS")

is_available = _mps.is_available
device_count = _mps.device_count
manual_seed = _mps.manual_seed
seed = _mps.seed
synchronize = _mps.synchronize
empty_cache = _mps.empty_cache
current_allocated_memory = driver_allocated_memory = _mps.memory_allocated
get_rng_state = set_rng_state = set_per_process_memory_fraction = recommended_max_memory = _mps.refuse
