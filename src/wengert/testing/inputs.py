"""Checks of the derivative with respect to every floating-point input: it is correct or refused, but does not vanish.

One input at a time requires a gradient, or is dual. The derivative is compared with central differences of the values.
Tensors of integers are converted to floating-point numbers if the operator accepts that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._core.backward import passes
from .._core.cards.card import Card
from .._core.tensor.base import Tensor
from ..autograd.forward_ad import dual_level, make_dual, unpack_dual
from ..func import jvp, vmap
from .calls import Call, leaf
from .differences import ABSOLUTE, STEP, Arrays, Wrong, central, exchange, inner, random_like, size_of
from .seeds import reseed

ROOM = 1e-5
"""Relative tolerance of derivatives against central differences."""

DRAW = "a draw: by definition its gradient is not that of the number drawn"
ROUNDED = "its rounding counts as the identity, as in torch"
PADDED = "rows of the table that `padding_idx` names get no gradient, as in torch"
OTHERWISE = {
    **{
        f"fake_quantize_per_{kind}_affine{end}": ROUNDED for kind in ("tensor", "channel") for end in ("", "_cachemask")
    },
    **dict.fromkeys(("normal", "normal_about", "_standard_gamma", "_sample_dirichlet"), DRAW),
    **dict.fromkeys(("embedding", "embedding_bag", "embedding_lookup"), PADDED),
    "detach_copy": "it leaves the graph, as its name says",
    "view_dtype": "the bytes are read as other numbers",
}
"""Operators whose gradient is by definition something else than the derivative, and why."""

REFUSALS = ("derivative", "not differentiable", "forward AD")
"""Texts of errors that refuse a derivative."""


class Query:
    """One input of a call, whose derivative along a direction is computed.

    Attributes:
        call, tensors, points, at: the call, its inputs, their values, and the index of the input.
        way, cotangents: the direction, and the weights of the results.
    """

    def __init__(self, call: Call, tensors: list[Tensor], points: Arrays, at: int) -> None:
        random = np.random.default_rng(0)
        self.call, self.tensors, self.points, self.at = call, tensors, points, at
        self.way = random_like(random, points[at])
        self.cotangents = [random_like(random, array) for array in self.values(points[at])]

    def results(self, input: Tensor, varied: dict[int, Tensor] | None = None) -> list[Tensor]:
        """Return the floating-point results of the call with other tensors for the input and some others."""
        reseed()
        tensors = {self.at: input, **(varied or {})}
        others = [tensors[at] if at in tensors else leaf(point) for at, point in enumerate(self.points)]
        outputs = exchange(self.call, self.tensors, others).outputs()
        return [value for value in outputs if value._array_.dtype.kind in "fc"]

    def values(self, point: Any) -> list[Any]:
        """Return the values of the results at a value of the input."""
        return [result._array_ for result in self.results(leaf(point))]

    def weighed(self, arrays: Sequence[Any], chosen: Sequence[int]) -> float:
        """Return the sum of arrays with the weights of some results."""
        return sum(inner(self.cotangents[nr], arrays[nr]) for nr in chosen if arrays[nr] is not None)

    def differences(self, chosen: Sequence[int]) -> tuple[float, float] | None:
        """Return the derivative of some results by differences, and its scale; None if these are meaningless: near a
        kink, or for values that are infinite or refused.
        """
        try:
            with np.errstate(all="ignore"):
                fine, coarse = (
                    central(lambda at: self.values(at[0]), [self.points[self.at]], [self.way], step)
                    for step in (STEP, 2 * STEP)
                )
        except (ArithmeticError, IndexError, LookupError, RuntimeError, TypeError, ValueError):
            return None
        size = sum(size_of(self.cotangents[nr], fine[nr]) for nr in chosen)
        fine_sum, coarse_sum = self.weighed(fine, chosen), self.weighed(coarse, chosen)
        return (fine_sum, size) if abs(fine_sum - coarse_sum) <= 10 * ROOM * (size + 1) else None


def check_inputs(call: Call) -> int:
    """Check each input of a call whose tensors have double precision, in reverse and forward mode, and under `vmap`.

    Returns:
        The number of derivatives compared with differences.

    Raises:
        Wrong: if a derivative vanishes, or has another value.
    """
    tensors = list({id(tensor): tensor for tensor in call.tensors()}.values())
    floating = [tensor for tensor in tensors if tensor._array_.dtype.kind in "fc"]
    points = [np.array(tensor._array_) for tensor in floating]
    compared = 0
    for at in range(len(floating)):
        compared += check_input(Query(call, floating, points, at))
    for tensor in tensors:
        if tensor._array_.dtype.kind in "iub":
            wide = [*points, tensor._array_.astype(np.float64)]
            try:
                query = Query(call, [*floating, tensor], wide, len(points))
            except (IndexError, NotImplementedError, RuntimeError, TypeError, ValueError):  # it takes integers only
                continue
            compared += check_input(query)
    return compared


def check_gradients(call: Call) -> int:
    """Check the derivatives of gradients of other inputs with respect to each input of a call in double precision.

    Returns:
        The number of derivatives compared with differences.

    Raises:
        Wrong: if a derivative vanishes, or has another value.
    """
    tensors = list({id(tensor): tensor for tensor in call.tensors() if tensor._array_.dtype.kind in "fc"}.values())
    points = [np.array(tensor._array_) for tensor in tensors]
    if not call.smooth:
        return 0
    queries = [Query(call, tensors, points, at) for at in range(len(tensors))]
    live = [
        query.at
        for query in queries
        if answer(lambda query=query: by_reverse(query, with_derivative(query))) is not None  # type: ignore[misc]
    ]
    return sum([check_gradients_of(query, [at for at in live if at != query.at]) for query in queries])


def check_gradients_of(query: Query, others: Sequence[int]) -> bool:
    """Compare the tangents of the gradients of other inputs with differences.

    Raises:
        Wrong: if they differ.
    """
    random = np.random.default_rng(1)
    weights = [random_like(random, query.points[at]) for at in others]

    def gradients(input: Tensor) -> Any:
        varied = {at: leaf(np.array(query.points[at]), requires_grad=True) for at in others}
        outputs = query.results(input, varied)
        roots = [nr for nr, value in enumerate(outputs) if value.requires_grad]
        grads = [leaf(query.cotangents[nr]) for nr in roots]
        return (
            passes.grad([outputs[nr] for nr in roots], list(varied.values()), grads, None, False, True) if roots else ()
        )

    def total(arrays: Any) -> float:
        return sum(inner(weight, value._array_) for weight, value in zip(weights, arrays) if value is not None)

    def tangents() -> float:
        with dual_level():
            grads = gradients(make_dual(leaf(np.array(query.points[query.at])), leaf(query.way)))
            return total([None if value is None else unpack_dual(value).tangent for value in grads])

    tangent = answer(tangents) if others else None
    try:
        expected, coarse = (
            difference(lambda at: total(gradients(leaf(at))), query.points[query.at], query.way, step)
            for step in (STEP, 2 * STEP)
        )
    except (ArithmeticError, LookupError, NotImplementedError, RuntimeError, ValueError):
        return False
    if tangent is None or not abs(expected - coarse) <= ROOM * (abs(expected) + 1):
        return False
    if not abs(tangent - expected) <= 10 * ROOM * (abs(expected) + 1):
        raise Wrong(
            f"{query.call}: the tangent by input {query.at} of the gradients of inputs {others} is {tangent:.9g}, "
            f"differences give {expected:.9g}"
        )
    return True


def difference(function: Callable[[Any], float], point: Any, way: Any, step: float) -> float:
    """Return the central difference of a function along a direction."""
    return (function(point + step * way) - function(point - step * way)) / (2 * step)


def check_input(query: Query) -> int:
    """Check the derivatives with respect to one input.

    Raises:
        Wrong: if its derivative vanishes, or has another value.
    """
    chosen = with_derivative(query)
    expected = query.differences(chosen)
    if expected is None or not np.isfinite(expected[0]):
        return 0
    compared = 0
    for what, way in (("gradient", by_reverse), ("tangent", by_forward), ("tangent of a batch", by_batch)):
        derivative = answer(lambda way=way: way(query, chosen))  # type: ignore[misc]
        if derivative is None:
            continue
        compared += 1
        if not abs(derivative - expected[0]) <= ROOM * (expected[1] + 1) + ABSOLUTE:
            raise Wrong(
                f"{query.call}: the {what} of input {query.at} is {derivative:.9g}, differences give {expected[0]:.9g}"
            )
    return compared


def with_derivative(query: Query) -> list[int]:
    """Return the indices of results with a derivative: those that require a gradient, or else all that may have one."""
    count = len(query.cotangents)
    outputs = answer(lambda: query.results(leaf(query.points[query.at], requires_grad=True)))
    live = [nr for nr in range(count) if outputs is not None and outputs[nr].requires_grad]
    card = query.call.operator
    if live or not isinstance(card, Card) or not card.differentiable or query.call.through is not None:
        return live or list(range(count))
    return [nr for nr in range(count) if card.differentiable[nr]]


def answer(ask: Callable[[], Any]) -> Any:
    """Return the result of a function; None if a derivative is refused."""
    try:
        return ask()
    except (NotImplementedError, RuntimeError) as error:
        if not any(refusal in str(error) for refusal in REFUSALS):
            raise
        return None


def by_reverse(query: Query, chosen: Sequence[int]) -> float:
    """Return the derivative by reverse mode."""
    input = leaf(np.array(query.points[query.at]), requires_grad=True)
    outputs = query.results(input)
    roots = [nr for nr in chosen if outputs[nr].requires_grad]
    if not roots:
        return 0.0
    grads = [leaf(query.cotangents[nr]) for nr in roots]
    (grad,) = passes.grad([outputs[nr] for nr in roots], [input], grads, None, False, True)
    return 0.0 if grad is None else inner(grad._array_, query.way)


def by_forward(query: Query, chosen: Sequence[int]) -> float:
    """Return the derivative by forward mode."""
    with dual_level():
        outputs = query.results(make_dual(leaf(np.array(query.points[query.at])), leaf(query.way)))
        tangents = [unpack_dual(value).tangent for value in outputs]
        return query.weighed([None if tangent is None else tangent._array_ for tangent in tangents], chosen)


def by_batch(query: Query, chosen: Sequence[int]) -> float | None:
    """Return the derivative by the first of two tangents in a batch; None if the call does not support batches."""
    point = leaf(query.points[query.at])
    ways = leaf(np.stack([query.way, 2 * query.way]))

    def along(way: Tensor) -> Any:
        return jvp(lambda input: tuple(query.results(input)), (point,), (way,))[1]

    try:
        outputs = vmap(along, randomness="same")(ways)
    except RuntimeError as error:
        if "vmap" in str(error) or "batched" in str(error):
            return None
        raise
    return query.weighed([value._array_[0] for value in outputs], chosen)
