"""Gradients of each sample beside the parameters, by torch's experimental function."""

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
    """A function that calls a module; backward passes from its results leave each sample's gradients at parameters.

    They lie in `grad_sample` of each parameter that requires a gradient, with the number of samples in front; `.grad`
    is left alone, unlike with `func.per_sample_gradients`.

    Args:
        module: takes and returns tensors whose first dimension counts the samples.
        batch_size: how many samples there are; the first length of the tensors that are given, unless given.
        loss_reduction: "mean" if the loss is the mean over the samples: the gradients are those of each sample's loss.
        batch_first: must be True.

    Raises:
        RuntimeError: an argument is none of these; (when it is called) a parameter has a `grad_sample` already, the
            arguments hold no tensor, or tensors of several first lengths.

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
    """The context of one call, in which the copies of parameters are leaves of their own.

    Args:
        module: what is called.
        factor: of the gradients that are kept.
    """

    def __init__(self, module: Module, factor: int) -> None:
        super().__init__(module)
        self.factor = factor

    def copies_of(self, parameter: Any, count: int) -> Any:
        """A parameter once for each sample, without its history."""
        return parameter.detach().expand((count, *parameter.shape)).requires_grad_()

    def keeper(self, parameter: Any) -> Any:
        """What keeps the gradients of all samples at a parameter."""
        keep = super().keeper(parameter)
        return lambda grad: keep(grad * self.factor)


def check_parameters(module: Module) -> None:
    """Refuse parameters that have gradients of samples already.

    Raises:
        RuntimeError: one has.
    """
    for each in module.parameters():
        if each.requires_grad and getattr(each, "grad_sample", None) is not None:
            raise RuntimeError(
                "Current Expanded Weights accumulates the gradients, which will be incorrect for multiple calls "
                f"without clearing gradients. Please clear out the grad_sample parameter of {each} or post an issue to "
                "pytorch/pytorch to prioritize correct behavior"
            )


def number_of_samples(arguments: Any, given: int | None) -> int:
    """The first length of all tensors among arguments; if it is given, that of some.

    Raises:
        RuntimeError: there is no tensor, or one of another length.
    """
    lengths = [each.shape[0] for each in flatten(arguments)[0] if isinstance(each, Tensor) and each.ndim]
    if not lengths:
        raise RuntimeError(
            "Unable to find a tensor in the passed args and kwargs. They may not be pytree-able and so ExpandedWeights "
            "cannot compute the batch size from the inputs. Please specify it explicitly"
        )
    if given is None:
        other = next((each for each in lengths if each != lengths[0]), lengths[0])
        if other != lengths[0]:
            raise RuntimeError(
                f"When computing batch size, found at least one input with batch size {lengths[0]} and one with batch "
                f"size {other}. Please specify it explicitly using the batch size kwarg in call_for_per_sample_grads"
            )
    elif given not in lengths:
        raise RuntimeError(
            f"Expected ExpandedWeights to have batch size matching input but got input batch size of {lengths[0]} with "
            f"ExpandedWeight of batch size {given}"
        )
    return lengths[0] if given is None else given
