"""`torch.mtia` without such a device: not available, no devices."""

from __future__ import annotations

from wengert._start.absent import Absent

_mtia = Absent("mtia", "MTIA")

is_available = _mtia.is_available
is_initialized = _mtia.is_initialized
device_count = _mtia.device_count
manual_seed = manual_seed_all = _mtia.manual_seed
seed = seed_all = _mtia.seed
synchronize = _mtia.synchronize
empty_cache = _mtia.empty_cache
init = current_device = set_device = get_rng_state = set_rng_state = _mtia.refuse
