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
    arrays_of,
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
"""Tolerance for values in double precision that are computed in two ways, by one kernel or step by step."""


def check_forward(call: Call, seed: int = 0) -> bool:
    """Check the tangents of a call whose tensors have double precision.

    Returns:
        Whether there was something to check.

    Raises:
        Wrong: if a value differs from that of the call without tangents; a tangent has another shape, dtype or layout
            than its tensor, or a wrong value.
    """
    random = np.random.default_rng(seed)
    inputs = call.differentiable()
    outputs = recorded(call)
    if not inputs or not outputs or not (finite(inputs) and finite(outputs)):
        return False
    cotangents = [random_like(random, output._array_) for output in outputs]
    grads = gradients(outputs, inputs, cotangents)
    along = [random_like(random, tensor._array_) for tensor in inputs]
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
    """Return the tangents of the results, zeros where there is none.

    Raises:
        Wrong: if a value is not as `expected`, or a tangent has another shape or dtype than its tensor.
    """
    reseed()
    tangents = []
    with dual_level():
        outputs = recorded(exchange(call, inputs, duals([tensor._array_ for tensor in inputs], along)))
        if len(outputs) != len(expected):
            raise Wrong(
                f"{call}: {len(outputs)} results require a gradient where inputs are dual, otherwise {len(expected)}"
            )
        for nr, (value, like) in enumerate(zip(outputs, expected)):
            primal, tangent = unpack_dual(value)
            if not np.allclose(primal._array_, like._array_, ROUNDING, ROUNDING, equal_nan=True):
                raise Wrong(f"{call}: result {nr} has another value where inputs are dual")
            tangents.append(np.zeros_like(like._array_) if tangent is None else tangent._array_)
            if tangent is not None:
                check_space(call, nr, tangent._array_, value)
    return tangents


def duals(points: Arrays, along: Sequence[Any], requires_grad: bool = True) -> list[Tensor]:
    """Return leaves at `points`, dual along their directions, if they have one."""
    leaves = [leaf(np.array(point), requires_grad=requires_grad) for point in points]
    return [value if way is None else make_dual(value, leaf(way)) for value, way in zip(leaves, along)]


def check_space(call: Call, nr: int, tangent: Any, result: Tensor) -> None:
    """Check that a tangent has the shape, dtype and strides of its tensor.

    Raises:
        Wrong: if shape, dtype or strides differ.
    """
    array = result._array_
    if tangent.shape != array.shape or tangent.dtype != array.dtype:
        raise Wrong(f"{call}: tangent {nr} is {tangent.dtype}{tangent.shape}, its tensor {array.dtype}{array.shape}")
    if array.size and any(a != b for a, b, n in zip(steps_of(tangent), steps_of(array), array.shape) if n > 1):
        raise Wrong(f"{call}: tangent {nr} has strides {steps_of(tangent)}, its tensor {steps_of(array)}")


def agree(call: Call, what: str, first: Arrays, second: Arrays, third: Arrays, fourth: Arrays) -> None:
    """Check that two sums of inner products are equal.

    Raises:
        Wrong: if they differ by more than rounding explains.
    """
    left = sum(inner(*pair) for pair in zip(first, second))
    right = sum(inner(*pair) for pair in zip(third, fourth))
    scale = sum(size_of(*pair) for pair in zip(first, second)) + sum(size_of(*pair) for pair in zip(third, fourth))
    if not abs(left - right) <= RELATIVE * scale + ABSOLUTE:
        raise Wrong(f"{call}: {what} gives {left:.9g}, the gradients give {right:.9g}")


def check_forward_second_order(call: Call, seed: int = 0) -> bool:
    """Check the tangents of gradients, and the gradients of tangents, of a call in double precision.

    Returns:
        Whether there was something to check.

    Raises:
        Wrong: if both differ, or differ from the second derivative of reverse mode over reverse mode.
    """
    random = np.random.default_rng(seed)
    inputs = call.differentiable()
    outputs = recorded(call)
    if not inputs or not outputs or not call.smooth or not (finite(inputs) and finite(outputs)):
        return False
    cotangents = [random_like(random, output._array_) for output in outputs]
    points = [tensor._array_ for tensor in inputs]
    along, weights = ([random_like(random, point) for point in points] for _ in range(2))
    over_reverse = tangents_of_gradients(call, inputs, points, along, cotangents)
    over_forward = gradients_of_tangents(call, inputs, points, weights, cotangents)
    twice = second_gradients(call, inputs, points, weights, cotangents)
    agree(call, "forward over reverse", weights, over_reverse, twice, along)
    agree(call, "reverse over forward", over_forward, along, twice, along)
    return True


