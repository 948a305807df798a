"""Custom Functions within `vmap`: run by their own `vmap` on all members of a batch."""

from __future__ import annotations

from typing import Any, NamedTuple

from .._core.calls.batching import depends, left, levels_among
from .._core.functions import function_errors as errors
from .._core.state.modes import current
from .._core.tensor.base import Tensor
from .._core.tensor.slots import OPERATORS
from .containers import flatten, spread, unflatten


class VmapInfo(NamedTuple):
    """Description of the batch, passed to `vmap` of a Function."""

    batch_size: int
    randomness: str


def run(function: Any, args: tuple[Any, ...]) -> Any:
    """Run a Function for the newest batch of its arguments, by its `vmap`.

    Raises:
        RuntimeError: if `vmap` does not return a pair of outputs and their dimensions.
    """
    elements, structure = flatten(args)
    level = levels_among(elements)[-1]
    carried = [isinstance(element, Tensor) and depends(element, level) for element in elements]
    inner = [left(element, level, 0) if on else element for element, on in zip(elements, carried)]
    in_dims = unflatten([0 if on else None for on in carried], structure)
    modes = current()
    before = modes.batches
    modes.batch([value for value in before if value is not level])
    try:
        returned = function.vmap(VmapInfo(level.size, level.randomness), in_dims, *unflatten(inner, structure))
    finally:
        modes.batch(before)
    if not isinstance(returned, tuple) or len(returned) != 2:
        raise RuntimeError(errors.vmap_returned(returned))
    outputs, output_structure = flatten(returned[0])
    out_dims = spread(returned[1], output_structure)
    if out_dims is None:
        raise RuntimeError(errors.vmap_dims(returned[1], flatten(returned[1])[1], output_structure))
    arguments = {id(inside): outside for inside, outside in zip(inner, elements) if isinstance(inside, Tensor)}
    entered = [
        arguments[id(output)]
        if id(output) in arguments  # a returned argument is the original again, whatever `out_dims` says
        else OPERATORS.enter_batch.call((output, level, dim % output.ndim))
        if dim is not None and isinstance(output, Tensor)
        else output
        for output, dim in zip(outputs, out_dims)
    ]
    return unflatten(entered, output_structure)
