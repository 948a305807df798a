"""Weights of pixels in the bins of regions, axis by axis.

Pooling a region by bilinear samples, or by the mean of pixels, is linear and separable: a bin is
`rows @ image @ columns.T`, with a weight for each row and each column of the image. This module computes the weights
of all regions along one axis; `regions` applies them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Axis:
    """Weights of the pixels along one axis.

    Attributes:
        weights: of shape (K, bins, length), one row for each bin of each region.
        starts, stops: range of pixels of each region, of shape (K,), outside of which its weights are zero.
    """

    weights: np.ndarray
    starts: np.ndarray
    stops: np.ndarray

    def part(self, region: int) -> tuple[np.ndarray, slice]:
        """Return the nonzero weights of one region, of shape (bins, n), and the range of their pixels."""
        pixels = slice(self.starts[region], self.stops[region])
        return self.weights[region, :, pixels], pixels


def from_weights(weights: np.ndarray) -> Axis:
    """Return an axis with given weights of shape (K, bins, length)."""
    used = (weights != 0).any(axis=1)
    some = used.any(axis=1)
    length = weights.shape[2]
    starts = np.where(some, used.argmax(axis=1) if length else 0, 0)
    stops = np.where(some, length - used[:, ::-1].argmax(axis=1) if length else 0, 0)
    return Axis(weights, starts, stops)


def bilinear(starts: np.ndarray, sizes: np.ndarray, bins: int, samples: np.ndarray, length: int) -> Axis:
    """Return the weights of the sum of evenly spaced linear samples in each bin.

    A sample before pixel -1 or after pixel `length` is zero; between these and the border it is the border's pixel.

    Args:
        starts: starts of the regions, in pixels, of shape (K,).
        sizes: sizes of the bins of each region, of shape (K,).
        bins: number of bins of a region.
        samples: number of samples in a bin, of shape (K,).
        length: number of pixels.
    """
    dtype = starts.dtype.type
    most = int(samples.max(initial=0))
    step = np.arange(most).astype(dtype) + dtype(0.5)
    with np.errstate(divide="ignore", invalid="ignore"):  # a region without samples has no weights
        offsets = step * sizes[:, None] / samples[:, None].astype(dtype)
    positions = starts[:, None, None] + np.arange(bins).astype(dtype)[:, None] * sizes[:, None, None]
    positions = positions + offsets[:, None, :]
    inside = (np.arange(most) < samples[:, None])[:, None, :] & (positions >= -1) & (positions <= length)
    regions, places, _ = np.nonzero(inside)
    weights = np.zeros((len(starts), bins, length), starts.dtype)
    if not length:
        return from_weights(weights)
    inner = np.maximum(positions[inside], dtype(0))
    lower = np.minimum(inner.astype(np.int64), length - 1)
    upper = np.minimum(lower + 1, length - 1)
    fractions = np.where(lower < length - 1, inner - lower.astype(dtype), dtype(0))
    np.add.at(weights, (regions, places, lower), dtype(1) - fractions)
    np.add.at(weights, (regions, places, upper), fractions)
    return from_weights(weights)


def covering(starts: np.ndarray, stops: np.ndarray, length: int) -> Axis:
    """Return the weights of the mean over whole pixels from `starts` to `stops`, each of shape (K, bins)."""
    pixels = np.arange(length)
    inside = (pixels >= starts[..., None]) & (pixels < stops[..., None])
    counts = np.maximum(stops - starts, 1)[..., None]
    return from_weights(inside / counts)
