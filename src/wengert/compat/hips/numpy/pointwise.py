"""NumPy's elementwise functions, on tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...._tensor import Tensor
from ..boxes import CONSTANT, RULES, ArrayBox, getval, rule, shape_of, tensor_of
from ..extend import defjvp, defvjp, primitive

METHODS = {
    np.exp: "exp",
    np.exp2: "exp2",
    np.expm1: "expm1",
    np.log: "log",
    np.log2: "log2",
    np.log10: "log10",
    np.log1p: "log1p",
    np.sin: "sin",
    np.cos: "cos",
    np.tan: "tan",
    np.arcsin: "asin",
    np.arccos: "acos",
    np.arctan: "atan",
    np.sinh: "sinh",
    np.cosh: "cosh",
    np.tanh: "tanh",
    np.arcsinh: "asinh",
    np.arccosh: "acosh",
    np.arctanh: "atanh",
    np.sqrt: "sqrt",
    np.square: "square",
    np.reciprocal: "reciprocal",
    np.negative: "neg",
    np.absolute: "abs",
    np.fabs: "abs",
    np.conjugate: "conj_physical",
}
"""NumPy's functions of one argument, and the corresponding methods of tensors."""
FACTORS = {np.deg2rad: np.pi / 180, np.radians: np.pi / 180, np.rad2deg: 180 / np.pi, np.degrees: 180 / np.pi}
BINARY = {
    np.add: "add",
    np.subtract: "sub",
    np.multiply: "mul",
    np.divide: "div",
    np.remainder: "remainder",
    np.fmod: "fmod",
    np.maximum: "maximum",
    np.minimum: "minimum",
    np.fmax: "fmax",
    np.fmin: "fmin",
    np.arctan2: "atan2",
}
"""NumPy's functions of two arguments, and the corresponding methods of tensors."""


def method(name: str) -> Callable[[Any], Any]:
    """Return a function of one argument that calls a method of tensors."""
    return lambda x: getattr(tensor_of(x), name)()


def scaling(factor: float) -> Callable[[Any], Any]:
    """Return the multiplication by a number."""
    return lambda x: tensor_of(x) * factor


def kind_of(value: Any) -> Any:
    """Return the data type of an array, or a Python number, which does not determine the data type of a result."""
    if isinstance(value, (ArrayBox, bool, int, float, complex)):
        return value.dtype if isinstance(value, ArrayBox) else value
    return value._array_.dtype if isinstance(value, Tensor) else np.result_type(value)


def converted(value: Any, dtype: Any) -> Any:
    """Convert a value to a tensor of a NumPy data type."""
    if isinstance(value, (ArrayBox, Tensor)):
        tensor = tensor_of(value)
        return tensor if tensor._array_.dtype == dtype else tensor.to(tensor_of(np.zeros(0, dtype)).dtype)
    return tensor_of(np.asarray(value, dtype))


def promoted(*values: Any) -> list[Any]:
    """Convert values to tensors of one data type by NumPy's promotion."""
    dtype = np.result_type(*map(kind_of, values))
    return [converted(value, dtype) for value in values]


def pairwise(name: str) -> Callable[[Any, Any], Any]:
    """Return a function of two arguments that calls a method of tensors."""

    def apply(x: Any, y: Any) -> Any:
        x, y = promoted(x, y)
        return getattr(x, name)(y)

    return apply


RULES.update({function: method(name) for function, name in METHODS.items()})
RULES.update({function: scaling(factor) for function, factor in FACTORS.items()})
RULES.update({function: pairwise(name) for function, name in BINARY.items()})


@rule(np.positive, np.copy)
def same(x: Any, **options: Any) -> Any:
    """Return the values unchanged: boxes are never written to."""
    return tensor_of(x)


@rule(ArrayBox.astype, np.astype)
def astype(x: Any, dtype: Any, **options: Any) -> Any:
    """Cast to a data type; a cast to integers or booleans has no derivative."""
    wanted = np.dtype(dtype)
    if wanted.kind not in "fc":
        return getval(x).astype(wanted)
    tensor = tensor_of(x)
    if tensor.is_complex() and wanted.kind == "f":
        tensor = tensor.real
    return tensor.to(tensor_of(np.zeros(0, wanted)).dtype)


@rule(np.real)
def real(x: Any) -> Any:
    """Real part."""
    tensor = tensor_of(x)
    return tensor.real if tensor.is_complex() else tensor


@rule(np.imag)
def imag(x: Any) -> Any:
    """Imaginary part; zeros for real numbers."""
    tensor = tensor_of(x)
    return tensor.imag if tensor.is_complex() else tensor.new_zeros(tensor.shape)


@rule(np.angle)
def angle(z: Any, deg: bool = False) -> Any:
    """Argument of complex numbers."""
    tensor = tensor_of(z)
    result = tensor.imag.atan2(tensor.real) if tensor.is_complex() else tensor.angle()
    return result * (180 / np.pi) if deg else result


@rule(np.real_if_close)
def real_if_close(a: Any, tol: float = 100) -> Any:
    """Real part, if the imaginary part is almost zero."""
    return tensor_of(a) if np.iscomplexobj(np.real_if_close(getval(a), tol)) else real(a)


