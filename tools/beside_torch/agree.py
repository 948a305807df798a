"""Whether a result and its gradients on wengert are those on torch."""

from __future__ import annotations

from typing import Any

import numpy as np

from .describe import first_line
from .samples import tensors_in

LOOSE = {"float16": 5e-3, "bfloat16": 1.6e-2, "float32": 2e-5, "complex64": 2e-5, "float64": 1e-9, "complex128": 1e-9}


class Difference(Exception):  # noqa: N818 - it is what is looked for
    """Two results differ.

    Attributes:
        kind: one or two words for the table.
    """

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


def compare_results(first: Any, second: Any, *, strict: bool, views: bool = True) -> None:
    """Compare two results, or the errors raised in their place.

    Args:
        first: torch's.
        second: wengert's.
        strict: compare values too, not only kinds, shapes and dtypes.
        views: compare which results are views.

    Raises:
        Difference: they differ.
    """
    if isinstance(first, BaseException):
        compare_errors(first, second)
        return
    if isinstance(second, BaseException):
        raise Difference("raises", f"{type(second).__name__}: {second}"[:600])
    compare_values(first, second, strict, "result", views)


def compare_errors(first: BaseException, second: Any) -> None:
    """Compare torch's error with what wengert did."""
    if not isinstance(second, BaseException):
        raise Difference("not refused", f"expected {type(first).__name__}: {first_line(first)}")
    if type(first).__name__.removeprefix("_") not in [cls.__name__.removeprefix("_") for cls in type(second).__mro__]:
        raise Difference(
            "error type",
            f"expected {type(first).__name__}: {first_line(first)}; found {type(second).__name__}: {second}",
        )


def compare_values(first: Any, second: Any, strict: bool, where: str, views: bool) -> None:
    """Compare tensors, tuples of them, and plain values."""
    if hasattr(first, "detach") or hasattr(second, "detach"):
        if not (hasattr(first, "detach") and hasattr(second, "detach")):
            raise Difference("kind", f"{where}: expected {type(first).__name__}, found {type(second).__name__}")
        compare_tensors(first, second, strict, where, views)
    elif isinstance(first, (tuple, list)):
        if not isinstance(second, (tuple, list)) or len(first) != len(second):
            raise Difference("kind", f"{where}: expected {len(first)} values, found {second!r:.200}")
        for at, (one, other) in enumerate(zip(first, second)):
            compare_values(one, other, strict, f"{where}[{at}]", views)
    elif strict and str(first) != str(second) and not (first != first and second != second):
        close = isinstance(first, (float, complex)) and isinstance(second, type(first)) and abs(first - second) < 1e-6
        if not close:
            raise Difference("values", f"{where}: expected {first!r}, found {second!r:.200}")


def compare_tensors(first: Any, second: Any, strict: bool, where: str, views: bool) -> None:
    """Compare dtype, shape, recording, strides and values of two tensors."""
    if str(first.dtype) != str(second.dtype):
        raise Difference("dtype", f"{where}: expected {first.dtype}, found {second.dtype}")
    if tuple(first.shape) != tuple(second.shape):
        raise Difference("shape", f"{where}: expected {tuple(first.shape)}, found {tuple(second.shape)}")
    if strict:
        compare_arrays(array_of(first), array_of(second), 1.0, "values", where)
    if first.requires_grad != second.requires_grad:
        raise Difference("requires_grad", f"{where}: expected {first.requires_grad}, found {second.requires_grad}")
    names = [None if tensor.grad_fn is None else tensor.grad_fn.name() for tensor in (first, second)]
    if names[0] != names[1]:
        raise Difference("node name", f"{where}: expected {names[0]}, found {names[1]}")
    steps = [told_strides(tensor) for tensor in (first, second)]
    if steps[0] != steps[1]:
        raise Difference("strides", f"{where}: expected {steps[0]}, found {steps[1]} for {tuple(first.shape)}")
    if views and (first._base is None) != (second._base is None):
        raise Difference("view", f"{where}: a view on {'wengert' if first._base is None else 'torch'} only")


def told_strides(tensor: Any) -> list[int]:
    """The strides that say something."""
    if 0 in tensor.shape:
        return []
    return [step for step, length in zip(tensor.stride(), tensor.shape) if length > 1]


def array_of(tensor: Any) -> Any:
    """The values as a NumPy array."""
    plain = tensor.detach().clone()
    if str(plain.dtype) == "torch.bfloat16":
        return np.array(plain.tolist(), np.float32).astype("bfloat16")  # a name that ml_dtypes gives
    return (plain.resolve_conj().resolve_neg() if hasattr(plain, "resolve_neg") else plain).numpy()


