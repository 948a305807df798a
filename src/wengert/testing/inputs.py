"""Every floating-point input of a call asked for its derivative: it is right, or refused, but does not vanish.

An input is made to require a gradient, and made dual, alone. What then arrives is compared with central differences of
the values. Tensors of integers that an operator also takes as floating-point numbers are asked as such.
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
"""By which share of its size a derivative may differ from central differences."""

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
"""What says that a derivative is refused."""


class Asked:
    """One input of a call, asked for its derivative along a direction.

    Attributes:
        call, tensors, points, at: the call, its inputs, their values, and which of them is asked.
        way, cotangents: the direction, and the weights of the results.
    """

    def __init__(self, call: Call, tensors: list[Tensor], points: Arrays, at: int) -> None:
        random = np.random.default_rng(0)
        self.call, self.tensors, self.points, self.at = call, tensors, points, at
        self.way = random_like(random, points[at])
        self.cotangents = [random_like(random, each) for each in self.values(points[at])]

    def results(self, input: Tensor, varied: dict[int, Tensor] | None = None) -> list[Tensor]:
        """The floating-point results of the call with another tensor in the place of the input, and of some others."""
        reseed()
        given = {self.at: input, **(varied or {})}
        others = [given[at] if at in given else leaf(point) for at, point in enumerate(self.points)]
        made = exchange(self.call, self.tensors, others).outputs()
        return [each for each in made if each._array_.dtype.kind in "fc"]

    def values(self, point: Any) -> list[Any]:
        """The values of the results at a value of the input."""
        return [each._array_ for each in self.results(leaf(point))]

    def weighed(self, arrays: Sequence[Any], chosen: Sequence[int]) -> float:
        """The sum of arrays with the weights of some results."""
        return sum(inner(self.cotangents[nr], arrays[nr]) for nr in chosen if arrays[nr] is not None)

    def differences(self, chosen: Sequence[int]) -> tuple[float, float] | None:
        """The derivative by differences of some results, and its size; None if these say nothing: beside a kink, of
        values that are infinite or refused.
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
        found, other = self.weighed(fine, chosen), self.weighed(coarse, chosen)
        return (found, size) if abs(found - other) <= 10 * ROOM * (size + 1) else None


def check_inputs(call: Call) -> int:
    """Ask each input of a call whose tensors have double precision, in reverse and in forward mode, and under `vmap`.

    Returns:
        How many answers were compared with differences.

    Raises:
        Wrong: a derivative vanishes, or has another value.
    """
    tensors = list({id(each): each for each in call.tensors()}.values())
    floating = [each for each in tensors if each._array_.dtype.kind in "fc"]
    points = [np.array(each._array_) for each in floating]
    compared = 0
    for at in range(len(floating)):
        compared += check_input(Asked(call, floating, points, at))
    for each in tensors:
        if each._array_.dtype.kind in "iub":
            wide = [*points, each._array_.astype(np.float64)]
            try:
                asked = Asked(call, [*floating, each], wide, len(points))
            except (IndexError, NotImplementedError, RuntimeError, TypeError, ValueError):  # it takes integers only
                continue
            compared += check_input(asked)
    return compared


def check_gradients(call: Call) -> int:
    """Ask each input of a call whose tensors have double precision for the derivatives of the others' gradients.

    Returns:
        How many answers were compared with differences.

    Raises:
        Wrong: a derivative vanishes, or has another value.
    """
    tensors = list({id(each): each for each in call.tensors() if each._array_.dtype.kind in "fc"}.values())
    points = [np.array(each._array_) for each in tensors]
    if not call.smooth:
        return 0
    asked = [Asked(call, tensors, points, at) for at in range(len(tensors))]
    live = [each.at for each in asked if answer(lambda each=each: by_reverse(each, with_derivative(each))) is not None]  # type: ignore[misc]
    return sum([check_gradients_of(each, [at for at in live if at != each.at]) for each in asked])


