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
    "conjugate": "conj_physical", "degrees": "rad2deg", "divide": "div", "equal": "eq", "fabs": "abs", "greater": "gt",
    "greater_equal": "ge", "invert": "bitwise_not", "left_shift": "bitwise_left_shift", "less": "lt",
    "less_equal": "le", "not_equal": "ne", "power": "pow", "radians": "deg2rad",
    "right_shift": "bitwise_right_shift", "rint": "round",
    # SciPy's, where it is there
    "erf": "erf", "erfc": "erfc", "erfinv": "erfinv", "expit": "sigmoid", "gammaln": "lgamma", "i0": "i0",
    "logit": "logit", "psi": "digamma", "xlogy": "xlogy",
}  # fmt: skip
"""Ufuncs that are operators of another name, or SciPy's."""
SPECIAL = {
    **{name: name for name in ("entr", "erfcx", "gammainc", "gammaincc", "i0e", "i1", "i1e", "log_ndtr", "ndtr")},
    **{name: name for name in ("ndtri", "xlog1py", "zeta")},
    "j0": "bessel_j0", "j1": "bessel_j1", "y0": "bessel_y0", "y1": "bessel_y1",
}  # fmt: skip
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
"""For each ufunc its reduction along dimensions, and what leaves that as it is; None: depends on the dtype."""
RUNNING = {
    "add": wg.cumsum,
    "multiply": wg.cumprod,
    "maximum": lambda x, dim: wg.cummax(x, dim).values,
    "minimum": lambda x, dim: wg.cummin(x, dim).values,
    "logaddexp": wg.logcumsumexp,
}
PLAIN = {"casting": "same_kind", "order": "K", "subok": True}
"""Options that say nothing about tensors; other values than these are refused."""


def operator_of(ufunc: Any, given: Sequence[Any] = ()) -> Any:
    """The function of tensors that is a ufunc.

    Args:
        ufunc: of NumPy, or of another library (`scipy.special.binom`).
        given: what it is to be applied to; where nothing of that has a derivative, it is computed of the values.

    Raises:
        TypeError: there is none.
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
    if not given or any(isinstance(each, Tensor) and has_derivative(each) for each in given):
        raise no_rule(f"np.{name}")
    return lambda *values: of_values(ufunc, values)


def has_derivative(tensor: Tensor) -> bool:
    """Whether a derivative would be lost if only the values were looked at."""
    return tensor.requires_grad or bool(tensor._flags_ & (flags.DUAL | flags.BATCHED))


def of_values(ufunc: Any, given: tuple[Any, ...]) -> Any:
    """The tensors, without history, that a ufunc gives for the values."""
    made = listed(ufunc(*[np.asarray(each) if isinstance(each, Tensor) else each for each in given]))
    tensors = tuple(tensor_of(np.asarray(each)) for each in made)
    return tensors if len(tensors) > 1 else tensors[0]


def no_rule(what: str) -> TypeError:
    """The error for what tensors cannot be given to."""
    return TypeError(
        f"{what} has no rule for tensors: write it with functions of wengert, or compute it of the values, "
        "np.asarray(x.detach()), which have no gradient"
    )


def array_ufunc(self: Tensor, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
    """What `np.sin(x)`, `np.add.reduce(x)` and `array * x` give for tensors: tensors, with their history.

    Raises:
        TypeError: there is no rule for the ufunc or the method; an option that tensors do not know.
        RuntimeError: `out` is an array, and a gradient would be lost.
    """
    try:
        out = options.pop("out", None)
        if any(is_foreign(each) for each in (*inputs, *(out or ()))):
            return NotImplemented
        for name, value in PLAIN.items():
            if options.pop(name, value) != value:
                raise TypeError(f"np.{ufunc.__name__}: tensors know no {name}= other than {value!r}")
        if method == "at":
            return add_at(ufunc, *inputs)
        if method not in METHODS:
            raise no_rule(f"np.{ufunc.__name__}.{method}")
        return METHODS[method](ufunc, inputs, out, **options)
    except Exception as error:
        shorten(error)
        raise


def is_foreign(value: Any) -> bool:
    """Whether a value is of another library, which may know what to do with tensors."""
    kind = type(value)
    if isinstance(value, (Tensor, np.ndarray, np.generic)):
        return kind.__array_ufunc__ is None if isinstance(value, np.ndarray) else False
    return hasattr(kind, "__array_ufunc__")


def operand(value: Any) -> Any:
    """A tensor, or a number, which gives way to the dtype of tensors; NumPy's scalars are numbers, as beside them."""
    if isinstance(value, np.generic) and value.dtype.kind in "biufc":
        return value.item()
    return value if isinstance(value, (bool, int, float, complex)) else tensor_of(value)


