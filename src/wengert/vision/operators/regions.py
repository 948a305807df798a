"""Pooling of regions of interest: `roi_align`, `roi_pool`, `ps_roi_align`, `ps_roi_pool`.

Regions are rows `(batch_index, x1, y1, x2, y2)`. Images have the shape (N, C, H, W), the result
(K, C, bins_h, bins_w); in the position-sensitive forms (`ps_`) each bin reads channels of its own, and the result has
C / (bins_h * bins_w) channels.
Sources: He et al., "Mask R-CNN" (2017); Girshick, "Fast R-CNN" (2015); Dai et al., "R-FCN" (2016).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import wengert as wg
from wengert._tensor import Tensor

from .arrays import computed
from .axes import Axis, bilinear, covering


def check_regions(input: Tensor, rois: Tensor) -> None:
    """Refuse regions that do not fit the images.

    Raises:
        RuntimeError: if the shape of `rois` is not (K, 5), `input` is not 4-D, or their dtypes differ.
        IndexError: if a region has a batch index out of range.
    """
    if rois.dim() != 2 or rois.size(1) != 5:
        raise RuntimeError(f"rois must have shape as Tensor[K, 5], but got {tuple(rois.shape)}")
    if input.dim() != 4:
        raise RuntimeError(f"expected images of shape (N, C, H, W), but got {tuple(input.shape)}")
    check_dtypes("input", input, rois)
    check_images(rois, input.size(0))


def check_dtypes(name: str, tensor: Tensor, rois: Tensor) -> None:
    """Refuse tensors of different dtypes.

    Raises:
        RuntimeError: if the dtypes differ.
    """
    if tensor.dtype != rois.dtype:
        raise RuntimeError(
            f"Expected tensor for {name} to have the same type as tensor for rois; "
            f"but type {tensor.dtype} does not equal {rois.dtype}"
        )


def check_images(rois: Tensor, count: int) -> None:
    """Refuse regions with batch indices out of range.

    Raises:
        IndexError: if a batch index is negative or at least `count`.
    """
    images = np.trunc(computed(rois)[:, 0])
    if not ((images >= 0) & (images < count)).all():  # nor if one is NaN
        raise IndexError(f"rois: batch indices must be in [0, {count}), but got {images.min()} to {images.max()}")


def check_bins(input: Tensor, bins: tuple[int, int]) -> None:
    """Refuse channels that cannot be divided among the bins.

    Raises:
        RuntimeError: if the number of channels is not a multiple of the number of bins.
    """
    if input.size(1) % (bins[0] * bins[1]):
        raise RuntimeError("input channels must be a multiple of pooling height * pooling width")


def sampled_axes(
    rois: Tensor, scale: float, bins: tuple[int, int], ratio: int, size: tuple[int, int], shift: float, least: float
) -> tuple[np.ndarray, Axis, Axis]:
    """Return the image of each region, and the weights of rows and columns in its bilinear samples.

    Args:
        rois: the regions.
        scale: pixels of the image for one unit of the regions.
        bins: number of bins along both axes.
        ratio: samples of a bin along each axis; 0 or less for one for each pixel that the bin covers.
        size: height and width of the images.
        shift: shift of the regions, in pixels.
        least: lower bound of the size of a region, in pixels.
    """
    table = computed(rois)
    dtype = table.dtype.type
    corners = table[:, 1:] * dtype(scale) - dtype(shift)
    starts, extents = corners[:, 1::-1], corners[:, :1:-1] - corners[:, 1::-1]
    if least:
        extents = np.maximum(extents, dtype(least))
    steps = extents / np.array(bins, dtype)
    steps = np.where(np.isfinite(steps), steps, dtype(0))  # a region without an end has no samples
    samples = np.ceil(steps).astype(np.int64) if ratio <= 0 else np.full(steps.shape, ratio)
    samples = np.maximum(samples, 0)
    rows, columns = (bilinear(starts[:, k], steps[:, k], bins[k], samples[:, k], size[k]) for k in range(2))
    count = samples.prod(axis=1)
    if least:
        count = np.maximum(count, 1)
    with np.errstate(divide="ignore", invalid="ignore"):  # as torchvision: NaN for a position-sensitive empty region
        weights = rows.weights / count[:, None, None].astype(dtype)
    return table[:, 0].astype(np.int64), Axis(weights, rows.starts, rows.stops), columns


def covered_axes(
    rois: Tensor, scale: float, bins: tuple[int, int], size: tuple[int, int]
) -> tuple[np.ndarray, Axis, Axis]:
    """Return the image of each region, and the weights of rows and columns in the mean of each bin."""
    table = computed(rois)
    dtype = table.dtype.type
    corners = rounded(table[:, 1:] * dtype(scale))
    extents = np.maximum(corners[:, :1:-1] - corners[:, 1::-1], 1)
    axes = []
    for k in range(2):
        starts, stops = edges(corners[:, 1 - k], extents[:, k], bins[k], dtype)
        last = max(size[k] - 1, 0)
        axes.append(covering(starts.clip(0, last), stops.clip(0, last), size[k]))
    rows, columns = (Axis(axis.weights.astype(dtype), axis.starts, axis.stops) for axis in axes)
    return table[:, 0].astype(np.int64), rows, columns


def rounded(values: np.ndarray) -> np.ndarray:
    """Return the nearest integers, halves away from zero; 0 for NaN, and at most 2**31 in magnitude."""
    known = np.nan_to_num(values, nan=0.0).clip(-(2.0**31), 2.0**31)
    return np.trunc(known + np.copysign(0.5, known).astype(values.dtype)).astype(np.int64)


def edges(starts: np.ndarray, extents: np.ndarray, bins: int, dtype: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the first pixel and the end of each bin, each of shape (K, bins), computed in `dtype`."""
    steps = (extents.astype(dtype) / dtype(bins))[:, None]
    begin = starts[:, None].astype(dtype)
    lower = np.floor(np.arange(bins).astype(dtype) * steps + begin)
    upper = np.ceil(np.arange(1, bins + 1).astype(dtype) * steps + begin)
    return lower.astype(np.int64), upper.astype(np.int64)


