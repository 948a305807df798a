"""`jacobian` and `hessian`: whole matrices of derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._core.cards.card import registered
from ..._core.state.grad_mode import enable_grad
from ..._start.boundary import boundary
from . import batched, strictness
from .arguments import Tensors, as_tuple, fresh, is_one_number, result
from .rows import filled, gradients, rows_of, zeros_like

stack: Any = registered("stack")

FORWARD, REVERSE = "forward-mode", "reverse-mode"


@boundary
def jacobian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = REVERSE,
) -> Any:
    """Return the Jacobian of a function: the derivatives of its outputs with respect to its inputs, element by element.

    It takes one backward pass for each element of the outputs.

    Args:
        func: function of as many tensors as `inputs` has; returns a tensor or a tuple of tensors.
        inputs: a tensor or a tuple of tensors, of floating or complex dtypes.
        create_graph: record the computation, so that the result can be differentiated.
        strict: refuse outputs that do not depend on an input, instead of returning zeros; with `create_graph` also
            refuse a Jacobian that does not depend on the inputs.
        vectorize: run one pass over a batch instead of one for each element.
        strategy: "reverse-mode", or "forward-mode" for functions with more outputs than inputs, which needs
            `vectorize=True`.

    Returns:
        A new tensor of the shape of the output followed by that of the input, with the dtype of the input (in forward
        mode of the output). For a tuple of inputs a tuple of such tensors; for a tuple of outputs a tuple of these.

    Raises:
        TypeError: if an input or an output is not a tensor.
        RuntimeError: if an output is complex, `strict` refuses an output or a gradient, or `strict` is combined with
            `vectorize` or forward mode.
        NotImplementedError: if forward mode is asked for without `vectorize`, or with `create_graph`.
        AssertionError: if there is no such strategy.

    >>> import wengert as wg
    >>> from wengert.autograd.functional import jacobian
    >>> jacobian(lambda x: x * x, wg.tensor([1.0, 2.0, 3.0]))
    tensor([[2., 0., 0.],
            [0., 4., 0.],
            [0., 0., 6.]])
    >>> by_x, by_y = jacobian(lambda x, y: x @ y, (wg.ones(2, 3), wg.ones(3)))
    >>> by_x.shape, by_y.shape
    (torch.Size([2, 2, 3]), torch.Size([2, 3]))
    """
    if strategy not in (FORWARD, REVERSE):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more outputs '
            'than inputs, "forward-mode" tends to be more performant. Otherwise, prefer to use "reverse-mode".'
        )
    if strategy == FORWARD:
        return forward_jacobian(func, inputs, create_graph, strict, vectorize)
    with enable_grad():
        several, inputs = as_tuple(inputs, "inputs", "jacobian")
        inputs = fresh(inputs, create_graph)
        several_outputs, outputs = as_tuple(func(*inputs), "outputs of the user-provided function", "jacobian")
        if strict:
            strictness.refuse_constants(outputs, strictness.OUTPUT)
        if not vectorize:
            rows = looped(outputs, inputs, create_graph, strict)
        elif strict:
            raise RuntimeError(
                "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together. "
                "Please either set `strict=False` or `vectorize=False`."
            )
        else:
            rows = batched.reverse(outputs, inputs, create_graph)
        return matrix(rows, several_outputs, several, create_graph)


def forward_jacobian(func: Callable[..., Any], inputs: Any, create_graph: bool, strict: bool, vectorize: bool) -> Any:
    """`jacobian` in forward mode, with the refusals of torch.

    Raises:
        See `jacobian`.
    """
    if create_graph:
        raise NotImplementedError(
            'torch.autograd.functional.jacobian: `create_graph=True` and `strategy="forward-mode"` are not supported '
            'together (yet). Please either set `create_graph=False` or `strategy="reverse-mode"`.'
        )
    if strict:
        raise RuntimeError(
            'torch.autograd.functional.jacobian: `strict=True` and `strategy="forward-mode"` are not supported '
            'together (yet). Please either set `strict=False` or `strategy="reverse-mode"`.'
        )
    several, inputs = as_tuple(inputs, "inputs", "jacobian")
    if not vectorize:
        raise NotImplementedError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly implemented for "
            "`vectorize=True`."
        )
    several_outputs, rows = batched.forward(func, inputs)
    result_of_all = matrix(rows, several_outputs, several, True)
    if not several:
        return result_of_all
    return [list(row) for row in result_of_all] if several_outputs else list(result_of_all)  # lists, as torch's


def matrix(rows: tuple[Tensors, ...], several_outputs: bool, several: bool, create_graph: bool) -> Any:
    """Arrange the Jacobians of each output with respect to the inputs as tuples, where there are several."""
    return result(tuple(result(row, several, create_graph) for row in rows), several_outputs, True)


def looped(outputs: Tensors, inputs: Tensors, create_graph: bool, strict: bool) -> tuple[Tensors, ...]:
    """Return the Jacobians of each output with respect to the inputs, from one backward pass for each element.

    Raises:
        RuntimeError: if `strict` refuses an output or a row.
    """
    rows = []
    for at, output in enumerate(outputs):
        columns: list[list[Any]] = [[] for _ in inputs]
        for row in rows_of(output, inputs, create_graph):
            if strict:
                refuse_row(row, at, create_graph)
            for column, block in zip(columns, row):
                column.append(block)
        rows.append(tuple(stacked(column, output, input_) for column, input_ in zip(columns, inputs)))
    return tuple(rows)


def refuse_row(row: Tensors, at: int, create_graph: bool) -> None:
    """Refuse a row of the Jacobian of output number `at` that does not depend on all inputs.

    Raises:
        RuntimeError: if a gradient is None, or with `create_graph` has no history.
    """
    for number, grad in enumerate(row):
        if grad is None:
            raise RuntimeError(strictness.OUTPUT_FREE_OF_INPUT.format(at, number))
        if create_graph and not grad.requires_grad:
            raise RuntimeError(strictness.JACOBIAN_RECORDED.format(at))


def stacked(rows: list[Any], output: Any, tensor: Any) -> Any:
    """Return the Jacobian of an output with respect to an input from its rows; rows that are None become zeros."""
    if not rows:
        return tensor.new_zeros((*output.shape, *tensor.shape))
    if any(row is None for row in rows):
        zero = zeros_like(tensor)
        rows = [zero if row is None else row for row in rows]
    return stack(rows).view((*output.shape, *tensor.shape))


@boundary
def hessian(
    func: Callable[..., Any],
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = REVERSE,
) -> Any:
    """Return the Hessian of a function with one element as result: its second derivatives with respect to the inputs.

    It is the Jacobian of the gradient: one backward pass through the function, and one through the gradient for each
    element of the inputs.

    Args:
        func: function of as many tensors as `inputs` has; returns a tensor with one element.
        inputs: a tensor or a tuple of tensors, of floating or complex dtypes.
        create_graph: record the computation, so that the result can be differentiated.
        strict: refuse a function that does not depend on an input, or whose gradient does not; with `create_graph` also
            refuse a Hessian that does not depend on the inputs.
        vectorize: run one pass over a batch instead of one for each element.
        outer_jacobian_strategy: mode in which the gradient is differentiated, "reverse-mode" or "forward-mode"; see
            `jacobian`.

    Returns:
        A new tensor of the shape of the input twice. For a tuple of inputs a tuple of tuples: entry
        `[i][j]` has the shape of input i followed by that of input j.

    Raises:
        TypeError: if an input or the output is not a tensor.
        RuntimeError: if the function returns several tensors, not exactly one element, a complex number, or what
            `strict` refuses; otherwise as `jacobian`.
        NotImplementedError: if `jacobian` raises it.
        AssertionError: if there is no such strategy.

    >>> import wengert as wg
    >>> from wengert.autograd.functional import hessian
    >>> hessian(lambda x: (x**3).sum(), wg.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    >>> hessian(lambda x, y: x * y * y, (wg.tensor(1.0), wg.tensor(2.0)))
    ((tensor(0.), tensor(4.)), (tensor(4.), tensor(2.)))
    """
    several, inputs = as_tuple(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in (FORWARD, REVERSE):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')

    def gradient_at(*values: Any) -> Tensors:
        if outer_jacobian_strategy == FORWARD:
            values = tuple(value.requires_grad_(True) for value in values)
        return gradient(func, values, strict)

    blocks = jacobian(gradient_at, inputs, create_graph, strict, vectorize, outer_jacobian_strategy)
    return blocks if several else blocks[0][0]


def gradient(func: Callable[..., Any], inputs: Tensors, strict: bool) -> Tensors:
    """Return the gradient of a function with one element as result, recorded.

    Raises:
        TypeError: if the function does not return a tensor.
        RuntimeError: if the result does not have one element, or `strict` refuses the gradient.
    """
    inputs = fresh(inputs, True)
    several, outputs = as_tuple(func(*inputs), "outputs of the user-provided function", "hessian")
    if strict:
        strictness.refuse_constants(outputs, strictness.OUTPUT)
    if several:
        raise RuntimeError("The function given to hessian should return a single Tensor")
    if not is_one_number(outputs):
        raise RuntimeError("The Tensor returned by the function given to hessian should contain a single element")
    grads = filled(gradients(outputs, inputs, None, True), inputs)
    if strict:
        strictness.refuse_constants(grads, strictness.JACOBIAN_CONSTANT)
    return grads
