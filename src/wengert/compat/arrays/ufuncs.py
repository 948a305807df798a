"""NumPy's ufuncs on tensors: calls with `out=` and `where=`, and `reduce`, `accumulate`, `outer`, `at`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import wengert as wg

from ..._core import flags
from ..._start.boundary import shorten
from ..._tensor import Tensor
from ..hips.boxes import tensor_of

SAME = frozenset(
    """
    absolute add arccos arccosh arcsin arcsinh arctan arctan2 arctanh bitwise_and bitwise_or bitwise_xor ceil copysign
    cos cosh deg2rad exp exp2 expm1 float_power floor floor_divide fmax fmin fmod frexp gcd heaviside hypot isfinite
    isinf isnan lcm ldexp log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or logical_xor
    matmul maximum minimum multiply negative nextafter positive rad2deg reciprocal remainder sign signbit sin sinh sqrt
    square subtract tan tanh trunc
    """.split()  # noqa: SIM905 - so that it can be read
)
"""Ufuncs that are operators of the same name."""
OTHER = {
    "conjugate": "conj_physical",
    "degrees": "rad2deg",
    "divide": "div",
    "equal": "eq",
    "fabs": "abs",
    "greater": "gt",
    "greater_equal": "ge",
    "invert": "bitwise_not",
    "left_shift": "bitwise_left_shift",
    "less": "lt",
    "less_equal": "le",
    "not_equal": "ne",
    "power": "pow",
    "radians": "deg2rad",
    "right_shift": "bitwise_right_shift",
    "rint": "round",
    # SciPy's ufuncs, if SciPy is installed
    "erf": "erf",
    "erfc": "erfc",
    "erfinv": "erfinv",
    "expit": "sigmoid",
    "gammaln": "lgamma",
    "i0": "i0",
    "logit": "logit",
    "psi": "digamma",
    "xlogy": "xlogy",
}
"""Ufuncs that are operators of another name, or SciPy's."""
SPECIAL = {
    **{name: name for name in ("entr", "erfcx", "gammainc", "gammaincc", "i0e", "i1", "i1e", "log_ndtr", "ndtr")},
    **{name: name for name in ("ndtri", "xlog1py", "zeta")},
    "j0": "bessel_j0",
    "j1": "bessel_j1",
    "y0": "bessel_y0",
    "y1": "bessel_y1",
}
"""Ufuncs of SciPy that `wengert.special` has."""
REDUCTIONS: dict[str, tuple[Callable[..., Any], Any]] = {
    "add": (lambda x, dim, keep: x.sum(dim, keepdim=keep), 0),
    "multiply": (lambda x, dim, keep: one_by_one(x, dim, keep, wg.prod), 1),
    "maximum": (lambda x, dim, keep: wg.amax(x, dim, keepdim=keep), None),
    "minimum": (lambda x, dim, keep: wg.amin(x, dim, keepdim=keep), None),
    "logical_and": (lambda x, dim, keep: wg.all(x, dim, keepdim=keep), True),
    "logical_or": (lambda x, dim, keep: wg.any(x, dim, keepdim=keep), False),
    "logaddexp": (lambda x, dim, keep: wg.logsumexp(x, dim, keepdim=keep), -np.inf),
}
"""For each ufunc its reduction along dimensions, and the neutral element; None if that depends on the dtype."""
RUNNING = {
    "add": wg.cumsum,
    "multiply": wg.cumprod,
    "maximum": lambda x, dim: wg.cummax(x, dim).values,
    "minimum": lambda x, dim: wg.cummin(x, dim).values,
    "logaddexp": wg.logcumsumexp,
}
PLAIN = {"casting": "same_kind", "order": "K", "subok": True}
"""Options without effect for tensors; values other than these are refused."""


def operator_of(ufunc: Any, operands: Sequence[Any] = ()) -> Any:
    """Return the function of tensors for a ufunc.

    Args:
        ufunc: a ufunc of NumPy or of another library (`scipy.special.binom`).
        operands: its operands; if none has a derivative, an unknown ufunc is computed from the values.

    Raises:
        TypeError: if there is no such function, and an operand has a derivative.
    """
    name = ufunc.__name__
    if name in SAME:
        return getattr(wg, name)
    if name in OTHER:
        return getattr(wg, OTHER[name])
    if name in SPECIAL:
        return getattr(wg.special, SPECIAL[name])
    if name == "vecdot":
        return wg.linalg.vecdot
    if name == "divmod":
        return lambda x, y: (wg.floor_divide(x, y), wg.remainder(x, y))
    if name == "modf":
        return lambda x: (wg.copysign(wg.where(wg.isinf(x), wg.zeros_like(x), wg.frac(x)), x), wg.trunc(x))
    if name == "cbrt":
        return lambda x: wg.sign(x) * wg.abs(x) ** (1 / 3)
    if not operands or any(isinstance(value, Tensor) and has_derivative(value) for value in operands):
        raise no_rule(f"np.{name}")
    return lambda *values: of_values(ufunc, values)


