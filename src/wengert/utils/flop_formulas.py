"""Formulas for the floating-point operations of operators, from the shapes of their arguments.

Each formula takes the shapes of the arguments, as torch passes them to the operator, and `out_shape`. Two
operations are counted for each multiply-add; the addition of a bias is not counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from .._tensor import Tensor
from ..autograd.profiler.flops import matrices, windows
from ..ops.namespaces import AtenOverload, AtenPacket, namespace
from ._pytree import tree_leaves, tree_map

Shape = Sequence[int]
Formula = Callable[..., int]
aten = namespace("aten")
flop_registry: dict[Any, Formula] = {}
"""Formulas by operator."""


def by_shapes(formula: Formula) -> Formula:
    """Convert a formula of shapes to one of the arguments themselves and of the result, `out_val`."""

    @wraps(formula)
    def counted(*args: Any, out_val: Any = None, **kwargs: Any) -> int:
        args, kwargs, out_shape = tree_map(shape_of, (args, kwargs, out_val))
        return formula(*args, out_shape=out_shape, **kwargs)

    return counted


def shape_of(value: Any) -> Any:
    """Return the shape of a tensor; other values are unchanged."""
    return value.shape if isinstance(value, Tensor) else value


def register_flop_formula(targets: Any, get_raw: bool = False) -> Callable[[Formula], Formula]:
    """Return a decorator that registers a formula for operators.

    Args:
        targets: an operator such as `torch.ops.aten.sin`, or nested lists of operators.
        get_raw: whether the function takes the arguments themselves and `out_val`, instead of their shapes and
            `out_shape`.

    Raises:
        RuntimeError: if an operator has a formula already.
        ValueError: if a target is not an operator of the package.

    >>> import wengert as wg
    >>> from wengert.utils.flop_counter import FlopCounterMode, flop_registry, register_flop_formula
    >>> @register_flop_formula(wg.ops.aten.cosh)
    ... def cosh_flop(shape, *args, out_shape=None, **kwargs):
    ...     return 10 * shape.numel()
    >>> with FlopCounterMode(display=False) as counter:
    ...     y = wg.ones(3).cosh()
    >>> counter.get_total_flops()
    30
    >>> del flop_registry[wg.ops.aten.cosh]
    """

    def register(formula: Formula) -> Formula:
        counted = formula if get_raw else by_shapes(formula)
        for target in tree_leaves(targets):
            if isinstance(target, AtenOverload):
                target = target.overloadpacket
            if not isinstance(target, AtenPacket):
                raise ValueError(
                    "register_flop_formula(targets): expected each target to be an operator of the package (i.e. "
                    f"torch.ops.aten.mm), got {target} which is of type {type(target)}"
                )
            if target in flop_registry:
                raise RuntimeError(f"duplicate registrations for {target}")
            flop_registry[target] = counted
        return counted

    return register


@register_flop_formula(aten.mm)
def mm_flop(a_shape: Shape, b_shape: Shape, *args: Any, out_shape: Any = None, **kwargs: Any) -> int:
    """Return the operations of a product of matrices: (m, k) and (k, n)."""
    return matrices(a_shape, b_shape)


@register_flop_formula(aten.addmm)
def addmm_flop(self_shape: Shape, a_shape: Shape, b_shape: Shape, out_shape: Any = None, **kwargs: Any) -> int:
    """Return the operations of a product of matrices that is added to another operand."""
    return matrices(a_shape, b_shape)


@register_flop_formula(aten.bmm)
def bmm_flop(a_shape: Shape, b_shape: Shape, out_shape: Any = None, **kwargs: Any) -> int:
    """Return the operations of products of matrices: (batch, m, k) and (batch, k, n)."""
    return matrices(a_shape, b_shape)


@register_flop_formula(aten.baddbmm)
def baddbmm_flop(self_shape: Shape, a_shape: Shape, b_shape: Shape, out_shape: Any = None, **kwargs: Any) -> int:
    """Return the operations of products of matrices that are added to another operand."""
    return matrices(a_shape, b_shape)


def conv_flop_count(x_shape: Shape, w_shape: Shape, out_shape: Shape, transposed: bool = False) -> int:
    """Return the operations of a convolution: the weight is applied at each place of the result (transposed: input).

    Args:
        x_shape: shape of the input, (batch, channels, *lengths).
        w_shape: shape of the weight, (output channels, channels / groups, *kernel).
        out_shape: shape of the result, (batch, output channels, *lengths).
    """
    return windows(x_shape[0], (x_shape if transposed else out_shape)[2:], w_shape)


@register_flop_formula(aten.convolution)
def conv_flop(
    x_shape: Shape,
    w_shape: Shape,
    _bias: Any,
    _stride: Any,
    _padding: Any,
    _dilation: Any,
    transposed: bool,
    *args: Any,
    out_shape: Any = None,
    **kwargs: Any,
) -> int:
    """Return the operations of a convolution."""
    return conv_flop_count(x_shape, w_shape, out_shape, transposed)


def sdpa_flop_count(query_shape: Shape, key_shape: Shape, value_shape: Shape) -> int:
    """Return the operations of attention, for formulas of programs: two matrix products for each head.

    Args:
        query_shape, key_shape, value_shape: (batch, heads, length, features); length and features may differ.
    """
    batch, heads, length, features = query_shape
    rows = batch * heads
    others = key_shape[-2]
    scores = matrices((rows, length, features), (rows, features, others))
    return scores + matrices((rows, length, others), (rows, others, value_shape[-1]))


@register_flop_formula(aten.convolution_backward, get_raw=True)
def conv_backward_flop(grad: Tensor, other: Tensor, *args: Any, part: str, out_val: Tensor, **kwargs: Any) -> int:
    """Return the operations of one gradient of a convolution, the `part`, each of which is a separate operator here.

    The gradient of the weight is a convolution of the input with the gradient, with batch and channels exchanged: its
    windows have the size of the gradient. The gradient of the input is a convolution of the gradient with the weight,
    which is applied at each place of the gradient, or for a transposed convolution of the result.
    """
    if part == "convolution_weight":
        batch, channels, *lengths = grad.shape
        return windows(other.shape[1], out_val.shape[2:], (channels, batch, *lengths))
    return conv_flop_count(grad.shape, other.shape, out_val.shape, transposed=part == "convolution_input")
