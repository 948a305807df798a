"""Checks of shared memory of views, tangents and gradients, and of saved tensors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._core.backward import passes
from .._core.cards.card import Card, Composite
from .._core.state.grad_mode import no_grad
from .._core.tensor.base import Tensor
from ..autograd.forward_ad import dual_level, unpack_dual
from .calls import Call, leaf, tensors_in
from .differences import Wrong, exchange, gradients, random_like, recorded
from .forward import duals
from .seeds import reseed

UNSEEN = ("_unsafe_view", "unsafe_split", "unsafe_split_with_sizes", "unsafe_chunk")
"""Operators that may share memory without being declared views."""


def check_sharing(call: Call) -> None:
    """Check that views share memory and version counter with their input, and that other results share no memory.

    Raises:
        Wrong: if a view is a copy, or a result aliases an input behind the counter's back.
    """
    inputs = call.tensors()
    operator = call.operator
    for result in call.outputs():
        if any(result is tensor for tensor in inputs):
            continue
        shared = [tensor for tensor in inputs if np.shares_memory(result._array_, tensor._array_)]
        if isinstance(operator, Card) and operator.view and result._array_.size and inputs[0] not in Identical(shared):
            raise Wrong(f"{call} is declared a view, but its result does not share the memory of its input")
        if isinstance(operator, Card) and not operator.view and shared and operator.name not in UNSEEN:
            raise Wrong(f"{call} is not declared a view, but its result shares the memory of an input")
        if operator.name in UNSEEN:
            continue
        if isinstance(operator, Composite) and any(tensor._storage_ is not result._storage_ for tensor in shared):
            raise Wrong(f"{call}: the result shares memory with an input, but not its version counter")


class Identical:
    """Membership by identity: `==` of tensors compares elements."""

    def __init__(self, members: Sequence[object]) -> None:
        self._ids = {id(member) for member in members}

    def __contains__(self, one: object) -> bool:
        return id(one) in self._ids


def saved_names(node: object) -> list[str]:
    """Return the names of a node's saved fields."""
    return [name for name in dir(type(node)) if name.startswith("_saved_")]


def check_saved(call: Call) -> int:
    """Check that saved fields can be read before the backward pass, and saved tensors not after it.

    Returns:
        The number of saved values read.

    Raises:
        Wrong: if a saved tensor can be read after the pass.
    """
    reseed()
    results = recorded(call)
    if not results:
        return 0
    node = results[0].grad_fn
    names = saved_names(node)
    values = [getattr(node, name) for name in names]
    names_of_tensors = [name for name, value in zip(names, values) if any(True for _ in tensors_in(value))]
    random = np.random.default_rng(0)
    passes.backward([results[0]], [leaf(random_like(random, results[0]._array_))])
    for name in names_of_tensors:
        try:
            getattr(node, name)
        except RuntimeError as error:
            if "after they have already been freed" not in str(error):
                raise Wrong(f"{call}: reading {name} after the pass says: {error}") from error
        else:
            raise Wrong(f"{call}: {name} can still be read after the pass has freed what it saved")
    return len(names)


# ---- tangents and gradients ------------------------------------------------------------------------------------------


def overlapping(array: object, others: Sequence[object]) -> bool:
    """Return whether an array shares memory with one of several."""
    return any(np.may_share_memory(array, other) for other in others)


def check_tangent_memory(call: Call) -> int:
    """Check that the tangent of a result has its own memory, unless the result shares the memory of an input.

    Returns:
        The number of tangents checked.

    Raises:
        Wrong: if a tangent shares memory with an input, with a tangent of an input, or with another result or its
            tangent.
    """
    random = np.random.default_rng(0)
    inputs = call.differentiable()
    points = [tensor._array_ for tensor in inputs]
    ways = [random_like(random, point) for point in points]
    checked = 0
    with dual_level():
        moved = duals(points, ways, requires_grad=False)
        reseed()
        dual_call = exchange(call, inputs, moved)
        tangents = [unpack_dual(tensor).tangent for tensor in moved]
        taken = [tensor._array_ for tensor in (*dual_call.tensors(), *tangents) if tensor is not None]
        for result in dual_call.outputs():
            tangent = unpack_dual(result).tangent
            if overlapping(result._array_, taken[: len(dual_call.tensors())]):  # a view, or the input itself
                continue
            if tangent is not None:
                checked += 1
                if overlapping(tangent._array_, [*taken, result._array_]):
                    raise Wrong(f"{call}: the tangent of a result shares memory with an input, a tangent or a result")
                taken.append(tangent._array_)
            taken.append(result._array_)
    return checked


def check_gradient_memory(call: Call) -> int:
    """Check that gradients of leaves have their own memory.

    Returns:
        The number of gradients checked.

    Raises:
        Wrong: if a gradient shares memory with an input, a result, a gradient of a result, or another gradient.
    """
    random = np.random.default_rng(0)
    inputs = call.differentiable()
    outputs = recorded(call)
    if not inputs or not outputs:
        return 0
    cotangents = [leaf(random_like(random, output._array_)) for output in outputs]
    passes.backward(outputs, cotangents)
    taken = [tensor._array_ for tensor in (*call.tensors(), *outputs, *cotangents)]
    grads = [tensor.grad for tensor in inputs if tensor.grad is not None]
    for grad in grads:
        if overlapping(grad._array_, taken):
            raise Wrong(f"{call}: a gradient shares memory with an input, a result, or another gradient")
        taken.append(grad._array_)
    return len(grads)


NOTICED = ("modified by an inplace operation", "has been modified inplace")
"""Texts of the errors of a backward pass after a write to a saved tensor, or to one of several views."""


def check_writes_between(call: Call) -> int:
    """Check that a write between the call and the backward pass is detected, or does not change the gradients.

    Each tensor among the arguments and the results is written to in turn.

    Returns:
        The number of writes tried.

    Raises:
        Wrong: if the backward pass computed other gradients after a write, without an error.
    """
    random = np.random.default_rng(0)
    inputs = call.differentiable()
    outputs = recorded(call)
    if not inputs or not outputs:
        return 0
    cotangents = [random_like(random, output._array_) for output in outputs]
    expected = gradients(outputs, inputs, cotangents)
    tried = 0
    for at in range(len(call.tensors()) + len(outputs)):
        copies = {id(tensor): tensor.clone() for tensor in call.tensors()}
        again = call.exchanged(lambda tensor, copies=copies: copies[id(tensor)])  # type: ignore[misc]
        results = recorded(again)
        written = [*again.tensors(), *results][at]
        if any(result._storage_ is written._storage_ for result in results) and written not in Identical(results):
            continue  # the results are views of it, so their values have changed
        with no_grad():
            if not change(written):
                continue
        tried += 1
        try:
            grads = gradients(results, inputs, cotangents)
        except RuntimeError as error:
            if not any(words in str(error) for words in NOTICED):
                raise
            continue
        for grad, expected_grad in zip(grads, expected):
            if not np.allclose(grad, expected_grad, 1e-12, 1e-12, equal_nan=True):
                raise Wrong(f"{call}: a write to tensor {at} before the backward pass changed a gradient")
    return tried


def change(tensor: Tensor) -> bool:
    """Write other values into a tensor; return False if it cannot be written to."""
    try:
        if tensor._array_.dtype.kind in "fc":
            tensor.add_(1.5)
        else:
            tensor.zero_()
    except RuntimeError:
        return False
    return True
