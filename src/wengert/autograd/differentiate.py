"""`backward` and `grad`: add gradients to leaves, or return them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from .._core import flags
from .._core.backward import passes
from .._core.cards.arguments import word_of
from .._core.state.modes import current
from .._core.types.sizes import Size
from .._start.boundary import boundary, shorten

ONLY_INPUTS = (
    "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for other parts "
    "of the graph, please use torch.autograd.backward."
)


@boundary
def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """Add the gradients of `tensors` to the `.grad` of the leaves that they depend on.

    Args:
        tensors: a tensor or a sequence of tensors (or gradient edges).
        grad_tensors: for each tensor its gradient, of the same shape; None stands for 1 for scalars.
        retain_graph: keep what the graph saved, so that it can be used again; defaults to `create_graph`.
        create_graph: record this pass, for derivatives of higher order.
        grad_variables: deprecated name of `grad_tensors`.
        inputs: accumulate only into these tensors (a tensor, a sequence or a dictionary), non-leaves included.

    Raises:
        RuntimeError: if no tensor requires a gradient, a gradient is missing or has the wrong shape, or the graph was
            freed.

    >>> import wengert as wg
    >>> x = wg.tensor([1.0, 2.0], requires_grad=True)
    >>> wg.autograd.backward([x * 2, x.sum()], [wg.tensor([1.0, 10.0]), None])
    >>> x.grad
    tensor([ 3., 21.])
    """
    if grad_variables is not None:
        warnings.warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning, stacklevel=3)
        if grad_tensors is not None:
            raise RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. "
                "Please only use `grad_tensors`."
            )
        grad_tensors = grad_variables
    tensors = several(tensors)
    if inputs is not None:
        inputs = several(inputs, "backward")
    if is_overridden(relevant := (*tensors, *(inputs or ()))):
        options = {"retain_graph": retain_graph, "create_graph": create_graph, "inputs": inputs}
        keywords = {"grad_tensors": grad_tensors, **options}
        return overridden(backward, relevant, (tensors,), keywords)
    passes.backward(tensors, grad_tensors, retain_graph, create_graph, inputs)


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Any:
    """Return the gradients of `outputs` with respect to `inputs`; every `.grad` stays as it is.

    Args:
        outputs: a tensor or a sequence of tensors.
        inputs: the tensors to differentiate with respect to; for a dictionary the gradients are returned in a
            dictionary.
        grad_outputs: for each output its gradient, of the same shape; None stands for 1 for scalars.
        retain_graph: keep what the graph saved; defaults to `create_graph`.
        create_graph: record this pass, for derivatives of higher order.
        only_inputs: deprecated; False is ignored with a warning.
        allow_unused: return None for inputs that the outputs do not depend on, rather than raise an error.
        is_grads_batched: each of `grad_outputs` has an additional first dimension, the batch; the result is that of one
            pass for each index. It has no meaning without `grad_outputs`.
        materialize_grads: return zeros instead of None, also where an output has no history (torch refuses that).

    Returns:
        One gradient for each input, of its shape and dtype.

    Raises:
        RuntimeError: if an input was not used, no output requires a gradient, or an entry of `grad_outputs` does not
            fit.

    >>> import wengert as wg
    >>> x = wg.tensor(3.0, requires_grad=True)
    >>> (first,) = wg.autograd.grad(x**3, x, create_graph=True)
    >>> wg.autograd.grad(first, x)
    (tensor(18.),)
    """
    try:
        if only_inputs and not is_grads_batched and passes.are_usual(outputs, inputs):
            return passes.grad(
                outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused, materialize_grads
            )
        options = (retain_graph, create_graph, only_inputs, allow_unused, is_grads_batched, materialize_grads)
        return unusual_grad(outputs, inputs, grad_outputs, *options)
    except Exception as error:
        shorten(error, "grad", grad)
        raise


def unusual_grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any,
    retain_graph: bool | None,
    create_graph: bool,
    only_inputs: bool,
    allow_unused: bool | None,
    is_grads_batched: bool,
    materialize_grads: bool,
) -> Any:
    """Run `grad` for other arguments than tensors, or with options that `passes.grad` does not have."""
    if type(inputs) is dict:
        wanted = tuple(inputs.values())
        options = (grad_outputs, retain_graph, create_graph, only_inputs, allow_unused)
        grads = unusual_grad(outputs, wanted, *options, is_grads_batched, materialize_grads)
        return dict(zip(inputs, grads, strict=True))
    outputs, inputs = several(outputs), several(inputs, "grad")
    if is_overridden((*outputs, *inputs)):
        keywords = {
            "grad_outputs": grad_outputs,
            "retain_graph": retain_graph,
            "create_graph": create_graph,
            "only_inputs": only_inputs,
            "allow_unused": materialize_grads if allow_unused is None else allow_unused,
            "is_grads_batched": is_grads_batched,
            "materialize_grads": materialize_grads,
        }
        return overridden(grad, (*outputs, *inputs), (outputs, inputs), keywords)
    if not only_inputs:
        warnings.warn(ONLY_INPUTS, FutureWarning, stacklevel=3)
    if is_grads_batched and grad_outputs is not None:
        grads = batched(outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused, materialize_grads)
    else:
        grads = passes.grad(outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused, materialize_grads)
    return grads


def several(value: Any, inputs_of: str = "") -> Sequence[Any]:
    """Return one or several tensors, or objects that stand for them, as a sequence.

    Args:
        inputs_of: name of the function whose `inputs` they are; these may be a dictionary.

    Raises:
        TypeError: if `value` is not a tensor, a sequence or (for inputs) a dictionary.
        RuntimeError: if there is no input.
    """
    kind = type(value)
    if kind is not tuple and kind is not list and hasattr(kind, "__torch_function__"):
        return (value,)
    return passes.inputs_of(inputs_of, value) if inputs_of else passes.as_sequence(value)


def is_overridden(relevant: Sequence[Any]) -> bool:
    """Return whether a mode or a `__torch_function__` overrides a backward pass."""
    if not (word_of(relevant) | current().word) & flags.OVERRIDDEN:
        return False
    from .._core.calls.overriding import is_anyone_asked

    return is_anyone_asked(relevant)


def overridden(function: Any, relevant: Sequence[Any], args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Return the result of the mode or `__torch_function__` that overrides a backward pass."""
    from .._core.calls.overriding import of_python

    return of_python(function, relevant, args, options)


