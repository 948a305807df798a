"""Sampler for several programs that run at once, each on its part of the data."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sized

from ...ops.randomness.generator import Generator
from ...ops.randomness.random import randperm
from .sampler import Sampler

__all__ = ["DistributedSampler"]


class DistributedSampler(Sampler[int]):
    """Every n-th sample, for one of n programs, which all get the same number.

    Args:
        dataset: the dataset.
        num_replicas: the number of programs; required, since there are no process groups here.
        rank: the number of this program, from 0; required.
        shuffle: use a random order, which all programs draw from `seed` and the epoch.
        seed: the seed, the same in all programs.
        drop_last: drop samples at the end, rather than repeat some of the first ones, so that all numbers are equal.

    Raises:
        ValueError: if `num_replicas` or `rank` is missing or out of range.
    """

    def __init__(
        self,
        dataset: Sized,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        if num_replicas is None or rank is None:
            raise ValueError(
                "Default process group has not been initialized, please make sure to call init_process_group: "
                "there are none here, give num_replicas and rank."
            )
        if not 0 <= rank < num_replicas:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset, self.num_replicas, self.rank = dataset, num_replicas, rank
        self.shuffle, self.seed, self.drop_last = shuffle, seed, drop_last
        self.epoch = 0
        count = len(dataset)
        self.num_samples = count // num_replicas if drop_last else math.ceil(count / num_replicas)
        self.total_size = self.num_samples * num_replicas

    def __iter__(self) -> Iterator[int]:
        count = len(self.dataset)
        order = list(range(count))
        if self.shuffle:
            order = randperm(count, generator=Generator().manual_seed(self.seed + self.epoch)).tolist()
        if count and count < self.total_size:
            order *= math.ceil(self.total_size / count)
        return iter(order[self.rank : self.total_size : self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Set the epoch, which selects the order; without it all epochs have the same order."""
        self.epoch = epoch
