"""Tensors on the device "meta": factories, and moves from one device to the other.

The dtype of a factory is that of an empty result; factories whose size follows from other arguments make their tensor,
whose values are dropped.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np

from ..._core.calls.out import put
from ..._core.cards.card import Array
from ..._core.tensor.base import Tensor, wrap
from ..._core.tensor.meta_array import is_meta, meta_array
from ..._core.types.devices import device as Device, refuse_absent
from ..memory.convert import copying
from ..memory.memory_formats import strides_in
from .factory import read_size

SIZED = frozenset(["empty", "full", "new_empty", "new_full", "new_ones", "new_zeros", "ones", "rand", "randn", "zeros"])
"""Factories of a size."""
LIKE = frozenset(["empty_like", "full_like", "ones_like", "rand_like", "randint_like", "randn_like", "zeros_like"])
"""Factories of a tensor's shape."""
CONVERSIONS = frozenset(["to", "cpu"])
"""Functions with a tensor on a given device as result."""


@copying(name="_to_meta", public="hidden")
def to_meta(self: Array, dtype: Any = None, memory_format: Any = None) -> Any:
    """Return a tensor like `self`, without values."""
    return meta_array(self.shape, self.dtype if dtype is None else dtype.numpy, strides_in(self, memory_format))


@to_meta.vjp("self")
def to_meta_vjp(grad: Any) -> Any:
    return grad.to("cpu")


def created(name: str, body: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor:
    """Return the result of a function for a tensor on the device "meta".

    Args:
        name, body: name and body of the function.
        args, kwargs: its arguments.

    Raises:
        ElsewhereError: if the function does not support "meta".
        RuntimeError: if there is an `out` on the CPU.
    """
    if name in CONVERSIONS:
        return converted(*args, **kwargs)
    bound = signature(body).bind(*args, **kwargs)
    arguments = bound.arguments
    first = args[0] if args else None
    wanted = arguments.get("device") or (first.device if isinstance(first, Tensor) else None)
    if wanted is None or Device(wanted).type != "meta" or "device" not in signature(body).parameters:
        refuse_absent("meta")
    arguments["device"] = None
    out = arguments.pop("out", None)
    if out is not None and not is_meta(out):
        raise RuntimeError("device type meta does not match device type of out parameter (cpu)")
    if name.startswith("new_"):
        arguments["input"] = wrap(np.zeros(0, first._array_.dtype))  # type: ignore[union-attr]
    shape: Any = None
    strides: Any = None
    if name in LIKE:
        shape = arguments["input"].shape
        strides = strides_in(arguments["input"]._array_, arguments.pop("memory_format", None))
        arguments["input"] = wrap(np.zeros(0, arguments["input"]._array_.dtype))
    elif name in SIZED:
        shape = read_size(name, arguments.get("sizes", ()), arguments.get("size"))
        arguments.update({"sizes": ((0,),), "size": None} if "sizes" in arguments else {"size": (0,)})
    on_cpu = body(*bound.args, **bound.kwargs)
    array = on_cpu._array_
    if shape is None:
        shape, strides = array.shape, [step // array.itemsize for step in array.strides]
    result = leaf(meta_array(shape, array.dtype, strides), on_cpu.requires_grad)
    return result if out is None else put(name, out, result)


def leaf(array: Any, requires_grad: bool) -> Tensor:
    """Return a tensor on the device "meta"."""
    result = wrap(array)
    result.requires_grad = requires_grad
    return result


def converted(self: Any, *where: Any, **options: Any) -> Any:
    """Handle `tensor.to("meta", ...)`."""
    from ..memory.convert import read_target

    dtype, _, other, _ = read_target(where, options.get("dtype"), None, options.get("other"))
    wanted = dtype if other is None else other.dtype
    if is_meta(self):
        return self.to(wanted, copy=options.get("copy", False))
    return to_meta.call((self, wanted, options.get("memory_format")))
