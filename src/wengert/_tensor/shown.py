"""What of a tensor is printed: its values, or what stands for them, and what there is to say of its history."""

from __future__ import annotations

from typing import Any

from .._core import flags
from .._core.calls.forward import adopt_one
from .._core.state.modes import current
from .._core.tensor.base import Tensor
from .._core.tensor.standins import StandIn
from .._core.tensor.tangents import first_of
from .._core.types import dtypes
from .._core.types.devices import sparse_coo
from .printing import format_sparse, format_tensor
from .transformed import wrapped


def text(tensor: Tensor) -> str:
    """As torch prints it."""
    if current().transforms or tensor._flags_ & flags.BATCHED:
        if found := wrapped(tensor):
            return found
    suffixes = []
    try:
        node = tensor.grad_fn  # type: ignore[attr-defined]
        history = "" if node is None else f"grad_fn=<{node.name().rpartition('::')[2]}>"
    except RuntimeError:  # a view whose base was written to in a way that forbids its use
        history = "grad_fn=<Invalid>"
    if history:
        suffixes.append(history)
    elif tensor.requires_grad:
        suffixes.append("requires_grad=True")
    tangent = shown_tangent(tensor) if current().word & flags.LEVELS else None
    if tangent is not None:
        suffixes.append(f"tangent={repr(tangent) if tangent._flags_ & flags.BATCHED else tangent}")
    if tensor._flags_ & flags.OBSERVED and isinstance(tensor._array_, StandIn):
        return wrapper_text(tensor, suffixes)
    if tensor._flags_ & flags.SPARSE:
        return meta_text(tensor, suffixes) if tensor.is_meta else sparse_text(tensor, suffixes)  # type: ignore[attr-defined]
    array, name = tensor._array_, tensor.dtype.name
    shown = format_tensor(
        array,
        dtype_name=name,
        default_float=dtypes.get_default_dtype().name,
        suffixes=suffixes,
        prefix="tensor(" if plain(tensor) else f"{type(tensor).__name__}(",
    )
    marked = not plain(tensor) and (
        getattr(tensor, "_is_param", False) or hasattr(type(tensor), "_is_plain_parameter_")
    )
    return f"Parameter({shown})" if marked else shown


def wrapper_text(tensor: Tensor, suffixes: list[str]) -> str:
    """The text of a tensor of a class that keeps the values elsewhere and says nothing of its text itself."""
    return whole_text(
        type(tensor).__name__, tensor, "" if tensor.device.type == "cpu" else str(tensor.device), suffixes
    )  # type: ignore[attr-defined]


def meta_text(tensor: Tensor, suffixes: list[str]) -> str:
    """As torch prints a tensor on the device "meta"."""
    return whole_text("tensor", tensor, "meta", suffixes)


def whole_text(name: str, tensor: Tensor, place: str, suffixes: list[str]) -> str:
    """The text of a tensor without values: what it is called, its device if that is said, size and dtype."""
    facts = ["...", *([f"device='{place}'"] if place else []), f"size={tuple(tensor.shape)}"]
    if tensor.dtype is not dtypes.get_default_dtype():
        facts.append(f"dtype={tensor.dtype}")
    text = f"{name}({', '.join(facts)}"
    for each in suffixes:
        text += (",\n       " if len(text.rpartition("\n")[2]) + len(each) + 2 > 80 else ", ") + each
    return f"{text})"


def plain(tensor: Tensor) -> bool:
    """Whether a tensor is of no class of a program's own: of Tensor, or of one of the marked classes of `nn`."""
    kind = type(tensor)
    return kind is Tensor or not vars(kind).keys().isdisjoint(("_is_plain_parameter_", "_is_plain_buffer_"))


def sparse_text(tensor: Tensor, suffixes: list[str]) -> str:
    """As torch prints a sparse tensor: places, entries, and what there is to say of the whole."""
    array: Any = tensor._array_
    form: Any = tensor.layout  # type: ignore[attr-defined]
    facts = [
        f"size={tuple(array.shape)}",
        f"nnz={(array.indices if form is sparse_coo else array.indices[1]).shape[-1]}",
    ]
    default = dtypes.get_default_dtype()
    if tensor.dtype not in (default, default.to_complex(), dtypes.int64, dtypes.bool_):
        facts.append(f"dtype={tensor.dtype}")
    facts += [f"layout={form}", *suffixes]
    values = array.values._array_
    if form is sparse_coo:
        return format_sparse({"indices": array.indices, "values": values}, facts)
    return format_sparse({**dict(zip(form.words, array.indices)), "values": values}, facts, together=True)


def shown_tangent(tensor: Tensor) -> Tensor | None:
    """The tangent of a tensor at the innermost level that is seen."""
    adopt_one(tensor)
    found = first_of(tensor)
    while found is not None and (found.tensor is None or found.level.number >= current().forward):
        found = found.outer
    return None if found is None else found.tensor
