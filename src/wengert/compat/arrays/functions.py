"""NumPy's functions on tensors: by rules that differentiate them, by operators, or by values without gradient."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import wengert as wg

from ..._core.cards.late import bind
from ..._tensor import Tensor
from ...autograd.containers import mapped
from ..hips import numpy as _rules  # noqa: F401 - fills the tables
from ..hips.boxes import CONSTANT, RULES, ArrayBox, tensor_of
from . import ufuncs

ABOUT = {
    *(np.shape, np.ndim, np.size, np.result_type, np.can_cast, np.min_scalar_type, np.common_type, np.iscomplexobj),
    *(np.isrealobj, np.array_equal, np.array_equiv, np.allclose, np.array_repr, np.array_str, np.array2string),
    *(np.may_share_memory, np.shares_memory),
}
"""Functions whose results are not arrays; NumPy computes them from the values."""
KEPT = {np.save, np.savez, np.savez_compressed, np.savetxt}
"""Functions that write values to files; they refuse tensors that require a gradient, as `numpy()` does."""
BY_VALUES = {np.isin, np.bincount, np.histogram, np.unique, np.histogram_bin_edges}
"""Functions without a rule that are allowed for tensors that require no gradient."""


def percentile(a: Any, q: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """`np.percentile` with linear interpolation."""
    return wg.quantile(a, tensor_of(q).to(a.dtype) / 100, axis, keepdims)


REDUCING = {
    np.sum: np.add,
    np.prod: np.multiply,
    np.max: np.maximum,
    np.min: np.minimum,
    np.all: np.logical_and,
    np.any: np.logical_or,
}
"""Functions that are reductions by a ufunc, with `initial` and `where`."""
OPERATORS: dict[Any, Callable[..., Any]] = {
    **{getattr(np, name): getattr(wg, name) for name in ("corrcoef", "cov", "i0", "nanmean", "nanquantile", "nansum")},
    **{getattr(np, name): getattr(wg, name) for name in ("quantile", "sinc", "trapezoid", "vander")},
    **{
        getattr(np.linalg, name): getattr(wg.linalg, name)
        for name in (
            *("cholesky", "cond", "det", "eig", "eigh", "eigvals", "eigvalsh", "inv", "matmul", "matrix_norm"),
            *("matrix_power", "multi_dot", "pinv", "qr", "slogdet", "solve", "svd", "svdvals", "tensorinv"),
            *("tensorsolve", "vecdot", "vector_norm"),
        )
    },
    np.einsum: lambda *operands, optimize=False: wg.einsum(*operands),
    np.imag: lambda val: val.imag if val.is_complex() else wg.zeros_like(val),
    np.linalg.matrix_transpose: lambda x: x.mT,
    np.matrix_transpose: lambda x: x.mT,
    np.linalg.outer: wg.outer,
    np.linalg.tensordot: lambda a, b, axes=2: np.tensordot(a, b, axes),
    np.full_like: lambda a, fill_value, **options: wg.full_like(a, fill_value, **options),
    np.median: lambda a, axis=None, keepdims=False: wg.quantile(a, 0.5, axis, keepdims),
    np.percentile: percentile,
    np.take_along_axis: lambda arr, indices, axis=-1: wg.take_along_dim(arr, tensor_of(indices), axis),
}
"""Functions that are operators, or composed of a few."""
SINCE_NUMPY_2_1: dict[str, Callable[..., Any]] = {
    "unstack": lambda x, axis=0: wg.unbind(x, axis),
    "cumulative_sum": lambda x, axis=0: x.cumsum(axis),
    "cumulative_prod": lambda x, axis=0: x.cumprod(axis),
}
OPERATORS |= {getattr(np, name): function for name, function in SINCE_NUMPY_2_1.items() if hasattr(np, name)}


def along_one(name: str) -> Callable[..., Any]:
    """Return a Fourier transform along one dimension, with NumPy's arguments."""
    op = getattr(wg.fft, name)

    def transform(a: Any, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
        return op(a, n, axis, norm)

    return transform


def along_several(name: str, usual: Any) -> Callable[..., Any]:
    """Return a Fourier transform along several dimensions (`usual` by default), with NumPy's arguments."""
    op = getattr(wg.fft, name)

    def transform(a: Any, s: Any = None, axes: Any = None, norm: Any = None) -> Any:
        return op(a, s, usual if axes is None else axes, norm)

    return transform


for _name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    OPERATORS[getattr(np.fft, _name)] = along_one(_name)
for _name in ("fft", "ifft", "rfft", "irfft"):
    OPERATORS[getattr(np.fft, f"{_name}2")] = along_several(f"{_name}2", (-2, -1))
    OPERATORS[getattr(np.fft, f"{_name}n")] = along_several(f"{_name}n", None)


def stands_for_torch() -> bool:
    """Return whether `import torch` imports this package (`as_torch`)."""
    return type(sys.modules.get("torch")).__module__ == f"{wg.__name__}.as_torch"


def array_wrap(self: Tensor, array: Any, context: Any = None, return_scalar: bool = False) -> Tensor:
    """Convert the result of NumPy's functions that keep the class of their argument: to a tensor, as in torch."""
    return wg.from_numpy(array.astype(np.uint8) if array.dtype == np.bool_ else array)


def array_function(self: Tensor, function: Any, types: Any, args: Any, options: Any) -> Any:
    """Call a NumPy function with tensors; the results are tensors with history, or values that are not arrays.

    In programs for which this package is `torch`, NumPy's own function runs, as with torch, and returns arrays
    (`__array__` refuses tensors that require a gradient).

    Raises:
        TypeError: if there is no rule for the function.
        RuntimeError: if a gradient would be lost.
    """
    if not all(issubclass(kind, (Tensor, np.ndarray)) for kind in types):
        return NotImplemented
    if stands_for_torch():
        bind("__array_wrap__", array_wrap)
        return function._implementation(*args, **options)
    if function in ABOUT:
        return function(*mapped(detached, tuple(args)), **mapped(detached, options))
    if function in KEPT:
        return function(*mapped(values, tuple(args)), **mapped(values, options))
    options = dict(options)
    out = options.pop("out", None)
    result = computed(function, tuple(args), options)
    if out is None:
        return result
    return ufuncs.written(function.__name__, result, out if isinstance(out, tuple) else (out,))


def computed(function: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Return the result of a function, without `out`."""
    if function in REDUCING:
        named = dict(zip(("axis", "dtype", "out", "keepdims"), args[1:])) | options
        if function not in (np.sum, np.prod) and len(args) > 2:  # these functions have no dtype
            named = dict(zip(("axis", "out", "keepdims"), args[1:])) | options
        named.pop("out", None)
        return ufuncs.reduced(REDUCING[function], (args[0] if args else named.pop("a"),), **{"axis": None} | named)
    if function is np.copyto and not isinstance(args[0], Tensor):
        ufuncs.written("copyto", tensor_of(args[1]), args[:1])
        return None
    if function in OPERATORS:
        return OPERATORS[function](*mapped(opened, args), **mapped(opened, options))
    if function in RULES:
        result = untied(RULES[function](*mapped(tied, args), **mapped(tied, options)))
        return with_history(function, (args, options), result)
    if function in CONSTANT:
        return tensors(function(*mapped(detached, args), **mapped(detached, options)))
    if function in BY_VALUES:
        return tensors(function(*mapped(values, args), **mapped(values, options)))
    raise ufuncs.no_rule(f"np.{function.__name__}")


def with_history(function: Any, arguments: Any, result: Any) -> Any:
    """Convert the arrays in the result of a rule to tensors; refuse a result whose gradient was lost.

    Raises:
        TypeError: if an argument requires a gradient, and the result does not although its dtype could.
    """
    if wg.is_grad_enabled() and any(is_followed(value) for value in leaves(arguments)):
        left = [value for value in leaves(result) if is_inexact(value)]
        if left and not any(is_followed(value) for value in left):
            raise ufuncs.no_rule(f"np.{function.__name__}")
    return tensors(result)


def leaves(value: Any) -> list[Any]:
    """Return all values in nested lists, tuples and dictionaries."""
    if isinstance(value, dict):
        value = list(value.values())
    return [leaf for part in value for leaf in leaves(part)] if isinstance(value, (list, tuple)) else [value]


def is_followed(value: Any) -> bool:
    """Return whether `value` is a tensor that requires a gradient."""
    return isinstance(value, Tensor) and value.requires_grad


def is_inexact(value: Any) -> bool:
    """Return whether `value` holds real or complex numbers, and so could have a gradient."""
    if isinstance(value, Tensor):
        return value.is_floating_point() or value.is_complex()
    return isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "fc"


def opened(value: Any) -> Any:
    """Convert an argument of operators: arrays become tensors."""
    return tensor_of(value) if isinstance(value, np.ndarray) else value


def tied(value: Any) -> Any:
    """Convert an argument of rules: tensors become boxes."""
    return ArrayBox(value) if isinstance(value, Tensor) else value


def untied(value: Any) -> Any:
    """Convert the result of a rule: boxes become tensors."""
    if isinstance(value, ArrayBox):
        return value.tensor
    if isinstance(value, (list, tuple)):
        return type(value)(*map(untied, value)) if hasattr(value, "_fields") else type(value)(map(untied, value))
    return value


def detached(value: Any) -> Any:
    """Return the values of a tensor, ignoring its history."""
    return value.detach().numpy() if isinstance(value, Tensor) else value


def values(value: Any) -> Any:
    """Return the values of a tensor; raise a RuntimeError if it requires a gradient."""
    return value.numpy() if isinstance(value, Tensor) else value


def tensors(result: Any) -> Any:
    """Convert arrays to tensors, also in lists and tuples; booleans and Python's numbers stay as they are."""
    if isinstance(result, (list, tuple)):
        return type(result)(*map(tensors, result)) if hasattr(result, "_fields") else type(result)(map(tensors, result))
    return tensor_of(result) if isinstance(result, (np.ndarray, np.generic)) else result