def called(
    ufunc: Any, inputs: tuple[Any, ...], out: Any, *, where: Any = True, dtype: Any = None, **options: Any
) -> Any:
    """A ufunc, element by element; where `where` is False `out` stays, or zero is put."""
    if options:
        raise TypeError(f"np.{ufunc.__name__}: tensors know no {', '.join(options)}=")
    given = [operand(each) for each in inputs]
    if not any(isinstance(each, Tensor) for each in given):  # `out` alone is a tensor
        given[0] = tensor_of(given[0])
    function = operator_of(ufunc, given)
    if dtype is not None:
        given = [tensor_of(each).to(dtype_of(dtype)) for each in given]
    if where is True:
        made = function(*given)
    else:
        chosen = tensor_of(where).to(wg.bool)
        # elements that do not count are 1 on the way, so that no infinite derivative of theirs meets the gradient
        made = function(*[wg.where(chosen, each, 1) if isinstance(each, Tensor) else each for each in given])
        made = tuple(masked(chosen, each, None if out is None else out[at]) for at, each in enumerate(listed(made)))
        made = made if len(made) > 1 else made[0]
    return made if out is None else written(ufunc.__name__, made, out)


def listed(made: Any) -> tuple[Any, ...]:
    """The results of a call."""
    return tuple(made) if isinstance(made, tuple) else (made,)


def masked(chosen: Tensor, made: Tensor, out: Any) -> Tensor:
    """A result where it was asked for; elsewhere what was in `out`, or zero."""
    return wg.where(chosen, made, 0 if out is None else tensor_of(out).detach().to(made.dtype))


def dtype_of(dtype: Any) -> Any:
    """The dtype of tensors that a program names, perhaps NumPy's."""
    return dtype if isinstance(dtype, wg.dtype) else tensor_of(np.zeros(0, dtype)).dtype


def written(name: str, made: Any, out: Any) -> Any:
    """`out` with the results in it.

    Raises:
        RuntimeError: a gradient would be lost; shape or dtype do not fit.
    """
    for target, result in zip(out, listed(made)):
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
    results = tuple(result if target is None else target for target, result in zip(out, listed(made)))
    return results if len(results) > 1 else results[0]


def one_by_one(x: Tensor, dims: tuple[int, ...], keep: bool, function: Any) -> Any:
    """A reduction that takes one dimension at a time."""
    for dim in sorted(dims, reverse=True):
        x = function(x, dim, keepdim=keep)
    return x


def reduced(
    ufunc: Any, inputs: tuple[Any, ...], out: Any = None, *, axis: Any = 0, dtype: Any = None, keepdims: bool = False,
    initial: Any = None, where: Any = True,
) -> Any:  # fmt: skip
    """A ufunc between all elements along dimensions."""
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
    made = function(x, dims, bool(keepdims)) if dims and x.ndim else x
    if initial is not None and initial is not np._NoValue:  # type: ignore[attr-defined]
        made = operator_of(ufunc)(made, tensor_of(initial).to(made.dtype))
    return made if out is None else written(f"{ufunc.__name__}.reduce", made, out)


def accumulated(ufunc: Any, inputs: tuple[Any, ...], out: Any = None, *, axis: int = 0, dtype: Any = None) -> Any:
    """A ufunc between all elements up to each along a dimension."""
    if ufunc.__name__ not in RUNNING:
        raise no_rule(f"np.{ufunc.__name__}.accumulate")
    x = tensor_of(inputs[0])
    made = RUNNING[ufunc.__name__](x if dtype is None else x.to(dtype_of(dtype)), axis)
    return made if out is None else written(f"{ufunc.__name__}.accumulate", made, out)


def outer(ufunc: Any, inputs: tuple[Any, ...], out: Any = None, **options: Any) -> Any:
    """A ufunc between each element of one operand and each of the other."""
    x, y = map(tensor_of, inputs)
    return called(ufunc, (x.reshape(tuple(x.shape) + (1,) * y.ndim), y), out, **options)


def add_at(ufunc: Any, target: Any, index: Any, values: Any = None) -> None:
    """`np.add.at`: add to elements of a tensor in place, also several times to one.

    Raises:
        TypeError: another ufunc, or the target is an array.
    """
    if ufunc is not np.add or not isinstance(target, Tensor):
        raise no_rule(f"np.{ufunc.__name__}.at of a {type(target).__name__}")
    places = index if isinstance(index, tuple) else (index,)
    target.index_put_(tuple(map(tensor_of, places)), tensor_of(values).to(target.dtype), accumulate=True)


METHODS: dict[str, Any] = {"__call__": called, "reduce": reduced, "accumulate": accumulated, "outer": outer}
