"""Text of a tensor for `repr`, letter for letter as torch writes it, and the options of printing.

A tensor becomes text in three steps. The part that is shown is cut out of the array (large tensors are abbreviated to
their edges), every number of that part is written in one common style and width, and the written numbers are set in
brackets, followed by facts: the dtype, the history, the tangent. While transforms of functions run, the text is
wrapped in one of torch's wrappers for each that follows the tensor.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from .._core import flags
from .._core.calls.forward import adopt_one
from .._core.state.modes import current
from .._core.tensor.base import Tensor
from .._core.tensor.standins import StandIn
from .._core.tensor.tangents import first_of
from .._core.tensor.tracing import told_reading
from .._core.types import dtypes
from .._core.types.devices import sparse_coo
from .transforms import layers, without_transforms

_IN_PACKAGE = ("set_printoptions",)

__all__ = ["PrintOptions", "format_tensor", "get_printoptions", "printoptions", "set_printoptions", "text_of"]

# ---- the options -----------------------------------------------------------------------------------------------------

_PREFIX = "tensor("
_ELLIPSIS = "..."
# Numbers further apart than this ratio, or outside these bounds, are written in scientific notation.
_WIDEST_RATIO = 1000.0
_LARGEST_FIXED = 1.0e8
_SMALLEST_FIXED = 1.0e-4


@dataclasses.dataclass(frozen=True)
class PrintOptions:
    """The options of printing; process-wide, as in torch. An instance never changes: setting options replaces it.

    Args:
        precision: digits after the decimal point.
        threshold: tensors with more elements than this are abbreviated; may be infinite.
        edgeitems: elements shown at each end of an abbreviated dimension.
        linewidth: columns after which a line is broken.
        sci_mode: scientific notation: True for always, False for never, None to decide by the values.
    """

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


PROFILES = {
    "default": PrintOptions(),
    "short": PrintOptions(precision=2, edgeitems=2),
    "full": PrintOptions(threshold=math.inf),
}
_current = PrintOptions()


def get_printoptions() -> dict[str, Any]:
    """Return the current options of printing.

    Returns:
        A new dictionary with the keys `precision`, `threshold`, `edgeitems`, `linewidth` and `sci_mode`.
    """
    return dataclasses.asdict(_current)


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Set the options of printing, in the whole process. Options that are None stay as they are, except `sci_mode`.

    Args:
        precision: digits after the decimal point (4 at the start).
        threshold: tensors with more elements than this are abbreviated (1000); `float("inf")` never abbreviates.
        edgeitems: elements shown at each end of an abbreviated dimension (3).
        linewidth: columns after which a line is broken (80).
        profile: "default", "short" or "full": sets the four options above; options passed beside it take precedence.
        sci_mode: True or False forces scientific notation on or off. None lets the values decide; as in torch, a call
            that does not name it goes back to that.

    Raises:
        ValueError: if `profile` is none of the three, or a number is negative; the options are then unchanged.
        TypeError: if an option is not a number.

    Examples:
        >>> import wengert as wg
        >>> wg.set_printoptions(precision=2)
        >>> text = str(wg.tensor([1.23456]))
        >>> wg.set_printoptions(profile="default")
        >>> text
        'tensor([1.23])'
    """
    if profile is not None and str(profile).lower() not in PROFILES:
        raise ValueError(f"set_printoptions(): profile must be one of {', '.join(PROFILES)}, but got {profile!r}")
    counts = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    changes: dict[str, Any] = {name: _checked(name, value) for name, value in counts.items() if value is not None}
    global _current
    while True:
        before = _current
        start = before if profile is None else PROFILES[str(profile).lower()]
        replaced = dataclasses.replace(start, sci_mode=sci_mode, **changes)
        if _current is before:  # no other thread, nor a signal handler, has set options meanwhile
            _current = replaced
            return


@contextmanager
def printoptions(**options: Any) -> Iterator[None]:
    """Set the options of `set_printoptions` for a `with` block; the old ones are restored on any exit.

    Args:
        **options: as for `set_printoptions`. The options are process-wide inside the block too.
    """
    global _current
    before = _current
    set_printoptions(**options)
    try:
        yield
    finally:
        _current = before