def pool(images: np.ndarray, of_region: np.ndarray, rows: Axis, columns: Axis) -> np.ndarray:
    """Return `rows @ image @ columns.T` for each region, of shape (K, C, bins_h, bins_w)."""
    channels = images.shape[1]
    bins = rows.weights.shape[1], columns.weights.shape[1]
    last = np.ascontiguousarray(images.transpose(0, 2, 3, 1))  # so that each product is a matrix product
    result = np.zeros((len(of_region), *bins, channels), images.dtype)
    for region, image in enumerate(of_region):
        (across, ys), (along, xs) = rows.part(region), columns.part(region)
        window = last[image, ys, xs]
        lines = across @ window.reshape(window.shape[0], window.shape[1] * channels)
        result[region] = along @ lines.reshape(bins[0], window.shape[1], channels)
    return result.transpose(0, 3, 1, 2)


def spread(grad: np.ndarray, of_region: np.ndarray, rows: Axis, columns: Axis, shape: tuple[int, ...]) -> np.ndarray:
    """Return the gradient of `pool` with respect to the images, of the given shape (N, C, H, W)."""
    count, channels, height, width = shape
    last = np.ascontiguousarray(grad.transpose(0, 2, 3, 1))
    result = np.zeros((count, height, width, channels), grad.dtype)
    for region, image in enumerate(of_region):
        (across, ys), (along, xs) = rows.part(region), columns.part(region)
        lines = along.T @ last[region]
        window = across.T @ lines.reshape(lines.shape[0], lines.shape[1] * channels)
        result[image, ys, xs] += window.reshape(across.shape[1], *lines.shape[1:])
    return result.transpose(0, 3, 1, 2)


