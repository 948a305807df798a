"""Methods of tensors for NumPy's protocols and the array API standard, bound at first use."""

from __future__ import annotations

from typing import Any

from ..._core.cards.late import bind
from .functions import array_function
from .ufuncs import array_ufunc


def array_namespace(self: Any, *, api_version: str | None = None) -> Any:
    """Return the functions of the array API standard for tensors: `wengert.array_api`.

    Args:
        api_version: a version of the standard, up to 2024.12.

    Raises:
        ValueError: if the version is unknown.
    """
    from .. import array_api

    if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12"):
        raise ValueError(f"unsupported version of the array API standard: {api_version!r}; there is 2024.12")
    return array_api


def to_device(self: Any, device: Any, /, *, stream: None = None) -> Any:
    """Return the tensor on a device, by the method of the array API standard; torch has `to`.

    Args:
        device: the device; the tensor itself is returned if it is on it.
        stream: None, as there are no streams.

    Raises:
        ValueError: if there is a stream.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([1, 2]).to_device("cpu")
        tensor([1, 2])
    """
    if stream is not None:
        raise ValueError(f"to_device: stream is None where there are no streams, not {stream!r}")
    return self.to(device)


bind("__array_ufunc__", array_ufunc)
bind("__array_function__", array_function)
bind("__array_namespace__", array_namespace)
bind("to_device", to_device)
