"""torch's overload of a call, such as `aten.add.Tensor` or `aten.sum.dim_IntList`, from its name and arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._tensor import Tensor
from ..autograd.observers import name_of
from ..ops.aten_names import NAMES
from ..ops.namespaces import NAMESPACES, AtenOverload, AtenPacket

Rule = Callable[..., str]


def second(number: str, tensor: str = "Tensor", both: str = "") -> Rule:
    """Return the rule of a binary operator, from the kinds (number or tensor) of its operands."""

    def rule(a: Any, b: Any = None, *rest: Any) -> str:
        if not isinstance(a, Tensor):
            return both or number
        return tensor if isinstance(b, Tensor) else number

    return rule


def of_dims(single: str, many: str = "", none: str = "default") -> Rule:
    """Return the rule of a reduction: overloads for one dimension, for several, and for all."""

    def rule(a: Any, dim: Any = None, *rest: Any) -> str:
        if dim is None:
            return none
        return single if isinstance(dim, int) else many or single

    return rule


def third(number: str, tensor: str) -> Rule:
    """Return the rule of an operator whose third argument is a number or a tensor."""
    return lambda a, b=None, value=None, *rest: tensor if isinstance(value, Tensor) else number


def _divided(a: Any, b: Any = None, rounding: Any = None, *rest: Any) -> str:
    return "Tensor_mode" if isinstance(rounding, str) else "Tensor"


def _bounded(a: Any, *bounds: Any) -> str:
    return "Tensor" if any(isinstance(bound, Tensor) for bound in bounds) else "default"


def _scattered(a: Any, dim: Any, index: Any, source: Any, reduce: Any = None) -> str:
    if reduce is None:
        return "src" if isinstance(source, Tensor) else "value"
    return "reduce" if isinstance(source, Tensor) else "value_reduce"


def _always(name: str) -> Rule:
    return lambda *args: name


PAIR = second("Scalar", both="Scalar_Tensor")
SPECIAL = second("n_scalar", "default", "x_scalar")
RULES: dict[str, Rule] = {
    **dict.fromkeys(("add", "sub", "mul", "ldexp", "frexp", "index", "slice"), _always("Tensor")),
    **dict.fromkeys(("select", "select_copy", "transpose", "transpose_copy", "unbind", "unbind_copy"), _always("int")),
    **dict.fromkeys(("std", "var", "std_mean", "var_mean"), _always("correction")),
    **dict.fromkeys(("slice_copy", "split", "split_copy", "unsafe_split"), _always("Tensor")),
    **dict.fromkeys(("eq", "ne", "lt", "le", "gt", "ge", "rsub", "fmod", "copysign"), second("Scalar")),
    **dict.fromkeys(("bitwise_and", "bitwise_or", "bitwise_xor", "remainder"), PAIR),
    **dict.fromkeys(("bitwise_left_shift", "bitwise_right_shift"), second("Tensor_Scalar", "Tensor", "Scalar_Tensor")),
    **dict.fromkeys(("clamp", "clamp_min", "clamp_max"), _bounded),
    **dict.fromkeys(("all", "any"), of_dims("dim", "dims")),
    **dict.fromkeys(("squeeze", "squeeze_copy"), of_dims("dim", "dims")),
    **dict.fromkeys(("lerp", "masked_fill"), third("Scalar", "Tensor")),
    **{
        f"special_{kind}_polynomial_{letter}": SPECIAL
        for kind, letters in {
            "chebyshev": "tuvw",
            "shifted_chebyshev": "tuvw",
            "hermite": ("h", "he"),
            "laguerre": "l",
            "legendre": "p",
        }.items()
        for letter in letters
    },
    "bernoulli": lambda a, p=None, *rest: "default" if p is None else "p",
    "bernoulli_": second("float"),
    "count_nonzero": of_dims("default", "dim_IntList"),
    "div": _divided,
    "fill": second("Scalar"),
    "index_fill": lambda a, dim, index, value: "int_Tensor" if isinstance(value, Tensor) else "int_Scalar",
    "isin": second("Tensor_Scalar", "Tensor_Tensor", "Scalar_Tensor"),
    "linalg_pinv": _always("atol_rtol_tensor"),
    "mean": of_dims("dim"),
    "pow": second("Tensor_Scalar", "Tensor_Tensor", "Scalar"),
    "pow_": second("Scalar"),
    "prod": of_dims("dim_int"),
    "round": lambda a, decimals=0: "decimals" if decimals else "default",
    "scatter": _scattered,
    "scatter_reduce": _always("two"),
    "searchsorted": second("Scalar"),
    "special_xlog1py": second("other_scalar", "default", "self_scalar"),
    "special_zeta": second("other_scalar", "default", "self_scalar"),
    "sum": of_dims("dim_IntList"),
    "where": _always("self"),
    "xlogy": second("Scalar_Other", "Tensor", "Scalar_Self"),
}
"""Rules by torch's name of the operator, from arguments to the overload; other operators have only `default`."""

FORMS = {"max_dim": "dim", "min_dim": "dim", "median_along": "dim", "nanmedian_along": "dim", "view_dtype": "dtype"}
"""Overloads of operators that are several here, and one in torch."""


def packet_of(op: Any) -> AtenPacket:
    """Return an operator as programs name it without its overload, `torch.ops.aten.mm`."""
    name = op.name
    stem = name[:-1] if name.endswith("_") else name
    name = NAMES[stem] + name[len(stem) :] if stem in NAMES else name_of(op)
    aten = NAMESPACES["aten"]
    try:
        packet: AtenPacket = getattr(aten, name)
    except AttributeError:  # the operator has another name here
        packet = vars(aten).setdefault(name, AtenPacket(name, op))
    return packet


def overload_of(op: Any, args: tuple[Any, ...]) -> AtenOverload:
    """Return torch's overload of an operator for these arguments, such as `torch.ops.aten.add.Tensor`.

    Args:
        op: the operator.
        args: all its arguments, in the order of its parameters.
    """
    packet = packet_of(op)
    form = FORMS.get(op.name)
    if form is None:
        rule = RULES.get(packet._opname) or RULES.get(packet._opname.removesuffix("_"))
        form = "default" if rule is None else rule(*args)
    overload: AtenOverload = getattr(packet, form)
    return overload


SEVERAL = frozenset(("amax", "amin", "flip", "linalg_vector_norm", "logsumexp", "mean", "nansum"))
"""Operators without an overload `dim_IntList` whose second argument is a list of dimensions."""


def takes_several(func: AtenOverload) -> bool:
    """Return whether the second argument of an operator is a list of dimensions in torch."""
    return func._overloadname in ("dim_IntList", "correction") or func._opname in SEVERAL


__all__ = ["overload_of", "packet_of", "takes_several"]
