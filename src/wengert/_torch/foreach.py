"""torch's `_foreach_*`: an operator applied to each tensor of a list, as optimisers call it.

torch makes one kernel of them; here each tensor has its turn, and derivatives are those of the operators.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from wengert._tensor import Tensor

SCALED = ("addcdiv", "addcmul")
"""Functions whose last argument may be numbers by position, also one for each tensor; operators take it by name."""
POSITIONAL = ("src", "other", "tensors1", "tensor1", "tensor2", "scalar", "scalars", "exponent", "weight", "weights")
"""Names of torch's parameters after the list, in the order of positions."""
SIDES = {"maximum": "clamp_min", "minimum": "clamp_max"}
"""Methods to use if the other operand is a number."""


def norm(x: Any, ord: Any = 2, dtype: Any = None) -> Any:
    """The norm of all elements."""
    from wengert.linalg import vector_norm

    return vector_norm(x, ord, dtype=dtype)


def powsum(x: Any, ord: Any = 2, dtype: Any = None) -> Any:
    """The sum of the powers of all absolute values."""
    return x.abs().pow(ord).sum(dtype=dtype)


FUNCTIONS: dict[str, Callable[..., Any]] = {"norm": norm, "powsum": powsum}


def applied(name: str, x: Any, others: Sequence[Any], options: dict[str, Any]) -> Any:
    """Apply the operator to one tensor and its arguments."""
    plain = name.removesuffix("_")
    if plain in SCALED and len(others) == 3:
        *others, options["value"] = others
    if plain in SIDES and others and not isinstance(others[0], Tensor):
        name = name.replace(plain, SIDES[plain])
    if name in ("maximum_", "minimum_"):
        return x.copy_(getattr(x, plain)(*others))
    function = FUNCTIONS.get(name)
    return getattr(x, name)(*others, **options) if function is None else function(x, *others, **options)


def value_per_tensor(name: str, value: Any, count: int) -> list[Any]:
    """Return an argument as a list with one value for each of `count` tensors.

    Raises:
        RuntimeError: if the number of values is not `count`.
    """
    if isinstance(value, Tensor) and value.ndim == 1 and name.removesuffix("_") in SCALED:
        value = value.tolist()
    if not isinstance(value, (list, tuple)):
        return [value] * count
    if len(value) == count:
        return list(value)
    if all(isinstance(element, Tensor) for element in value):
        raise RuntimeError(f"Tensor lists must have the same number of tensors, got {count} and {len(value)}")
    raise RuntimeError("Tensor list must have same number of elements as scalar list.")


def check_tensors(name: str, tensors: Any) -> None:
    """Refuse a value that is not a list of tensors.

    Raises:
        TypeError: if `tensors` is not a list of tensors.
        RuntimeError: if the list is empty.
    """
    if not isinstance(tensors, (list, tuple)):
        kind = type(tensors).__name__
        raise TypeError(f"_foreach_{name}(): argument 'self' (position 1) must be tuple of Tensors, not {kind}")
    if not tensors:
        raise RuntimeError("Tensor list must have at least one tensor.")
    for at, tensor in enumerate(tensors):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"expected Tensor as element {at} in argument 0, but got {type(tensor).__name__}")


