"""The Python array API standard, version 2024.12, for tensors: `wengert.array_api`, as `x.__array_namespace__()` gives.

Functions have the standard's names and arguments; they are made of operators, so gradients go through them. Two things
stay as torch has them, for which programs use the functions of `array-api-compat`: `x.size` is a method, not a number,
and a 0-dim tensor counts less than others where dtypes are promoted.
"""

from __future__ import annotations

from math import e, inf, nan, pi
from typing import Any

import wengert as wg

from . import fft, linalg
from .info import __array_namespace_info__
from .manipulation import (
    argsort,
    asarray,
    astype,
    broadcast_arrays,
    concat,
    expand_dims,
    eye,
    flip,
    linspace,
    meshgrid,
    nonzero,
    permute_dims,
    repeat,
    reshape,
    roll,
    searchsorted,
    sort,
    squeeze,
    take,
    take_along_axis,
    unique_all,
    unique_counts,
    unique_inverse,
    unique_values,
    unstack,
)
from .numbers import (
    all,
    any,
    argmax,
    argmin,
    can_cast,
    clip,
    count_nonzero,
    cumulative_prod,
    cumulative_sum,
    diff,
    isdtype,
    matrix_transpose,
    max,
    mean,
    min,
    prod,
    result_type,
    std,
    sum,
    tensordot,
    tril,
    triu,
    var,
    vecdot,
)

__array_api_version__ = "2024.12"
newaxis = None
bitwise_invert = wg.bitwise_not

SAME = (
    *("abs", "acos", "acosh", "add", "arange", "asin", "asinh", "atan", "atan2", "atanh", "bitwise_and"),
    *("bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "broadcast_to", "ceil", "conj"),
    *("copysign", "cos", "cosh", "divide", "empty", "empty_like", "exp", "expm1", "finfo", "floor", "floor_divide"),
    *("from_dlpack", "full", "full_like", "greater", "greater_equal", "hypot", "iinfo", "imag", "isfinite", "isinf"),
    *("isnan", "less", "less_equal", "log", "log10", "log1p", "log2", "logaddexp", "logical_and", "logical_not"),
    *("logical_or", "logical_xor", "matmul", "maximum", "minimum", "moveaxis", "multiply", "negative", "nextafter"),
    *("not_equal", "ones", "ones_like", "positive", "pow", "real", "reciprocal", "remainder", "round", "sign"),
    *("signbit", "sin", "sinh", "sqrt", "square", "stack", "subtract", "tan", "tanh", "tile", "trunc"),
    *("where", "zeros", "zeros_like"),
    *("bool", "complex64", "complex128", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16"),
    *("uint32", "uint64"),
)
"""What the package has with the standard's name and arguments."""


def equal(x1: Any, x2: Any, /) -> Any:
    """Whether elements are equal, one by one."""
    return wg.eq(x1, x2)


globals().update({name: getattr(wg, name) for name in SAME})

__all__ = [
    "__array_api_version__",
    "__array_namespace_info__",
    "all",
    "any",
    "argmax",
    "argmin",
    "argsort",
    "asarray",
    "astype",
    "bitwise_invert",
    "broadcast_arrays",
    "can_cast",
    "clip",
    "concat",
    "count_nonzero",
    "cumulative_prod",
    "cumulative_sum",
    "diff",
    "e",
    "equal",
    "expand_dims",
    "eye",
    "fft",
    "flip",
    "inf",
    "isdtype",
    "linalg",
    "linspace",
    "matrix_transpose",
    "max",
    "mean",
    "meshgrid",
    "min",
    "nan",
    "newaxis",
    "nonzero",
    "permute_dims",
    "pi",
    "prod",
    "repeat",
    "reshape",
    "result_type",
    "roll",
    "searchsorted",
    "sort",
    "squeeze",
    "std",
    "sum",
    "take",
    "take_along_axis",
    "tensordot",
    "tril",
    "triu",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "unstack",
    "var",
    "vecdot",
]
__all__ += SAME
