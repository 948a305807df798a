"""torch's autograd, whole, on NumPy arrays: `import wengert as wg`."""

from __future__ import annotations

from ._start import build as _build  # isort: skip  (chooses the compiled or the interpreted core, before anything imports it)

__path__.append(_build.TORCH)  # the modules that are here because torch has them: `wengert.cuda` is `_torch/cuda`

from ._start import names as _late
from ._start.loading import (
    Uncollected as _Uncollected,
    at_home as _at_home,
    homes as _homes,
    load as _load,
    on_demand as _on_demand,
)

with _Uncollected():
    from ._tensor import Tensor  # isort: skip  (binds the methods that no card gives)
    from . import autograd, ops

from math import e, inf, nan, pi

from ._core.calls.op import Op as _Op
from ._core.cards.arguments import asking as _asking, checked as _checked
from ._core.cards.card import CARDS as _CARDS, find as _find, load_all as _load_all
from ._core.cards.forms import form_of as _form_of
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
    sparse_coo,
    strided,
)
from ._core.types.dtypes import (
    UNHELD as _UNHELD,
    bfloat16,
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
from .ops.randomness.generator import Generator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .ops.create.create import tensor  # otherwise taken for the module of that name

_at_home(__name__, Generator, Size, device, dtype, finfo, iinfo, layout, memory_format)
globals().update(_UNHELD)
# Operators come when they are asked for, by `__getattr__`, but for those whose names the imports above have taken.
globals().update({name: card.public_as(name) for name, card in _CARDS.items() if card.function and name in globals()})

_get_later, _names = _on_demand(globals())


def __getattr__(name: str) -> Any:
    """Load a name when it is first asked for; public operators are then kept here."""
    if name == "__all__":
        late = _homes(__name__)
        return [name for name in __dir__() if name not in late]
    if name not in _homes(__name__) and name[:2] != "__":
        card = _find(name)
        if card is not None and card.function:
            shared = _load(f"{__name__}.nn.functional") if name in _late.SHARED.split() else None
            globals()[name] = card.public_as(name) if shared is None else getattr(shared, name)
            return globals()[name]
        if name in _late.METHODS.split():
            method = getattr(Tensor, name)
            function = (
                _form_of(method, name, __name__) if isinstance(method, _Op) else _checked(name, method, module=__name__)
            )
            globals()[name] = _asking(function, name, module=__name__) if function is method else function
            return globals()[name]
    return _get_later(name)


def __dir__() -> list[str]:
    listed = {*_names(), *_late.METHODS.split(), *(name for name, card in _load_all().items() if card.function)}
    return sorted(name for name in listed if name[0] != "_" and name not in ("TYPE_CHECKING", "annotations"))


__version__ = "0.1.0"
