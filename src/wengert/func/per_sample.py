"""Gradients of each sample from one ordinary backward pass."""

from __future__ import annotations

from typing import Any

from .._tensor import Tensor
from ..autograd import is_grad_enabled, no_grad
from ..autograd.batches import BatchLevel
from ..autograd.containers import flatten, unflatten
from .modules import check_module
from .replaced import places_of, read, replaced

NAME = "per_sample_gradients"


class per_sample_gradients:  # noqa: N801 - a context, called as a function
    """A context in which calls of a module leave, after `backward()`, each parameter's gradient by sample beside it.

    Within the context the module runs for each sample alone, all at once (as by `vmap`): its parameters count as one
    for each sample, and what arrives at these is kept before it is summed to `.grad`, which is as always. Random
    operators draw for each sample; layers that mix samples (batch normalisation while training) see one sample only,
    and are refused where they write what they saw into their buffers.

    Args:
        module: takes tensors whose first dimension counts the samples; all others, and those of another length, are the
            same for all samples. It returns tensors whose first dimension counts them, too.
        name: the attribute of parameters that the gradients are put in: tensors of the parameter's shape with the
            number of samples in front. Those of several calls are added; they are not there before the first.

    Raises:
        TypeError: `module` is no module.
        RuntimeError: (when it is called) no argument has samples, or a result has no row for each of them.

    A loss that is the mean over N samples gives gradients of 1/N of each sample's loss: they sum to `.grad`.

    >>> import wengert as wg
    >>> layer = wg.nn.Linear(2, 1, bias=False)
    >>> with wg.func.per_sample_gradients(layer):
    ...     loss = layer(wg.tensor([[1.0, 2.0], [3.0, 4.0]])).sum()
    >>> loss.backward()
    >>> layer.weight.grad_sample
    tensor([[[1., 2.]],
    <BLANKLINE>
            [[3., 4.]]])
    >>> layer.weight.grad
    tensor([[4., 6.]])
    """

    def __init__(self, module: Any, *, name: str = "grad_sample") -> None:
        check_module(NAME, module)
        self.module = module
        self.name = name

    def __enter__(self) -> per_sample_gradients:
        self.forward = self.module.forward
        self.module.forward = self.run
        return self

    def __exit__(self, error_type: Any = None, error: Any = None, traceback: Any = None) -> None:
        del self.module.forward

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """The module's `forward` for all samples, each alone."""
        if not is_grad_enabled():
            return self.forward(*args, **kwargs)
        elements, structure = flatten((args, kwargs))
        count = number_of_samples(elements)
        level = BatchLevel(count, "different")
        places = places_of(self.module)
        copies = self.copies_by_name({name: read(place) for name, place in places.items()}, level)
        with replaced(places, copies, {}), level:
            values = [
                level.enter(element.unsqueeze(1)) if has_samples(element, count) else element for element in elements
            ]
            own_args, own_kwargs = unflatten(values, structure)
            output = self.forward(*own_args, **own_kwargs)
        results, structure = flatten(output)
        return unflatten([rows_of(level, result) for result in results], structure)

    def copies_by_name(self, tensors: dict[str, Any], level: BatchLevel) -> dict[str, Any]:
        """Of the parameters that need a gradient, tensors with a copy for each sample."""
        known: dict[int, Any] = {}
        wanted = {name: tensor for name, tensor in tensors.items() if tensor.requires_grad}
        for parameter in wanted.values():
            if id(parameter) not in known:
                copies = self.copies_of(parameter, level.batch.size)
                copies.register_hook(self.keeper(parameter))
                known[id(parameter)] = level.enter(copies)
        return {name: known[id(parameter)] for name, parameter in wanted.items()}

    def copies_of(self, parameter: Any, count: int) -> Any:
        """A parameter once for each sample."""
        return parameter.expand((count, *parameter.shape))

    def keeper(self, parameter: Any) -> Any:
        """What keeps the gradients of all samples at a parameter."""

        def keep(grad: Any) -> None:
            with no_grad():
                known = getattr(parameter, self.name, None)
                setattr(parameter, self.name, grad.detach().clone() if known is None else known + grad)

        return keep


def has_samples(value: Any, count: int) -> bool:
    """Whether the first dimension of a value counts samples."""
    return isinstance(value, Tensor) and value.ndim > 0 and value.shape[0] == count


def number_of_samples(elements: list[Any]) -> int:
    """How many samples there are: the first length of the first tensor.

    Raises:
        RuntimeError: no argument is a tensor with dimensions.
    """
    for element in elements:
        if isinstance(element, Tensor) and element.ndim:
            return int(element.shape[0])
    raise RuntimeError(f"{NAME}: the module was called without a tensor whose first dimension counts samples")


def rows_of(level: BatchLevel, value: Any) -> Any:
    """A result with a row for each sample.

    Raises:
        RuntimeError: it has none.
    """
    if not isinstance(value, Tensor):
        return value
    if not value.ndim or value.shape[0] != 1:
        raise RuntimeError(
            f"{NAME}: the module returned a tensor of shape {list(value.shape)} for a single sample, which has no row "
            "for it. Compute what is summed over samples, such as the loss, outside of the module."
        )
    return level.leave(value).squeeze(1)