@rule(np.where)
def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """Elements of one array where a condition is true, of another elsewhere."""
    if x is None and y is None:
        return np.nonzero(getval(condition))
    x, y = promoted(x, y)
    return x.where(tensor_of(condition).bool(), y)


@rule(np.clip)
def clip(a: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Any:
    """Values limited to an interval; the gradient at a bound is zero, as in HIPS autograd."""
    low, high = (a_min if min is None else min), (a_max if max is None else max)
    tensor, *bounds = promoted(a, *[limit for limit in (low, high) if limit is not None])
    if tensor.is_complex():  # in the order of NumPy, by real, then by imaginary parts
        values = tensor_of(np.clip(getval(a), getval(low), getval(high)))
    else:
        values = limited(tensor.detach(), low, high)
    result, inside = values, values.new_ones(values.shape).bool()
    for bound in bounds:
        at_bound = (values == bound) | (bound != bound)
        result, inside = bound.where(at_bound, result), inside & ~at_bound
    return tensor.where(inside, result)


def limited(values: Any, low: Any, high: Any) -> Any:
    """Values limited to an interval, whose bounds may be None; without history."""
    if low is not None:
        values = values.maximum(converted(low, kind_of(values)).detach())
    return values if high is None else values.minimum(converted(high, kind_of(values)).detach())


@rule(np.nan_to_num)
def nan_to_num(x: Any, copy: bool = True, nan: float = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    """Replace NaN and infinities by numbers."""
    return tensor_of(x).nan_to_num(nan, posinf, neginf)


@rule(np.hypot)
def hypot(x: Any, y: Any) -> Any:
    """Length of the hypotenuse."""
    x, y = promoted(x, y)
    return (x * x + y * y).sqrt()


@rule(np.full_like)
def full_like(a: Any, fill_value: Any, dtype: Any = None, shape: Any = None, **options: Any) -> Any:
    """Array of the same shape, filled with one value."""
    lengths = shape_of(a) if shape is None else shape
    if not isinstance(fill_value, ArrayBox):
        return np.full(lengths, fill_value, dtype or np.result_type(kind_of(a)))
    return converted(fill_value, dtype or np.result_type(kind_of(a))).expand(lengths)


def unbroadcast(x: Any, g: Any) -> Any:
    """Sum a gradient over the dimensions along which an argument was broadcast; real for a real argument."""
    g = np.sum(g, axis=tuple(range(np.ndim(g) - np.ndim(x))))
    repeated = tuple(axis for axis, length in enumerate(np.shape(x)) if length == 1 and np.shape(g)[axis] != 1)
    g = np.sum(g, axis=repeated, keepdims=True) if repeated else g
    return np.real(g) if np.iscomplexobj(g) and not np.iscomplexobj(x) else g


def defpartials(function: Any, *partials: Any, argnums: Any = None) -> Any:
    """Return a primitive of an elementwise function, whose derivatives are products with `partial(ans, *args)`."""

    def vjp_of(partial: Any, argnum: int) -> Any:
        return lambda ans, *args: lambda g: unbroadcast(args[argnum], g * partial(ans, *args))

    def jvp_of(partial: Any) -> Any:
        return lambda g, ans, *args: g * partial(ans, *args)

    places = range(len(partials)) if argnums is None else argnums
    operation = primitive(function)
    defvjp(operation, *(vjp_of(partial, argnum) for argnum, partial in zip(places, partials)), argnums=places)
    defjvp(operation, *(jvp_of(partial) for partial in partials), argnums=places)
    return operation


def raised(x: Any, y: Any) -> Any:
    """x**y, whose derivative with respect to x is zero where y is zero, also at x = 0."""
    return np.power(x, np.where(y == 0, 1.0, y - 1)) * y


power_of_arrays = defpartials(np.power, lambda ans, x, y: raised(x, y), lambda ans, x, y: ans * log_or_zero(x))


def log_or_zero(x: Any) -> Any:
    """Logarithm, with value 0 at 0."""
    return np.log(np.where(x == 0, 1.0, x))


@rule(np.power, np.float_power)
def power(x: Any, y: Any) -> Any:
    """Powers with numbers or arrays as exponents, with the conventions of HIPS autograd at zero."""
    if isinstance(y, (int, float)) and y != 0:
        return tensor_of(x).pow(y)
    return tensor_of(power_of_arrays(x, y))


def sinc_derivative(ans: Any, x: Any) -> Any:
    """Derivative of `sinc`, which is 0 at 0."""
    safe = np.where(x == 0, 1.0, x)
    return np.where(x == 0, 0.0 * x, (np.cos(np.pi * safe) - np.sinc(safe)) / safe)


logaddexp = defpartials(np.logaddexp, lambda ans, x, y: np.exp(x - ans), lambda ans, x, y: np.exp(y - ans))
logaddexp2 = defpartials(np.logaddexp2, lambda ans, x, y: np.exp2(x - ans), lambda ans, x, y: np.exp2(y - ans))
sinc = defpartials(np.sinc, sinc_derivative)
cbrt = defpartials(np.cbrt, lambda ans, x: 1 / (3 * ans**2))
RULES.update({np.logaddexp: logaddexp, np.logaddexp2: logaddexp2, np.sinc: sinc, np.cbrt: cbrt})
CONSTANT.difference_update(RULES)