def _checked(name: str, value: Any) -> float:
    """Check the value of an option: an integer, or for `threshold` any number."""
    accepted = (int, float, np.integer, np.floating) if name == "threshold" else (int, np.integer)
    if isinstance(value, bool) or not isinstance(value, accepted):
        raise TypeError(f"set_printoptions(): {name} must be a number, but got {value!r} ({type(value).__name__})")
    if not value >= 0:
        raise ValueError(f"set_printoptions(): {name} must not be negative, but got {value!r}")
    return float(value) if isinstance(value, float | np.floating) else int(value)


class CurrentOptions:
    """The current options as attributes, to be read and set: `PRINT_OPTS.precision`."""

    def __getattr__(self, name: str) -> Any:
        try:
            return get_printoptions()[name]
        except KeyError:
            raise AttributeError(f"there is no printing option {name!r}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        options = {**get_printoptions(), name: value}
        set_printoptions(**options)

    def __repr__(self) -> str:
        return f"__PrinterOptions({', '.join(f'{name}={value}' for name, value in get_printoptions().items())})"


PRINT_OPTS = CurrentOptions()


# ---- tensors ---------------------------------------------------------------------------------------------------------


def text_of(tensor: Tensor) -> str:
    """Return the text of a tensor, as torch prints it."""
    if current().transforms or tensor._flags_ & flags.BATCHED:
        if text := wrapped(tensor):
            return text
    suffixes = []
    try:
        node = tensor.grad_fn
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
        return meta_text(tensor, suffixes) if tensor.is_meta else sparse_text(tensor, suffixes)
    told_reading(None, "the text of a tensor")
    array, name = tensor._array_, tensor.dtype.name
    shown = format_tensor(
        array,
        dtype_name=name,
        default_float=dtypes.get_default_dtype().name,
        suffixes=suffixes,
        prefix="tensor(" if is_plain(tensor) else f"{type(tensor).__name__}(",
    )
    marked = not is_plain(tensor) and (
        getattr(tensor, "_is_param", False) or hasattr(type(tensor), "_is_plain_parameter_")
    )
    return f"Parameter({shown})" if marked else shown


def wrapper_text(tensor: Tensor, suffixes: list[str]) -> str:
    """Text of a tensor of a class without values of its own and without a `__repr__`."""
    return text_without_values(
        type(tensor).__name__, tensor, "" if tensor.device.type == "cpu" else str(tensor.device), suffixes
    )


def meta_text(tensor: Tensor, suffixes: list[str]) -> str:
    """Text of a tensor on the device "meta"."""
    return text_without_values("tensor", tensor, "meta", suffixes)


def text_without_values(name: str, tensor: Tensor, place: str, suffixes: list[str]) -> str:
    """Text of a tensor without values: name, device (unless `place` is empty), size and dtype."""
    facts = ["...", *([f"device='{place}'"] if place else []), f"size={tuple(tensor.shape)}"]
    if tensor.dtype is not dtypes.get_default_dtype():
        facts.append(f"dtype={tensor.dtype}")
    text = f"{name}({', '.join(facts)}"
    for suffix in suffixes:
        text += (",\n       " if len(text.rpartition("\n")[2]) + len(suffix) + 2 > 80 else ", ") + suffix
    return f"{text})"


def is_plain(tensor: Tensor) -> bool:
    """Return whether a tensor is of class Tensor, or of one of the marked classes of `nn`."""
    kind = type(tensor)
    return kind is Tensor or not vars(kind).keys().isdisjoint(("_is_plain_parameter_", "_is_plain_buffer_"))


def sparse_text(tensor: Tensor, suffixes: list[str]) -> str:
    """Text of a sparse tensor: places, entries, and facts about the whole tensor."""
    array: Any = tensor._array_
    form: Any = tensor.layout
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
    """Tangent of a tensor at the innermost visible level."""
    adopt_one(tensor)
    tangent = first_of(tensor)
    while tangent is not None and (tangent.tensor is None or tangent.level.number >= current().forward):
        tangent = tangent.outer
    return None if tangent is None else tangent.tensor


def wrapped(tensor: Tensor) -> str:
    """Return the text of a tensor in its wrappers, the outermost transform innermost; empty without transforms."""
    depths = layers(tensor)
    if not depths:
        return ""
    text = repr(without_transforms(tensor))
    for depth in sorted(depths):
        inner = "\n".join(f"    {line}" if line else line for line in text.splitlines())
        kind = "BatchedTensor(lvl={}, bdim=0, value=" if depths[depth] else "GradTrackingTensor(lvl={}, value="
        text = f"{kind.format(depth)}\n{inner}\n)"
    return text


# ---- arrays ----------------------------------------------------------------------------------------------------------


def format_tensor(
    array: np.ndarray,
    *,
    dtype_name: str,
    default_float: str = "float32",
    suffixes: Sequence[str] = (),
    prefix: str = _PREFIX,
) -> str:
    """Return the text that `repr` shows for a tensor.

    Args:
        array: the elements, any shape and strides.
        dtype_name: name of the tensor's dtype without the module: "float32", "bfloat16", "int64", ...
        default_float: name of the default floating dtype, which is not spelled out.
        suffixes: facts that follow the numbers and the dtype, such as "requires_grad=True" or "grad_fn=<MulBackward0>".
        prefix: beginning of the text: the name of the class, and a parenthesis.

    Returns:
        The text, for example `tensor([1., 2.], dtype=torch.float64)`; broken into lines by the printing options.
    """
    options = _current  # read once: another thread may replace the options meanwhile
    if not isinstance(array, np.ndarray):
        array = np.asarray(array)
    facts = []
    silent: tuple[str, ...]
    if array.size == 0:
        body = "[]"
        if array.ndim != 1:
            facts.append(f"size={tuple(array.shape)}")
        silent = (default_float,)
    else:
        body = _Layout(array, options).text(len(prefix))
        if not options.edgeitems:
            facts.append(f"size={tuple(array.shape)}")  # all numbers may be omitted
        default_complex = "complex128" if default_float == "float64" else "complex64"
        silent = (default_float, default_complex, "int64", "bool")
    if dtype_name not in silent:
        facts.append(f"dtype=torch.{dtype_name}")
    return _append_facts(prefix + body, [*facts, *suffixes], options.linewidth, len(prefix))


def format_sparse(arrays: Mapping[str, np.ndarray], facts: Sequence[str], *, together: bool = False) -> str:
    """Return the text of a sparse tensor from its places and entries, by name.

    `facts` begin on a line of their own, or, if `together`, on the last line of the entries.
    """
    margin = ",\n" + " " * len(_PREFIX)
    parts = []
    for name, array in arrays.items():
        indent = len(_PREFIX) + len(name) + 1
        body = _Layout(array, _current).text(indent + len(_PREFIX)) if array.size else "[]"
        parts.append(f"{name}={_PREFIX}{body}{'' if array.size else f', size={tuple(array.shape)}'})")
    if together:
        return _append_facts(_PREFIX + margin.join(parts), facts, _current.linewidth, len(_PREFIX))
    lines = [facts[0]]
    for fact in facts[1:]:
        if len(_PREFIX) + len(lines[-1]) + len(fact) + 2 > _current.linewidth:
            lines.append(fact)
        else:
            lines[-1] += f", {fact}"
    return _PREFIX + margin.join([*parts, *lines]) + ")"


def _append_facts(text: str, facts: Sequence[str], linewidth: int, indent: int) -> str:
    """`text` with `facts` after commas and a closing parenthesis; a fact that does not fit starts a new line."""
    # The column counts one more than the characters of the last line: room for the comma or parenthesis that follows.
    column = len(text) - (text.rfind("\n") + 1) + 2
    parts = [text]
    for fact in facts:
        if column + len(fact) + 2 > linewidth:
            parts.append(",\n" + " " * indent + fact)
            column = indent + len(fact)
        else:
            parts.append(", " + fact)
            column += len(fact) + 2
    return "".join(parts) + ")"


class _Layout:
    """The bracketed text of one array that has elements."""

    def __init__(self, array: np.ndarray, options: PrintOptions) -> None:
        self.options = options
        abbreviate = array.size > options.threshold
        # Per axis: whether its middle is omitted. Indices below are those of the part that is shown.
        self.cut = [abbreviate and length > 2 * options.edgeitems for length in array.shape]
        if any(self.cut):
            array = _edges(array, self.cut, options.edgeitems)
        self.shape = array.shape
        self.cells, self.width = _write_numbers(array, options)

    def text(self, indent: int) -> str:
        """The text, whose first line starts `indent` columns to the right."""
        return self._block(0, 0, indent)

    def _block(self, axis: int, start: int, indent: int) -> str:
        """Text of the elements from `start` on that belong to one index of the axes before `axis`."""
        if axis == len(self.shape):
            return self.cells[start]
        below = len(self.shape) - axis - 1
        stride = math.prod(self.shape[axis + 1 :])
        items = [self._block(axis + 1, start + i * stride, indent + 1) for i in range(self.shape[axis])]
        if self.cut[axis]:
            spaced = not below and self.options.edgeitems  # torch sets the dots off by a space among numbers only
            items.insert(self.options.edgeitems, " " + _ELLIPSIS if spaced else _ELLIPSIS)
        margin = " " * (indent + 1)
        if below:
            return "[" + (",\n" + "\n" * (below - 1) + margin).join(items) + "]"
        per_line = max(1, (self.options.linewidth - indent) // (self.width + 2))
        lines = [", ".join(items[first : first + per_line]) for first in range(0, len(items), per_line)]
        return "[" + (",\n" + margin).join(lines) + "]"


def _edges(array: np.ndarray, cut: Sequence[bool], count: int) -> np.ndarray:
    """The first and the last `count` elements along each axis that is cut; no other element is read or copied."""
    shown = [
        [*range(count), *range(length - count, length)] if shortened else range(length)
        for length, shortened in zip(array.shape, cut, strict=True)
    ]
    return array[np.ix_(*[np.asarray(indices, np.intp) for indices in shown])]


def _write_numbers(array: np.ndarray, options: PrintOptions) -> tuple[list[str], int]:
    """The elements of `array` in order, as strings, and the width of a column."""
    if array.dtype.kind == "V":  # bfloat16
        array = array.astype(np.float32)
    if array.dtype.kind == "c":
        reals, real_width = _write_floats(array.real, options)
        imaginaries, imaginary_width = _write_floats(array.imag, options)
        cells = [real + _signed(imaginary) + "j" for real, imaginary in zip(reals, imaginaries, strict=True)]
        return cells, real_width + imaginary_width + 1
    if array.dtype.kind in "biu":
        words = [str(value) for value in array.ravel().tolist()]
        width = max(map(len, words), default=1)
        return [word.rjust(width) for word in words], width
    return _write_floats(array, options)


def _signed(padded: str) -> str:
    """An imaginary part without padding, with its sign."""
    word = padded.lstrip()
    return word if word[0] in "+-" else "+" + word


def _write_floats(array: np.ndarray, options: PrintOptions) -> tuple[list[str], int]:
    """`_write_numbers` for real floating-point numbers. Zeros, NaN and infinities have the style of the others."""
    values: list[float] = array.astype(np.float64).ravel().tolist()
    telling = [value for value in values if value and math.isfinite(value)]
    write = _float_style(telling, options)
    width = max((len(write(value)) for value in telling), default=1)
    return [write(value).rjust(width) for value in values], width


def _float_style(telling: list[float], options: PrintOptions) -> Callable[[float], str]:
    """Return the function that writes the numbers of a tensor whose finite non-zero elements are `telling`."""
    if not telling:
        return _write_integer  # only zeros, NaN and infinities: `sci_mode` has no effect
    smallest = min(map(abs, telling))
    largest = max(map(abs, telling))
    are_integers = all(value.is_integer() for value in telling)
    scientific = options.sci_mode
    if scientific is None:
        scientific = largest / smallest > _WIDEST_RATIO or largest > _LARGEST_FIXED
        scientific = scientific or (not are_integers and smallest < _SMALLEST_FIXED)
    if scientific:
        return f"{{:.{options.precision}e}}".format
    if are_integers:
        return _write_integer
    return f"{{:.{options.precision}f}}".format


def _write_integer(value: float) -> str:
    """A floating-point number without decimals, with a point at its end."""
    return f"{value:.0f}." if math.isfinite(value) else str(value)
