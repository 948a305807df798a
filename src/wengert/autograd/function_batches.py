"""Custom Functions within `vmap`: by their own `vmap`, given all members of a batch."""

from __future__ import annotations

from typing import Any, NamedTuple

from .._core.calls.batching import depends, left, levels_among
from .._core.functions import function_errors as errors
from .._core.state.modes import current
from .._core.tensor.base import Tensor
from .._core.tensor.slots import OPERATORS
from .containers import flatten, spread, unflatten


class VmapInfo(NamedTuple):
    """What `vmap` of a Function is told of the batch."""

    batch_size: int
    randomness: str


def run(function: Any, args: tuple[Any, ...]) -> Any:
    """Run a Function for the newest batch of its arguments, by its `vmap`.

    Raises:
        RuntimeError: what that returns is no pair of outputs and their dimensions.
    """
    elements, structure = flatten(args)
    level = levels_among(elements)[-1]
    carried = [isinstance(each, Tensor) and depends(each, level) for each in elements]
    given = [left(each, level, 0) if on else each for each, on in zip(elements, carried)]
    in_dims = unflatten([0 if on else None for on in carried], structure)
    modes = current()
    before = modes.batches
    modes.batch([each for each in before if each is not level])
    try:
        made = function.vmap(VmapInfo(level.size, level.randomness), in_dims, *unflatten(given, structure))
    finally:
        modes.batch(before)
    if not isinstance(made, tuple) or len(made) != 2:
        raise RuntimeError(errors.vmap_returned(made))
    outputs, made_structure = flatten(made[0])
    out_dims = spread(made[1], made_structure)
    if out_dims is None:
        raise RuntimeError(errors.vmap_dims(made[1], flatten(made[1])[1], made_structure))
    arguments = {id(inside): outside for inside, outside in zip(given, elements) if isinstance(inside, Tensor)}
    entered = [
        arguments[id(each)]
        if id(each) in arguments  # an argument that is given back is itself again, whatever its dimension is said to be
        else OPERATORS.enter_batch.call((each, level, dim % each.ndim))
        if dim is not None and isinstance(each, Tensor)
        else each
        for each, dim in zip(outputs, out_dims)
    ]
    return unflatten(entered, made_structure)
