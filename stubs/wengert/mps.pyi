# Made by tools/make_stub.py; do not edit.
from wengert._torch.mps import (
    _mps as _mps,
    current_allocated_memory as current_allocated_memory,
    device_count as device_count,
    driver_allocated_memory as driver_allocated_memory,
    empty_cache as empty_cache,
    get_rng_state as get_rng_state,
    is_available as is_available,
    manual_seed as manual_seed,
    recommended_max_memory as recommended_max_memory,
    seed as seed,
    set_per_process_memory_fraction as set_per_process_memory_fraction,
    set_rng_state as set_rng_state,
    synchronize as synchronize,
)