def has_derivative(tensor: Tensor) -> bool:
    """Return whether a derivative would be lost if only the values were used."""
    return tensor.requires_grad or bool(tensor._flags_ & (flags.DUAL | flags.BATCHED))


def of_values(ufunc: Any, operands: tuple[Any, ...]) -> Any:
    """Apply a ufunc to the values; return tensors without history."""
    results = listed(ufunc(*[np.asarray(value) if isinstance(value, Tensor) else value for value in operands]))
    tensors = tuple(tensor_of(np.asarray(result)) for result in results)
    return tensors if len(tensors) > 1 else tensors[0]


def no_rule(what: str) -> TypeError:
    """Return the error for a function that tensors do not support."""
    return TypeError(
        f"{what} has no rule for tensors: write it with functions of wengert, or compute it of the values, "
        "np.asarray(x.detach()), which have no gradient"
    )


def array_ufunc(self: Tensor, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
    """Apply a ufunc or one of its methods to tensors (`np.sin(x)`, `np.add.reduce(x)`, `array * x`), with history.

    Raises:
        TypeError: if there is no rule for the ufunc or the method, or an option is not supported for tensors.
        RuntimeError: if `out` is an array, and a gradient would be lost.
    """
    try:
        out = options.pop("out", None)
        if any(is_foreign(operand) for operand in (*inputs, *(out or ()))):
            return NotImplemented
        for name, value in PLAIN.items():
            if options.pop(name, value) != value:
                raise TypeError(f"np.{ufunc.__name__}: tensors do not support {name}= other than {value!r}")
        if method == "at":
            return add_at(ufunc, *inputs)
        if method not in METHODS:
            raise no_rule(f"np.{ufunc.__name__}.{method}")
        return METHODS[method](ufunc, inputs, out, **options)
    except Exception as error:
        shorten(error)
        raise


def is_foreign(value: Any) -> bool:
    """Return whether a value is of another library, which may support tensors."""
    kind = type(value)
    if isinstance(value, (Tensor, np.ndarray, np.generic)):
        return kind.__array_ufunc__ is None if isinstance(value, np.ndarray) else False
    return hasattr(kind, "__array_ufunc__")


def operand(value: Any) -> Any:
    """Convert an operand to a tensor, or to a number, which does not determine the dtype, as NumPy's scalars."""
    if isinstance(value, np.generic) and value.dtype.kind in "biufc":
        return value.item()
    return value if isinstance(value, (bool, int, float, complex)) else tensor_of(value)


def called(
    ufunc: Any, inputs: tuple[Any, ...], out: Any, *, where: Any = True, dtype: Any = None, **options: Any
) -> Any:
    """Apply a ufunc elementwise; where `where` is False the result is `out`, or zero."""
    if options:
        raise TypeError(f"np.{ufunc.__name__}: tensors do not support {', '.join(options)}=")
    operands = [operand(value) for value in inputs]
    if not any(isinstance(value, Tensor) for value in operands):  # only `out` is a tensor
        operands[0] = tensor_of(operands[0])
    function = operator_of(ufunc, operands)
    if dtype is not None:
        operands = [tensor_of(value).to(dtype_of(dtype)) for value in operands]
    if where is True:
        result = function(*operands)
    else:
        chosen = tensor_of(where).to(wg.bool)
        # masked elements are 1 in the computation, so that an infinite derivative there does not spoil the gradient
        result = function(*[wg.where(chosen, value, 1) if isinstance(value, Tensor) else value for value in operands])
        result = tuple(
            masked(chosen, part, None if out is None else out[index]) for index, part in enumerate(listed(result))
        )
        result = result if len(result) > 1 else result[0]
    return result if out is None else written(ufunc.__name__, result, out)


def listed(result: Any) -> tuple[Any, ...]:
    """Return the results of a call as a tuple."""
    return tuple(result) if isinstance(result, tuple) else (result,)


def masked(chosen: Tensor, result: Tensor, out: Any) -> Tensor:
    """Return the result where `chosen`, elsewhere the values of `out`, or zero."""
    return wg.where(chosen, result, 0 if out is None else tensor_of(out).detach().to(result.dtype))


def dtype_of(dtype: Any) -> Any:
    """Return the dtype of tensors for a dtype, which may be NumPy's."""
    return dtype if isinstance(dtype, wg.dtype) else tensor_of(np.zeros(0, dtype)).dtype


def written(name: str, results_of_call: Any, out: Any) -> Any:
    """Write the results to `out`, and return it.

    Raises:
        RuntimeError: if a gradient would be lost, or shape or dtype do not fit.
    """
    for target, result in zip(out, listed(results_of_call)):
        if target is None:
            continue
        if isinstance(target, Tensor):
            if target.shape != result.shape:
                raise RuntimeError(f"np.{name}: out has shape {tuple(target.shape)}, the result {tuple(result.shape)}")
            if (target.requires_grad or result.requires_grad) and wg.is_grad_enabled():
                raise RuntimeError(
                    f"np.{name}: functions with out= don't support automatic differentiation, but one of the "
                    "arguments requires grad; leave out= away"
                )
            target.copy_(result)
        else:
            if result.requires_grad:
                raise RuntimeError(
                    f"np.{name}: out= (or an operator as `array += tensor`) would write a tensor that requires grad "
                    "into an array, where its gradient is lost; use tensor.detach()"
                )
            np.copyto(target, result.numpy(), casting="same_kind")
    results = tuple(result if target is None else target for target, result in zip(out, listed(results_of_call)))
    return results if len(results) > 1 else results[0]


def one_by_one(x: Tensor, dims: tuple[int, ...], keep: bool, function: Any) -> Any:
    """Apply a reduction to one dimension at a time."""
    for dim in sorted(dims, reverse=True):
        x = function(x, dim, keepdim=keep)
    return x


def reduced(
    ufunc: Any,
    inputs: tuple[Any, ...],
    out: Any = None,
    *,
    axis: Any = 0,
    dtype: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    """Reduce dimensions by a ufunc."""
    if ufunc.__name__ not in REDUCTIONS:
        raise no_rule(f"np.{ufunc.__name__}.reduce")
    function, neutral = REDUCTIONS[ufunc.__name__]
    x = tensor_of(inputs[0])
    x = x if dtype is None else x.to(dtype_of(dtype))
    if where is not True:
        if neutral is None and initial is None:
            raise ValueError(f"np.{ufunc.__name__}.reduce: with where= an initial= is needed")
        x = wg.where(tensor_of(where), x, initial if neutral is None else neutral)
    dims = np.lib.array_utils.normalize_axis_tuple(range(x.ndim) if axis is None else axis, max(x.ndim, 1))
    result = function(x, dims, bool(keepdims)) if dims and x.ndim else x
    if initial is not None and initial is not np._NoValue:
        result = operator_of(ufunc)(result, tensor_of(initial).to(result.dtype))
    return result if out is None else written(f"{ufunc.__name__}.reduce", result, out)


def accumulated(ufunc: Any, inputs: tuple[Any, ...], out: Any = None, *, axis: int = 0, dtype: Any = None) -> Any:
    """Accumulate a ufunc along a dimension."""
    if ufunc.__name__ not in RUNNING:
        raise no_rule(f"np.{ufunc.__name__}.accumulate")
    x = tensor_of(inputs[0])
    result = RUNNING[ufunc.__name__](x if dtype is None else x.to(dtype_of(dtype)), axis)
    return result if out is None else written(f"{ufunc.__name__}.accumulate", result, out)


def outer(ufunc: Any, inputs: tuple[Any, ...], out: Any = None, **options: Any) -> Any:
    """Apply a ufunc to all pairs of elements of two operands."""
    x, y = map(tensor_of, inputs)
    return called(ufunc, (x.reshape(tuple(x.shape) + (1,) * y.ndim), y), out, **options)


def add_at(ufunc: Any, target: Any, index: Any, values: Any = None) -> None:
    """`np.add.at`: add to elements of a tensor in place; repeated indices add up.

    Raises:
        TypeError: if the ufunc is not `np.add`, or the target is an array.
    """
    if ufunc is not np.add or not isinstance(target, Tensor):
        raise no_rule(f"np.{ufunc.__name__}.at of a {type(target).__name__}")
    places = index if isinstance(index, tuple) else (index,)
    target.index_put_(tuple(map(tensor_of, places)), tensor_of(values).to(target.dtype), accumulate=True)


METHODS: dict[str, Any] = {"__call__": called, "reduce": reduced, "accumulate": accumulated, "outer": outer}
