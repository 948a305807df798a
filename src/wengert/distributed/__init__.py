"""`torch.distributed` in one process: collectives of a group of one return their input. Larger groups are refused.

`is_available()` returns False, so that programs which ask first do without; a program can still create a group of one
process.
"""

from __future__ import annotations

import functools
from typing import Any

from .._start import absent
from .collectives import (
    ReduceOp,
    Work,
    all_gather,
    all_gather_into_tensor,
    all_gather_object,
    all_gather_single,
    all_reduce,
    all_to_all,
    all_to_all_single,
    barrier,
    broadcast,
    broadcast_object_list,
    gather,
    gather_object,
    irecv,
    isend,
    monitored_barrier,
    recv,
    reduce,
    reduce_scatter,
    reduce_scatter_single,
    reduce_scatter_tensor,
    scatter,
    scatter_object_list,
    send,
)
from .errors import DistBackendError, DistError, DistNetworkError, DistStoreError
from .groups import (
    Backend,
    GroupMember,
    ProcessGroup,
    default_pg_timeout,
    destroy_process_group,
    get_backend,
    get_global_rank,
    get_group_rank,
    get_node_local_rank,
    get_process_group_ranks,
    get_rank,
    get_world_size,
    group,
    init_process_group,
    is_initialized,
    new_group,
)
from .stores import FileStore, HashStore, PrefixStore, Store

__all__ = [
    "Backend",
    "DistBackendError",
    "DistError",
    "DistNetworkError",
    "DistStoreError",
    "FileStore",
    "GroupMember",
    "HashStore",
    "PrefixStore",
    "ProcessGroup",
    "ReduceOp",
    "Store",
    "Work",
    "all_gather",
    "all_gather_into_tensor",
    "all_gather_object",
    "all_gather_single",
    "all_reduce",
    "all_to_all",
    "all_to_all_single",
    "barrier",
    "broadcast",
    "broadcast_object_list",
    "default_pg_timeout",
    "destroy_process_group",
    "gather",
    "gather_object",
    "get_backend",
    "get_global_rank",
    "get_group_rank",
    "get_node_local_rank",
    "get_process_group_ranks",
    "get_rank",
    "get_world_size",
    "group",
    "init_process_group",
    "irecv",
    "is_available",
    "is_backend_available",
    "is_gloo_available",
    "is_initialized",
    "is_mpi_available",
    "is_nccl_available",
    "is_torchelastic_launched",
    "is_ucc_available",
    "is_xccl_available",
    "isend",
    "monitored_barrier",
    "new_group",
    "recv",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_single",
    "reduce_scatter_tensor",
    "scatter",
    "scatter_object_list",
    "send",
]


def is_available() -> bool:
    """Return False: nothing is sent to other processes."""
    return False


is_gloo_available = is_mpi_available = is_nccl_available = is_ucc_available = is_xccl_available = is_available


def is_backend_available(backend: str) -> bool:
    """Return False: there is no communication with other processes."""
    return False


def is_torchelastic_launched() -> bool:
    """Return False."""
    return False


MODULES = frozenset(
    """
    algorithms autograd checkpoint device_mesh distributed_c10d elastic fsdp launcher nn optim pipelining rpc tensor
    """.split()  # noqa: SIM905 - so that it can be read
)
"""Submodules that torch loads with the package, so that programs use them without an import."""


def stand_in(module: str, name: str) -> Any:
    """Return the attribute `name` of a module of torch.distributed, or a placeholder that raises."""
    if name in ("is_available", "is_initialized") or (module.endswith(".distributed_c10d") and name in __all__):
        return globals()[name]
    if name in MODULES:
        return below(f"{module}.{name}")
    if module.endswith(".rpc") and name == "api":  # libraries look for this name to detect remote calls
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    return absent.stand_in(module, name, "there is one process here; ask torch.distributed.is_available() first")


def __getattr__(name: str) -> Any:
    """Return a placeholder for any other name, which raises when it is called or instantiated."""
    return stand_in(__name__, name)


below = absent.hollows(stand_in)
Below = functools.partial(absent.Below, below)
"""Importer of the submodules."""
