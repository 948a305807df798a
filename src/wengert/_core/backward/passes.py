"""The entry points of reverse mode: `backward` and `grad`, with the checks of their arguments."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import door, errors, flags
from ..aliasing import views
from ..calls import batching
from ..graph.anomaly import warn_once
from ..graph.node import Edge, Node
from ..leaves import hooked
from ..leaves.accumulate import empty_for, gradient_edge
from ..state.modes import Modes, current
from ..tensor import tracing
from ..tensor.base import Tensor, wrap
from ..tensor.standins import plain
from ..types.dtypes import from_numpy
from ..types.sizes import Size
from .engine import new_sweep, run

IN_TRANSFORM = (
    "backward() called inside a functorch transform. This is not supported, please use functorch.grad or functorch.vjp "
    "instead or call backward() outside of functorch transforms."
)

ONES: dict[Any, Any] = {}
"""0-dim arrays of 1, by dtype."""


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Add the gradients of `tensors` to the `.grad` of the leaves that they depend on.

    Args:
        tensors: a tensor or a sequence of tensors (or gradient edges).
        grad_tensors: for each of `tensors` the gradient to start from, of the same shape; None means 1 for a scalar.
        retain_graph: keep the values that the graph saved, for another pass; by default the value of `create_graph`.
        create_graph: record this pass, for derivatives of higher order.
        inputs: only these (a tensor, a sequence or a dictionary) get a `.grad`; non-leaves among them too.

    Raises:
        RuntimeError: if nothing requires a gradient, a gradient is missing or of a wrong shape, the graph was freed,
            or a transform of a function is under way.
    """
    if current().transforms:
        raise RuntimeError(IN_TRANSFORM)
    keep = create_graph if retain_graph is None else retain_graph
    if create_graph:
        warn_once(errors.CREATE_GRAPH)
    wanted = () if inputs is None else inputs_of("backward", inputs)
    outputs = as_sequence(tensors)
    if run_followed(outputs, grad_tensors, wanted, keep or create_graph or inputs is not None, True) is not None:
        return
    begin_followed(outputs, wanted, create_graph)
    starts = starting_gradients(outputs, grad_outputs_of(grad_tensors, len(outputs)))
    roots, grads = start(outputs, starts, False)
    if inputs is None:
        run(new_sweep(keep, create_graph, None, True), roots, grads)
        return
    check_inputs(wanted)
    for entry in wanted:
        if isinstance(entry, Tensor) and not entry.requires_grad:
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    edges = [edge_of(entry) for entry in wanted]
    for entry in wanted:
        if isinstance(entry, Tensor) and entry._edge_ is not None:
            hooked.retain(entry)
    run(new_sweep(keep, create_graph, edges, True), roots, grads)


def are_usual(outputs: Any, inputs: Any) -> bool:
    """Return whether a pass is from tensors to tensors, alone or in a tuple or list, and nothing overrides it."""
    modes: Modes = current()
    return not modes.word & flags.OVERRIDDEN and is_usual(outputs) and is_usual(inputs)


def is_usual(value: Any) -> bool:
    """Run `are_usual` for the outputs or the inputs."""
    tensor: Tensor
    if isinstance(value, Tensor):
        tensor = value
        return not tensor._flags_ & flags.OVERRIDDEN
    if type(value) is not tuple and type(value) is not list:
        return False
    for entry in value:
        if not isinstance(entry, Tensor):
            return False
        tensor = entry
        if tensor._flags_ & flags.OVERRIDDEN:
            return False
    return True


def run_followed(
    outputs: tuple[Any, ...], grad_outputs: Any, wanted: Sequence[Any], lasting: bool, accumulating: bool
) -> Any:
    """Run a pass of a function that is followed without nodes, if that is possible.

    Args:
        lasting: the pass keeps the graph, or is recorded, or ends at given tensors with `accumulating`.

    Returns:
        A gradient for each of `wanted`; None if the pass has not begun.
    """
    tape: Any = current().tape
    if tape is None or lasting:
        return None
    return tape.follower.run_pass(tape, outputs, grad_outputs, wanted, accumulating)


def begin_followed(outputs: tuple[Any, ...], wanted: Sequence[Any], create_graph: bool) -> None:
    """Tell a function that is followed that a pass begins: calls on its tape have no nodes yet."""
    tape: Any = current().tape
    if tape is not None:
        tape.follower.begin_pass(tape, outputs, wanted, create_graph)


def inputs_of(function: str, inputs: Any) -> Sequence[Any]:
    """Return the inputs as a sequence: from a tensor or edge, several of them, or a dictionary of them.

    Raises:
        TypeError: if `inputs` is a mapping other than a dictionary.
        RuntimeError: if `inputs` is empty.
    """
    if not isinstance(inputs, (Tensor, tuple, list)) and isinstance(inputs, Mapping):
        if type(inputs) is not dict:
            raise TypeError(errors.inputs_no_dict(function, inputs))
        inputs = inputs.values()
    wanted = as_sequence(inputs)
    if not wanted:
        raise RuntimeError(f"`inputs` argument to `{function}()` cannot be empty.")
    return wanted


