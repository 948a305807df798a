"""Dtypes of operators within a region of autocast, and the autocast state of a thread.

Source of the lists: torch's documentation of automatic mixed precision, "CPU Op-Specific Behavior".
"""

from __future__ import annotations

import _thread
import warnings
from typing import Any

from .._core.state.modes import current
from .._core.types import dtypes
from .._core.types.devices import device as Device
from .._start.boundary import boundary
from .._tensor import Tensor

_IN_PACKAGE = (
    "autocast_decrement_nesting",
    "autocast_increment_nesting",
    "clear_autocast_cache",
    "get_autocast_cpu_dtype",
    "get_autocast_dtype",
    "get_autocast_gpu_dtype",
    "is_autocast_cache_enabled",
    "is_autocast_cpu_enabled",
    "is_autocast_enabled",
    "set_autocast_cache_enabled",
    "set_autocast_cpu_dtype",
    "set_autocast_cpu_enabled",
    "set_autocast_dtype",
    "set_autocast_enabled",
    "set_autocast_gpu_dtype",
)

SHORT = frozenset(
    {
        "conv1d",
        "conv2d",
        "conv3d",
        "conv_transpose1d",
        "conv_transpose2d",
        "conv_transpose3d",
        "convolution",
        "bmm",
        "mm",
        "baddbmm",
        "addmm",
        "addbmm",
        "linear",
        "matmul",
        "conv_tbc",
        "prelu",
        "scaled_dot_product_attention",
        "linalg_vecdot",
        "multi_head_attention_forward",
        "_sparse_addmm",
    }
)
"""Operators computed in the dtype of the region: products, which accumulate in float32 anyway."""
LONG = frozenset(
    {
        "avg_pool3d",
        "binary_cross_entropy",
        "grid_sample",
        "grid_sampler_2d",
        "grid_sampler_3d",
        "polar",
        "prod",
        "quantile",
        "nanquantile",
        "stft",
        "cdist",
        "trace",
        "view_as_complex",
        "cholesky",
        "cholesky_inverse",
        "cholesky_solve",
        "inverse",
        "lu_solve",
        "orgqr",
        "ormqr",
        "pinverse",
        "max_pool3d",
        "max_unpool1d",
        "max_unpool2d",
        "max_unpool3d",
        "adaptive_avg_pool3d",
        "mse_loss",
        "cosine_embedding_loss",
        "nll_loss",
        "hinge_embedding_loss",
        "poisson_nll_loss",
        "smooth_l1_loss",
        "cross_entropy",
        "l1_loss",
        "huber_loss",
        "margin_ranking_loss",
        "soft_margin_loss",
        "triplet_margin_loss",
        "multi_margin_loss",
        "ctc_loss",
        "kl_div",
        "multilabel_margin_loss",
        "binary_cross_entropy_with_logits",
        "fft_fft",
        "fft_ifft",
        "fft_fft2",
        "fft_ifft2",
        "fft_fftn",
        "fft_ifftn",
        "fft_rfft",
        "fft_irfft",
        "fft_rfft2",
        "fft_irfft2",
        "fft_rfftn",
        "fft_irfftn",
        "fft_hfft",
        "fft_ihfft",
        "linalg_cond",
        "linalg_matrix_rank",
        "linalg_solve",
        "linalg_cholesky",
        "linalg_svdvals",
        "linalg_eigvals",
        "linalg_eigvalsh",
        "linalg_inv",
        "linalg_householder_product",
        "linalg_tensorinv",
        "linalg_tensorsolve",
        "linalg_qr",
        "linalg_svd",
        "linalg_eig",
        "linalg_eigh",
        "linalg_lstsq",
        "linalg_inv_ex",
        "edge_pad",
        "geqrf",
        "svd",
        "qr",
        "triangular_solve",
        "fractional_max_pool2d",
        "fractional_max_pool3d",
        "adaptive_max_pool3d",
    }
)
"""Operators computed in float32, because half precision would lose too much accuracy."""
WIDEST = frozenset({"cat", "stack", "index_copy"})
"""Operators computed in the widest dtype of their operands."""


class State(_thread._local):
    """Autocast state of a thread.

    Attributes:
        kinds: the dtype of regions for each device.
        enabled: the devices with a region; for unavailable devices it has no effect.
        caching: whether a parameter is cast once for a region.
        nesting: the number of nested regions.
        cache: the casts of parameters by identity, with the parameter, which is kept alive.
    """

    def __init__(self) -> None:
        self.kinds: dict[str, Any] = {"cpu": dtypes.bfloat16}
        self.enabled: set[str] = set()
        self.caching = True
        self.nesting = 0
        self.cache: dict[tuple[int, bool], tuple[Tensor, Tensor]] = {}


state = State()


