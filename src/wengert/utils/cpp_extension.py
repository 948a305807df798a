"""Mirror of `torch.utils.cpp_extension`; nothing can be compiled against this package, so calls are refused."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["BuildExtension", "CUDAExtension", "CppExtension", "SyclExtension", "include_paths", "load", "load_inline"]

CUDA_HOME = ROCM_HOME = SYCL_HOME = None
"""Paths of accelerator toolkits: None, as in torch without them."""


def load(*args: Any, **kwargs: Any) -> NoReturn:
    """Raise an error: extensions are not supported.

    Raises:
        RuntimeError: always; there are no headers to build against.
    """
    raise RuntimeError(
        "torch.utils.cpp_extension: no extension can be compiled against wengert, which is not a C++ library; write "
        "the operator in Python, as a torch.autograd.Function"
    )


load_inline = CppExtension = CUDAExtension = SyclExtension = include_paths = load


class BuildExtension:
    """Build command; refused on instantiation, since there is nothing to build against."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        load()
