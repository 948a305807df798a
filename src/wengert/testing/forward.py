"""Forward mode checked against reverse mode, and both orders of the two against each other.

With J the derivative of f at x, v a direction and g a cotangent, Re<g, J v> = sum of Re<vjp(g), v>. Second order: the
tangent of vjp(g; x) along u, weighted by v, is the gradient of Re<g, J(x) v>, weighted by u. Reverse mode itself is
checked against differences (`differences`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._core.backward import passes
from .._core.operators.layouts import steps_of
from .._core.tensor.base import Tensor
from ..autograd.forward_ad import dual_level, make_dual, unpack_dual
from .calls import Call, leaf
from .differences import (
    ABSOLUTE,
    RELATIVE,
    Arrays,
    Wrong,
    exchange,
    finite,
    gradients,
    inner,
    random_like,
    recorded,
    size_of,
)
from .seeds import reseed

ROUNDING = 1e-13
"""How far a value in double precision may be from the same one computed otherwise: by one kernel, or step by step."""


def check_forward(call: Call, seed: int = 0) -> bool:
    """Check the tangents of a call whose tensors have double precision.

    Returns:
        Whether there was something to check.

    Raises:
        Wrong: a value differs from that of the call without tangents; a tangent has another shape, dtype or layout than
            its tensor, or a wrong value.
    """
    random = np.random.default_rng(seed)
    inputs = call.differentiable()
    outputs = recorded(call)
    if not inputs or not outputs or not (finite(inputs) and finite(outputs)):
        return False
    cotangents = [random_like(random, each._array_) for each in outputs]
    grads = gradients(outputs, inputs, cotangents)
    along = [random_like(random, each._array_) for each in inputs]
    total = tangents_along(call, inputs, along, outputs)
    if not call.smooth:
        return True
    for at in range(len(inputs)):
        alone = [way if at == nr else None for nr, way in enumerate(along)]
        agree(
            call,
            f"tangent by input {at}",
            cotangents,
            tangents_along(call, inputs, alone, outputs),
            [grads[at]],
            [along[at]],
        )
    agree(call, "tangent", cotangents, total, grads, along)
    return True


def tangents_along(call: Call, inputs: list[Tensor], along: Sequence[Any], expected: list[Tensor]) -> list[Any]:
    """The tangents of the results, zeros where there is none.

    Raises:
        Wrong: a value is not as `expected`, or a tangent has not the space of its tensor.
    """
    reseed()
    found = []
    with dual_level():
        made = recorded(exchange(call, inputs, duals([each._array_ for each in inputs], along)))
        if len(made) != len(expected):
            raise Wrong(
                f"{call}: {len(made)} results require a gradient where inputs are dual, otherwise {len(expected)}"
            )
        for nr, (each, like) in enumerate(zip(made, expected)):
            primal, tangent = unpack_dual(each)
            if not np.allclose(primal._array_, like._array_, ROUNDING, ROUNDING, equal_nan=True):
                raise Wrong(f"{call}: result {nr} has another value where inputs are dual")
            found.append(np.zeros_like(like._array_) if tangent is None else tangent._array_)
            if tangent is not None:
                check_space(call, nr, tangent._array_, each)
    return found


def duals(points: Arrays, along: Sequence[Any], requires_grad: bool = True) -> list[Tensor]:
    """Leaves at `points`, each made dual along its direction, if it has one."""
    made = [leaf(np.array(point), requires_grad=requires_grad) for point in points]
    return [each if way is None else make_dual(each, leaf(way)) for each, way in zip(made, along)]


def check_space(call: Call, nr: int, tangent: Any, result: Tensor) -> None:
    """A tangent lies in the space of its tensor, and in memory as that does.

    Raises:
        Wrong: it does not.
    """
    array = result._array_
    if tangent.shape != array.shape or tangent.dtype != array.dtype:
        raise Wrong(f"{call}: tangent {nr} is {tangent.dtype}{tangent.shape}, its tensor {array.dtype}{array.shape}")
    if array.size and any(a != b for a, b, n in zip(steps_of(tangent), steps_of(array), array.shape) if n > 1):
        raise Wrong(f"{call}: tangent {nr} has strides {steps_of(tangent)}, its tensor {steps_of(array)}")


def agree(call: Call, what: str, first: Arrays, second: Arrays, third: Arrays, fourth: Arrays) -> None:
    """Two sums of inner products are equal.

    Raises:
        Wrong: they differ by more than rounding explains.
    """
    one = sum(inner(*pair) for pair in zip(first, second))
    other = sum(inner(*pair) for pair in zip(third, fourth))
    scale = sum(size_of(*pair) for pair in zip(first, second)) + sum(size_of(*pair) for pair in zip(third, fourth))
    if not abs(one - other) <= RELATIVE * scale + ABSOLUTE:
        raise Wrong(f"{call}: {what} gives {one:.9g}, the gradients give {other:.9g}")


def check_forward_second_order(call: Call, seed: int = 0) -> bool:
    """Check the tangents of gradients, and the gradients of tangents, of a call in double precision.

    Returns:
        Whether there was something to check.

    Raises:
        Wrong: they are not the same second derivative, or not that of reverse mode over reverse mode.
    """
    random = np.random.default_rng(seed)
    inputs = call.differentiable()
    outputs = recorded(call)
    if not inputs or not outputs or not call.smooth or not (finite(inputs) and finite(outputs)):
        return False
    cotangents = [random_like(random, each._array_) for each in outputs]
    points = [each._array_ for each in inputs]
    along, weights = ([random_like(random, each) for each in points] for _ in range(2))
    over_reverse = tangents_of_gradients(call, inputs, points, along, cotangents)
    over_forward = gradients_of_tangents(call, inputs, points, weights, cotangents)
    twice = second_gradients(call, inputs, points, weights, cotangents)
    agree(call, "forward over reverse", weights, over_reverse, twice, along)
    agree(call, "reverse over forward", over_forward, along, twice, along)
    return True


def tangents_of_gradients(
    call: Call, inputs: list[Tensor], points: Arrays, along: Arrays, cotangents: Arrays
) -> list[Any]:
    """Forward over reverse: how the gradients change along a direction."""
    with dual_level():
        moved = duals(points, along)
        reseed()
        made = recorded(exchange(call, inputs, moved))
        grads = passes.grad(made, moved, [leaf(each) for each in cotangents], None, False, True)
        parts = [None if each is None else unpack_dual(each).tangent for each in grads]
    return arrays_or_zeros(parts, points)


def gradients_of_tangents(
    call: Call, inputs: list[Tensor], points: Arrays, along: Arrays, cotangents: Arrays
) -> list[Any]:
    """Reverse over forward: the gradient of the derivative along a direction."""
    with dual_level():
        leaves = [leaf(np.array(point), requires_grad=True) for point in points]
        moved = [make_dual(each, leaf(way)) for each, way in zip(leaves, along)]
        reseed()
        made = [unpack_dual(each).tangent for each in recorded(exchange(call, inputs, moved))]
    return differentiated(made, leaves, cotangents, points)


def second_gradients(
    call: Call, inputs: list[Tensor], points: Arrays, weights: Arrays, cotangents: Arrays
) -> list[Any]:
    """Reverse over reverse: the gradient of the weighted gradients."""
    leaves = [leaf(np.array(point), requires_grad=True) for point in points]
    reseed()
    made = recorded(exchange(call, inputs, leaves))
    grads = passes.grad(made, leaves, [leaf(each) for each in cotangents], None, True, True)
    return differentiated(list(grads), leaves, weights, points)


def differentiated(made: Sequence[Any], leaves: list[Tensor], cotangents: Arrays, points: Arrays) -> list[Any]:
    """The gradients at the leaves of those among `made` that require one."""
    live = [at for at, each in enumerate(made) if each is not None and each.requires_grad]
    if not live:
        return [np.zeros_like(each) for each in points]
    roots, given = [made[at] for at in live], [leaf(cotangents[at]) for at in live]
    return arrays_or_zeros(passes.grad(roots, leaves, given, None, False, True), points)


def arrays_or_zeros(tensors: Sequence[Any], like: Arrays) -> list[Any]:
    """The arrays of tensors, zeros for None."""
    return [np.zeros_like(other) if each is None else each._array_ for each, other in zip(tensors, like)]


def check_forward_in_place(call: Call, seed: int = 0) -> bool:
    """The in-place form gives the target, and a view of it that was taken before, the tangent of the functional form.

    Each input is made dual alone, and all of them; so the target is dual or not.

    Returns:
        Whether there was something to check.

    Raises:
        Wrong: a tangent differs, or one that the target had before was not written to in place.
    """
    random = np.random.default_rng(seed)
    inputs = call.differentiable()
    along = [random_like(random, each._array_) for each in inputs]
    choices = [
        [way if nr in (at, at - len(inputs)) else None for nr, way in enumerate(along)] for at in range(len(inputs))
    ]
    for ways in [*choices, along]:
        with dual_level():
            moved = [
                leaf(np.array(each._array_)) if way is None else make_dual(leaf(np.array(each._array_)), leaf(way))
                for each, way in zip(inputs, ways)
            ]
            check_written(call, exchange(call, inputs, moved), exchange(call, inputs, list(moved)))
    return bool(inputs)


def check_written(call: Call, functional: Call, given: Call) -> None:
    """Compare the in-place form of a call on dual tensors with the functional one.

    Raises:
        Wrong: they differ.
    """
    reseed()
    wanted = functional.outputs()[0]
    expected = unpack_dual(wanted).tangent
    target = given.args[0].clone()
    view, held = target.view_as(target), unpack_dual(target).tangent
    reseed()
    getattr(target, call.operator.in_place.name)(*given.args[1:], **given.kwargs)
    found = unpack_dual(target).tangent
    for where, tangent in (("target", found), ("view", found if call.operator.view else unpack_dual(view).tangent)):
        one, other = (None if each is None else each._array_ for each in (expected, tangent))
        if one is None or other is None:
            if not all(each is None or not each.any() for each in (one, other)):
                raise Wrong(f"{call}: in place the {where} has the tangent {other}, the result {one}")
        elif not np.allclose(one, other, rtol=1e-12, atol=1e-12, equal_nan=True):
            raise Wrong(f"{call}: in place the {where} has the tangent {other}, the result {one}")
    if held is not None and found is not held and not call.operator.view:
        raise Wrong(f"{call}: the tangent of the target was replaced rather than written to")
