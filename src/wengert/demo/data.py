"""Training and held-out digits, and the batches of a step."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from itertools import islice

import numpy as np

import wengert as wg
from wengert.utils.data import DataLoader, TensorDataset
from wengert.vision import load_digits

BATCH = 64
DARKEST = 16
CLASSES = 10
MOVED = 0.5
"""Fraction of the images that are moved by up to one pixel in each direction."""


@dataclasses.dataclass(frozen=True)
class Digits:
    """Images of shape (N, 1, 8, 8) with values from 0 to 1, and labels of shape (N,)."""

    train_images: wg.Tensor
    train_labels: wg.Tensor
    test_images: wg.Tensor
    test_labels: wg.Tensor

    @property
    def steps_per_epoch(self) -> int:
        """Number of batches; the last one may be smaller."""
        return -(-len(self.train_labels) // BATCH)

    def batches(self, seed: int, epoch: int, skip: int) -> Iterator[tuple[wg.Tensor, wg.Tensor]]:
        """Iterate over the batches of an epoch, in an order given by `seed` and `epoch`, without the first `skip`."""
        order = wg.Generator().manual_seed(mix(seed, epoch))
        dataset = TensorDataset(self.train_images, self.train_labels)
        loader = DataLoader(dataset, batch_size=BATCH, shuffle=True, generator=order)
        return islice(iter(loader), skip, None)


def mix(*numbers: int) -> int:
    """Combine several numbers to one, for independent seeds."""
    return int(np.random.SeedSequence(numbers).generate_state(1)[0])


def held_out(labels: np.ndarray) -> np.ndarray:
    """Return a mask of the held-out samples: every fifth of each digit, in the order of the file, for any seed."""
    chosen = np.zeros(len(labels), bool)
    for digit in range(CLASSES):
        chosen[np.flatnonzero(labels == digit)[2::5]] = True
    return chosen


def load() -> Digits:
    """Load the digits of the package, divided."""
    raw, labels = load_digits()
    images = wg.from_numpy((raw / DARKEST).astype(np.float32)[:, None])
    targets = wg.from_numpy(labels.astype(np.int64))
    test = wg.from_numpy(held_out(labels))
    return Digits(images[~test], targets[~test], images[test], targets[test])


def moved(images: wg.Tensor, source: np.random.Generator) -> wg.Tensor:
    """Move some images by up to one pixel up, down, left or right; new pixels are 0.

    Args:
        images: (N, 1, 8, 8).
        source: generator of random numbers.
    """
    count, _, height, width = images.shape
    steps = source.integers(-1, 2, (2, count, 1, 1)) * (source.random((count, 1, 1)) < MOVED)
    rows = np.arange(height)[:, None] + 1 - steps[0]
    columns = np.arange(width) + 1 - steps[1]
    framed = np.pad(images.numpy(), ((0, 0), (0, 0), (1, 1), (1, 1)))
    return wg.from_numpy(framed[np.arange(count)[:, None, None], :, rows, columns][:, None, :, :, 0])
