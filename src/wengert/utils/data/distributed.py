"""The part of a dataset that one of several processes goes through."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ...ops.randomness.generator import Generator
from ...ops.randomness.random import randperm
from .sampler import Sampler

__all__ = ["DistributedSampler"]


class DistributedSampler(Sampler[int]):
    """Every `num_replicas`-th index, from `rank` on.

    Args:
        dataset: it has a length.
        num_replicas: how many processes there are.
        rank: which one this is.
        shuffle: in an order that is drawn anew in every epoch, the same in all processes.
        seed: of that order.
        drop_last: leave out what does not go round; otherwise indices are repeated to make all parts as long.

    Raises:
        ValueError: no number of processes or rank is given (there are no groups of processes that would say it), or
            the rank is not in [0, num_replicas - 1].
    """

    def __init__(
        self,
        dataset: Any,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        if num_replicas is None or rank is None:
            raise ValueError(
                "Default process group has not been initialized, please make sure to call init_process_group."
            )
        if not 0 <= rank < num_replicas:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset = dataset
        self.num_replicas = num_replicas
        self.rank = rank
        self.epoch = 0
        self.drop_last = drop_last
        count = len(dataset) / num_replicas
        self.num_samples = math.floor(count) if drop_last else math.ceil(count)
        self.total_size = self.num_samples * num_replicas
        self.shuffle = shuffle
        self.seed = seed

    def __iter__(self) -> Iterator[int]:
        length = len(self.dataset)
        indices = list(range(length))
        if self.shuffle:
            generator = Generator()
            generator.manual_seed(self.seed + self.epoch)
            indices = randperm(length, generator=generator).tolist()
        times = math.ceil(self.total_size / length) if length else 0
        return iter((indices * times)[: self.total_size][self.rank :: self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Say which epoch begins, so that its order is another one."""
        self.epoch = epoch