def tangents_of_gradients(
    call: Call, inputs: list[Tensor], points: Arrays, along: Arrays, cotangents: Arrays
) -> list[Any]:
    """Forward over reverse: derivative of the gradients along a direction."""
    with dual_level():
        moved = duals(points, along)
        reseed()
        outputs = recorded(exchange(call, inputs, moved))
        grads = passes.grad(outputs, moved, [leaf(cotangent) for cotangent in cotangents], None, False, True)
        parts = [None if grad is None else unpack_dual(grad).tangent for grad in grads]
    return arrays_of(parts, points)


def gradients_of_tangents(
    call: Call, inputs: list[Tensor], points: Arrays, along: Arrays, cotangents: Arrays
) -> list[Any]:
    """Reverse over forward: gradient of the derivative along a direction."""
    with dual_level():
        leaves = [leaf(np.array(point), requires_grad=True) for point in points]
        moved = [make_dual(leaf_tensor, leaf(way)) for leaf_tensor, way in zip(leaves, along)]
        reseed()
        tangents = [unpack_dual(output).tangent for output in recorded(exchange(call, inputs, moved))]
    return differentiated(tangents, leaves, cotangents, points)


def second_gradients(
    call: Call, inputs: list[Tensor], points: Arrays, weights: Arrays, cotangents: Arrays
) -> list[Any]:
    """Reverse over reverse: gradient of the weighted gradients."""
    leaves = [leaf(np.array(point), requires_grad=True) for point in points]
    reseed()
    outputs = recorded(exchange(call, inputs, leaves))
    grads = passes.grad(outputs, leaves, [leaf(cotangent) for cotangent in cotangents], None, True, True)
    return differentiated(list(grads), leaves, weights, points)


def differentiated(tensors: Sequence[Any], leaves: list[Tensor], cotangents: Arrays, points: Arrays) -> list[Any]:
    """Return the gradients at the leaves, from the tensors that require one."""
    live = [at for at, value in enumerate(tensors) if value is not None and value.requires_grad]
    if not live:
        return [np.zeros_like(point) for point in points]
    roots, grads_of_roots = [tensors[at] for at in live], [leaf(cotangents[at]) for at in live]
    return arrays_of(passes.grad(roots, leaves, grads_of_roots, None, False, True), points)


def check_forward_in_place(call: Call, seed: int = 0) -> bool:
    """Check that the in-place form gives the target, and an earlier view of it, the tangent of the functional form.

    Each input is dual alone, and all of them together; so the target is dual or not.

    Returns:
        Whether there was something to check.

    Raises:
        Wrong: if a tangent differs, or an existing tangent of the target was not written to in place.
    """
    random = np.random.default_rng(seed)
    inputs = call.differentiable()
    along = [random_like(random, tensor._array_) for tensor in inputs]
    choices = [
        [way if nr in (at, at - len(inputs)) else None for nr, way in enumerate(along)] for at in range(len(inputs))
    ]
    for ways in [*choices, along]:
        with dual_level():
            moved = [
                leaf(np.array(tensor._array_)) if way is None else make_dual(leaf(np.array(tensor._array_)), leaf(way))
                for tensor, way in zip(inputs, ways)
            ]
            check_written(call, exchange(call, inputs, moved), exchange(call, inputs, list(moved)))
    return bool(inputs)


def check_written(call: Call, functional: Call, call_in_place: Call) -> None:
    """Compare the in-place form of a call on dual tensors with the functional one.

    Raises:
        Wrong: if the tangents differ.
    """
    reseed()
    wanted = functional.outputs()[0]
    expected = unpack_dual(wanted).tangent
    target = call_in_place.args[0].clone()
    view, held = target.view_as(target), unpack_dual(target).tangent
    reseed()
    getattr(target, call.operator.in_place.name)(*call_in_place.args[1:], **call_in_place.kwargs)
    tangent_of_target = unpack_dual(target).tangent
    for where, tangent in (
        ("target", tangent_of_target),
        ("view", tangent_of_target if call.operator.view else unpack_dual(view).tangent),
    ):
        expected_array, actual_array = (None if value is None else value._array_ for value in (expected, tangent))
        if expected_array is None or actual_array is None:
            if not all(value is None or not value.any() for value in (expected_array, actual_array)):
                raise Wrong(f"{call}: in place the {where} has the tangent {actual_array}, the result {expected_array}")
        elif not np.allclose(expected_array, actual_array, rtol=1e-12, atol=1e-12, equal_nan=True):
            raise Wrong(f"{call}: in place the {where} has the tangent {actual_array}, the result {expected_array}")
    if held is not None and tangent_of_target is not held and not call.operator.view:
        raise Wrong(f"{call}: the tangent of the target was replaced rather than written to")
