"""`assert_close`, with torch's semantics and messages."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .._core.tensor.base import Tensor
from .._core.types import dtypes
from .._core.types.devices import sparse_coo, strided
from .._core.types.sizes import Size
from ..ops.create.create import tensor

TOLERANCES: dict[dtypes.dtype, tuple[float, float]] = {
    dtypes.float16: (1e-3, 1e-5),
    dtypes.float32: (1.3e-6, 1e-5),
    dtypes.float64: (1e-7, 1e-7),
    dtypes.complex64: (1.3e-6, 1e-5),
    dtypes.complex128: (1e-7, 1e-7),
}
"""The default (rtol, atol) of each dtype; other dtypes must be equal. Of two dtypes the larger tolerances are used."""
BFLOAT16 = (1.6e-2, 1e-5)
LOOSER = {"float16": (1e-3, 1e-3), "bfloat16": (1e-2, 1e-3), "float32": (1e-4, 1e-5), "float64": (1e-5, 1e-8)}
"""Tolerances of `assert_allclose`."""

Message = str | Callable[[str], str] | None


class Comparison:
    """Options of one comparison."""

    def __init__(self, **options: Any) -> None:
        self.rtol: float | None = options["rtol"]
        self.atol: float | None = options["atol"]
        self.equal_nan: bool = options["equal_nan"]
        self.check_dtype: bool = options["check_dtype"]
        self.check_layout: bool = options["check_layout"]
        self.check_stride: bool = options["check_stride"]
        self.check_device: bool = options["check_device"]
        self.msg: Message = options["msg"]

    def fail(self, text: str, path: tuple[Any, ...]) -> AssertionError:
        """Return the error for a difference at `path` inside nested containers."""
        text += where(path)
        return AssertionError(text if self.msg is None else self.msg(text) if callable(self.msg) else self.msg)

    def tolerances(self, *kinds: dtypes.dtype) -> tuple[float, float]:
        """Return (rtol, atol) for values of these dtypes."""
        if self.rtol is not None and self.atol is not None:
            return self.rtol, self.atol
        known = [BFLOAT16 if kind.name == "bfloat16" else TOLERANCES.get(kind, (0.0, 0.0)) for kind in kinds]
        return max(pair[0] for pair in known), max(pair[1] for pair in known)


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: Message = None,
) -> None:
    """Raise unless |actual - expected| <= atol + rtol |expected| for all elements.

    Args:
        actual, expected: tensors, arrays, numbers or None; or sequences or mappings of these, compared item by item.
        allow_subclasses: allow tensors of different classes.
        rtol, atol: tolerances, both or none; defaults depend on the dtypes.
        equal_nan: whether NaN equals NaN.
        check_device, check_dtype, check_layout, check_stride: attributes that must be equal besides the values.
        msg: message of the error, or a function of the default message.

    Raises:
        AssertionError: if values or attributes differ; says where, and by how much.
        TypeError: if the two cannot be compared.
        ValueError: if only one of the tolerances is given.
    """
    if (rtol is None) != (atol is None):
        missing = "atol" if atol is None else "rtol"
        raise ValueError(f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}.")
    options = Comparison(
        rtol=rtol,
        atol=atol,
        equal_nan=equal_nan,
        check_dtype=check_dtype,
        check_layout=check_layout,
        check_stride=check_stride,
        check_device=check_device,
        msg=msg,
    )
    if isinstance(actual, Tensor) and isinstance(expected, Tensor) and not allow_subclasses:
        if type(actual) is not type(expected):
            raise TypeError(incomparable(actual, expected, ()))
    compare(actual, expected, options, ())


def assert_allclose(
    actual: Any,
    expected: Any,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = True,
    msg: Message = "",
) -> None:
    """Deprecated form of `assert_close`, with larger tolerances, which ignores the dtype.

    Args:
        actual: a tensor, or a value that can be converted to one.
        expected: the same; it is converted to the dtype of `actual` if it is not a tensor.
        rtol, atol: tolerances, both or none; defaults depend on the dtypes.
        equal_nan: whether NaN equals NaN.
        msg: message of the error, if not empty.

    Raises:
        AssertionError: if values differ.
        ValueError: if only one of the tolerances is given.
    """
    warnings.warn(
        "`torch.testing.assert_allclose()` is deprecated since 1.12 and will be removed in a future release. Please "
        "use `torch.testing.assert_close()` instead.",
        FutureWarning,
        stacklevel=2,
    )
    actual = actual if isinstance(actual, Tensor) else tensor(actual)
    expected = expected if isinstance(expected, Tensor) else tensor(expected, dtype=actual.dtype)
    if rtol is None and atol is None:
        known = [LOOSER.get(value.dtype.name, (0.0, 0.0)) for value in (actual, expected)]
        rtol, atol = max(pair[0] for pair in known), max(pair[1] for pair in known)
    assert_close(
        actual,
        expected,
        rtol=rtol,
        atol=atol,
        equal_nan=equal_nan,
        check_device=True,
        check_dtype=False,
        check_stride=False,
        msg=msg or None,
    )


def where(path: tuple[Any, ...]) -> str:
    """Return a sentence about the path inside nested containers."""
    if not path:
        return ""
    return f"\n\nThe failure occurred for item {''.join(f'[{key!r}]' for key in path)}"


def incomparable(actual: Any, expected: Any, path: tuple[Any, ...]) -> str:
    """Return the message for two values that cannot be compared."""
    return f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}.{where(path)}"


def compare(actual: Any, expected: Any, options: Comparison, path: tuple[Any, ...]) -> None:
    """Compare two values of any kind."""
    both = (actual, expected)
    if actual is None or expected is None:
        if actual is not expected:
            raise options.fail(f"None mismatch: {actual} is not {expected}", path)
    elif any(all(isinstance(value, kind) for value in both) for kind in (Tensor, np.ndarray)):
        compare_arrays(actual, expected, options, path)
    elif all(isinstance(value, (bool, np.bool_)) for value in both):
        if bool(actual) is not bool(expected):
            raise options.fail(f"Booleans mismatch: {actual} is not {expected}", path)
    elif all(isinstance(value, (int, float, complex, np.number)) for value in both):
        compare_numbers(actual, expected, options, path)
    elif all(isinstance(value, Mapping) for value in both):
        compare_mappings(actual, expected, options, path)
    elif all(isinstance(value, Sequence) and not isinstance(value, str) for value in both):
        if len(actual) != len(expected):
            raise options.fail(f"The length of the sequences mismatch: {len(actual)} != {len(expected)}", path)
        for at, (one, other) in enumerate(zip(actual, expected)):
            compare(one, other, options, (*path, at))
    else:
        raise TypeError(incomparable(actual, expected, path))


def compare_mappings(actual: Any, expected: Any, options: Comparison, path: tuple[Any, ...]) -> None:
    """Compare two mappings key by key."""
    if actual.keys() != expected.keys():
        missing = sorted(expected.keys() - actual.keys())
        added = sorted(actual.keys() - expected.keys())
        text = f"\nMissing keys in the actual mapping: {missing}\nAdditional keys in the actual mapping: {added}"
        raise options.fail(f"The keys of the mappings do not match:{text}", path)
    for key in sorted(actual, key=str):
        compare(actual[key], expected[key], options, (*path, key))


def compare_numbers(actual: Any, expected: Any, options: Comparison, path: tuple[Any, ...]) -> None:
    """Compare two numbers; NumPy's are converted to Python's."""
    actual, expected = (value.item() if isinstance(value, np.number) else value for value in (actual, expected))
    if options.check_dtype and type(actual) is not type(expected):
        raise options.fail(f"The (d)types do not match: {type(actual)} != {type(expected)}.", path)
    wide = {bool: dtypes.bool_, int: dtypes.int64, float: dtypes.float64, complex: dtypes.complex128}
    kinds = [
        next((kind for python_type, kind in wide.items() if type(value) is python_type), dtypes.float64)
        for value in (actual, expected)
    ]
    rtol, atol = options.tolerances(*kinds)
    scalar_difference(actual, expected, rtol, atol, options, path)


def scalar_difference(
    actual: Any, expected: Any, rtol: float, atol: float, options: Comparison, path: tuple[Any, ...]
) -> None:
    """Compare two numbers within tolerances."""
    difference = abs(actual - expected)
    if actual == expected or (difference <= atol + rtol * abs(expected) and np.isfinite(abs(expected))):
        return
    if options.equal_nan and actual != actual and expected != expected:
        return
    relative = difference / abs(expected) if expected != 0 else float("inf")
    exact = rtol == 0 and atol == 0
    allowed = ["" if exact else f" (up to {tolerance} allowed)" for tolerance in (atol, rtol)]
    raise options.fail(
        f"Scalars are not {'equal' if exact else 'close'}!\n\nExpected {expected} but got {actual}.\n"
        f"Absolute difference: {difference}{allowed[0]}\nRelative difference: {relative}{allowed[1]}",
        path,
    )


def compare_arrays(actual: Any, expected: Any, options: Comparison, path: tuple[Any, ...]) -> None:
    """Compare two tensors or arrays: attributes, then values."""
    one, other = (value._array_ if isinstance(value, Tensor) else value for value in (actual, expected))
    kinds = [dtypes.from_numpy(value.dtype) for value in (one, other)]
    if one.shape != other.shape:
        raise options.fail(differ("shape", Size(one.shape), Size(other.shape)), path)
    layouts = [value.layout if isinstance(value, Tensor) else strided for value in (actual, expected)]
    sparse = any(layout is not strided for layout in layouts)
    if options.check_layout and layouts[0] is not layouts[1]:
        raise options.fail(differ("layout", *layouts), path)
    if options.check_stride and not sparse and one.strides != other.strides:
        steps = [tuple(step // value.itemsize for step in value.strides) for value in (one, other)]
        raise options.fail(differ("stride()", *steps), path)
    if options.check_dtype and kinds[0] is not kinds[1]:
        raise options.fail(differ("dtype", *kinds), path)
    if layouts[0] is not layouts[1]:
        one, other = (value.to_dense()._array_ for value in (actual, expected))
    elif sparse:
        compare_sparse(actual, expected, options, path)
        return
    compare_values(one, other, options, path)


def compare_sparse(actual: Any, expected: Any, options: Comparison, path: tuple[Any, ...]) -> None:
    """Compare two sparse tensors of one layout: numbers of entries, indices, values."""
    form = actual.layout
    title = f"Sparse {form.name[-3:].upper()}"
    counts = actual._nnz(), expected._nnz()
    if counts[0] != counts[1]:
        text = f"The number of specified values in {title[:1].lower()}{title[1:]} tensors does not match: "
        raise options.fail(f"{text}{counts[0]} != {counts[1]}", path)
    if form is sparse_coo:
        places = [("indices", actual._indices(), expected._indices())]
        values = (actual._values(), expected._values())
    else:
        places = [(name, getattr(actual, name)(), getattr(expected, name)()) for name in form.words]
        values = (actual.detach().values(), expected.detach().values())
    for name, one, other in places:
        array_difference(one._array_, other._array_, 0, 0, options, path, f"{title} {name}")
    compare_values(values[0]._array_, values[1]._array_, options, path, f"{title} values")


def compare_values(
    one: Any, other: Any, options: Comparison, path: tuple[Any, ...], title: str = "Tensor-likes"
) -> None:
    """Compare the values of two arrays of one shape, converted to a common dtype."""
    kinds = [dtypes.from_numpy(value.dtype) for value in (one, other)]
    rtol, atol = options.tolerances(*kinds)
    common = one.dtype if kinds[0] is kinds[1] else dtypes.promote_types(*kinds).numpy
    one, other = one.astype(common), other.astype(common)
    if one.ndim == 0:
        if one.dtype.kind == "b":
            one, other = one.astype(int), other.astype(int)
        scalar_difference(one.item(), other.item(), rtol, atol, options, path)
        return
    array_difference(one, other, rtol, atol, options, path, title)


def differ(attribute: str, one: Any, other: Any) -> str:
    """Return the message for attributes that differ."""
    return f"The values for attribute '{attribute}' do not match: {one} != {other}."


def array_difference(
    one: Any, other: Any, rtol: float, atol: float, options: Comparison, path: tuple[Any, ...], title: str
) -> None:
    """Compare the values of two arrays of one shape and dtype; `title` is their name in errors."""
    if one.dtype.kind in "bui" and (one.dtype.kind == "b" or one.dtype.itemsize < 8):
        one, other = one.astype(np.int64), other.astype(np.int64)
    with np.errstate(all="ignore"):
        difference = np.where(one == other, np.abs(one - one), np.abs(one - other))
        close = (one == other) | ((difference <= atol + rtol * np.abs(other)) & np.isfinite(other))
        if options.equal_nan:
            close |= np.isnan(one) & np.isnan(other)
        if close.all():
            return
        difference = np.where(close, 0, difference)
        relative = np.where(close, 0, difference / np.abs(other))
    exact = rtol == 0 and atol == 0
    wrong = int((~close).sum())
    text = f"{title} are not {'equal' if exact else 'close'}!\n\nMismatched elements: {wrong} / {close.size} "
    text += f"({wrong / close.size:.1%})"
    for name, values, limit in (("absolute", difference, atol), ("relative", relative, rtol)):
        at = tuple(int(index) for index in np.unravel_index(int(np.argmax(values)), values.shape))
        allowed = "" if exact else f" (up to {limit} allowed)"
        text += f"\nGreatest {name} difference: {values[at].item()} at index {at}{allowed}"
    raise options.fail(text, path)
