"""`backward` and `grad`: gradients added to leaves, and gradients as values."""

from __future__ import annotations

import warnings
from typing import Any

from .._core import passes
from .._core.card import REGISTRY

ONLY_INPUTS = (
    "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for other parts "
    "of the graph, please use torch.autograd.backward."
)


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
        grad_tensors: for each the cotangent that it starts from, of its shape; None stands for 1 for scalars.
        retain_graph: keep what the graph saved, so that it can be used again; `create_graph` unless given.
        create_graph: record this pass, for derivatives of higher order.
        grad_variables: the name of `grad_tensors` in the first versions.
        inputs: only these get a `.grad`; non-leaves among them too.

    Raises:
        RuntimeError: nothing requires a gradient, a cotangent is missing or of a wrong shape, or the graph was freed.

    >>> import wengert as wg
    >>> x = wg.tensor([1.0, 2.0], requires_grad=True)
    >>> wg.autograd.backward([x * 2, x.sum()], [wg.tensor([1.0, 10.0]), None])
    >>> x.grad
    tensor([ 3., 21.])
    """
    if grad_variables is not None:
        warnings.warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning, stacklevel=2)
        if grad_tensors is not None:
            raise RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. "
                "Please only use `grad_tensors`."
            )
        grad_tensors = grad_variables
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
) -> tuple[Any, ...]:
    """The gradients of `outputs` with respect to `inputs`, leaving every `.grad` as it is.

    Args:
        outputs: a tensor or a sequence of tensors.
        inputs: the tensors to differentiate with respect to.
        grad_outputs: for each output the cotangent that it starts from; None stands for 1 for scalars.
        retain_graph: keep what the graph saved; `create_graph` unless given.
        create_graph: record this pass, for derivatives of higher order.
        only_inputs: of the first versions; False is ignored with a warning.
        allow_unused: give None for inputs that the outputs do not depend on, rather than an error.
        is_grads_batched: each cotangent has one more dimension in front; one pass for each index of it.
        materialize_grads: give zeros instead of None.

    Returns:
        One gradient for each input, of its shape and dtype.

    Raises:
        RuntimeError: an input was not used, nothing requires a gradient, or a cotangent does not fit.

    >>> import wengert as wg
    >>> x = wg.tensor(3.0, requires_grad=True)
    >>> (first,) = wg.autograd.grad(x**3, x, create_graph=True)
    >>> wg.autograd.grad(first, x)
    (tensor(18.),)
    """
    if not only_inputs:
        warnings.warn(ONLY_INPUTS, FutureWarning, stacklevel=2)
    if is_grads_batched:
        return batched(outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused, materialize_grads)
    return passes.grad(outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused, materialize_grads)


def batched(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any,
    retain: bool | None,
    create: bool,
    unused: bool | None,
    materialize: bool,
) -> tuple[Any, ...]:
    """One pass for each index of the first dimension of the cotangents, stacked."""
    stack: Any = REGISTRY["stack"]
    given = passes.as_sequence(grad_outputs)
    count = given[0].shape[0]
    rows = []
    for at in range(count):
        keep = True if at < count - 1 else retain
        rows.append(passes.grad(outputs, inputs, [each[at] for each in given], keep, create, unused, materialize))
    return tuple(None if column[0] is None else stack(list(column)) for column in zip(*rows))
