"""Custom Functions backward: the node of one call, which is also its `ctx`."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

try:
    import cython
except ImportError:
    from .. import plain as cython

from .. import collected, door, errors, flags
from ..backward.arrivals import project
from ..graph.node import Edge, Node, expandable, new_edge
from ..graph.refused import ErrorNode, new_refusal
from ..leaves.accumulate import gradient_edge
from ..recording.saved import Saved, SavedInput, SavedOutput, SavedPacked, is_as_saved
from ..recording.saved_tensor import raw
from ..state.modes import Modes, current
from ..tensor.base import Tensor, share, wrap
from . import function_errors


@cython.cclass
class FunctionNode(Node):
    """Context of one call of a custom Function (`ctx`), and its node in the graph.

    Unlike other nodes it is tracked by the cycle collector: a program may assign any attributes. The fields have names
    that programs are unlikely to use for attributes of their own.

    Attributes:
        edge_numbers: for each argument the number of its edge, -1 for an argument that is not a tensor.
        output_spaces: for each output its shape and NumPy dtype, None for an output that is not a tensor.
        output_recorded: for each output whether it has a place in the graph.
        kept_tensors: the saved tensors, None once they were freed.
        kept_origins: for each saved tensor a weak reference to the input that it is, or None; None if all are None.
        kept_given: they were read by a Function that clears them on access.
        needs_input_grad: for each argument whether it is a tensor that requires a gradient.
        materialize_grads: pass zeros to `backward` for outputs without a gradient, rather than None.
        to_save, saved_for_forward, dirty_tensors, non_differentiable: the arguments of the methods of `ctx`.
    """

    edge_numbers: list[int]
    output_spaces: list[Any]
    output_recorded: list[bool]
    kept_tensors: tuple[Any, ...]
    kept_origins: tuple[Any, ...]
    kept_given: bool
    needs_input_grad: Any
    materialize_grads: bool
    _materialize_non_diff_grads: bool
    to_save: Any
    saved_for_forward: Any
    dirty_tensors: Any
    non_differentiable: Any

    __slots__ = (
        "_materialize_non_diff_grads",
        "dirty_tensors",
        "edge_numbers",
        "kept_given",
        "kept_origins",
        "kept_tensors",
        "materialize_grads",
        "needs_input_grad",
        "non_differentiable",
        "output_recorded",
        "output_spaces",
        "saved_for_forward",
        "to_save",
    )

    # For type checkers only: attributes of the class of nodes of a Function. The compiler drops the block.
    if not cython.compiled:
        if TYPE_CHECKING:
            _forward_cls: Any

            def _get_user_fn(self) -> Any: ...

            def _argument_names(self) -> list[str]: ...

    def allows_larger(self) -> bool:
        return True

    def records(self, nr: int) -> bool:
        return self.output_recorded[nr]

    def takes_nothing(self) -> bool:
        return True

    def release(self) -> None:
        self.kept_tensors = None
        self.kept_origins = None

    @property
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        """Tensors that `save_for_backward` has saved, checked against later writes.

        Raises:
            RuntimeError: if they were freed by an earlier backward pass, or written to since.
        """
        if self.saved_for_forward is not None:  # while `jvp` runs
            return self.saved_for_forward
        if self.kept_given:
            raise RuntimeError(function_errors.SAVED_READ_TWICE)
        if self.kept_tensors is None:
            raise RuntimeError(errors.BACKWARD_TWICE)
        tensors = unpack_all(self, self.kept_tensors)
        if self._forward_cls.clear_saved_tensors_on_access:
            self.kept_given = True
            self.kept_tensors = ()
        return tensors

    @property
    def saved_variables(self) -> tuple[Tensor | None, ...]:
        """Same as `saved_tensors`; the name in the first generation of the API."""
        warnings.warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=2)
        return self.saved_tensors

    @property
    def _raw_saved_tensors(self) -> tuple[Any, ...]:
        if self.kept_tensors is None:
            raise RuntimeError(errors.BACKWARD_TWICE)
        return tuple([raw(self, "kept_tensors", at) for at in range(len(self.kept_tensors))])

    def maybe_clear_saved_tensors(self) -> None:
        """Do nothing; for compatibility. Saved tensors are freed right after `backward` has run."""

    def apply(self, grads: list[Any]) -> Any:
        arguments: list[Any] = materialized(self, grads)
        backward = self._get_user_fn()
        if self._forward_cls.boxed_grads_call:
            return outgoing(self, backward(self, arguments))
        return outgoing(self, backward(self, *arguments))


collected.show_node(FunctionNode, SavedInput, SavedPacked)

SHOWN_EDGE = collected.shown_edge(Edge)
"""The class of the edges that lead to such nodes: cycles through what a program puts on `ctx` are found."""


def function_edge(node: FunctionNode, nr: int, out: Tensor) -> Edge:
    """The edge of output `nr`."""
    edge: Edge = door.new(SHOWN_EDGE)
    edge.node = node
    edge.nr = nr
    edge.shape = door.shape_of(out._array_)
    edge.dtype = door.dtype_of(out._array_)
    edge.leaf = None
    return edge


def materialized(node: FunctionNode, grads: list[Any]) -> list[Any]:
    """Return the gradients of the outputs, with zeros for those that did not arrive."""
    result: list[Any] = list(grads)
    if node.materialize_grads:
        for nr in range(len(result)):
            space = node.output_spaces[nr]
            if result[nr] is None and space is not None:
                if node.output_recorded[nr] or node._materialize_non_diff_grads:
                    result[nr] = wrap(np.zeros(space[0], space[1]))
    return result


def outgoing(node: FunctionNode, result: Any) -> list[Any]:
    """Return the result of `backward` as one gradient for each edge.

    Raises:
        RuntimeError: if `backward` did not return a gradient or None for each input, or one does not fit.
    """
    name: str = type(node).__name__
    results: tuple[Any, ...] = result if isinstance(result, tuple) else (result,)
    numbers: list[int] = node.edge_numbers
    wanted: int = len(numbers)
    for value in results:
        if value is not None and not isinstance(value, Tensor):
            raise RuntimeError(function_errors.no_gradient(name, value))
    if len(results) != wanted:
        if len(results) < wanted or not is_nothing(results, wanted):
            text = errors.wrong_count(name, len(results), wanted)
            raise RuntimeError(function_errors.of_arguments(text, node._argument_names()))
    grads: list[Any] = [None] * len(node.next_edges)
    for at in range(wanted):
        grad = results[at]
        if grad is not None:
            number: int = numbers[at]
            if number < 0:
                text = function_errors.gradient_of_no_tensor(name, at + 1)
                raise RuntimeError(function_errors.of_argument(text, node._argument_names(), at))
            edge: Edge = node.next_edges[number]
            if edge is not None:
                check_space(node, grad, edge, number, at)
            grads[number] = grad  # hooks of the node see it even where nothing flows on
    return grads


def unpack_all(node: FunctionNode, kept: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the saved tensors: inputs as the same objects, if they are alive and unchanged."""
    tensors: list[Any] = []
    modes: Modes = current()
    grad: bool = modes.grad
    mask: int = modes.mask
    saved: Saved
    for at in range(len(kept)):
        if kept[at] is None:
            tensors.append(None)
            continue
        saved = kept[at]
        origin: Any = living(node, saved, at)
        if origin is not None:
            tensors.append(origin)
            continue
        # Outputs come with their node, as those of other nodes do only where recording is on.
        try:
            modes.set_grad(grad or isinstance(saved, SavedOutput))
            tensors.append(saved.unpack(node))
        finally:  # stores only, see `modes`
            modes.grad = grad
            modes.mask = mask
    return tuple(tensors)


