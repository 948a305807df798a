"""History of gradients computed by formulas, for which torch has one operator of the gradient and the operands.

A recorded gradient depends on the operands as far as the graph is concerned, even if its values do not: that of a
bias is a sum of the gradient of the result, and yet has a second derivative by the weights, which is zero. It also
carries the name of torch's node. The formulas are behind that node.
"""

from __future__ import annotations

from typing import Any

from ..._core.cards.card import NUMBERS, Array, Sample, nodes, op
from ..._core.state.modes import current
from ..create.factory import refuse_dtype

NORMALISING = ("NativeBatchNormBackwardBackward0", "NativeLayerNormBackwardBackward0")
TITLES = ("ConvolutionBackwardBackward0", *NORMALISING, "GridSampler2DBackwardBackward0")


@op(
    layout="own",
    dtypes=NUMBERS,
    linear="grad",
    public="neither",
    node=nodes(*TITLES, by=lambda args: TITLES.index(args[1])),
)
def slope_with_history(grad: Array, title: str, first: Array = None, second: Array = None) -> Any:
    """Copy `grad`; as far as the graph is concerned, the copy depends on two operands, too."""
    refuse_dtype("slope_with_history", grad, NUMBERS)
    return grad.copy("K")


@slope_with_history.vjp("grad")
def slope_with_history_vjp_grad(grad_output: Any) -> Any:
    return grad_output


def nothing_of(grad_output: Any, title: str, shape: Any) -> Any:
    """Gradient of an operand: None for normalisations, as in torch's rules, zeros for others."""
    return None if title in NORMALISING else grad_output.new_zeros(shape)


@slope_with_history.vjp("first")
def slope_with_history_vjp_first(grad_output: Any, title: str, first_shape: Any) -> Any:
    return nothing_of(grad_output, title, first_shape)


@slope_with_history.vjp("second")
def slope_with_history_vjp_second(grad_output: Any, title: str, second_shape: Any) -> Any:
    return nothing_of(grad_output, title, second_shape)


@slope_with_history.jvp("first")
def slope_with_history_jvp_first(tangent: Any, grad: Any) -> Any:
    return grad.new_zeros(grad.shape)


@slope_with_history.jvp("second")
def slope_with_history_jvp_second(tangent: Any, grad: Any) -> Any:
    return grad.new_zeros(grad.shape)


@slope_with_history.batched
def slope_with_history_batched(grad: Any, title: str, first: Any, second: Any) -> Any:
    return slope_with_history.call((grad, title, first, second))


@slope_with_history.samples
def slope_with_history_samples(make: Any) -> Any:
    yield Sample(make(3), TITLES[0], make(2, 3), make(3))
    yield Sample(make(0, 2), TITLES[1])


def with_history(grad: Any, title: str, *operands: Any) -> Any:
    """Return a gradient; if recorded, one with the node `title`, which depends on up to two operands."""
    return grad if grad is None or not current().grad else slope_with_history(grad, title, *operands)
