"""Hooks on the backward pass of a module: around the whole module, and the older kind on its last operation."""

from __future__ import annotations

import threading
import warnings
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..._tensor import Tensor
from ...autograd import Function, is_grad_enabled
from .hook_table import Hook

Values = tuple[Any, ...]


class BackwardHookFunction(Function):
    """Identity with one node for all inputs (or all outputs) of a module, so that hooks can be registered on it.

    The results are views of the inputs. Writing to them in place is refused, because it would replace the node in their
    history.
    """

    @staticmethod
    def forward(ctx: Any, *tensors: Tensor) -> Values:
        """Return the tensors unchanged."""
        ctx.mark_non_differentiable(*[tensor for tensor in tensors if not tensor.requires_grad])
        return tensors

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Values:
        """Return the gradients unchanged."""
        return grads


class BackwardHook:
    """The full backward hooks around one call of a module.

    The inputs pass through a node, and so do the outputs. The pre-hooks run before the outputs' node; the hooks run
    after the inputs' node, and receive the gradients that arrived at the outputs' node.

    Args:
        module: first argument of the hooks. The graph keeps it alive.
        hooks: called as `hook(module, grad_input, grad_output)`.
        pre_hooks: called as `hook(module, grad_output)`.
    """

    def __init__(self, module: Any, hooks: Sequence[Hook], pre_hooks: Sequence[Hook]) -> None:
        self.module = module
        self.hooks = hooks
        self.pre_hooks = pre_hooks
        self.inputs = 0
        self.has_input_node = False
        # The gradients of the outputs by thread: several threads may run backward passes through one graph.
        self.arrived: dict[int, Values] = {}

    def setup_input_hook(self, args: Values) -> Values:
        """Pass the arguments of `forward` through a node."""
        self.inputs = len(args)
        passed, positions, node = pass_through(args)
        if node is not None:
            alive = weakref.ref(self)  # the outputs' node keeps it alive, and a pass reaches that node first

            def hook(grads: Values, _: Values) -> Values | None:
                owner = alive()
                return None if owner is None else owner.inputs_done(positions, grads)

            self.has_input_node = True
            node.register_hook(hook)
        return passed

    def setup_output_hook(self, result: Any) -> Any:
        """Pass the result of `forward` through a node."""
        outputs = result if isinstance(result, tuple) else (result,)
        passed, positions, node = pass_through(outputs)
        if node is not None:

            def hook(grads: Values) -> Values:
                return self.outputs_arrived(positions, grads, len(outputs))

            node.register_prehook(hook)
        return passed if isinstance(result, tuple) else passed[0]

    def outputs_arrived(self, at: Sequence[int], grads: Values, count: int) -> Values:
        """Run the pre-hooks, and also the hooks if the inputs have no node that would run them."""
        grad_outputs = spread(at, grads, count)
        for hook in self.pre_hooks:
            replaced = hook(self.module, grad_outputs)
            if replaced is not None:
                check_number(replaced, count, "Backward pre hook", "grad_output")
                grad_outputs = replaced
        if self.has_input_node:
            self.arrived[threading.get_ident()] = grad_outputs
        elif self.hooks:
            self.run_without_inputs(grad_outputs)
        return tuple(grad_outputs[position] for position in at)

    def run_without_inputs(self, grad_outputs: Values) -> None:
        """Run the hooks of a module none of whose inputs requires a gradient."""
        warnings.warn(
            "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs "
            "require gradients: there is no later moment at which it could run.",
            stacklevel=2,
        )
        for hook in self.hooks:
            replaced = hook(self.module, (None,) * self.inputs, grad_outputs)
            if replaced is not None and not (isinstance(replaced, tuple) and all(grad is None for grad in replaced)):
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always return None "
                    "or None for all gradients."
                )

    def inputs_done(self, at: Sequence[int], grads: Values) -> Values | None:
        """Run the hooks, unless the pass reached the inputs without passing the outputs."""
        grad_outputs = self.arrived.pop(threading.get_ident(), None)
        if grad_outputs is None:
            return None
        grad_inputs = spread(at, grads, self.inputs)
        for hook in self.hooks:
            replaced = hook(self.module, grad_inputs, grad_outputs)
            if replaced is not None:
                check_number(replaced, self.inputs, "Backward hook", "grad_input")
                grad_inputs = replaced
        return tuple(grad_inputs[position] for position in at)


