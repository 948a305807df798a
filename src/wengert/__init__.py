"""torch's autograd, whole, on NumPy arrays: `import wengert as wg`."""

from __future__ import annotations

from . import _build  # isort: skip  (decides between the compiled and the interpreted core, before anything imports it)

from .tensor import Tensor  # isort: skip  (binds the methods that no card gives)
from math import e, inf, nan, pi

from . import autograd, ops
from ._core.cards.card import REGISTRY
from ._core.state.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from ._core.types.devices import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    device,
    layout,
    memory_format,
    preserve_format,
    strided,
)
from ._core.types.dtypes import (
    bool_ as bool,
    can_cast,
    complex64,
    complex64 as cfloat,
    complex128,
    complex128 as cdouble,
    dtype,
    finfo,
    float16,
    float16 as half,
    float32,
    float32 as float,
    float64,
    float64 as double,
    get_default_dtype,
    iinfo,
    int8,
    int16,
    int16 as short,
    int32,
    int32 as int,
    int64,
    int64 as long,
    promote_types,
    set_default_dtype,
    uint8,
    uint16,
    uint32,
    uint64,
)
from ._core.types.sizes import Size
from ._kernels import get_num_threads, set_num_threads
from .autograd.anomaly_mode import is_anomaly_check_nan_enabled, is_anomaly_enabled, set_anomaly_enabled
from .ops.create.create import tensor
from .ops.memory.storages import TypedStorage, UntypedStorage
from .ops.randomness.generator import Generator
from .printing import set_printoptions
from .questions import is_complex, is_floating_point, is_inference, is_tensor, numel, result_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from . import io, nn, optim, utils, vision, viz

LATER = frozenset({"io", "nn", "optim", "utils", "vision", "viz"})
"""Layers that are loaded when they are first asked for: whoever needs derivatives only does not wait for them."""

globals().update({name: card.public for name, card in REGISTRY.items() if card.function})


def __getattr__(name: str) -> Any:
    if name not in LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return import_module(f"{__name__}.{name}")


def __dir__() -> list[str]:
    return sorted({*globals(), *LATER})


__version__ = "0.1.0"
