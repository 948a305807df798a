"""The largest pixel in each bin of regions of interest: `roi_pool` (Girshick, "Fast R-CNN", 2015)."""

from __future__ import annotations

import numpy as np

import wengert as wg
from wengert._tensor import Tensor

from .arrays import computed
from .regions import check_dtypes, check_images, check_regions, edges, rounded


def roi_pool(
    input: Tensor, rois: Tensor, spatial_scale: float, pooled_height: int, pooled_width: int
) -> tuple[Tensor, Tensor]:
    """Return the largest pixel in each bin of each region, and its index in the channel.

    Args:
        input: images of shape (N, C, H, W).
        rois: regions of shape (K, 5), rows `(batch_index, x1, y1, x2, y2)`; both ends belong to a region.
        spatial_scale: pixels of the image for one unit of the regions.
        pooled_height: number of bins along the height.
        pooled_width: number of bins along the width.

    Returns:
        The maxima of shape (K, C, pooled_height, pooled_width), zero for an empty bin, and their indices `y * W + x`,
        -1 for an empty bin, as int32.
    """
    check_regions(input, rois)
    images, table = computed(input), computed(rois)
    dtype = table.dtype.type
    corners = rounded(table[:, 1:] * dtype(spatial_scale))
    extents = np.maximum(corners[:, :1:-1] - corners[:, 1::-1] + 1, 1)
    bins, size = (pooled_height, pooled_width), images.shape[2:]
    limits = []
    for k in range(2):
        begin = corners[:, 1 - k, None]
        starts, stops = edges(np.zeros(len(table)), extents[:, k], bins[k], dtype)
        limits.append(((starts + begin).clip(0, size[k]), (stops + begin).clip(0, size[k])))
    shape = (len(table), images.shape[1], *bins)
    values, places = np.zeros(shape, images.dtype), np.full(shape, -1, np.int32)
    for region, image in enumerate(table[:, 0].astype(np.int64)):
        rows, columns = ([*zip(starts[region], stops[region])] for starts, stops in limits)
        maxima(images[image], rows, columns, values[region], places[region])
    return wg.from_numpy(values).to(input.dtype), wg.from_numpy(places)


def maxima(
    image: np.ndarray,
    rows: list[tuple[int, int]],
    columns: list[tuple[int, int]],
    values: np.ndarray,
    places: np.ndarray,
) -> None:
    """Write the largest pixel of each bin of one region, and its index: the first in row-major order.

    Args:
        image: of shape (C, H, W).
        rows, columns: ranges of pixels, one for each bin.
        values, places: arrays for the results, of shape (C, bins_h, bins_w).
    """
    lowest = np.finfo(image.dtype).min
    top = min((start for start, _ in rows), default=0)
    for q, (left, right) in enumerate(columns):
        if right <= left:
            continue
        strip = image[:, top:, left:right]
        strip = np.where(strip > lowest, strip, lowest)  # NaN is never the largest
        best = strip.argmax(axis=2)
        largest = np.take_along_axis(strip, best[..., None], axis=2)[..., 0]
        for p, (start, stop) in enumerate(rows):
            if stop <= start:
                continue
            row = largest[:, start - top : stop - top].argmax(axis=1) + start - top
            channel = np.arange(len(image))
            values[:, p, q] = largest[channel, row]
            valid = values[:, p, q] > lowest
            places[:, p, q] = np.where(valid, (row + top) * image.shape[2] + best[channel, row] + left, -1)


def roi_pool_backward(
    grad: Tensor,
    rois: Tensor,
    argmax: Tensor,
    spatial_scale: float,
    pooled_height: int,
    pooled_width: int,
    batch_size: int,
    channels: int,
    height: int,
    width: int,
) -> Tensor:
    """Return the gradient of `roi_pool` with respect to its input: each bin's gradient, added at its maximum."""
    check_dtypes("grad", grad, rois)
    check_images(rois, batch_size)
    images = computed(rois)[:, 0].astype(np.int64)[:, None, None, None]
    places = argmax.detach().numpy().astype(np.int64)
    if places.size and places.max() >= height * width:
        raise IndexError(f"roi_pool_backward: argmax must be below {height * width}, but got {places.max()}")
    channel = np.arange(channels)[None, :, None, None]
    used = places >= 0
    flat = ((images * channels + channel) * (height * width) + places)[used]
    result = np.zeros(batch_size * channels * height * width, computed(grad).dtype)
    np.add.at(result, flat, computed(grad)[used])
    return wg.from_numpy(result.reshape(batch_size, channels, height, width)).to(grad.dtype)