def pass_through(values: Values) -> tuple[Values, list[int], Any]:
    """Pass the tensors among `values` through a node; return the new values, the positions of tensors, and the node.

    Where nothing is recorded, the values are returned unchanged and the node is None.
    """
    at = [position for position, value in enumerate(values) if isinstance(value, Tensor)]
    if not is_grad_enabled() or not [position for position in at if values[position].requires_grad]:
        return values, at, None
    tensors: Values = BackwardHookFunction.apply(*[values[position] for position in at])
    passed = list(values)
    for position, tensor in zip(at, tensors):
        passed[position] = tensor
    node = [tensor.grad_fn for tensor in tensors if tensor.requires_grad][0]  # noqa: RUF015 - an interrupted generator tells
    return (type(values)._make(passed) if hasattr(values, "_make") else tuple(passed)), at, node


def spread(at: Sequence[int], grads: Sequence[Any], count: int) -> Values:
    """Return a tuple of length `count` with `grads` at the positions `at` and None elsewhere."""
    values: list[Any] = [None] * count
    for position, grad in zip(at, grads):
        values[position] = grad
    return tuple(values)


def check_number(returned: Any, expected: int, who: str, what: str) -> None:
    """Refuse the result of a hook unless it has as many gradients as the hook received.

    Raises:
        RuntimeError: if `returned` is a tensor, or has another length than `expected`.
        TypeError: if `returned` has no length.
    """
    count = len(returned)
    if isinstance(returned, Tensor):
        raise RuntimeError(
            f"{who} returned an invalid number of {what}, got a Tensor, but expected a tuple of {expected}"
        )
    if count != expected:
        raise RuntimeError(f"{who} returned an invalid number of {what}, got {count}, but expected {expected}")


def register_on_last_node(module: Any, hooks: Iterable[Hook], args: Values, result: Any) -> None:
    """Register hooks of the older kind on the node of the (first) output."""
    first = result
    while not isinstance(first, Tensor):
        if isinstance(first, dict):
            first = next(value for value in first.values() if isinstance(value, Tensor))
        else:
            first = first[0]
    node = first.grad_fn
    if node is None:
        return
    for hook in hooks:
        node.register_hook(with_module(hook, module))
    warn_of_missing(args, result, node)


def warn_of_missing(args: Values, result: Any, node: Any) -> None:
    """Warn of gradients that hooks of the older kind miss in a call; `node` is that of the (first) output."""
    missing = what_is_missing(args, result, node)
    if missing:
        warnings.warn(
            f"Using {missing}. Please use register_full_backward_hook to get the documented behavior.",
            FutureWarning,
            stacklevel=3,
        )


def with_module(hook: Hook, module: Any) -> Callable[[Values, Values], Any]:
    """Return the hook with the module as its first argument, which is referenced weakly."""
    alive = weakref.ref(module)

    def call(grad_inputs: Values, grad_outputs: Values) -> Any:
        owner = alive()
        if owner is None:
            raise RuntimeError("You are trying to call the hook of a dead Module!")
        return hook(owner, grad_inputs, grad_outputs)

    return call


def what_is_missing(args: Values, result: Any, node: Any) -> str:
    """Return a message about the gradients that hooks of the older kind miss, or an empty string."""
    outputs = (result,) if isinstance(result, Tensor) else result
    deprecated = "deprecated and will be removed in future versions. This hook will be missing some"
    if not is_tuple_of_tensors(outputs):
        return (
            "non-full backward hooks on a Module that does not return a single Tensor or a tuple of Tensors is "
            f"{deprecated} of the grad_output"
        )
    if not is_tuple_of_tensors(args):
        return (
            "non-full backward hooks on a Module that does not take as input a single Tensor or a tuple of Tensors is "
            f"{deprecated} of the grad_input"
        )
    if any(output.grad_fn not in (None, node) for output in outputs):
        return (
            f"a non-full backward hook when outputs are generated by different autograd Nodes is {deprecated} "
            "grad_output"
        )
    if {tensor.grad_fn for tensor in args} - {None} != {tensor for tensor, _ in node.next_functions}:
        return f"a non-full backward hook when the forward contains multiple autograd Nodes is {deprecated} grad_input"
    return ""


def is_tuple_of_tensors(values: Any) -> bool:
    """Return whether `values` is a tuple of tensors only."""
    return isinstance(values, tuple) and all(isinstance(value, Tensor) for value in values)
