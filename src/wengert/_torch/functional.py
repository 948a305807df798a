"""`torch.functional`: the functions that torch itself has written in Python, under the name of their module."""

from __future__ import annotations

from typing import Any

from wengert._start.loading import absent, load

__all__ = sorted(
    """
    atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes broadcast_tensors cartesian_prod cdist
    chain_matmul einsum istft lu meshgrid norm pca_lowrank split stft svd_lowrank tensordot unique
    unique_consecutive unravel_index
    """.split()  # noqa: SIM905 - so that it can be read
)


def __getattr__(name: str) -> Any:
    if name not in __all__:
        absent(__name__, name)
    return getattr(load(str(__package__)), name)


def __dir__() -> list[str]:
    return __all__