def living(node: FunctionNode, saved: Saved, at: int) -> Any:
    """Return the input that was saved as number `at`, if it is alive and unchanged; None otherwise."""
    if node.kept_origins is None or node.kept_origins[at] is None or not isinstance(saved, SavedInput):
        return None
    saved_input: SavedInput = saved
    origin: Any = door.referent(node.kept_origins[at])
    return origin if origin is not None and is_as_saved(origin, saved_input) else None


def is_nothing(results: tuple[Any, ...], start: int) -> bool:
    """Return whether all results from `start` on are None."""
    for at in range(start, len(results)):
        if results[at] is not None:
            return False
    return True


def check_space(node: FunctionNode, grad: Tensor, edge: Edge, number: int, at: int) -> None:
    """Refuse a gradient that the engine cannot reduce to the shape and dtype of its tensor by a sum and a cast.

    Args:
        number: the number of the edge.
        at: the position of the argument.
    """
    array: Any = grad._array_
    if edge.shape is None or door.in_space(array, edge.shape, edge.dtype):
        return
    name = type(node).__name__
    text = ""
    if array.shape != edge.shape and not expandable(edge.shape, array.shape):
        text = errors.bad_gradient(name, number, array.shape, edge.shape)
    elif edge.dtype is not None and array.dtype.kind == "c" and edge.dtype.kind != "c":
        text = function_errors.complex_gradient(name, number)
    if text:
        raise RuntimeError(function_errors.of_argument(text, node._argument_names(), at))


@cython.no_gc
@cython.cclass
class ViewWrite(Node):
    """Call of a custom Function that wrote to a view, in the form that `CopySlices` needs: the view comes first.

    Attributes:
        inner: the node of the call.
        number: which of its edges is the view's, -1 if none is.
    """

    inner: FunctionNode
    number: int

    __slots__ = ("inner", "number")

    def allows_larger(self) -> bool:
        return True

    def release(self) -> None:
        self.inner.release()

    def apply(self, grads: list[Any]) -> Any:
        outgoing: list[Any] = self.inner.apply(grads)
        number: int = self.number
        if number >= 0 and outgoing[number] is not None:
            edge: Edge = self.inner.next_edges[number]
            outgoing[number] = None if edge is None else project(outgoing[number], edge, self, number)
        return in_front(outgoing, self.number)


def in_front(entries: list[Any], number: int) -> list[Any]:
    """A list with one entry moved to its front, or None put there if `number` is -1."""
    if number < 0:
        return [None, *entries]
    return [entries[number], *entries[:number], *entries[number + 1 :]]


def refuse_derivative(tensors: tuple[Any, ...], sources: list[Any], text: str) -> tuple[Any, ...]:
    """Return tensors on the same memory that depend on `sources`, by a step that has no derivative.

    Args:
        tensors: tensors, and anything else, which is left as it is.
        text: the text of the error that is raised when their gradients are computed.
    """
    edges = tuple([gradient_edge(source) for source in sources])
    node: ErrorNode = new_refusal("torch::autograd::Error", text, edges, len(tensors))
    results: list[Any] = []
    tensor: Tensor
    for value in tensors:
        if isinstance(value, Tensor):
            tensor = value
            value = share(tensor._array_, tensor._storage_)
            tensor = value
            if door.is_inexact(tensor._array_):
                tensor._edge_ = new_edge(
                    node, len(results), door.shape_of(tensor._array_), door.dtype_of(tensor._array_)
                )
                tensor._flags_ |= flags.REQUIRES_GRAD
        results.append(value)
    return tuple(results)