def check_inputs(inputs: Sequence[Any]) -> None:
    """Refuse inputs that cannot have a gradient.

    Raises:
        RuntimeError: if an input is neither a tensor nor a gradient edge.
    """
    for entry in inputs:
        if not isinstance(entry, Tensor) and not hasattr(entry, "node"):
            raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(entry).__name__}")


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    materialize_grads: bool = False,
) -> tuple[Any, ...]:
    """Compute the gradients of `outputs` with respect to `inputs`, leaving every `.grad` unchanged.

    Args:
        outputs, grad_outputs, retain_graph, create_graph: as in `backward`.
        inputs: a tensor, a sequence or a dictionary of tensors (or gradient edges).
        allow_unused: return None for inputs that the outputs do not depend on, rather than raise an error.
        materialize_grads: return zeros instead of None, and accept outputs without a history as constants.

    Returns:
        One gradient for each of `inputs`, of its shape.

    Raises:
        RuntimeError: if `backward` would raise it, or an input was not used in the graph.
        ValueError: if `allow_unused` is False and `materialize_grads` is True.
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    keep = create_graph if retain_graph is None else retain_graph
    all_outputs = as_sequence(outputs)
    wanted = inputs_of("grad", inputs)
    results = run_followed(all_outputs, grad_outputs, wanted, keep or create_graph, False)
    if results is not None:
        return tuple(results)
    begin_followed(all_outputs, wanted, create_graph)
    starts = starting_gradients(all_outputs, grad_outputs_of(grad_outputs, len(all_outputs)))
    roots, grads = start(all_outputs, starts, materialize_grads)
    edges = []
    check_inputs(wanted)
    for entry in wanted:
        if isinstance(entry, Tensor) and not entry.requires_grad:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
        edges.append(edge_of(entry))
    results = run(new_sweep(keep, create_graph, edges, False), roots, grads)
    if materialize_grads:
        return materialized(results, wanted, create_graph)
    if not allow_unused:
        for at, gradient in enumerate(results):
            if gradient is None:
                raise RuntimeError(errors.unused(at))
    return tuple(results)


def zeros_for(tensor: Tensor) -> Any:
    """Return zeros for a tensor whose gradient did not arrive."""
    if tensor._flags_ & flags.BATCHED:
        return batching.zeros(tensor)
    return wrap(empty_for(tensor, tensor._array_)).zero_()


def materialized(grads: Sequence[Any], wanted: Sequence[Any], create_graph: bool) -> tuple[Any, ...]:
    """Replace None among gradients by zeros, which require a gradient if the pass was recorded.

    Raises:
        RuntimeError: if nothing arrived at a gradient edge, whose tensor is not known.
    """
    for tensor, gradient in zip(wanted, grads):
        if gradient is None and not isinstance(tensor, Tensor):
            raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
    results: list[Any] = []
    for tensor, gradient in zip(wanted, grads):
        if gradient is None:
            gradient = zeros_for(tensor)
            gradient.requires_grad = create_graph
        results.append(gradient)
    return tuple(results)


def as_sequence(value: Any) -> tuple[Any, ...]:
    """Return one tensor or edge, or several, as a tuple."""
    if type(value) is tuple:
        return value
    if type(value) is list:
        return tuple(value)
    if isinstance(value, Tensor) or hasattr(value, "node"):
        return (value,)
    if not isinstance(value, Iterable):
        raise TypeError(f"expected a tensor or a sequence of tensors, but got {type(value).__name__}")
    return tuple(value)


def grad_outputs_of(value: Any, count: int) -> tuple[Any, ...]:
    """Return the starting gradients of `count` tensors as a tuple: from one, several, or None."""
    if value is None:
        return (None,) * count
    return (value,) if isinstance(value, Tensor) else tuple(value)


def edge_of(value: Any) -> Edge:
    """Return the edge of a tensor, or of a `GradientEdge` of the graph API."""
    if isinstance(value, Tensor):
        tensor: Tensor = value
        if tensor._flags_ & flags.VIEW:
            views.refresh(tensor)
        return gradient_edge(tensor)
    if isinstance(value, Edge):
        return value
    if not isinstance(value.node, Node):
        raise TypeError(f"the node of a GradientEdge must be a Node, not {type(value.node).__name__}")
    shape, dtype = value.node.own_notes().spaces.get(value.output_nr, (None, None))
    return Edge(value.node, value.output_nr, shape, dtype)


def starting_gradients(tensors: tuple[Any, ...], grad_outputs: tuple[Any, ...]) -> list[Any]:
    """Check the gradients that a pass starts from; return one for each tensor, None for a tensor without a history.

    Raises:
        AssertionError: if an element of `tensors` is neither a tensor nor a gradient edge.
        RuntimeError: if there are fewer gradients than tensors, or a gradient does not fit, see `grad_output_of`.
    """
    grads: list[Any] = []
    for at in range(min(len(tensors), len(grad_outputs))):
        grads.append(starting_gradient(at, tensors[at], grad_outputs[at]))
    if len(grads) < len(tensors):
        raise RuntimeError(f"got {len(tensors)} tensors and {len(grads)} gradients")
    return grads


def starting_gradient(at: int, tensor: Any, grad_output: Any) -> Any:
    """Run `starting_gradients` for output number `at`."""
    if isinstance(tensor, Tensor):
        known: Tensor = tensor
        if grad_output is None and known._flags_ & (flags.SPARSE | flags.OBSERVED):
            grad_output = unit_of(known)
        fits: bool = not known.requires_grad if grad_output is None else is_like(grad_output, known)
        if fits:
            return grad_output
        return grad_output_of(at, door.shape_of(known._array_), door.dtype_of(known._array_), grad_output)
    if hasattr(tensor, "node"):
        edge = edge_of(tensor)
        if edge.shape is None and grad_output is None:
            raise RuntimeError(errors.UNKNOWN_EDGE)
        return grad_output if edge.shape is None else grad_output_of(at, edge.shape, edge.dtype, grad_output)
    raise AssertionError(f"Expected output to be a torch.Tensor or a GradientEdge, but got {type(tensor).__name__}")


def unit_of(tensor: Tensor) -> Any:
    """Return the gradient to start from for a tensor whose values are not in its array; None for any other tensor."""
    return None if door.is_ndarray(tensor._array_) else tensor._array_.unit(tensor)


def start(tensors: tuple[Any, ...], grad_outputs: list[Any], constants: bool) -> tuple[list[Edge], list[Any]]:
    """Return the roots of a pass and the gradients that they start from.

    Args:
        constants: leave out tensors without a history rather than refuse them.

    Raises:
        RuntimeError: if a tensor does not require a gradient.
    """
    roots: list[Edge] = []
    grads: list[Any] = []
    for at in range(len(tensors)):
        tensor: Any = tensors[at]
        grad_output: Any = grad_outputs[at]
        if isinstance(tensor, Tensor) and not tensor.requires_grad:
            if constants:
                continue
            raise without_history(at, tensor)
        roots.append(edge_of(tensor))
        if grad_output is not None and is_postponed(grad_output):
            grad_output = plain(grad_output)
        grads.append(grad_output)
    return roots, grads


def is_postponed(grad_output: Tensor) -> bool:
    """Return whether a gradient's elements are conjugated or negated when they are read."""
    return grad_output._flags_ & flags.POSTPONED != 0


