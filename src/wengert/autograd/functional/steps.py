"""Private functions of `torch.autograd.functional` under torch's names, which libraries build derivatives with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._core.tensor.base import Tensor
from ..differentiate import batched, grad
from . import strictness
from .arguments import Tensors, as_tuple, vector
from .jacobians import jacobian
from .rows import zeros_like

CONSTANT = {
    "outputs": strictness.OUTPUT,
    "grad_inputs": strictness.GRADIENT_CONSTANT,
    "jacobian": strictness.JACOBIAN_CONSTANT,
    "hessian": (
        "The hessian of the user-provided function with respect to input {} is independent of the input. This is not "
        "allowed in strict mode. You should ensure that your function is thrice differentiable and that the hessian "
        "depends on the inputs."
    ),
}
"""Texts of strict mode for tensors without a history, by their role."""
UNUSED = {
    "back": strictness.INPUT_UNUSED,
    "back_trick": strictness.TRICK_UNUSED,
    "double_back": strictness.JACOBIAN_UNUSED,
    "double_back_trick": strictness.HESSIAN_TRICK_UNUSED,
}
"""Texts of strict mode for gradients that are None, by the pass that computes them."""


def _as_tuple_nocheck(x: Any) -> Tensors:
    """Return a tuple of the items of a tuple or list, or of the single value."""
    return tuple(x) if isinstance(x, (tuple, list)) else (x,)


def _as_tuple(inp: Any, arg_name: str | None = None, fn_name: str | None = None) -> Any:
    """Return whether `inp` is a tuple, and its tensors as a tuple; without names the tuple only, unchecked.

    Raises:
        TypeError: if `inp` is neither a tensor nor a tuple of tensors.
    """
    if arg_name is None and fn_name is None:
        return _as_tuple_nocheck(inp)
    return as_tuple(inp, str(arg_name), str(fn_name))


def _tuple_postprocess(res: Any, to_unpack: bool | tuple[bool, bool]) -> Any:
    """Unpack the only result from its tuple, unless `to_unpack` says that there are several.

    Args:
        res: a tuple, or a tuple of tuples.
        to_unpack: whether there are several; for tuples of tuples a pair, for the outer and the inner ones.
    """
    outer, inner = to_unpack if isinstance(to_unpack, tuple) else (to_unpack, True)
    if not inner:
        res = tuple([part[0] for part in res])
    return res if outer else res[0]


def _grad_preprocess(inputs: Tensors, create_graph: bool, need_graph: bool) -> Tensors:
    """Return inputs as new tensors, which nothing else refers to.

    Args:
        inputs: tensors.
        create_graph: keep those that require a gradient connected to the originals.
        need_graph: let the others require a gradient.
    """
    return tuple(
        [
            input_.view_as(input_)
            if create_graph and input_.requires_grad
            else input_.detach().requires_grad_(need_graph)
            for input_ in inputs
        ]
    )


def _grad_postprocess(inputs: Any, create_graph: bool) -> Any:
    """Return results, which may be tuples of tuples, detached unless `create_graph`.

    Raises:
        IndexError: if there is no tensor.
    """
    if not inputs:
        raise IndexError("tuple index out of range: a derivative needs at least one input and one output")
    if create_graph:
        return inputs
    return tuple(
        [input_.detach() if isinstance(input_, Tensor) else _grad_postprocess(input_, False) for input_ in inputs]
    )


def _validate_v(v: Tensors, other: Tensors, is_other_tuple: bool) -> None:
    """Refuse vectors that do not fit.

    Raises:
        RuntimeError: if their number or a shape differs from that of `other`.
    """
    vector(v, other, is_other_tuple, "_validate_v", False)


def _check_requires_grad(inputs: Any, input_type: str, strict: bool) -> None:
    """Refuse in strict mode tensors without a history.

    Args:
        inputs: tensors, or None.
        input_type: their role: "outputs", "grad_inputs", "jacobian" or "hessian".
        strict: whether anything is refused.

    Raises:
        RuntimeError: if a tensor has no history, or there is no such `input_type`.
    """
    if not strict:
        return
    if input_type not in CONSTANT:
        raise RuntimeError(
            f"Invalid input_type to _check_requires_grad: {input_type!r} is not one of {', '.join(CONSTANT)}"
        )
    strictness.refuse_constants(inputs, CONSTANT[input_type])


def _autograd_grad(
    outputs: Tensors,
    inputs: Tensors,
    grad_outputs: Any = None,
    create_graph: bool = False,
    retain_graph: bool | None = None,
    is_grads_batched: bool = False,
) -> Tensors:
    """`autograd.grad` of the outputs that have a history; None for inputs that no output depends on."""
    cotangents = (None,) * len(outputs) if grad_outputs is None else tuple(grad_outputs)
    if len(cotangents) != len(outputs):
        raise AssertionError(f"expected a gradient for each of {len(outputs)} outputs, got {len(cotangents)}")
    recorded = [
        (out, cotangent) for out, cotangent in zip(outputs, cotangents) if out is not None and out.requires_grad
    ]
    if not recorded:
        return (None,) * len(inputs)
    roots, grads = zip(*recorded)
    if is_grads_batched:
        return batched(roots, inputs, grads, retain_graph, create_graph, True, False)
    return grad(roots, inputs, grads, retain_graph, create_graph, allow_unused=True)


def _fill_in_zeros(grads: Any, refs: Any, strict: bool, create_graph: bool, stage: str) -> Tensors:
    """Return gradients with zeros in place of None.

    Args:
        grads: tensors, or None.
        refs: tensors of the shapes of the gradients.
        strict: refuse None, and with `create_graph` gradients without a history.
        create_graph: whether the gradients are to be differentiated.
        stage: the pass they are from: "back", "back_trick", "double_back" or "double_back_trick".

    Raises:
        RuntimeError: if there is no such stage, or strict mode refuses a gradient.
    """
    if stage not in UNUSED:
        raise RuntimeError(f"Invalid stage argument '{stage}' to _fill_in_zeros")
    if strict:
        recorded = strictness.HESSIAN_RECORDED if "double" in stage else strictness.JACOBIAN_RECORDED
        strictness.refuse_gaps(grads, create_graph, UNUSED[stage], recorded)
    return tuple([zeros_like(ref) if grad is None else grad for grad, ref in zip(grads, refs)])


def _jacfwd(func: Callable[..., Any], inputs: Any, strict: bool = False, vectorize: bool = False) -> Any:
    """`jacobian` by forward mode."""
    return jacobian(func, inputs, strict=strict, vectorize=vectorize, strategy="forward-mode")
