"""Per-sample gradients from one ordinary backward pass."""

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
    """Context in which calls of a module store per-sample gradients at its parameters, after `backward()`.

    Within the context the module runs on each sample separately, batched as by `vmap`, with its parameters expanded
    over the samples. Their gradients are stored before they are summed to `.grad`, which is unchanged. Random operators
    draw for each sample. Layers that mix samples (batch normalisation in training mode) see a single sample, and are
    refused if they write to their buffers.

    Args:
        module: module of tensors whose first dimension is the batch; arguments without that dimension are the same for
            all samples. It returns tensors whose first dimension is the batch, too.
        name: the attribute of parameters for the gradients: tensors of shape (samples, *shape of the parameter).
            Gradients of several calls are added; the attribute does not exist before the first.

    Raises:
        TypeError: if `module` is not a module.
        RuntimeError: if no argument has samples, or a result has no row for each of them (when the module is called).

    For a loss that is the mean over N samples these are the gradients of 1/N of each sample's loss: they sum to
    `.grad`.

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
        self.module.forward = self._run
        return self

    def __exit__(self, error_type: Any = None, error: Any = None, traceback: Any = None) -> None:
        del self.module.forward

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        """Run the module's `forward` on each sample separately."""
        if not is_grad_enabled():
            return self.forward(*args, **kwargs)
        elements, structure = flatten((args, kwargs))
        count = number_of_samples(elements)
        level = BatchLevel(count, "different")
        places = places_of(self.module)
        copies = self._copies_by_name({name: read(place) for name, place in places.items()}, level)
        with replaced(places, copies, {}), level:
            values = [
                level.enter(element.unsqueeze(1)) if has_samples(element, count) else element for element in elements
            ]
            own_args, own_kwargs = unflatten(values, structure)
            output = self.forward(*own_args, **own_kwargs)
        results, structure = flatten(output)
        return unflatten([rows_of(level, result) for result in results], structure)

    def _copies_by_name(self, tensors: dict[str, Any], level: BatchLevel) -> dict[str, Any]:
        """Return the parameters that require a gradient, expanded to a copy for each sample."""
        known: dict[int, Any] = {}
        wanted = {name: tensor for name, tensor in tensors.items() if tensor.requires_grad}
        for parameter in wanted.values():
            if id(parameter) not in known:
                copies = self._copies_of(parameter, level.batch.size)
                copies.register_hook(self._keeper(parameter))
                known[id(parameter)] = level.enter(copies)
        return {name: known[id(parameter)] for name, parameter in wanted.items()}

    def _copies_of(self, parameter: Any, count: int) -> Any:
        """Return a parameter expanded over the samples."""
        return parameter.expand((count, *parameter.shape))

    def _keeper(self, parameter: Any) -> Any:
        """Return a hook that stores the gradients of all samples at a parameter."""

        def keep(grad: Any) -> None:
            with no_grad():
                known = getattr(parameter, self.name, None)
                setattr(parameter, self.name, grad.detach().clone() if known is None else known + grad)

        return keep


def has_samples(value: Any, count: int) -> bool:
    """Return whether the first dimension of a value is the batch."""
    return isinstance(value, Tensor) and value.ndim > 0 and value.shape[0] == count


def number_of_samples(elements: list[Any]) -> int:
    """Return the number of samples: the first length of the first tensor.

    Raises:
        RuntimeError: if no argument is a tensor with dimensions.
    """
    for element in elements:
        if isinstance(element, Tensor) and element.ndim:
            return int(element.shape[0])
    raise RuntimeError(f"{NAME}: the module was called without a tensor whose first dimension counts samples")


def rows_of(level: BatchLevel, value: Any) -> Any:
    """Return a result with a row for each sample.

    Raises:
        RuntimeError: if it has no such rows.
    """
    if not isinstance(value, Tensor):
        return value
    if not value.ndim or value.shape[0] != 1:
        raise RuntimeError(
            f"{NAME}: the module returned a tensor of shape {list(value.shape)} for a single sample, which has no row "
            "for it. Compute what is summed over samples, such as the loss, outside of the module."
        )
    return level.leave(value).squeeze(1)
