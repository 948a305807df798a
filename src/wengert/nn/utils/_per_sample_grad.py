"""Per-sample gradients in `grad_sample` of the parameters, as torch's experimental function computes them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..._tensor import Tensor
from ...autograd.containers import flatten
from ...func.per_sample import per_sample_gradients
from ..modules.module import Module


def call_for_per_sample_grads(
    module: Module, *, batch_size: int | None = None, loss_reduction: str = "sum", batch_first: bool = True
) -> Callable[..., Any]:
    """Return a function that calls a module such that backward passes store the gradients of each sample.

    They are stored in `grad_sample` of each parameter that requires a gradient, with the samples as first dimension.
    `.grad` does not change, unlike with `func.per_sample_gradients`.

    Args:
        module: takes and returns tensors whose first dimension counts the samples.
        batch_size: number of samples; None: the first length of the tensors among the arguments.
        loss_reduction: "mean" if the loss is the mean over the samples: gradients are scaled to each sample's own loss.
        batch_first: must be True.

    Raises:
        RuntimeError: if an argument is invalid; or, when it is called, if a parameter has a `grad_sample` already, or
            the arguments hold no tensor, or tensors of different first lengths.

    >>> import wengert as wg
    >>> layer = wg.nn.Linear(2, 1, bias=False)
    >>> call_for_per_sample_grads(layer)(wg.tensor([[1.0, 2.0], [3.0, 4.0]])).sum().backward()
    >>> layer.weight.grad_sample.tolist(), layer.weight.grad
    ([[[1.0, 2.0]], [[3.0, 4.0]]], None)
    """
    if not isinstance(module, Module):
        raise RuntimeError(f"Module passed must be nn.Module, got {type(module).__name__}")
    if not (batch_size is None or isinstance(batch_size, int)):
        raise RuntimeError(f"Batch size passed must be None or an integer, got {type(batch_size).__name__}")
    if batch_size is not None and batch_size < 1:
        raise RuntimeError(f"Batch size must be positive, got {batch_size}")
    if loss_reduction not in ("sum", "mean"):
        raise RuntimeError(f"Expected loss_reduction argument to be sum or mean, got {loss_reduction}")
    if not batch_first:
        raise RuntimeError(
            "call_for_per_sample_grads(): wengert wants the samples in the first dimension (batch_first)"
        )

    @functools.wraps(module.forward)
    def call(*args: Any, **kwargs: Any) -> Any:
        check_parameters(module)
        count = number_of_samples((args, kwargs), batch_size)
        with Apart(module, count if loss_reduction == "mean" else 1):
            return module(*args, **kwargs)

    return call


class Apart(per_sample_gradients):
    """Context of one call, in which the copies of parameters are leaves.

    Args:
        module: module that is called.
        factor: factor of the gradients that are stored.
    """

    def __init__(self, module: Module, factor: int) -> None:
        super().__init__(module)
        self.factor = factor

    def _copies_of(self, parameter: Any, count: int) -> Any:
        """Return a parameter repeated for each sample, without its history."""
        return parameter.detach().expand((count, *parameter.shape)).requires_grad_()

    def _keeper(self, parameter: Any) -> Any:
        """Return the hook that stores the gradients of all samples at a parameter."""
        keep = super()._keeper(parameter)
        return lambda grad: keep(grad * self.factor)


def check_parameters(module: Module) -> None:
    """Refuse parameters that already have per-sample gradients.

    Raises:
        RuntimeError: if a parameter that requires a gradient has a `grad_sample`.
    """
    for parameter in module.parameters():
        if parameter.requires_grad and getattr(parameter, "grad_sample", None) is not None:
            raise RuntimeError(
                "Current Expanded Weights accumulates the gradients, which will be incorrect for multiple calls "
                f"without clearing gradients. Please clear out the grad_sample parameter of {parameter} or post an "
                "issue to pytorch/pytorch to prioritize correct behavior"
            )


def number_of_samples(arguments: Any, batch_size: int | None) -> int:
    """Return the common first length of all tensors among arguments, or `batch_size`, which one of them must have.

    Raises:
        RuntimeError: if there is no tensor, or the lengths differ from each other or from `batch_size`.
    """
    lengths = [value.shape[0] for value in flatten(arguments)[0] if isinstance(value, Tensor) and value.ndim]
    if not lengths:
        raise RuntimeError(
            "Unable to find a tensor in the passed args and kwargs. They may not be pytree-able and so ExpandedWeights "
            "cannot compute the batch size from the inputs. Please specify it explicitly"
        )
    if batch_size is None:
        other = next((length for length in lengths if length != lengths[0]), lengths[0])
        if other != lengths[0]:
            raise RuntimeError(
                f"When computing batch size, found at least one input with batch size {lengths[0]} and one with batch "
                f"size {other}. Please specify it explicitly using the batch size kwarg in call_for_per_sample_grads"
            )
    elif batch_size not in lengths:
        raise RuntimeError(
            f"Expected ExpandedWeights to have batch size matching input but got input batch size of {lengths[0]} with "
            f"ExpandedWeight of batch size {batch_size}"
        )
    return lengths[0] if batch_size is None else batch_size
