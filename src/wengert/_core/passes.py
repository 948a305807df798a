"""The entry points of reverse mode: `backward` and `grad`, with the checks of their arguments."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import engine, errors, flags, hooked, views
from .accumulate import gradient_edge
from .base import Tensor, wrap
from .dtypes import from_numpy
from .node import Edge
from .sizes import Size


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
        grad_tensors: for each the cotangent that it starts from, of its shape; None stands for 1 for scalars.
        retain_graph: keep what the graph saved, so that it can be used again; `create_graph` unless given.
        create_graph: record this pass, for derivatives of higher order.
        inputs: only these get a `.grad`; non-leaves among them too.

    Raises:
        RuntimeError: nothing requires a gradient, a cotangent is missing or of a wrong shape, or the graph was freed.
    """
    keep = create_graph if retain_graph is None else retain_graph
    if create_graph:
        warnings.warn(errors.CREATE_GRAPH, stacklevel=3)
    roots, grads = start(as_sequence(tensors), cotangents(grad_tensors, as_sequence(tensors)), create_graph)
    if inputs is None:
        engine.run(roots, grads, keep, create_graph, None, True)
        return
    wanted = as_sequence(inputs)
    if not wanted:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    check_inputs(wanted)
    for each in wanted:
        if isinstance(each, Tensor) and not each.requires_grad:
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    edges = [edge_of(each) for each in wanted]
    for each in wanted:
        if isinstance(each, Tensor) and each._edge_ is not None:
            hooked.retain(each)
    engine.run(roots, grads, keep, create_graph, edges, True)


def check_inputs(inputs: Sequence[Any]) -> None:
    """Refuse what no gradient can be asked for.

    Raises:
        RuntimeError: something is neither a tensor nor a gradient edge.
    """
    for each in inputs:
        if not isinstance(each, Tensor) and not hasattr(each, "node"):
            raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(each).__name__}")


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    materialize_grads: bool = False,
) -> tuple[Any, ...]:
    """The gradients of `outputs` with respect to `inputs`, leaving every `.grad` as it is.

    Args:
        outputs, grad_outputs, retain_graph, create_graph: as in `backward`.
        inputs: a tensor or a sequence of tensors (or gradient edges).
        allow_unused: give None for inputs that the outputs do not depend on, rather than an error.
        materialize_grads: give zeros instead of None.

    Returns:
        One gradient for each input.

    Raises:
        RuntimeError: as `backward`; or an input was not used in the graph.
        ValueError: `allow_unused=False` together with `materialize_grads`.
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    keep = create_graph if retain_graph is None else retain_graph
    wanted = as_sequence(inputs)
    if not wanted:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    roots, grads = start(as_sequence(outputs), cotangents(grad_outputs, as_sequence(outputs)), create_graph)
    edges = []
    check_inputs(wanted)
    for each in wanted:
        if isinstance(each, Tensor) and not each.requires_grad:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
        edges.append(edge_of(each))
    found = engine.run(roots, grads, keep, create_graph, edges, False)
    for at, (tensor, gradient) in enumerate(zip(wanted, found)):
        if gradient is None and materialize_grads:
            if not isinstance(tensor, Tensor):
                raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
            found[at] = wrap(np.zeros(tensor._array_.shape, tensor._array_.dtype))
        elif gradient is None and not allow_unused:
            raise RuntimeError(
                f"The differentiated Tensor at index {at} appears to not have been used in the graph. Set "
                "allow_unused=True if this is the desired behavior."
            )
    return tuple(found)


def as_sequence(value: Any) -> Sequence[Any]:
    """One tensor or edge, or several, as a sequence."""
    if isinstance(value, Tensor) or hasattr(value, "node"):
        return (value,)
    return tuple(value)


def cotangents(value: Any, tensors: Sequence[Any]) -> Sequence[Any]:
    """What was given as cotangents, one (or None) for each tensor.

    Raises:
        RuntimeError: their number differs from that of the tensors.
    """
    if value is None:
        return (None,) * len(tensors)
    given = (value,) if isinstance(value, Tensor) else tuple(value)
    if len(given) != len(tensors):
        raise RuntimeError(f"got {len(tensors)} tensors and {len(given)} gradients")
    return given


def edge_of(each: Any) -> Edge:
    """The edge of a tensor, or of a `GradientEdge` of the graph API."""
    if isinstance(each, Edge):
        return each
    if not isinstance(each, Tensor):
        shape, dtype = each.node.own_notes().spaces.get(each.output_nr, (None, None))
        return Edge(each.node, each.output_nr, shape, dtype)
    if each._flags_ & flags.VIEW:
        views.refresh(each)
    return gradient_edge(each)


def start(tensors: Sequence[Any], given: Sequence[Any], create_graph: bool) -> tuple[list[Edge], list[Any]]:
    """The roots of a pass and their cotangents, checked.

    Raises:
        AssertionError: one is neither tensor nor gradient edge.
        RuntimeError: see `backward`.
    """
    roots: list[Edge] = []
    grads: list[Any] = []
    for at, (tensor, cotangent) in enumerate(zip(tensors, given)):
        if not isinstance(tensor, Tensor):
            if not hasattr(tensor, "node"):
                raise AssertionError(
                    f"Expected output to be a torch.Tensor or a GradientEdge, but got {type(tensor).__name__}"
                )
            edge = edge_of(tensor)
            if edge.shape is None and cotangent is None:
                raise RuntimeError(errors.UNKNOWN_EDGE)
            roots.append(edge)
            grads.append(cotangent if edge.shape is None else cotangent_of(at, edge.shape, edge.dtype, cotangent))
            continue
        if cotangent is not None or tensor.requires_grad:
            cotangent = cotangent_of(at, tensor._array_.shape, tensor._array_.dtype, cotangent)
        if not tensor.requires_grad:
            raise RuntimeError(errors.no_history(at, tensor._flags_ & flags.VOLATILE != 0))
        roots.append(edge_of(tensor))
        grads.append(cotangent)
    return roots, grads


def cotangent_of(at: int, shape: tuple[int, ...], dtype: Any, cotangent: Any) -> Tensor:
    """The cotangent that was given for output number `at`, checked; 1 for a real scalar if there was none.

    Raises:
        RuntimeError: there was none, and the output is no real scalar; or see `check_cotangent`.
    """
    if cotangent is not None:
        check_cotangent(at, shape, dtype, cotangent)
        return cotangent
    if math.prod(shape) != 1:
        raise RuntimeError(errors.GRAD_NOT_SCALAR)
    if dtype.kind == "c":
        raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {from_numpy(dtype)}")
    return wrap(np.ones(shape, dtype))


def check_cotangent(at: int, shape: tuple[int, ...], dtype: Any, cotangent: Any) -> None:
    """Refuse a cotangent that does not fit its output.

    Raises:
        TypeError: it is no tensor.
        RuntimeError: its shape differs, or one is complex and the other real.
    """
    if not isinstance(cotangent, Tensor):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(cotangent).__name__}")
    if cotangent._array_.shape != shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{at}] has a shape of {Size(cotangent._array_.shape)} and output[{at}] has "
            f"a shape of {Size(shape)}."
        )
    if (cotangent._array_.dtype.kind == "c") != (dtype.kind == "c"):
        raise RuntimeError(
            "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: "
            f"grad_output[{at}] has a dtype of {from_numpy(cotangent._array_.dtype)} and output[{at}] has a dtype of "
            f"{from_numpy(dtype)}."
        )
