"""`torch.cuda.nvtx`: marks in profiles of CUDA devices, refused as by a torch without CUDA."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, NoReturn

__all__ = ["mark", "range", "range_end", "range_pop", "range_push", "range_start"]


def mark(*args: Any, **kwargs: Any) -> NoReturn:
    """Raise RuntimeError: there is no CUDA.

    Raises:
        RuntimeError: always; there is no CUDA.
    """
    raise RuntimeError("NVTX functions not installed. Are you sure you have a CUDA build?")


range_end = range_pop = range_push = range_start = mark


@contextlib.contextmanager
def range(msg: str, *args: Any, **kwargs: Any) -> Iterator[None]:
    """A `with` block or a decorator, refused when it is entered."""
    mark()
    yield
