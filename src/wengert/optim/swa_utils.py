"""Averages of a model during training: stochastic weight averaging and exponential moving averages."""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Callable, Iterable
from typing import Any

from .._start.boundary import boundary
from .._tensor import Tensor
from .._tensor.attributes import dtypes
from ..autograd import no_grad
from ..nn.modules.batchnorm import _BatchNorm
from ..nn.modules.module import Module
from ..ops.create.create import tensor
from .optimizer import Optimizer
from .schedule import LRScheduler

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]

Average = Callable[[Any, Any, Any], Tensor]
ManyAverages = Callable[[list[Any], list[Any], Any], None]


def get_swa_avg_fn() -> Average:
    """Return a function `(averaged, current, num_averaged)` for the equal average after one more model."""

    @no_grad()
    def average(averaged: Any, current: Any, num_averaged: Any) -> Tensor:
        return averaged + (current - averaged) / (num_averaged + 1)

    return average


@boundary
def get_ema_avg_fn(decay: float = 0.999) -> Average:
    """Return a function `(averaged, current, num_averaged)` for the exponential moving average with `decay`.

    Raises:
        ValueError: if `decay` is not in [0, 1].
    """
    check_decay(decay)

    @no_grad()
    def average(averaged: Any, current: Any, num_averaged: Any) -> Tensor:
        return decay * averaged + (1 - decay) * current

    return average


def get_swa_multi_avg_fn() -> ManyAverages:
    """Return `get_swa_avg_fn` for lists of tensors, in place. Weights have the precision of the count."""

    def average(averaged: Any, current: Any, num_averaged: Any) -> Tensor:
        share = 1 / (num_averaged + 1)
        if in_steps(averaged):
            return averaged.lerp(current, float(share))
        return averaged + (current - averaged) * share

    return in_lists(average)


@boundary
def get_ema_multi_avg_fn(decay: float = 0.999) -> ManyAverages:
    """Return `get_ema_avg_fn` for lists of tensors, in place.

    Raises:
        ValueError: if `decay` is not in [0, 1].
    """
    usual = get_ema_avg_fn(decay)

    def average(averaged: Any, current: Any, num_averaged: Any) -> Tensor:
        if in_steps(averaged):
            return averaged.lerp(current, 1 - decay)
        return usual(averaged, current, num_averaged)

    return in_lists(average)


def in_steps(averaged: Any) -> bool:
    """Return whether to average by `lerp`, which keeps equal values exactly, unlike a weighted sum."""
    return averaged.is_floating_point() or averaged.is_complex()


def in_lists(average: Average) -> ManyAverages:
    """Return a function for lists of tensors that updates the averages in place."""

    @no_grad()
    def averages(averaged: list[Any], current: list[Any], num_averaged: Any) -> None:
        for averaged_tensor, other in zip(averaged, current):
            averaged_tensor.copy_(average(averaged_tensor, other, num_averaged))

    return averages


def check_decay(decay: float) -> None:
    """Refuse an invalid decay.

    Raises:
        ValueError: if it is not in [0, 1].
    """
    if not 0 <= decay <= 1:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


class AveragedModel(Module):
    """A copy of a model whose parameters are averages.

    Args:
        model: the model to copy; calls go to the copy.
        device: the device of the copy.
        avg_fn: function `(averaged, current, num_averaged)` for the average after one more model; by default the equal
            average.
        multi_avg_fn: the same for lists of tensors, in place.
        use_buffers: also average buffers, which are copied otherwise.

    Attributes:
        module: the copy.
        n_averaged: the number of models in the average, a 0-dim int64 tensor. The first model is copied.

    Raises:
        AssertionError: if both functions are given.
    """

    n_averaged: Any

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Average | None = None,
        multi_avg_fn: ManyAverages | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = copy.deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", tensor(0, dtype=dtypes.int64))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Return the result of the copy."""
        return self.module(*args, **kwargs)

    @no_grad()
    def update_parameters(self, model: Module) -> None:
        """Update the average with the current parameters of the model."""
        values, other = list(self._averaged(self.module)), list(self._averaged(model))
        if self.n_averaged == 0:
            for own_buffer, buffer in zip(values, other):
                own_buffer.copy_(buffer)
        elif self.multi_avg_fn is not None:
            self.multi_avg_fn(
                [tensor.detach() for tensor in values], [tensor.detach() for tensor in other], self.n_averaged
            )
        else:
            average = self.avg_fn or get_swa_avg_fn()
            for own_buffer, buffer in zip(values, other):
                own_buffer.copy_(average(own_buffer.detach(), buffer.detach(), self.n_averaged))
        if not self.use_buffers:
            for averaged, buffer in zip(self.module.buffers(), model.buffers()):
                averaged.copy_(buffer)
        self.n_averaged += 1

    def _averaged(self, model: Module) -> Iterable[Any]:
        return itertools.chain(model.parameters(), model.buffers()) if self.use_buffers else model.parameters()


@no_grad()
def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Recompute the running statistics of a model's batch normalisations as equal averages over all batches.

    Args:
        loader: iterable of batches, or of lists and tuples whose first item is the batch.
        model: the model, which is called for each batch in training mode; its mode is restored.
        device: the device that batches are moved to.
    """
    layers: dict[Any, Any] = {module: module.momentum for module in model.modules() if isinstance(module, _BatchNorm)}
    if not layers:
        return
    training = model.training
    for layer in layers:
        layer.reset_running_stats()
        layer.momentum = None  # equal average
    model.train()
    for batch in loader:
        input_ = batch[0] if isinstance(batch, list | tuple) else batch
        model(input_ if device is None else input_.to(device))
    for layer, momentum in layers.items():
        layer.momentum = momentum
    model.train(training)


class SWALR(LRScheduler):
    """Anneal the current rate to a constant one.

    Args:
        optimizer: the optimiser whose learning rates are set.
        swa_lr: the constant rate, or one for each group; stored in the groups as "swa_lr".
        anneal_epochs: number of epochs of the annealing.
        anneal_strategy: "cos" or "linear".
        last_epoch: epoch to resume from; -1 for the start.

    Raises:
        ValueError: if the strategy is unknown, `anneal_epochs` is not a non-negative integer, or there is not one rate
            for each group.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float | list[float],
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        groups = optimizer.param_groups
        rates = list(swa_lr) if isinstance(swa_lr, list | tuple) else [swa_lr] * len(groups)
        if len(rates) != len(groups):
            raise ValueError(
                "swa_lr must have the same length as optimizer.param_groups. "
                f"swa_lr has {len(rates)} values, param_groups has {len(groups)}."
            )
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        for group, rate in zip(groups, rates):
            group["swa_lr"] = rate
        self._anneal_strategy = anneal_strategy
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """Return the rates of the epoch `last_epoch`, one for each group."""
        present = self._rates()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = (self._share(min(1.0, max(0, at) / max(1, self.anneal_epochs))) for at in (step - 1, step))
        ends = [group["swa_lr"] for group in self.optimizer.param_groups]
        if before == 1:
            return ends
        starts = [(lr - end * before) / (1 - before) for lr, end in zip(present, ends)]
        return [end * now + start * (1 - now) for start, end in zip(starts, ends)]

    def _share(self, part: float) -> float:
        """Return the annealed share of the difference after a part of the epochs."""
        return (1 - math.cos(math.pi * part)) / 2 if self._anneal_strategy == "cos" else part
