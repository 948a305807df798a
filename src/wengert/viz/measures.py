"""Measurements added to a graph: norms of the gradients at its nodes, and times of a profile."""

import contextlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from wengert import Tensor

__all__ = ["array_of", "gradient_norms", "is_sparse", "name_of", "norm_of", "retaining_nothing", "times_of"]

_ENGINE = "autograd::engine::evaluate_function: "


def name_of(node: Any) -> str:
    """Return the name of a node without namespaces, even if a program sets such an attribute on its `ctx`."""
    return str(type(node).name(node)).rpartition("::")[2]


def norm_of(array: np.ndarray) -> float:
    """Return the Euclidean norm of all elements.

    Args:
        array: array of any shape, real or complex.
    """
    if array.dtype.kind not in "fc" or array.dtype.itemsize < 4:
        array = array.astype(np.float64)
    flat = array.ravel()
    with np.errstate(over="ignore", invalid="ignore"):
        square = float(np.vdot(flat, flat).real)
        if square == 0 or square == math.inf:  # only the squares may be too small or too large
            square = float(np.vdot(wide := flat.astype(np.result_type(flat, np.float64)), wide).real)
    return math.sqrt(square)


def is_sparse(tensor: "Tensor") -> bool:
    """Return whether only some elements of a tensor are stored, in one of the sparse layouts."""
    return str(tensor.layout) != "torch.strided"


def array_of(tensor: "Tensor") -> np.ndarray | None:
    """Return the elements of a tensor as an array: of a sparse one the stored ones, of bfloat16 as float32.

    Returns:
        The array, perhaps the tensor's own memory; None for a tensor on the device "meta".
    """
    if tensor.is_meta:
        return None
    tensor = tensor.detach()
    if is_sparse(tensor):
        tensor = tensor.coalesce().values() if tensor.is_sparse else tensor.values()
    if str(tensor.dtype) == "torch.bfloat16":
        tensor = tensor.float()
    return np.asarray(tensor.numpy(force=True))


@contextlib.contextmanager
def retaining_nothing(nodes: Iterable[Any]) -> Iterator[None]:
    """Let the tensors at `nodes` that keep their gradients (`retain_grad`) keep none in the block."""
    kept = [(node.node_hooks, dict(node.node_hooks.retain)) for node in nodes if getattr(node, "node_hooks", None)]
    try:
        for hooks, _ in kept:
            hooks.retain.clear()
        yield
    finally:
        for hooks, retained in kept:
            hooks.retain.update(retained)


def gradient_norms(loss: "Tensor", nodes: Mapping[int, Any]) -> dict[int, float]:
    """Return the norms of the gradients that arrive at nodes, from one backward pass that changes no `.grad`.

    Args:
        loss: start of the pass, with gradients of ones.
        nodes: nodes by their keys in the result.

    Returns:
        The norm over all outputs together, for each node that a gradient reached.

    Raises:
        RuntimeError: if the graph was freed by an earlier pass.
    """
    from wengert import autograd

    norms: dict[int, float] = {}
    handles = []
    leaves: dict[int, Tensor] = {}
    try:
        for key, node in nodes.items():
            if name_of(node) == "AccumulateGrad":
                leaves[key] = node.variable
            else:
                handles.append(type(node).register_prehook(node, _noting(norms, key)))
        if not leaves:  # no leaf requires the gradients of these nodes
            return {}
        with retaining_nothing(nodes.values()):
            grads = autograd.grad(
                loss, list(leaves.values()), loss.new_ones(loss.shape), retain_graph=True, allow_unused=True
            )
    finally:
        for handle in handles:
            handle.remove()
    for key, grad in zip(leaves, grads, strict=True):
        if grad is not None:
            norms[key] = _norm_of_all([grad])
    return norms


def _noting(norms: dict[int, float], key: int) -> Callable[[Sequence[Any]], None]:
    """Return a hook that records the norm of its gradients."""

    def note(grads: Sequence[Any]) -> None:
        norms[key] = _norm_of_all(grads)

    return note


def _norm_of_all(grads: Sequence[Any]) -> float:
    arrays = [array_of(grad) for grad in grads if grad is not None]
    return math.hypot(*(norm_of(array) for array in arrays if array is not None))


Times = dict[int, float]


def times_of(events: Iterable[Any], names: Mapping[int, str]) -> tuple[Times, Times, dict[int, str]]:
    """Return the times of nodes in a profile.

    Args:
        events: events with the attributes of torch's `FunctionEvent`.
        names: names of nodes by their sequence numbers, such as "MulBackward0".

    Returns:
        Three dictionaries by sequence number: the microseconds of the node's operator, those of its backward steps (all
        passes together), and the path of the user's ranges (`record_function`) around the operator.
    """
    forward: dict[int, tuple[tuple[bool, float], float, Any]] = {}
    backward: dict[int, float] = {}
    for event in events:
        number = getattr(event, "sequence_nr", -1)
        if number not in names:
            continue
        start, end = float(event.time_range.start), float(event.time_range.end)
        if event.name in (names[number], _ENGINE + names[number]):
            around = event.cpu_parent
            if around is None or around.name != _ENGINE + names[number]:  # else it is counted there
                backward[number] = backward.get(number, 0.0) + end - start
        elif not event.name.startswith(_ENGINE):
            # Outer operators, and those that record nothing, also have the number of the next node.
            rank = (_operator(event.name) == _operator(names[number]), start)
            if number not in forward or rank > forward[number][0]:
                forward[number] = rank, end - start, event
    times = {number: time for number, (_, time, _) in forward.items()}
    return times, backward, {number: _ranges_around(event) for number, (_, _, event) in forward.items()}


def _ranges_around(event: Any) -> str:
    """Return the names of the user's ranges around an event, outermost first."""
    names: list[str] = []
    around = event.cpu_parent
    while around is not None:
        if getattr(around, "is_user_annotation", False):
            names.append(around.name)
        around = around.cpu_parent
    return "/".join(reversed(names))


def _operator(name: str) -> str:
    """Return the common part of the names of an operator and its node: "mul" of `aten::mul_` and `MulBackward0`."""
    name = name.rpartition("::")[2].partition("Backward")[0]
    return name.replace("_", "").lower()