def batched(
    outputs: Sequence[Any],
    wanted: Sequence[Any],
    grad_outputs: Any,
    retain: bool | None,
    create: bool,
    unused: bool | None,
    materialize: bool,
) -> tuple[Any, ...]:
    """Run one pass for all indices of the first dimension of `grad_outputs`; missing gradients become zeros without
    that dimension.
    """
    from .batches import BatchLevel

    cotangents = passes.as_sequence(grad_outputs)
    for at, (output, cotangent) in enumerate(zip(outputs, cotangents)):
        check_batch(at, output, cotangent)
    with BatchLevel(cotangents[0].shape[0], directions=True) as level:
        members = [level.enter(cotangent) for cotangent in cotangents]
        results = passes.grad(outputs, wanted, members, retain, create, unused or materialize, False)
    grads = [None if grad is None else level.leave(grad) for grad in results]
    return passes.materialized(grads, wanted, create) if materialize else tuple(grads)


def check_batch(at: int, output: Any, cotangent: Any) -> None:
    """Refuse gradients of output number `at` that are not stacked along an additional first dimension.

    Raises:
        IndexError: if the first dimension is missing or empty.
        RuntimeError: if the other dimensions are not those of the output.
    """
    if len(cotangent[0].shape) != len(output.shape) or tuple(cotangent.shape[1:]) != tuple(output.shape):
        raise RuntimeError(
            "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch dimension. "
            "The sizes of the remaining dimensions are expected to match the shape of corresponding output, but a "
            f"mismatch was detected: grad_output[{at}] has a shape of {Size(cotangent.shape[1:])} and output[{at}] has "
            f"a shape of {output.shape}. If you only want some tensors in `grad_output` to be considered batched, "
            "consider using vmap."
        )


backward.__module__ = grad.__module__ = __name__.rpartition(".")[0]
