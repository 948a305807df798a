"""`torch.utils.cpp_extension`: nothing is compiled against this package. Programs may ask; calls are refused."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = [
    "BuildExtension", "CUDAExtension", "CppExtension", "SyclExtension", "include_paths", "load", "load_inline",
]  # fmt: skip

CUDA_HOME = ROCM_HOME = SYCL_HOME = None
"""No compiler of an accelerator was found, as torch says where there is none."""


def load(*args: Any, **kwargs: Any) -> NoReturn:
    """Refused.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError(
        "torch.utils.cpp_extension: no extension can be compiled against wengert, which is no C++ library; write the "
        "operator in Python, as a torch.autograd.Function"
    )


load_inline = CppExtension = CUDAExtension = SyclExtension = include_paths = load


class BuildExtension:
    """Refused when it is made: there is nothing to build against."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        load()
