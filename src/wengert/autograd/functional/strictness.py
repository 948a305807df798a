"""`strict=True`: refuse derivatives of values that do not depend on the inputs, which are zero otherwise."""

from __future__ import annotations

from .arguments import Tensors

OUTPUT = (
    "Output {} of the user-provided function does not require gradients. The outputs must be computed in a "
    "differentiable manner from the input when running in strict mode."
)
INPUT_UNUSED = (
    "The output of the user-provided function is independent of input {}. This is not allowed in strict mode."
)
OUTPUT_FREE_OF_INPUT = (
    "Output {} of the user-provided function is independent of input {}. This is not allowed in strict mode."
)
GRADIENT_CONSTANT = (
    "The gradient with respect to input {} is independent of the inputs of the user-provided function. This is not "
    "allowed in strict mode."
)
JACOBIAN_CONSTANT = (
    "While computing the hessian, found that the jacobian of the user-provided function with respect to input {} is "
    "independent of the input. This is not allowed in strict mode. You should ensure that your function is twice "
    "differentiable and that the jacobian depends on the inputs (this would be violated by a linear function for "
    "example)."
)
TRICK_UNUSED = (
    "The gradient with respect to the input is independent of entry {} in the grad_outputs when using the double "
    "backward trick to compute forward mode gradients. This is not allowed in strict mode."
)
JACOBIAN_UNUSED = (
    "The jacobian of the user-provided function is independent of input {}. This is not allowed in strict mode."
)
HESSIAN_TRICK_UNUSED = (
    "The hessian of the user-provided function is independent of entry {} in the grad_jacobian. This is not allowed in "
    "strict mode as it prevents from using the double backward trick to replace forward mode AD."
)
JACOBIAN_RECORDED = (
    "The jacobian of the user-provided function is independent of input {}. This is not allowed in strict mode when "
    "create_graph=True."
)
HESSIAN_RECORDED = (
    "The hessian of the user-provided function is independent of input {}. This is not allowed in strict mode when "
    "create_graph=True."
)


def refuse_constants(tensors: Tensors, text: str) -> None:
    """Refuse tensors without a history, and gradients that are None.

    Raises:
        RuntimeError: if a tensor is None, or does not require a gradient: `text` with its number.
    """
    for at, tensor in enumerate(tensors):
        if tensor is None:
            raise RuntimeError(INPUT_UNUSED.format(at))
        if not tensor.requires_grad:
            raise RuntimeError(text.format(at))


def refuse_gaps(grads: Tensors, create_graph: bool, unused: str, recorded: str) -> None:
    """Refuse gradients that are None, and with `create_graph` those without a history.

    Raises:
        RuntimeError: if there is such a gradient: `unused` or `recorded` with its number.
    """
    for at, grad in enumerate(grads):
        if grad is None:
            raise RuntimeError(unused.format(at))
        if create_graph and not grad.requires_grad:
            raise RuntimeError(recorded.format(at))