def pool_by_bin(images: np.ndarray, of_region: np.ndarray, rows: Axis, columns: Axis) -> np.ndarray:
    """Return `rows @ image @ columns.T` where each bin reads its own channels."""
    bins = rows.weights.shape[1], columns.weights.shape[1]
    count, channels, *size = images.shape
    grouped = images.reshape(count, channels // (bins[0] * bins[1]), *bins, *size)
    result = np.zeros((len(of_region), grouped.shape[1], *bins), images.dtype)
    for region, image in enumerate(of_region):
        (across, ys), (along, xs) = rows.part(region), columns.part(region)
        lines = np.einsum("cpqyx,qx->cpqy", grouped[image, ..., ys, xs], along)
        result[region] = np.einsum("cpqy,py->cpq", lines, across)
    return result


def spread_by_bin(
    grad: np.ndarray, of_region: np.ndarray, rows: Axis, columns: Axis, shape: tuple[int, ...]
) -> np.ndarray:
    """Return the gradient of `pool_by_bin` with respect to the images, of the given shape (N, C, H, W)."""
    bins = grad.shape[2:]
    result = np.zeros((shape[0], shape[1] // (bins[0] * bins[1]), *bins, *shape[2:]), grad.dtype)
    for region, image in enumerate(of_region):
        (across, ys), (along, xs) = rows.part(region), columns.part(region)
        result[image, ..., ys, xs] += np.einsum("cpq,py,qx->cpqyx", grad[region], across, along)
    return result.reshape(shape)


def channel_mapping(rois: Tensor, channels: int, bins: tuple[int, int]) -> Tensor:
    """Return the channel that each bin reads, int32 of shape (K, C / bins, bins_h, bins_w)."""
    table = np.arange(channels, dtype=np.int32).reshape(channels // (bins[0] * bins[1]), *bins)
    return wg.from_numpy(np.repeat(table[None], rois.size(0), axis=0))


def apply(
    function: Callable[..., np.ndarray], tensor: Tensor, axes: tuple[np.ndarray, Axis, Axis], *shape: Any
) -> Tensor:
    """Apply one of the functions above to a tensor; return the result in the tensor's dtype."""
    return wg.from_numpy(np.ascontiguousarray(function(computed(tensor), *axes, *shape))).to(tensor.dtype)


def align_axes(
    rois: Tensor, scale: float, bins: tuple[int, int], ratio: int, size: tuple[int, int], aligned: bool
) -> tuple[np.ndarray, Axis, Axis]:
    """Return the weights of `roi_align`."""
    shift, least = (0.5, 0.0) if aligned else (0.0, 1.0)
    return sampled_axes(rois, scale, bins, ratio, size, shift, least)


def roi_align(
    input: Tensor,
    rois: Tensor,
    spatial_scale: float,
    pooled_height: int,
    pooled_width: int,
    sampling_ratio: int,
    aligned: bool,
) -> Tensor:
    """Return the mean of bilinear samples in each bin of each region."""
    check_regions(input, rois)
    bins, size = (pooled_height, pooled_width), (input.size(2), input.size(3))
    return apply(pool, input, align_axes(rois, spatial_scale, bins, sampling_ratio, size, aligned))


def roi_align_backward(
    grad: Tensor,
    rois: Tensor,
    spatial_scale: float,
    pooled_height: int,
    pooled_width: int,
    batch_size: int,
    channels: int,
    height: int,
    width: int,
    sampling_ratio: int,
    aligned: bool,
) -> Tensor:
    """Return the gradient of `roi_align` with respect to its input."""
    check_dtypes("grad", grad, rois)
    check_images(rois, batch_size)
    axes = align_axes(rois, spatial_scale, (pooled_height, pooled_width), sampling_ratio, (height, width), aligned)
    return apply(spread, grad, axes, (batch_size, channels, height, width))


def ps_roi_align(
    input: Tensor, rois: Tensor, spatial_scale: float, pooled_height: int, pooled_width: int, sampling_ratio: int
) -> tuple[Tensor, Tensor]:
    """Return the mean of bilinear samples in each bin of each region, and the channel that each bin reads."""
    check_regions(input, rois)
    bins, size = (pooled_height, pooled_width), (input.size(2), input.size(3))
    check_bins(input, bins)
    axes = sampled_axes(rois, spatial_scale, bins, sampling_ratio, size, 0.5, 0.0)
    return apply(pool_by_bin, input, axes), channel_mapping(rois, input.size(1), bins)


def ps_roi_align_backward(
    grad: Tensor,
    rois: Tensor,
    channel_mapping: Tensor,
    spatial_scale: float,
    pooled_height: int,
    pooled_width: int,
    sampling_ratio: int,
    batch_size: int,
    channels: int,
    height: int,
    width: int,
) -> Tensor:
    """Return the gradient of `ps_roi_align` with respect to its input."""
    check_dtypes("grad", grad, rois)
    check_images(rois, batch_size)
    bins = pooled_height, pooled_width
    axes = sampled_axes(rois, spatial_scale, bins, sampling_ratio, (height, width), 0.5, 0.0)
    return apply(spread_by_bin, grad, axes, (batch_size, channels, height, width))


def ps_roi_pool(
    input: Tensor, rois: Tensor, spatial_scale: float, pooled_height: int, pooled_width: int
) -> tuple[Tensor, Tensor]:
    """Return the mean of the pixels in each bin of each region, and the channel that each bin reads."""
    check_regions(input, rois)
    bins, size = (pooled_height, pooled_width), (input.size(2), input.size(3))
    check_bins(input, bins)
    axes = covered_axes(rois, spatial_scale, bins, size)
    return apply(pool_by_bin, input, axes), channel_mapping(rois, input.size(1), bins)


def ps_roi_pool_backward(
    grad: Tensor,
    rois: Tensor,
    channel_mapping: Tensor,
    spatial_scale: float,
    pooled_height: int,
    pooled_width: int,
    batch_size: int,
    channels: int,
    height: int,
    width: int,
) -> Tensor:
    """Return the gradient of `ps_roi_pool` with respect to its input."""
    check_dtypes("grad", grad, rois)
    check_images(rois, batch_size)
    axes = covered_axes(rois, spatial_scale, (pooled_height, pooled_width), (height, width))
    return apply(spread_by_bin, grad, axes, (batch_size, channels, height, width))


# ---- the largest pixel of each bin -----------------------------------------------------------------------------------


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
