"""Settings of torch that choose between algorithms; here there is one algorithm, which is deterministic.

Values are stored, so that they can be queried, and have no effect.
"""

from __future__ import annotations

from typing import Any

from wengert._core.graph import anomaly
from wengert._core.tensor.base import Tensor
from wengert._core.types.devices import context, device

_IN_PACKAGE = (
    "are_deterministic_algorithms_enabled",
    "compiled_with_cxx11_abi",
    "get_default_device",
    "get_deterministic_debug_mode",
    "get_float32_matmul_precision",
    "get_num_interop_threads",
    "has_lapack",
    "has_mkl",
    "has_openmp",
    "has_spectral",
    "is_deterministic_algorithms_warn_only_enabled",
    "is_storage",
    "is_vulkan_available",
    "is_warn_always_enabled",
    "set_default_device",
    "set_default_tensor_type",
    "set_deterministic_debug_mode",
    "set_float32_matmul_precision",
    "set_flush_denormal",
    "set_num_interop_threads",
    "set_warn_always",
    "typename",
    "use_deterministic_algorithms",
)

_set: dict[str, Any] = {"deterministic": False, "warn only": False, "precision": "highest", "interop threads": 1}


has_lapack, has_mkl, has_openmp, has_spectral = True, False, False, True
"""Availability of decompositions and Fourier transforms, and of the libraries of torch that provide them."""


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Note the setting; all operators are deterministic.

    Args:
        mode: whether operators without a deterministic form are refused; there are none.
        warn_only: whether they would only warn.

    Examples:
        >>> import wengert as wg
        >>> wg.use_deterministic_algorithms(True)
        >>> enabled = wg.are_deterministic_algorithms_enabled()
        >>> wg.use_deterministic_algorithms(False)
        >>> enabled
        True
    """
    _set.update({"deterministic": bool(mode), "warn only": bool(warn_only)})


def are_deterministic_algorithms_enabled() -> bool:
    """Return the last value set by `use_deterministic_algorithms`.

    Examples:
        >>> import wengert as wg
        >>> wg.are_deterministic_algorithms_enabled()
        False
    """
    return _set["deterministic"]


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Return the last value of `warn_only` set by `use_deterministic_algorithms`."""
    return _set["warn only"]


def get_deterministic_debug_mode() -> int:
    """Return 0 (default), 1 ("warn") or 2 ("error")."""
    return (1 if _set["warn only"] else 2) if _set["deterministic"] else 0


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """Call `use_deterministic_algorithms` for one of "default", "warn", "error", or its number.

    Raises:
        TypeError: if `debug_mode` is neither a string nor an integer.
        RuntimeError: if `debug_mode` is none of these.
    """
    if not isinstance(debug_mode, (int, str)):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    names = ("default", "warn", "error")
    if debug_mode not in (*names, 0, 1, 2):
        raise RuntimeError(
            f"invalid value of debug_mode, expected one of `default`, `warn`, `error` or 0, 1, 2, but got {debug_mode}"
        )
    number = names.index(debug_mode) if isinstance(debug_mode, str) else debug_mode
    use_deterministic_algorithms(number > 0, warn_only=number == 1)


def set_float32_matmul_precision(precision: str) -> None:
    """Store the setting, without effect: products of float32 are computed in float32.

    Raises:
        RuntimeError: if `precision` is none of "highest", "high" and "medium".

    Examples:
        >>> import wengert as wg
        >>> wg.set_float32_matmul_precision("highest")
    """
    if precision not in ("highest", "high", "medium"):
        raise RuntimeError(
            f"{precision} is not one of 'highest', 'high', or 'medium'; the current float32 matmul precision is "
            f"{_set['precision']}"
        )
    _set["precision"] = precision


def get_float32_matmul_precision() -> str:
    """Return the last value set by `set_float32_matmul_precision`.

    Examples:
        >>> import wengert as wg
        >>> wg.get_float32_matmul_precision()
        'highest'
    """
    return _set["precision"]


def set_warn_always(b: bool, /) -> None:
    """Set whether warnings that are issued once per process are issued each time; Python's filters still apply.

    Args:
        b: whether they are.
    """
    anomaly.GIVEN.always = bool(b)


def is_warn_always_enabled() -> bool:
    """Return the last value set by `set_warn_always`.

    Examples:
        >>> import wengert as wg
        >>> wg.is_warn_always_enabled()
        False
    """
    return anomaly.GIVEN.always


def set_num_interop_threads(num: int, /) -> None:
    """Store the number, without effect: operators run one after the other in the calling thread.

    Raises:
        RuntimeError: if `num` is not positive.
    """
    if num < 1:
        raise RuntimeError("Expected positive number of threads")
    _set["interop threads"] = num


def get_num_interop_threads() -> int:
    """Return the last value set by `set_num_interop_threads`.

    Examples:
        >>> import wengert as wg
        >>> wg.get_num_interop_threads() >= 1
        True
    """
    return _set["interop threads"]


def set_flush_denormal(mode: bool, /) -> bool:
    """Return False: denormal numbers are never flushed to zero.

    Args:
        mode: whether to flush them; has no effect.
    """
    return False


def get_default_device() -> device:
    """Return the device of new tensors in this thread: the CPU, or "meta".

    Examples:
        >>> import wengert as wg
        >>> wg.get_default_device()
        device(type='cpu')
    """
    return context().chosen()


def set_default_device(device: Any) -> None:  # shadows the class: torch's name of the parameter
    """Set the device of new tensors in this thread: the CPU (also None), or "meta", without values.

    Raises:
        AssertionError, RuntimeError: if the device is neither the CPU nor "meta".
    """
    context().set_default(device)


def set_default_tensor_type(t: Any, /) -> None:
    """Set the default dtype by the old name of a type: "torch.DoubleTensor", or the type itself.

    Args:
        t: the type or its name.

    Raises:
        TypeError: if there is no such type, or it is not floating-point.
    """
    from wengert._core.types.dtypes import ALL, set_default_dtype

    name = t if isinstance(t, str) else f"torch.{getattr(t, '__name__', t)}"
    dtype = next((kind for kind in ALL if f"torch.{kind.legacy}" == name), None)
    if dtype is None:
        raise TypeError(f"invalid type object: {name}; only floating-point types are supported as the default type")
    anomaly.warn_once(
        "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use torch.set_default_dtype() and "
        "torch.set_default_device() as alternatives."
    )
    set_default_dtype(dtype)


def is_vulkan_available() -> bool:
    """False."""
    return False


def compiled_with_cxx11_abi() -> bool:
    """Return True, for programs that build extensions of torch, although none can be built for this package."""
    return True


def is_storage(obj: object, /) -> bool:
    """Return whether this is the memory of tensors.

    Args:
        obj: any object.

    Examples:
        >>> import wengert as wg
        >>> wg.is_storage(wg.zeros(2).untyped_storage()), wg.is_storage([1.0])
        (True, False)
    """
    from wengert.ops.memory.storages import StorageBase

    return isinstance(obj, StorageBase)


def typename(obj: object, /) -> str:
    """The name of a tensor's type, or of the type of anything else, with its module.

    Args:
        obj: any object.

    Examples:
        >>> import wengert as wg
        >>> wg.typename(wg.zeros(2))
        'torch.FloatTensor'
    """
    if isinstance(obj, Tensor):
        return str(obj.type())
    kind = obj if isinstance(obj, type) or callable(obj) else type(obj)
    name = getattr(kind, "__qualname__", type(obj).__qualname__)
    module = getattr(kind, "__module__", "") or ""
    return name if module in ("", "builtins") else f"{module}.{name}"