def foreach(name: str, tensors: Any, others: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Apply an operator to each tensor of a list, in place if its name ends with an underscore.

    Args:
        name: of the operator.
        tensors: the list; for `pow` also a number, the base of powers whose exponents are the first of `others`.
        others, options: further arguments, each one value for all tensors, or a list with one for each.

    Returns:
        The results as a tuple; in place the list itself.

    Raises:
        TypeError: if `tensors` is not a list of tensors.
        RuntimeError: if it is empty, or another list has another length.
    """
    if name == "pow" and others and not isinstance(tensors, (list, tuple)):
        check_tensors(name, others[0])
        return tuple([tensors**other for other in others[0]])
    check_tensors(name, tensors)
    others = (*others, *(options.pop(name_of_option) for name_of_option in POSITIONAL if name_of_option in options))
    columns = [value_per_tensor(name, other, len(tensors)) for other in others]
    shared = {key: value_per_tensor(name, value, len(tensors)) for key, value in options.items()}
    results = [
        applied(name, x, [column[at] for column in columns], {key: value[at] for key, value in shared.items()})
        for at, x in enumerate(tensors)
    ]
    return tensors if name.endswith("_") else tuple(results)


def _foreach_abs(self: Any, *others: Any, **options: Any) -> Any:
    """Return `abs` of each tensor of a list."""
    return foreach("abs", self, others, options)


def _foreach_abs_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `abs_` to each tensor of a list; return the list."""
    return foreach("abs_", self, others, options)


def _foreach_acos(self: Any, *others: Any, **options: Any) -> Any:
    """Return `acos` of each tensor of a list."""
    return foreach("acos", self, others, options)


def _foreach_acos_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `acos_` to each tensor of a list; return the list."""
    return foreach("acos_", self, others, options)


def _foreach_add(self: Any, *others: Any, **options: Any) -> Any:
    """Return `add` of each tensor of a list."""
    return foreach("add", self, others, options)


def _foreach_add_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `add_` to each tensor of a list; return the list."""
    return foreach("add_", self, others, options)


def _foreach_addcdiv(self: Any, *others: Any, **options: Any) -> Any:
    """Return `addcdiv` of each tensor of a list."""
    return foreach("addcdiv", self, others, options)


def _foreach_addcdiv_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `addcdiv_` to each tensor of a list; return the list."""
    return foreach("addcdiv_", self, others, options)


def _foreach_addcmul(self: Any, *others: Any, **options: Any) -> Any:
    """Return `addcmul` of each tensor of a list."""
    return foreach("addcmul", self, others, options)


def _foreach_addcmul_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `addcmul_` to each tensor of a list; return the list."""
    return foreach("addcmul_", self, others, options)


def _foreach_asin(self: Any, *others: Any, **options: Any) -> Any:
    """Return `asin` of each tensor of a list."""
    return foreach("asin", self, others, options)


def _foreach_asin_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `asin_` to each tensor of a list; return the list."""
    return foreach("asin_", self, others, options)


def _foreach_atan(self: Any, *others: Any, **options: Any) -> Any:
    """Return `atan` of each tensor of a list."""
    return foreach("atan", self, others, options)


def _foreach_atan_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `atan_` to each tensor of a list; return the list."""
    return foreach("atan_", self, others, options)


def _foreach_ceil(self: Any, *others: Any, **options: Any) -> Any:
    """Return `ceil` of each tensor of a list."""
    return foreach("ceil", self, others, options)


def _foreach_ceil_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `ceil_` to each tensor of a list; return the list."""
    return foreach("ceil_", self, others, options)


def _foreach_clamp_max(self: Any, *others: Any, **options: Any) -> Any:
    """Return `clamp_max` of each tensor of a list."""
    return foreach("clamp_max", self, others, options)


def _foreach_clamp_max_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `clamp_max_` to each tensor of a list; return the list."""
    return foreach("clamp_max_", self, others, options)


def _foreach_clamp_min(self: Any, *others: Any, **options: Any) -> Any:
    """Return `clamp_min` of each tensor of a list."""
    return foreach("clamp_min", self, others, options)


def _foreach_clamp_min_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `clamp_min_` to each tensor of a list; return the list."""
    return foreach("clamp_min_", self, others, options)


def _foreach_clone(self: Any, *others: Any, **options: Any) -> Any:
    """Return `clone` of each tensor of a list."""
    return foreach("clone", self, others, options)


def _foreach_copy_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `copy_` to each tensor of a list; return the list."""
    return foreach("copy_", self, others, options)


def _foreach_cos(self: Any, *others: Any, **options: Any) -> Any:
    """Return `cos` of each tensor of a list."""
    return foreach("cos", self, others, options)


def _foreach_cos_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `cos_` to each tensor of a list; return the list."""
    return foreach("cos_", self, others, options)


def _foreach_cosh(self: Any, *others: Any, **options: Any) -> Any:
    """Return `cosh` of each tensor of a list."""
    return foreach("cosh", self, others, options)


def _foreach_cosh_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `cosh_` to each tensor of a list; return the list."""
    return foreach("cosh_", self, others, options)


def _foreach_div(self: Any, *others: Any, **options: Any) -> Any:
    """Return `div` of each tensor of a list."""
    return foreach("div", self, others, options)


def _foreach_div_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `div_` to each tensor of a list; return the list."""
    return foreach("div_", self, others, options)


def _foreach_erf(self: Any, *others: Any, **options: Any) -> Any:
    """Return `erf` of each tensor of a list."""
    return foreach("erf", self, others, options)


def _foreach_erf_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `erf_` to each tensor of a list; return the list."""
    return foreach("erf_", self, others, options)


def _foreach_erfc(self: Any, *others: Any, **options: Any) -> Any:
    """Return `erfc` of each tensor of a list."""
    return foreach("erfc", self, others, options)


def _foreach_erfc_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `erfc_` to each tensor of a list; return the list."""
    return foreach("erfc_", self, others, options)


def _foreach_exp(self: Any, *others: Any, **options: Any) -> Any:
    """Return `exp` of each tensor of a list."""
    return foreach("exp", self, others, options)


def _foreach_exp_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `exp_` to each tensor of a list; return the list."""
    return foreach("exp_", self, others, options)


def _foreach_expm1(self: Any, *others: Any, **options: Any) -> Any:
    """Return `expm1` of each tensor of a list."""
    return foreach("expm1", self, others, options)


def _foreach_expm1_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `expm1_` to each tensor of a list; return the list."""
    return foreach("expm1_", self, others, options)


def _foreach_floor(self: Any, *others: Any, **options: Any) -> Any:
    """Return `floor` of each tensor of a list."""
    return foreach("floor", self, others, options)


def _foreach_floor_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `floor_` to each tensor of a list; return the list."""
    return foreach("floor_", self, others, options)


def _foreach_frac(self: Any, *others: Any, **options: Any) -> Any:
    """Return `frac` of each tensor of a list."""
    return foreach("frac", self, others, options)


def _foreach_frac_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `frac_` to each tensor of a list; return the list."""
    return foreach("frac_", self, others, options)


def _foreach_lerp(self: Any, *others: Any, **options: Any) -> Any:
    """Return `lerp` of each tensor of a list."""
    return foreach("lerp", self, others, options)


def _foreach_lerp_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `lerp_` to each tensor of a list; return the list."""
    return foreach("lerp_", self, others, options)


def _foreach_lgamma(self: Any, *others: Any, **options: Any) -> Any:
    """Return `lgamma` of each tensor of a list."""
    return foreach("lgamma", self, others, options)


def _foreach_lgamma_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `lgamma_` to each tensor of a list; return the list."""
    return foreach("lgamma_", self, others, options)


def _foreach_log(self: Any, *others: Any, **options: Any) -> Any:
    """Return `log` of each tensor of a list."""
    return foreach("log", self, others, options)


def _foreach_log_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `log_` to each tensor of a list; return the list."""
    return foreach("log_", self, others, options)


def _foreach_log10(self: Any, *others: Any, **options: Any) -> Any:
    """Return `log10` of each tensor of a list."""
    return foreach("log10", self, others, options)


def _foreach_log10_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `log10_` to each tensor of a list; return the list."""
    return foreach("log10_", self, others, options)


def _foreach_log1p(self: Any, *others: Any, **options: Any) -> Any:
    """Return `log1p` of each tensor of a list."""
    return foreach("log1p", self, others, options)


def _foreach_log1p_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `log1p_` to each tensor of a list; return the list."""
    return foreach("log1p_", self, others, options)


def _foreach_log2(self: Any, *others: Any, **options: Any) -> Any:
    """Return `log2` of each tensor of a list."""
    return foreach("log2", self, others, options)


def _foreach_log2_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `log2_` to each tensor of a list; return the list."""
    return foreach("log2_", self, others, options)


def _foreach_max(self: Any, *others: Any, **options: Any) -> Any:
    """Return `max` of each tensor of a list."""
    return foreach("max", self, others, options)


def _foreach_maximum(self: Any, *others: Any, **options: Any) -> Any:
    """Return `maximum` of each tensor of a list."""
    return foreach("maximum", self, others, options)


def _foreach_maximum_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `maximum_` to each tensor of a list; return the list."""
    return foreach("maximum_", self, others, options)


def _foreach_minimum(self: Any, *others: Any, **options: Any) -> Any:
    """Return `minimum` of each tensor of a list."""
    return foreach("minimum", self, others, options)


def _foreach_minimum_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `minimum_` to each tensor of a list; return the list."""
    return foreach("minimum_", self, others, options)


def _foreach_mm(self: Any, *others: Any, **options: Any) -> Any:
    """Return `mm` of each tensor of a list."""
    return foreach("mm", self, others, options)


def _foreach_mul(self: Any, *others: Any, **options: Any) -> Any:
    """Return `mul` of each tensor of a list."""
    return foreach("mul", self, others, options)


def _foreach_mul_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `mul_` to each tensor of a list; return the list."""
    return foreach("mul_", self, others, options)


def _foreach_neg(self: Any, *others: Any, **options: Any) -> Any:
    """Return `neg` of each tensor of a list."""
    return foreach("neg", self, others, options)


def _foreach_neg_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `neg_` to each tensor of a list; return the list."""
    return foreach("neg_", self, others, options)


def _foreach_norm(self: Any, *others: Any, **options: Any) -> Any:
    """Return `norm` of each tensor of a list."""
    return foreach("norm", self, others, options)


def _foreach_pow(self: Any, *others: Any, **options: Any) -> Any:
    """Return `pow` of each tensor of a list."""
    return foreach("pow", self, others, options)


def _foreach_pow_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `pow_` to each tensor of a list; return the list."""
    return foreach("pow_", self, others, options)


def _foreach_powsum(self: Any, *others: Any, **options: Any) -> Any:
    """Return `powsum` of each tensor of a list."""
    return foreach("powsum", self, others, options)


def _foreach_reciprocal(self: Any, *others: Any, **options: Any) -> Any:
    """Return `reciprocal` of each tensor of a list."""
    return foreach("reciprocal", self, others, options)


def _foreach_reciprocal_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `reciprocal_` to each tensor of a list; return the list."""
    return foreach("reciprocal_", self, others, options)


def _foreach_round(self: Any, *others: Any, **options: Any) -> Any:
    """Return `round` of each tensor of a list."""
    return foreach("round", self, others, options)


def _foreach_round_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `round_` to each tensor of a list; return the list."""
    return foreach("round_", self, others, options)


def _foreach_rsqrt(self: Any, *others: Any, **options: Any) -> Any:
    """Return `rsqrt` of each tensor of a list."""
    return foreach("rsqrt", self, others, options)


def _foreach_rsqrt_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `rsqrt_` to each tensor of a list; return the list."""
    return foreach("rsqrt_", self, others, options)


def _foreach_sigmoid(self: Any, *others: Any, **options: Any) -> Any:
    """Return `sigmoid` of each tensor of a list."""
    return foreach("sigmoid", self, others, options)


def _foreach_sigmoid_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `sigmoid_` to each tensor of a list; return the list."""
    return foreach("sigmoid_", self, others, options)


def _foreach_sign(self: Any, *others: Any, **options: Any) -> Any:
    """Return `sign` of each tensor of a list."""
    return foreach("sign", self, others, options)


def _foreach_sign_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `sign_` to each tensor of a list; return the list."""
    return foreach("sign_", self, others, options)


def _foreach_sin(self: Any, *others: Any, **options: Any) -> Any:
    """Return `sin` of each tensor of a list."""
    return foreach("sin", self, others, options)


def _foreach_sin_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `sin_` to each tensor of a list; return the list."""
    return foreach("sin_", self, others, options)


def _foreach_sinh(self: Any, *others: Any, **options: Any) -> Any:
    """Return `sinh` of each tensor of a list."""
    return foreach("sinh", self, others, options)


def _foreach_sinh_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `sinh_` to each tensor of a list; return the list."""
    return foreach("sinh_", self, others, options)


def _foreach_sqrt(self: Any, *others: Any, **options: Any) -> Any:
    """Return `sqrt` of each tensor of a list."""
    return foreach("sqrt", self, others, options)


def _foreach_sqrt_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `sqrt_` to each tensor of a list; return the list."""
    return foreach("sqrt_", self, others, options)


def _foreach_sub(self: Any, *others: Any, **options: Any) -> Any:
    """Return `sub` of each tensor of a list."""
    return foreach("sub", self, others, options)


def _foreach_sub_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `sub_` to each tensor of a list; return the list."""
    return foreach("sub_", self, others, options)


def _foreach_tan(self: Any, *others: Any, **options: Any) -> Any:
    """Return `tan` of each tensor of a list."""
    return foreach("tan", self, others, options)


def _foreach_tan_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `tan_` to each tensor of a list; return the list."""
    return foreach("tan_", self, others, options)


def _foreach_tanh(self: Any, *others: Any, **options: Any) -> Any:
    """Return `tanh` of each tensor of a list."""
    return foreach("tanh", self, others, options)


def _foreach_tanh_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `tanh_` to each tensor of a list; return the list."""
    return foreach("tanh_", self, others, options)


def _foreach_trunc(self: Any, *others: Any, **options: Any) -> Any:
    """Return `trunc` of each tensor of a list."""
    return foreach("trunc", self, others, options)


def _foreach_trunc_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `trunc_` to each tensor of a list; return the list."""
    return foreach("trunc_", self, others, options)


def _foreach_zero_(self: Any, *others: Any, **options: Any) -> Any:
    """Apply `zero_` to each tensor of a list; return the list."""
    return foreach("zero_", self, others, options)


_IN_PACKAGE = tuple([name for name in list(globals()) if name.startswith("_foreach_")])
FOREACH = [name.removeprefix("_foreach_") for name in _IN_PACKAGE]
"""The operators that lists of tensors have."""
