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
"""Questions whose answers are no arrays: NumPy answers them about the values."""
KEPT = {np.save, np.savez, np.savez_compressed, np.savetxt}
"""What writes values to files: refused for tensors that require a gradient, as `numpy()` is."""
BY_VALUES = {np.isin, np.bincount, np.histogram, np.unique, np.histogram_bin_edges}
"""Without rule, but allowed for tensors that require no gradient."""


def percentile(a: Any, q: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """`np.percentile`, between neighbours linearly."""
    return wg.quantile(a, tensor_of(q).to(a.dtype) / 100, axis, keepdims)


REDUCING = {np.sum: np.add, np.prod: np.multiply, np.max: np.maximum, np.min: np.minimum, np.all: np.logical_and,
    np.any: np.logical_or}  # fmt: skip
"""Functions that are reductions by a ufunc, which knows `initial` and `where`."""
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
    np.linalg.matrix_transpose: lambda x: x.mT, np.matrix_transpose: lambda x: x.mT,
    np.linalg.outer: wg.outer, np.unstack: lambda x, axis=0: wg.unbind(x, axis),
    np.linalg.tensordot: lambda a, b, axes=2: np.tensordot(a, b, axes),
    np.cumulative_sum: lambda x, axis=0: x.cumsum(axis), np.cumulative_prod: lambda x, axis=0: x.cumprod(axis),
    np.full_like: lambda a, fill_value, **options: wg.full_like(a, fill_value, **options),
    np.median: lambda a, axis=None, keepdims=False: wg.quantile(a, 0.5, axis, keepdims),
    np.percentile: percentile,
    np.take_along_axis: lambda arr, indices, axis=-1: wg.take_along_dim(arr, tensor_of(indices), axis),
}  # fmt: skip
"""Functions that are operators, or made of a few."""


def along_one(name: str) -> Callable[..., Any]:
    """A Fourier transform along one dimension, with NumPy's arguments."""
    op = getattr(wg.fft, name)

    def transform(a: Any, n: Any = None, axis: int = -1, norm: Any = None) -> Any:
        return op(a, n, axis, norm)

    return transform


def along_several(name: str, usual: Any) -> Callable[..., Any]:
    """A Fourier transform along several dimensions, `usual` unless some are given, with NumPy's arguments."""
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
    """Whether `import torch` gives this package (`as_torch`)."""
    return type(sys.modules.get("torch")).__module__ == f"{wg.__name__}.as_torch"


def array_wrap(self: Tensor, array: Any, context: Any = None, return_scalar: bool = False) -> Tensor:
    """What NumPy hands back of functions that keep the class of what they are given: a tensor, as in torch."""
    return wg.from_numpy(array.astype(np.uint8) if array.dtype == np.bool_ else array)


def array_function(self: Tensor, function: Any, types: Any, args: Any, options: Any) -> Any:
    """What NumPy's functions give for tensors: tensors with their history, or answers that are no arrays.

    Programs for which this package is `torch` get arrays, as there: NumPy's own function runs, and takes tensors for
    arrays where it must (`__array__` refuses those that require a gradient).

    Raises:
        TypeError: there is no rule for the function.
        RuntimeError: a gradient would be lost.
    """
    if not all(issubclass(each, (Tensor, np.ndarray)) for each in types):
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
    made = computed(function, tuple(args), options)
    if out is None:
        return made
    return ufuncs.written(function.__name__, made, out if isinstance(out, tuple) else (out,))


def computed(function: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """The result of a function, without `out`."""
    if function in REDUCING:
        named = dict(zip(("axis", "dtype", "out", "keepdims"), args[1:])) | options
        if function not in (np.sum, np.prod) and len(args) > 2:  # they have no dtype
            named = dict(zip(("axis", "out", "keepdims"), args[1:])) | options
        named.pop("out", None)
        return ufuncs.reduced(REDUCING[function], (args[0] if args else named.pop("a"),), **{"axis": None} | named)
    if function is np.copyto and not isinstance(args[0], Tensor):
        ufuncs.written("copyto", tensor_of(args[1]), args[:1])
        return None
    if function in OPERATORS:
        return OPERATORS[function](*mapped(opened, args), **mapped(opened, options))
    if function in RULES:
        made = untied(RULES[function](*mapped(tied, args), **mapped(tied, options)))
        return with_history(function, (args, options), made)
    if function in CONSTANT:
        return tensors(function(*mapped(detached, args), **mapped(detached, options)))
    if function in BY_VALUES:
        return tensors(function(*mapped(values, args), **mapped(values, options)))
    raise ufuncs.no_rule(f"np.{function.__name__}")


def with_history(function: Any, given: Any, made: Any) -> Any:
    """What a rule has made, arrays as tensors; refused if it works with arrays on the way, where the gradient is lost.

    Raises:
        TypeError: tensors that require a gradient have gone in, and numbers that do not have come out.
    """
    if wg.is_grad_enabled() and any(is_followed(each) for each in leaves(given)):
        left = [each for each in leaves(made) if is_inexact(each)]
        if left and not any(is_followed(each) for each in left):
            raise ufuncs.no_rule(f"np.{function.__name__}")
    return tensors(made)


def leaves(value: Any) -> list[Any]:
    """All values in nested lists, tuples and dictionaries."""
    if isinstance(value, dict):
        value = list(value.values())
    return [each for part in value for each in leaves(part)] if isinstance(value, (list, tuple)) else [value]


def is_followed(value: Any) -> bool:
    """Whether this is a tensor that requires a gradient."""
    return isinstance(value, Tensor) and value.requires_grad


def is_inexact(value: Any) -> bool:
    """Whether this holds real or complex numbers, and so could have a gradient."""
    if isinstance(value, Tensor):
        return value.is_floating_point() or value.is_complex()
    return isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "fc"


def opened(value: Any) -> Any:
    """What operators take: arrays as tensors."""
    return tensor_of(value) if isinstance(value, np.ndarray) else value


def tied(value: Any) -> Any:
    """What rules know a tensor by."""
    return ArrayBox(value) if isinstance(value, Tensor) else value


def untied(value: Any) -> Any:
    """The tensors in the result of a rule."""
    if isinstance(value, ArrayBox):
        return value.tensor
    if isinstance(value, (list, tuple)):
        return type(value)(*map(untied, value)) if hasattr(value, "_fields") else type(value)(map(untied, value))
    return value


def detached(value: Any) -> Any:
    """The values of a tensor, whatever its history."""
    return value.detach().numpy() if isinstance(value, Tensor) else value


def values(value: Any) -> Any:
    """The values of a tensor; raises a RuntimeError if it requires a gradient."""
    return value.numpy() if isinstance(value, Tensor) else value


def tensors(made: Any) -> Any:
    """Arrays as tensors, also in lists and tuples; truth values and Python's numbers as they are."""
    if isinstance(made, (list, tuple)):
        return type(made)(*map(tensors, made)) if hasattr(made, "_fields") else type(made)(map(tensors, made))
    return tensor_of(made) if isinstance(made, (np.ndarray, np.generic)) else made
