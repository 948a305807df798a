"""Values of torch's kind told in plain data, and the differences between two of them.

Both libraries give objects with the same attributes, so one description serves both; it consists of what JSON can
hold, so that torch's answers can be kept in a file and compared where torch is not installed.
"""

from __future__ import annotations

import contextlib
import io
import math
import traceback
import warnings
from collections.abc import Callable
from typing import Any

TOLERANCES = {
    "float16": 2e-3,
    "bfloat16": 2e-2,
    "float32": 1e-5,
    "complex64": 1e-5,
    "float64": 1e-8,
    "complex128": 1e-8,
}
MOST_ELEMENTS = 4096
NAMESPACE = "torch::autograd::"
HINT = " Hint: "


def is_tensor(value: Any) -> bool:
    """Whether `value` is a tensor of either library (or of a class derived from it)."""
    return any(cls.__name__ == "Tensor" for cls in type(value).__mro__)


def describe(value: Any) -> Any:
    """`value` in plain data."""
    kind = type(value).__name__
    if is_tensor(value):
        return describe_tensor(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if kind == "Size":
        return {"size": list(value)}
    if kind in ("dtype", "device", "finfo", "iinfo"):
        return {kind: str(value)}
    if isinstance(value, BaseException):
        return {"error": kind, "says": first_line(value)}
    if isinstance(value, dict):
        return {"dict": [[describe(key), describe(element)] for key, element in value.items()]}
    if isinstance(value, (tuple, list)):
        return {"list": [describe(element) for element in value]}
    if hasattr(value, "next_functions"):
        return {"node": node_name(value), "next": [node_name(element) for element, _ in value.next_functions]}
    if kind == "ndarray":
        return {"array": plain(value.tolist()), "dtype": str(value.dtype), "shape": list(value.shape)}
    return {"repr": repr(value)}


def describe_tensor(value: Any) -> dict[str, Any]:
    """A tensor in plain data; strides only where they say something."""
    shape = list(value.shape)
    shows_values = math.prod(shape) <= MOST_ELEMENTS
    steps = [step for step, length in zip(value.stride(), shape) if length > 1] if math.prod(shape) else []
    return {
        "tensor": plain(value.detach().clone().tolist()) if shows_values else "...",
        "class": type(value).__name__,
        "dtype": str(value.dtype),
        "shape": shape,
        "strides": steps,
        "requires_grad": value.requires_grad,
        "grad_fn": node_name(value.grad_fn),
    }


def node_name(node: Any) -> str | None:
    """The name of a node, without the namespace that torch puts before nodes written by hand."""
    return None if node is None else node.name().removeprefix(NAMESPACE)


def plain(value: Any) -> Any:
    """Nested lists of numbers, complex ones as pairs."""
    if isinstance(value, list):
        return [plain(element) for element in value]
    return [value.real, value.imag] if isinstance(value, complex) else value


def first_line(error: BaseException) -> str:
    """The first line of an error's text, which is where torch says what is wrong."""
    # Python's own messages name a compiled class with its module: 'wengert.Tensor' is torch's 'Tensor' there.
    return next(iter(str(error).strip().splitlines()), "").replace("wengert.Tensor", "Tensor")


def failed_line(error: BaseException) -> str:
    """The line of source that an error without a text came from: which assertion it was."""
    frames = traceback.extract_tb(error.__traceback__)
    return (frames[-1].line or "") if frames else ""


def observe(program: Callable[..., Any], library: Any) -> dict[str, Any]:
    """Run `program(library)`: its result or error, what it printed, and what it warned of."""
    printed = io.StringIO()
    observed: dict[str, Any] = {}
    with warnings.catch_warnings(record=True) as warned, contextlib.redirect_stdout(printed):
        warnings.simplefilter("always")
        try:
            observed["result"] = describe(program(library))
        except Exception as error:
            observed["raises"] = type(error).__name__
            observed["says"] = first_line(error) or failed_line(error)
    if printed.getvalue():
        observed["printed"] = printed.getvalue()
    if warned:
        observed["warns"] = [warning.category.__name__ for warning in warned]
    return observed


def differences(expected: Any, actual: Any, path: str = "", slack: float = 1.0, least: float = 0.0) -> list[str]:
    """In what `actual` differs from `expected`, one line each.

    Tolerances are multiplied by `slack`, and count as at least `least` before.

    An error's text may say more than the expected one; it must hold the expected first line.
    """
    if isinstance(expected, dict) and isinstance(actual, dict):
        if "tensor" in expected and "tensor" in actual:
            return compare_tensors(expected, actual, path, slack, least)
        lines = []
        for key in dict.fromkeys([*expected, *actual]):
            if key == "says":
                lines += compare_texts(str(expected.get(key)), str(actual.get(key)), path)
            elif expected.get(key) != actual.get(key):
                lines += differences(expected.get(key), actual.get(key), f"{path}.{key}", slack, least)
        return lines
    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        return [
            line
            for at, pair in enumerate(zip(expected, actual))
            for line in differences(*pair, f"{path}[{at}]", slack, least)
        ]
    return (
        []
        if equal(expected, actual, 1e-6 * slack)
        else [f"{path}: expected {shorten(expected)}, found {shorten(actual)}"]
    )


def compare_texts(expected: str, actual: str, path: str) -> list[str]:
    """The difference between two error texts; torch's advice on its own debugging tools need not be repeated."""
    wanted = " ".join(expected.replace(NAMESPACE, "").partition(HINT)[0].split()).rstrip(".")
    plain_text = " ".join(actual.replace(NAMESPACE, "").split())
    if wanted in plain_text:
        return []
    return [f"{path}.says: expected {expected!r}, found {actual!r}"]


def compare_tensors(
    expected: dict[str, Any], actual: dict[str, Any], path: str, slack: float, least: float
) -> list[str]:
    """The differences between two described tensors."""
    keys = [key for key in expected if key != "tensor" and expected[key] != actual.get(key)]
    lines = [f"{path}.{key}: expected {shorten(expected[key])}, found {shorten(actual.get(key))}" for key in keys]
    tolerance = max(TOLERANCES.get(expected["dtype"].removeprefix("torch."), 0.0), least) * slack
    if expected["shape"] == actual["shape"] and not equal(expected["tensor"], actual["tensor"], tolerance):
        lines.append(f"{path}.values: expected {shorten(expected['tensor'])}, found {shorten(actual['tensor'])}")
    return lines


def equal(expected: Any, actual: Any, tolerance: float) -> bool:
    """Whether nested lists of numbers agree; NaN equals NaN."""
    if isinstance(expected, list) and isinstance(actual, list):
        if len(expected) != len(actual):
            return False
        return all(equal(one, other, tolerance) for one, other in zip(expected, actual))
    if isinstance(expected, float) and isinstance(actual, float):
        if math.isnan(expected) or math.isnan(actual):
            return math.isnan(expected) and math.isnan(actual)
        if math.isinf(expected) or math.isinf(actual):
            return expected == actual
        return abs(expected - actual) <= tolerance * max(1.0, abs(expected))
    return type(expected) is type(actual) and bool(expected == actual)


def shorten(value: Any, most: int = 160) -> str:
    """`repr`, cut."""
    text = repr(value)
    return text if len(text) <= most else text[: most - 3] + "..."