def is_like(grad_output: Any, tensor: Tensor) -> bool:
    """Return whether a gradient has the shape and the dtype of its output (the usual case)."""
    if not isinstance(grad_output, Tensor):
        return False
    typed: Tensor = grad_output
    return door.share_space(typed._array_, tensor._array_)


def without_history(at: int, tensor: Tensor) -> RuntimeError:
    """Return the error for output number `at` without a history, with a note where it was cut off."""
    error = RuntimeError(errors.no_history(at, tensor._flags_ & flags.VOLATILE != 0))
    known = tracing.cut_text(tensor)
    if known:
        error.add_note(known)
    return error


def grad_output_of(at: int, shape: tuple[int, ...], dtype: Any, grad_output: Any) -> Tensor:
    """Check and return the gradient to start from for output number `at`; 1 for a real scalar if it is None.

    Raises:
        RuntimeError: if there is none and the output is not a real scalar, or it does not fit, see `check_grad_output`.
    """
    if grad_output is not None:
        check_grad_output(at, shape, dtype, grad_output)
        return grad_output
    if shape and math.prod(shape) != 1:
        raise RuntimeError(errors.GRAD_NOT_SCALAR)
    if dtype.kind == "c":
        raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {from_numpy(dtype)}")
    return wrap(np.ones(shape, dtype) if shape else one(dtype))


def one(dtype: Any) -> Any:
    """Return a new 0-dim array of 1: a copy, which takes less than conversion of the number."""
    array: Any = ONES.get(dtype)
    if array is None:
        array = ONES[dtype] = np.array(1, dtype)
    return array.copy()


def check_grad_output(at: int, shape: tuple[int, ...], dtype: Any, grad_output: Any) -> None:
    """Refuse a gradient that does not fit its output.

    Raises:
        TypeError: if the gradient is not a tensor.
        RuntimeError: if its shape differs, or one is complex and the other real.
    """
    if not isinstance(grad_output, Tensor):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(grad_output).__name__}")
    if grad_output._array_.shape != shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{at}] has a shape of {Size(grad_output._array_.shape)} and output[{at}] "
            f"has a shape of {Size(shape)}."
        )
    if (grad_output._array_.dtype.kind == "c") != (dtype.kind == "c"):
        raise RuntimeError(
            "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: "
            f"grad_output[{at}] has a dtype of {from_numpy(grad_output._array_.dtype)} and output[{at}] has a dtype of "
            f"{from_numpy(dtype)}."
        )
