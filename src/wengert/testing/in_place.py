"""In-place forms compared with the functional ones, and in-place calls that must be refused."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.backward import passes
from .._core.tensor.base import Tensor
from .._core.types import dtypes
from .calls import Call, leaf
from .differences import Wrong, random_like
from .seeds import reseed
from .values import check_close, largest


def target_of(call: Call) -> Tensor | None:
    """Return the first argument, if it is a tensor."""
    return call.args[0] if call.args and isinstance(call.args[0], Tensor) else None


def fits_in_place(call: Call) -> bool:
    """Return whether the result of a call has the shape of its first argument (not for views), and a suitable dtype."""
    target = target_of(call)
    if target is None:
        return False
    if call.operator.view:
        return True
    reseed()
    result = call.run()
    return result.shape == target.shape and dtypes.can_cast(result.dtype, target.dtype)


def run_in_place(call: Call, target: Tensor) -> Any:
    """Apply the in-place form to `target`."""
    reseed()
    return getattr(target, call.operator.in_place.name)(*call.args[1:], **call.kwargs)


def check_in_place(call: Call) -> None:
    """Check the in-place form against the functional one: value, gradient, one version, same object, new node.

    Raises:
        Wrong: if it differs in one of these.
    """
    source = target_of(call)
    assert source is not None
    inputs = call.differentiable()
    reseed()
    functional = call.run()
    wanted = derivative_of(functional, inputs)
    target = source.clone()
    version, node = target._version, target.grad_fn
    returned = run_in_place(call, target)
    if returned is not target:
        raise Wrong(f"{call.operator.in_place.name} returned another object than the one it wrote to")
    if target._version != version + 1:
        raise Wrong(f"{call.operator.in_place.name} counted {target._version - version} writes instead of one")
    if inputs and functional.requires_grad and target.grad_fn is node:
        raise Wrong(f"{call.operator.in_place.name} left the history as it was")
    stored = functional._array_.astype(target._array_.dtype)
    check_close(call, target._array_, stored, largest(call))
    for actual, expected in zip(derivative_of(target, inputs), wanted):
        check_close(call, actual, expected, 1.0)


def derivative_of(result: Tensor, inputs: list[Tensor]) -> list[Any]:
    """Return the gradients of a result at a fixed cotangent, zeros where there are none."""
    if not inputs:
        return []
    if not result.requires_grad:
        return [np.zeros_like(tensor._array_) for tensor in inputs]
    cotangent = leaf(random_like(np.random.default_rng(0), result._array_))
    grads = passes.grad([result], inputs, [cotangent], None, False, True)
    return [
        np.zeros_like(tensor_in._array_) if value is None else value._array_ for tensor_in, value in zip(inputs, grads)
    ]


def check_refused_in_place(call: Call, raises: type[Exception] | tuple[type[Exception], ...] = RuntimeError) -> str:
    """Check that an in-place call is refused, and leaves data, version and history unchanged.

    Returns:
        The message of the error.

    Raises:
        Wrong: if the call is not refused, or changed the target.
    """
    source = target_of(call)
    assert source is not None
    target = source.clone()
    values, version, node = target._array_.copy(), target._version, target.grad_fn
    array = target._array_
    try:
        run_in_place(call, target)
    except raises as error:
        text = str(error)
    else:
        raise Wrong(f"{call} in place was not refused")
    untouched = target._array_ is array and np.array_equal(array, values, equal_nan=values.dtype.kind in "fc")
    if not untouched or target._version != version or target.grad_fn is not node:
        raise Wrong(f"{call} in place was refused, but data, version or history have changed")
    return text


def check_out(call: Call) -> None:
    """Check that a call with `out=` writes to the given tensor and returns it.

    Raises:
        Wrong: if another object is returned, the write is not counted once, or the result requires a gradient.
    """
    reseed()
    wanted = call.run()
    out = leaf(np.zeros(wanted._array_.shape, wanted._array_.dtype))
    reseed()
    returned = Call(call.operator, call.args, {**call.kwargs, "out": out}, through=call.through).run()
    if returned is not out:
        raise Wrong(f"{call} with out= returned another object")
    check_close(call, out._array_, wanted._array_, largest(call))
    if out._version != 1 or out.requires_grad:
        raise Wrong(f"{call} with out= counted {out._version} writes, requires_grad {out.requires_grad}")