def recast(name: str, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the arguments of an operator, or of a function in a module, in the dtypes for its computation.

    The tuple itself is returned if nothing changes.
    """
    name = name.removeprefix("wengert.").removeprefix("nn.functional.").replace(".", "_")
    if name in SHORT:
        return cast_to(state.kinds["cpu"], values)
    if name in LONG and not (name == "edge_pad" and "circular" in values[2:]):
        return cast_to(dtypes.float32, values)
    if name in WIDEST:
        return cast_to(widest(values), values)
    return values


def is_eligible(value: Any) -> bool:
    """Return whether autocast applies to a value: floating-point tensors except those of double precision."""
    return isinstance(value, Tensor) and value.is_floating_point() and value.dtype is not dtypes.float64


def widest(values: tuple[Any, ...]) -> Any:
    """Return the promoted dtype of all operands."""
    wide = state.kinds["cpu"]
    for value in values:
        for item in value if isinstance(value, (tuple, list)) else (value,):
            if is_eligible(item):
                wide = dtypes.promote_types(wide, item.dtype)
    return wide


def cast_to(kind: Any, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return arguments with all eligible tensors cast to a dtype."""
    results: list[Any] = []
    for value in values:
        if isinstance(value, (tuple, list)) and any(map(is_eligible, value)):
            results.append(type(value)(one_cast_to(kind, item) for item in value))
        else:
            results.append(one_cast_to(kind, value))
    return values if all(new is old for new, old in zip(results, values)) else tuple(results)


def one_cast_to(kind: Any, value: Any) -> Any:
    """Cast one argument; a parameter in float32 is cast once for the outermost region."""
    if not is_eligible(value) or value.dtype is kind:
        return value
    known = state.caching and value.dtype is dtypes.float32 and kind is state.kinds["cpu"]
    if not (known and value.requires_grad and value.is_leaf and value._base is None):
        return value.to(kind)
    key = (id(value), current().grad)
    if key not in state.cache:
        state.cache[key] = (value, value.to(kind))
    return state.cache[key][1]


def device_type_of(name: str, value: Any) -> str:
    """Return the type of a device.

    Raises:
        TypeError: if it is not a string.
        RuntimeError: if there is no such device.
    """
    if not isinstance(value, str):
        raise TypeError(f"{name}(): argument 'device_type' (position 1) must be str, not {type(value).__name__}")
    return Device(value).type


@boundary
def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Return whether the thread is in a region of autocast for a device.

    Args:
        device_type: the device, such as "cpu".

    Examples:
        >>> import wengert as wg
        >>> wg.is_autocast_enabled("cpu")
        False
    """
    return device_type_of("is_autocast_enabled", device_type) in state.enabled


def set_autocast_enabled(device_type: Any, enabled: Any = None) -> None:
    """Start or end a region of autocast for a device (a single bool is for "cuda").

    Args:
        device_type: the device, such as "cpu".
        enabled: whether calls are recast.
    """
    if enabled is None:
        device_type, enabled = "cuda", device_type
    device = device_type_of("set_autocast_enabled", device_type)
    if enabled:
        state.enabled.add(device)
    else:
        state.enabled.discard(device)
    if device == "cpu":
        current().cast(recast if enabled else None)


@boundary
def get_autocast_dtype(device_type: str) -> Any:
    """Return the dtype of regions for a device: by default bfloat16 on the CPU, float16 elsewhere.

    Args:
        device_type: the device, such as "cpu".

    Examples:
        >>> import wengert as wg
        >>> wg.get_autocast_dtype("cpu")
        torch.bfloat16
    """
    return state.kinds.get(device_type_of("get_autocast_dtype", device_type), dtypes.float16)


def set_autocast_dtype(device_type: str, dtype: Any) -> None:
    """Set the dtype of regions for a device.

    Args:
        device_type: the device, such as "cpu".
        dtype: the dtype.
    """
    device = device_type_of("set_autocast_dtype", device_type)
    dtypes.check_dtype("set_autocast_dtype", "dtype", 2, dtype)
    state.kinds[device] = dtype


def is_autocast_cache_enabled() -> bool:
    """Return whether a parameter is cast once for the outermost region."""
    return state.caching


def set_autocast_cache_enabled(enabled: bool) -> None:
    """Set whether a parameter is cast once for the outermost region.

    Args:
        enabled: whether it is.
    """
    state.caching = enabled


def clear_autocast_cache() -> None:
    """Clear the cached casts of parameters."""
    state.cache.clear()


def autocast_increment_nesting() -> int:
    """Increase the number of nested regions; return it."""
    state.nesting += 1
    return state.nesting


def autocast_decrement_nesting() -> int:
    """Decrease the number of nested regions; return it."""
    state.nesting -= 1
    return state.nesting


def deprecated(name: str, instead: str) -> None:
    """Warn that a function has a new name."""
    text = f"torch.{name} is deprecated. Please use torch.{instead} instead."
    warnings.warn(text, DeprecationWarning, stacklevel=3)


def is_autocast_cpu_enabled() -> bool:
    """`is_autocast_enabled("cpu")`."""
    deprecated("is_autocast_cpu_enabled()", "is_autocast_enabled('cpu')")
    return is_autocast_enabled("cpu")


def set_autocast_cpu_enabled(enabled: bool) -> None:
    """Call `set_autocast_enabled("cpu", enabled)`."""
    deprecated("set_autocast_cpu_enabled(enabled)", "set_autocast_enabled('cpu', enabled)")
    set_autocast_enabled("cpu", enabled)


def get_autocast_cpu_dtype() -> Any:
    """`get_autocast_dtype("cpu")`."""
    deprecated("get_autocast_cpu_dtype()", "get_autocast_dtype('cpu')")
    return get_autocast_dtype("cpu")


def set_autocast_cpu_dtype(dtype: Any) -> None:
    """Call `set_autocast_dtype("cpu", dtype)`."""
    deprecated("set_autocast_cpu_dtype(dtype)", "set_autocast_dtype('cpu', dtype)")
    set_autocast_dtype("cpu", dtype)


def get_autocast_gpu_dtype() -> Any:
    """`get_autocast_dtype("cuda")`."""
    deprecated("get_autocast_gpu_dtype()", "get_autocast_dtype('cuda')")
    return get_autocast_dtype("cuda")


def set_autocast_gpu_dtype(dtype: Any) -> None:
    """Call `set_autocast_dtype("cuda", dtype)`."""
    deprecated("set_autocast_gpu_dtype(dtype)", "set_autocast_dtype('cuda', dtype)")
    set_autocast_dtype("cuda", dtype)