def check_gradients_of(asked: Asked, others: Sequence[int]) -> bool:
    """Compare the tangents of the gradients of other inputs with differences.

    Raises:
        Wrong: they differ.
    """
    random = np.random.default_rng(1)
    weights = [random_like(random, asked.points[at]) for at in others]

    def gradients(input: Tensor) -> Any:
        varied = {at: leaf(np.array(asked.points[at]), requires_grad=True) for at in others}
        made = asked.results(input, varied)
        roots = [nr for nr, each in enumerate(made) if each.requires_grad]
        given = [leaf(asked.cotangents[nr]) for nr in roots]
        return passes.grad([made[nr] for nr in roots], list(varied.values()), given, None, False, True) if roots else ()

    def total(found: Any) -> float:
        return sum(inner(weight, each._array_) for weight, each in zip(weights, found) if each is not None)

    def tangents() -> float:
        with dual_level():
            found = gradients(make_dual(leaf(np.array(asked.points[asked.at])), leaf(asked.way)))
            return total([None if each is None else unpack_dual(each).tangent for each in found])

    found = answer(tangents) if others else None
    try:
        expected, coarse = (
            difference(lambda at: total(gradients(leaf(at))), asked.points[asked.at], asked.way, step)
            for step in (STEP, 2 * STEP)
        )
    except (ArithmeticError, LookupError, NotImplementedError, RuntimeError, ValueError):
        return False
    if found is None or not abs(expected - coarse) <= ROOM * (abs(expected) + 1):
        return False
    if not abs(found - expected) <= 10 * ROOM * (abs(expected) + 1):
        raise Wrong(
            f"{asked.call}: the tangent by input {asked.at} of the gradients of inputs {others} is {found:.9g}, "
            f"differences give {expected:.9g}"
        )
    return True


def difference(function: Callable[[Any], float], point: Any, way: Any, step: float) -> float:
    """The central difference of a function along a direction."""
    return (function(point + step * way) - function(point - step * way)) / (2 * step)


def check_input(asked: Asked) -> int:
    """Ask one input.

    Raises:
        Wrong: its derivative vanishes, or has another value.
    """
    chosen = with_derivative(asked)
    expected = asked.differences(chosen)
    if expected is None or not np.isfinite(expected[0]):
        return 0
    compared = 0
    for what, way in (("gradient", by_reverse), ("tangent", by_forward), ("tangent of a batch", by_batch)):
        found = answer(lambda way=way: way(asked, chosen))  # type: ignore[misc]
        if found is None:
            continue
        compared += 1
        if not abs(found - expected[0]) <= ROOM * (expected[1] + 1) + ABSOLUTE:
            raise Wrong(
                f"{asked.call}: the {what} of input {asked.at} is {found:.9g}, differences give {expected[0]:.9g}"
            )
    return compared


def with_derivative(asked: Asked) -> list[int]:
    """The results that have a derivative: those that require a gradient, or, if none does, all that may have one."""
    count = len(asked.cotangents)
    made = answer(lambda: asked.results(leaf(asked.points[asked.at], requires_grad=True)))
    live = [nr for nr in range(count) if made is not None and made[nr].requires_grad]
    card = asked.call.operator
    if live or not isinstance(card, Card) or not card.differentiable or asked.call.through is not None:
        return live or list(range(count))
    return [nr for nr in range(count) if card.differentiable[nr]]


def answer(ask: Callable[[], Any]) -> Any:
    """What is answered; None if a derivative is refused."""
    try:
        return ask()
    except (NotImplementedError, RuntimeError) as error:
        if not any(each in str(error) for each in REFUSALS):
            raise
        return None


def by_reverse(asked: Asked, chosen: Sequence[int]) -> float:
    """The derivative by the gradient."""
    input = leaf(np.array(asked.points[asked.at]), requires_grad=True)
    made = asked.results(input)
    roots = [nr for nr in chosen if made[nr].requires_grad]
    if not roots:
        return 0.0
    given = [leaf(asked.cotangents[nr]) for nr in roots]
    (grad,) = passes.grad([made[nr] for nr in roots], [input], given, None, False, True)
    return 0.0 if grad is None else inner(grad._array_, asked.way)


def by_forward(asked: Asked, chosen: Sequence[int]) -> float:
    """The derivative by the tangent."""
    with dual_level():
        made = asked.results(make_dual(leaf(np.array(asked.points[asked.at])), leaf(asked.way)))
        tangents = [unpack_dual(each).tangent for each in made]
        return asked.weighed([None if each is None else each._array_ for each in tangents], chosen)


def by_batch(asked: Asked, chosen: Sequence[int]) -> float | None:
    """The derivative by the first of two tangents in a batch; None if the call takes no batch."""
    point = leaf(asked.points[asked.at])
    ways = leaf(np.stack([asked.way, 2 * asked.way]))

    def along(way: Tensor) -> Any:
        return jvp(lambda input: tuple(asked.results(input)), (point,), (way,))[1]

    try:
        made = vmap(along, randomness="same")(ways)
    except RuntimeError as error:
        if "vmap" in str(error) or "batched" in str(error):
            return None
        raise
    return asked.weighed([each._array_[0] for each in made], chosen)
