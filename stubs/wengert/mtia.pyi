# Made by tools/make_stub.py; do not edit.
from wengert._torch.mtia import (
    _mtia as _mtia,
    current_device as current_device,
    device_count as device_count,
    empty_cache as empty_cache,
    get_rng_state as get_rng_state,
    init as init,
    is_available as is_available,
    is_initialized as is_initialized,
    manual_seed as manual_seed,
    manual_seed_all as manual_seed_all,
    seed as seed,
    seed_all as seed_all,
    set_device as set_device,
    set_rng_state as set_rng_state,
    synchronize as synchronize,
)