def compare_arrays(
    first: Any, second: Any, factor: float, kind: str, where: str, least: float = 1e-3, coarse: float = 0.0
) -> None:
    """Compare two arrays within the tolerance of their dtype, times `factor`, or `coarse` if that is more.

    Values count as at least `least`.
    """
    if first.dtype.kind not in "fcV":
        same = first == second
    else:
        tolerance = LOOSE.get(str(first.dtype), 1e-6) * factor
        if first.dtype.kind == "V":  # bfloat16, whose tolerance leaves no room for factors
            tolerance = LOOSE["bfloat16"] * min(factor, 2.0)
            first, second = first.astype(np.float64), second.astype(np.float64)
        tolerance = max(tolerance, coarse)
        finite = first[np.isfinite(first)]
        scale = float(np.abs(finite).max()) if finite.size else 1.0
        with np.errstate(all="ignore"):
            limits: dict[str, Any] = {
                "rtol": tolerance,
                "atol": tolerance * max(least, min(scale, 1e6)),
                "equal_nan": True,
            }
            same = np.isclose(first, second, **limits)
            if first.dtype.kind == "c":  # an infinite part says nothing of the other one
                same |= np.isclose(first.real, second.real, **limits) & np.isclose(first.imag, second.imag, **limits)
    if not np.all(same):
        apart = ~np.asarray(same)
        raise Difference(kind, f"{where}: expected {show(first[apart])}, found {show(second[apart])}")


def show(array: Any) -> str:
    """A few of the values."""
    return np.array2string(array.reshape(-1)[:8], precision=6, separator=", ").replace("\n", "")


def compare_gradients(first: tuple[Any, Any, list[Any]], second: tuple[Any, Any, list[Any]], *, twice: bool) -> None:
    """Compare gradients of the results, and gradients of these gradients.

    Args:
        first: torch, its result, and all tensors of the sample; `second` the same for wengert.

    Raises:
        Difference: they differ.
    """
    roots = recorded(first[1]), recorded(second[1])
    inputs = recorded(first[2]), recorded(second[2])
    if not roots[0] or not inputs[0]:
        return
    weights = [weight(tensor, at) for at, tensor in enumerate(roots[0])]
    expected = differentiate(first[0], roots[0], inputs[0], weights, twice)
    actual = differentiate(second[0], roots[1], inputs[1], weights, twice)
    coarse = 2 * max(LOOSE.get(str(root.dtype).removeprefix("torch."), 0.0) for root in roots[0])
    compare_gradient_lists(expected, actual, "gradient", coarse)
    if not twice or isinstance(expected, BaseException):
        return
    deeper = [at for at, grad in enumerate(expected) if grad is not None and grad.requires_grad]
    if not deeper:
        return
    constant = [at for at in deeper if not actual[at].requires_grad]
    living = [at for at in deeper if actual[at].requires_grad]
    zeros = second_gradients(first[0], expected, constant, inputs[0])
    if not isinstance(zeros, BaseException) and any(grad is not None and np.any(array_of(grad)) for grad in zeros):
        raise Difference("second gradient", f"the gradient of input {constant[0]} is not recorded")
    compare_gradient_lists(
        second_gradients(first[0], expected, living, inputs[0]),
        second_gradients(second[0], actual, living, inputs[1]),
        "second gradient",
        coarse,
    )


def second_gradients(library: Any, grads: Any, chosen: list[int], inputs: list[Any]) -> Any:
    """The gradients of the chosen ones of some gradients, or the error."""
    if not chosen:
        return []
    weights = [weight(grads[at], 7 + at) for at in chosen]
    return differentiate(library, [grads[at] for at in chosen], inputs, weights, False)


def recorded(value: Any) -> list[Any]:
    """The tensors in `value` that require a gradient."""
    return [tensor for tensor in tensors_in(value) if tensor.requires_grad]


def weight(tensor: Any, at: int) -> Any:
    """A gradient to begin with, made of fixed numbers, as a NumPy array."""
    drawn = np.random.default_rng(17 + at)
    values = drawn.uniform(0.5, 1.5, tuple(tensor.shape))
    if tensor.dtype.is_complex:
        values = values + 1j * drawn.uniform(-0.5, 0.5, tuple(tensor.shape))
    name = str(tensor.dtype).removeprefix("torch.")
    return np.asarray(values, "float32" if name == "bfloat16" else name)


def differentiate(library: Any, roots: list[Any], inputs: list[Any], weights: list[Any], again: bool) -> Any:
    """The gradients of `roots`, or the error."""
    try:
        seeds = [library.from_numpy(np.array(weight)).to(root.dtype) for weight, root in zip(weights, roots)]
        return library.autograd.grad(roots, inputs, seeds, create_graph=again, retain_graph=True, allow_unused=True)
    except Exception as error:
        return error


def compare_gradient_lists(expected: Any, actual: Any, kind: str, coarse: float) -> None:
    """Compare what two calls of `grad` gave; a result in halves says its gradient no more closely than `coarse`."""
    if isinstance(expected, BaseException):
        if not isinstance(actual, BaseException):
            raise Difference(kind, f"expected {type(expected).__name__}: {first_line(expected)}")
        return
    if isinstance(actual, BaseException):
        raise Difference(kind, f"{type(actual).__name__}: {actual}"[:600])
    for at, (one, other) in enumerate(zip(expected, actual)):
        if (one is None) != (other is None):
            present = [not np.any(array_of(grad)) for grad in (one, other) if grad is not None]
            raise Difference(
                f"{kind} None", f"{kind} {at}: None only on {'torch' if one is None else 'wengert'} (zeros: {present})"
            )
        if one is None:
            continue
        if str(one.dtype) != str(other.dtype) or tuple(one.shape) != tuple(other.shape):
            raise Difference(
                kind,
                f"{kind} {at}: expected {one.dtype} {tuple(one.shape)}, found {other.dtype} {tuple(other.shape)}",
            )
        compare_arrays(array_of(one), array_of(other), 100.0, kind, f"{kind} {at}", 1.0, coarse)
