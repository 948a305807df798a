"""Derivatives checked against central differences along random directions.

One direction replaces the whole Jacobian: with J the derivative of f at x, g a cotangent and v a direction, reverse
mode must satisfy Re<g, J v> = sum of Re<vjp(g), v> (<a, b> = sum of conj(a) b), for real and complex inputs alike. A
wrong entry of J violates this with probability one. The second order is the same identity for the function
(x, g) -> vjp(g; x).

Source of the identity: the convention for complex gradients of torch's autograd notes (the conjugate Wirtinger
derivative).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._core.backward import passes
from .._core.tensor.base import Tensor
from .._core.types import dtypes
from .calls import Call, leaf
from .seeds import reseed

STEP = 1e-5
RELATIVE = 1e-6
ABSOLUTE = 1e-9

Arrays = Sequence[Any]


class Wrong(AssertionError):
    """A derivative, value or claim of an operator is wrong."""


def check_first_order(call: Call, directions: int = 2, seed: int = 0) -> bool:
    """Check the gradients of a call whose tensors have double precision.

    Args:
        directions: number of random directions.

    Returns:
        Whether there was something to check: an input and an output that require a gradient, all finite.

    Raises:
        Wrong: if a gradient has a wrong value, shape or dtype.
    """
    random = np.random.default_rng(seed)
    inputs = call.differentiable()
    outputs = recorded(call)
    if not inputs or not outputs:
        return False
    cotangents = [random_like(random, output._array_) for output in outputs]
    grads = gradients(outputs, inputs, cotangents)
    check_space(call, inputs, grads)
    if not comparable(call, outputs, inputs):
        return False
    points = [tensor._array_ for tensor in inputs]
    for _ in range(directions):
        along = [random_like(random, point) for point in points]
        compare(call, "gradient", cotangents, lambda at: evaluate(call, inputs, at), points, grads, along)
    return True


def check_second_order(call: Call, seed: int = 0) -> bool:
    """Check the gradients of the gradients of a call whose tensors have double precision.

    Returns:
        Whether there was something to check.

    Raises:
        Wrong: if a second derivative is wrong.
    """
    random = np.random.default_rng(seed)
    inputs = call.differentiable()
    if not inputs:
        return False
    outputs = recorded(call)
    if not outputs or not comparable(call, outputs, inputs):
        return False
    starts = [random_like(random, output._array_) for output in outputs]
    points = [*(tensor._array_ for tensor in inputs), *starts]

    def first(at: Arrays, create_graph: bool) -> tuple[list[Tensor], tuple[Any, ...]]:
        leaves = [leaf(array, requires_grad=True) for array in at]
        outputs_at = recorded(exchange(call, inputs, leaves[: len(inputs)]))
        grads_at = passes.grad(outputs_at, leaves[: len(inputs)], leaves[len(inputs) :], None, create_graph, True)
        return leaves, grads_at

    leaves, grads = first(points, True)
    positions = [at for at, grad in enumerate(grads) if grad is not None]
    weights = [random_like(random, grads[at]._array_) for at in positions]
    live = [at for at in range(len(positions)) if grads[positions[at]].requires_grad]
    second: list[Any] = [None] * len(leaves)
    if live:
        second = list(
            passes.grad(
                [grads[positions[at]] for at in live], leaves, [leaf(weights[at]) for at in live], None, False, True
            )
        )
    along = [random_like(random, point) for point in points]
    again = lambda at: [first(at, False)[1][i]._array_ for i in positions]  # noqa: E731
    compare(call, "second derivative", weights, again, points, arrays_of(second, points), along)
    return True


def recorded(call: Call) -> list[Tensor]:
    """Return the outputs of a call that require a gradient."""
    reseed()
    return [output for output in call.outputs() if output.requires_grad]


def gradients(outputs: list[Tensor], inputs: list[Tensor], cotangents: Arrays) -> list[Any]:
    """Return the gradients of the inputs as arrays; zeros where there is none."""
    grads = passes.grad(outputs, inputs, [leaf(cotangent) for cotangent in cotangents], None, False, True)
    return arrays_of(grads, [tensor._array_ for tensor in inputs])


def arrays_of(tensors: Sequence[Any], like: Arrays) -> list[Any]:
    """Return the arrays of tensors, zeros for None."""
    return [np.zeros_like(other) if tensor is None else tensor._array_ for tensor, other in zip(tensors, like)]


def exchange(call: Call, old: list[Tensor], new: list[Tensor]) -> Call:
    """Return the call with some of its tensors replaced."""
    places = {id(tensor): replacement for tensor, replacement in zip(old, new)}
    return call.exchanged(lambda tensor: places.get(id(tensor), tensor))


def evaluate(call: Call, inputs: list[Tensor], at: Arrays) -> list[Any]:
    """Return the values of the outputs that have a derivative, at other values of the inputs."""
    reseed()
    outputs = exchange(call, inputs, [leaf(array, requires_grad=True) for array in at]).outputs()
    return [value._array_ for value in outputs if value.requires_grad]


def central(function: Callable[[Arrays], list[Any]], at: Arrays, along: Arrays, step: float = STEP) -> list[Any]:
    """Return the directional derivative by central differences."""
    ahead = function([point + step * way for point, way in zip(at, along)])
    behind = function([point - step * way for point, way in zip(at, along)])
    return [(one - other) / (2 * step) for one, other in zip(ahead, behind)]


def refined(function: Callable[[Arrays], list[Any]], at: Arrays, along: Arrays) -> list[Any]:
    """Return central differences of two steps, extrapolated (Richardson) to an error of fourth order."""
    fine, coarse = (central(function, at, along, step) for step in (STEP, 2 * STEP))
    return [(4 * one - other) / 3 for one, other in zip(fine, coarse)]


def random_like(random: Any, array: Any) -> Any:
    """Return normal random numbers of the shape and dtype of an array."""
    values = random.standard_normal(array.shape)
    if array.dtype.kind == "c":
        values = values + 1j * random.standard_normal(array.shape)
    return np.asarray(values, array.dtype)


def inner(first: Any, second: Any) -> float:
    """Re<first, second>."""
    return float(np.real(np.vdot(first, second)))


def size_of(first: Any, second: Any) -> float:
    """Return the scale of rounding errors of the inner product."""
    return float(np.vdot(np.abs(first), np.abs(second)))


def as_function(call: Call) -> tuple[Callable[..., list[Tensor]], list[Tensor]]:
    """Return a call in the form for `gradcheck`: a function of the tensors that require a gradient, and these tensors.

    The list is empty if differences would be meaningless for the call.
    """
    inputs = call.differentiable()
    if not inputs or not comparable(call, recorded(call), inputs):
        inputs = []
    return lambda *at: recorded(exchange(call, inputs, list(at))), inputs


def finite(tensors: Sequence[Tensor]) -> bool:
    """Return whether no value is infinite or NaN."""
    return all(bool(np.isfinite(tensor._array_).all()) for tensor in tensors)


def comparable(call: Call, outputs: Sequence[Tensor], inputs: Sequence[Tensor]) -> bool:
    """Return whether differences are meaningful: no kink near, values finite, results in double precision."""
    wide = (dtypes.float64, dtypes.complex128)
    return call.smooth and finite(outputs) and finite(inputs) and all(output.dtype in wide for output in outputs)


def check_space(call: Call, inputs: list[Tensor], grads: Arrays) -> None:
    """Check that each gradient has the shape and dtype of its input.

    Raises:
        Wrong: if shape or dtype differ.
    """
    for at, (tensor, grad) in enumerate(zip(inputs, grads)):
        if grad.shape != tensor._array_.shape or grad.dtype != tensor._array_.dtype:
            raise Wrong(
                f"{call}: gradient {at} has shape {grad.shape} and dtype {grad.dtype}, its input "
                f"{tensor._array_.shape} and {tensor._array_.dtype}"
            )


def compare(
    call: Call,
    what: str,
    cotangents: Arrays,
    function: Callable[[Arrays], list[Any]],
    points: Arrays,
    grads: Arrays,
    along: Arrays,
) -> None:
    """Compare both sides of the identity; if they differ, again with finer differences, which poles need.

    Raises:
        Wrong: if they differ by more than rounding and the step size explain.
    """
    for differences in (central, refined):
        numeric, analytic, room = sides(cotangents, differences(function, points, along), grads, along)
        if abs(numeric - analytic) <= room:
            return
    parts = ", ".join(f"{inner(*pair):.9g}" for pair in zip(grads, along))
    raise Wrong(
        f"{call}: {what} along a random direction is {analytic:.9g} (by inputs: {parts}), central differences give "
        f"{numeric:.9g}; allowed difference {room:.2g}"
    )


def sides(cotangents: Arrays, difference: Arrays, grads: Arrays, along: Arrays) -> tuple[float, float, float]:
    """Return both sides of the identity, and the allowed difference."""
    numeric = sum(inner(*pair) for pair in zip(cotangents, difference))
    analytic = sum(inner(*pair) for pair in zip(grads, along))
    scale = sum(size_of(*pair) for pair in zip(cotangents, difference)) + sum(
        size_of(*pair) for pair in zip(grads, along)
    )
    room = RELATIVE * scale + ABSOLUTE * (1 + sum(float(np.abs(cotangent).sum()) for cotangent in cotangents))
    return numeric, analytic, room
