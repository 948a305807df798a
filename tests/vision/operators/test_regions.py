"""Pooling of regions against their definitions, written as loops over single samples and pixels."""

import math
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import wengert as wg
from wengert.vision.operators import regions
from wengert.vision.operators.regions import roi_pool, roi_pool_backward

BINS = (2, 3)
CHANNELS = 12  # of two for each bin


def samples(seed: int) -> Iterator[tuple[np.ndarray, np.ndarray, float]]:
    """Images, regions (within, across and beyond the border, of no size) and scales."""
    rng = np.random.default_rng(seed)
    for scale in (1.0, 0.5, 0.3):
        height, width = rng.integers(4, 12, 2)
        images = rng.standard_normal((2, CHANNELS, height, width))
        corners = np.sort(rng.uniform(-2, 16, (6, 2, 2)), axis=1).reshape(6, 4)
        corners[0, 2:] = corners[0, :2]
        yield images, np.column_stack([rng.integers(0, 2, 6), corners]), scale


def bilinear(image: np.ndarray, y: float, x: float) -> float:
    """One sample of an image."""
    height, width = image.shape
    if y < -1 or y > height or x < -1 or x > width:
        return 0.0
    y, x = min(max(y, 0), height - 1), min(max(x, 0), width - 1)
    top, left = min(int(y), max(height - 2, 0)), min(int(x), max(width - 2, 0))
    bottom, right = min(top + 1, height - 1), min(left + 1, width - 1)
    upper = image[top, left] * (1 - (x - left)) + image[top, right] * (x - left)
    lower = image[bottom, left] * (1 - (x - left)) + image[bottom, right] * (x - left)
    return float(upper * (1 - (y - top)) + lower * (y - top))


def aligned_bin(image: np.ndarray, box: np.ndarray, p: int, q: int, ratio: int, shift: float, least: float) -> float:
    """One bin of a region by the mean of its samples."""
    x1, y1, x2, y2 = box - shift
    height, width = max(y2 - y1, least) / BINS[0], max(x2 - x1, least) / BINS[1]
    rows, columns = (ratio, ratio) if ratio > 0 else (math.ceil(height), math.ceil(width))
    total = sum(
        bilinear(image, y1 + (p + (i + 0.5) / rows) * height, x1 + (q + (j + 0.5) / columns) * width)
        for i in range(rows)
        for j in range(columns)
    )
    return total / (rows * columns) if rows * columns else total if least else math.nan


def by_bins(
    images: np.ndarray, rois: np.ndarray, scale: float, apart: bool, one: Callable[..., float], *options: object
) -> np.ndarray:
    """The result that `one` gives bin by bin; channels are shared out among bins if `apart`."""
    count = CHANNELS // (BINS[0] * BINS[1]) if apart else CHANNELS
    result = np.zeros((len(rois), count, *BINS))
    for k, c, p, q in np.ndindex(*result.shape):
        channel = (c * BINS[0] + p) * BINS[1] + q if apart else c
        result[k, c, p, q] = one(images[int(rois[k, 0]), channel], rois[k, 1:] * scale, p, q, *options)
    return result


def whole(value: float) -> int:
    """The nearest integer, halves away from zero."""
    return int(math.copysign(math.floor(abs(value) + 0.5), value))


@pytest.mark.parametrize("aligned", [False, True])
@pytest.mark.parametrize("ratio", [-1, 2])
def test_roi_align_is_the_mean_of_bilinear_samples(ratio: int, aligned: bool) -> None:
    shift, least = (0.5, 0.0) if aligned else (0.0, 1.0)
    for images, rois, scale in samples(0):
        if aligned and ratio < 0:
            rois = rois[1:]  # one of no size has no samples
        expected = by_bins(images, rois, scale, False, aligned_bin, ratio, shift, least)
        result = regions.roi_align(wg.tensor(images), wg.tensor(rois), scale, *BINS, ratio, aligned)
        np.testing.assert_allclose(result.numpy(), expected, atol=1e-12)


@pytest.mark.parametrize("ratio", [-1, 3])
def test_ps_roi_align_reads_channels_of_its_own_in_each_bin(ratio: int) -> None:
    for images, rois, scale in samples(1):
        expected = by_bins(images, rois[1:], scale, True, aligned_bin, ratio, 0.5, 0.0)
        result, channels = regions.ps_roi_align(wg.tensor(images), wg.tensor(rois[1:]), scale, *BINS, ratio)
        np.testing.assert_allclose(result.numpy(), expected, atol=1e-12)
        assert channels[0].flatten().tolist() == list(range(CHANNELS))


def test_ps_roi_pool_is_the_mean_of_whole_pixels() -> None:
    def one(image: np.ndarray, box: np.ndarray, p: int, q: int) -> float:
        x1, y1, x2, y2 = (whole(value) for value in box)
        ranges = []
        for start, stop, place, bins, size in ((y1, y2, p, BINS[0], len(image)), (x1, x2, q, BINS[1], len(image.T))):
            step = max(stop - start, 1) / bins
            limits = math.floor(place * step + start), math.ceil((place + 1) * step + start)
            ranges.append(slice(*(min(max(limit, 0), size - 1) for limit in limits)))
        part = image[tuple(ranges)]
        return float(part.mean()) if part.size else 0.0

    for images, rois, scale in samples(2):
        expected = by_bins(images, rois, scale, True, one)
        result, _ = regions.ps_roi_pool(wg.tensor(images), wg.tensor(rois), scale, *BINS)
        np.testing.assert_allclose(result.numpy(), expected, atol=1e-12)


def test_roi_pool_is_the_largest_pixel_and_says_where_it_lies() -> None:
    def part_of(image: np.ndarray, box: np.ndarray, p: int, q: int) -> tuple[np.ndarray, int, int]:
        x1, y1, x2, y2 = (whole(value) for value in box)
        limits = []
        for start, stop, place, bins, size in ((y1, y2, p, BINS[0], len(image)), (x1, x2, q, BINS[1], len(image.T))):
            step = max(stop - start + 1, 1) / bins
            lower, upper = math.floor(place * step) + start, math.ceil((place + 1) * step) + start
            limits += [min(max(lower, 0), size), min(max(upper, 0), size)]
        return image[limits[0] : limits[1], limits[2] : limits[3]], limits[0], limits[2]

    def largest(image: np.ndarray, box: np.ndarray, p: int, q: int) -> float:
        part = part_of(image, box, p, q)[0]
        return float(part.max()) if part.size else 0.0

    for images, rois, scale in samples(3):
        expected = by_bins(images, rois, scale, False, largest)
        values, places = roi_pool(wg.tensor(images), wg.tensor(rois), scale, *BINS)
        np.testing.assert_array_equal(values.numpy(), expected)
        assert places.dtype is wg.int32
        for k, c, p, q in np.ndindex(*expected.shape):
            image = images[int(rois[k, 0]), c]
            at = places.numpy()[k, c, p, q]
            assert (image.flat[at] if at >= 0 else 0.0) == expected[k, c, p, q]
            assert (at < 0) == (not part_of(image, rois[k, 1:] * scale, p, q)[0].size)


def test_roi_pool_passes_over_nan() -> None:
    image = wg.tensor([[[[math.nan, 1.0], [0.0, math.nan]]]])
    values, places = roi_pool(image, wg.tensor([[0.0, 0, 0, 1, 1]]), 1.0, 1, 1)
    assert (values.item(), places.item()) == (1.0, 1)


def test_backward_functions_are_the_transposes() -> None:
    rng = np.random.default_rng(4)
    for images, rois, scale in samples(4):
        x, table, shape = wg.tensor(images), wg.tensor(rois[1:]), images.shape
        pooled, places = roi_pool(x, table, scale, *BINS)
        grad = wg.tensor(rng.standard_normal(pooled.shape))
        back = roi_pool_backward(grad, table, places, scale, *BINS, *shape)
        assert (back * x).sum().item() == pytest.approx((pooled * grad).sum().item())

        pooled = regions.roi_align(x, table, scale, *BINS, 2, True)
        back = regions.roi_align_backward(grad, table, scale, *BINS, *shape, 2, True)
        assert (back * x).sum().item() == pytest.approx((pooled * grad).sum().item())

        grad = grad[:, :2]
        pooled, channels = regions.ps_roi_align(x, table, scale, *BINS, 2)
        back = regions.ps_roi_align_backward(grad, table, channels, scale, *BINS, 2, *shape)
        assert (back * x).sum().item() == pytest.approx((pooled * grad).sum().item())

        pooled, channels = regions.ps_roi_pool(x, table, scale, *BINS)
        back = regions.ps_roi_pool_backward(grad, table, channels, scale, *BINS, *shape)
        assert (back * x).sum().item() == pytest.approx((pooled * grad).sum().item())


@pytest.mark.parametrize("shape", [(0, 12, 4, 4), (1, 0, 4, 4), (1, 12, 0, 4), (1, 12, 4, 0), (1, 12, 4, 4)])
@pytest.mark.parametrize("count", [0, 1])
def test_nothing_to_pool_gives_zeros(shape: tuple[int, ...], count: int) -> None:
    x, rois = wg.ones(shape), wg.tensor([[0.0, 1, 1, 1, 1]])[: min(count, shape[0])]
    for result in (
        regions.roi_align(x, rois, 1.0, *BINS, 2, False),
        roi_pool(x, rois, 1.0, *BINS)[0],
        regions.ps_roi_align(x, rois, 1.0, *BINS, 2)[0],
        regions.ps_roi_pool(x, rois, 1.0, *BINS)[0],
    ):
        assert result.shape[0] == len(rois)
        assert (x.numel() and len(rois)) or not result.any()


@pytest.mark.parametrize("dtype", [wg.float16, wg.bfloat16])
def test_half_precision_is_computed_in_single_and_kept(dtype: wg.dtype) -> None:
    images, rois, _ = next(samples(5))
    half = regions.roi_align(wg.tensor(images, dtype=dtype), wg.tensor(rois, dtype=dtype), 1.0, *BINS, 2, True)
    single = regions.roi_align(
        wg.tensor(images, dtype=dtype).float(), wg.tensor(rois, dtype=dtype).float(), 1.0, *BINS, 2, True
    )
    assert half.dtype is dtype
    assert half.tolist() == single.to(dtype).tolist()


def test_regions_that_do_not_belong_to_the_images_are_refused() -> None:
    x = wg.zeros(2, 12, 4, 4)
    with pytest.raises(RuntimeError, match="rois must have shape as Tensor"):
        regions.roi_align(x, wg.zeros(3, 4), 1.0, *BINS, 2, True)
    with pytest.raises(RuntimeError, match="same type"):
        regions.roi_align(x, wg.zeros(3, 5).double(), 1.0, *BINS, 2, True)
    with pytest.raises(IndexError, match="batch indices"):
        roi_pool(x, wg.tensor([[2.0, 0, 0, 1, 1]]), 1.0, *BINS)
    with pytest.raises(RuntimeError, match="multiple of pooling height"):
        regions.ps_roi_pool(x[:, :5], wg.zeros(1, 5), 1.0, *BINS)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("column", [1, 2, 3, 4])
def test_a_region_without_an_end_gives_no_error(value: float, column: int) -> None:
    rois = wg.tensor([[0.0, 1, 1, 3, 3], [0.0, 1, 1, 3, 3]])
    rois[0, column] = value
    x = wg.ones(1, 12, 5, 5)
    for ratio in (-1, 2):
        assert regions.roi_align(x, rois, 1.0, *BINS, ratio, True)[1].isfinite().all()
        assert regions.ps_roi_align(x, rois, 1.0, *BINS, ratio)[0][1].isfinite().all()
    assert roi_pool(x, rois, 1.0, *BINS)[0].isfinite().all()
    assert regions.ps_roi_pool(x, rois, 1.0, *BINS)[0].isfinite().all()


def test_an_image_that_is_no_number_is_refused() -> None:
    with pytest.raises(IndexError, match="batch indices"):
        roi_pool(wg.ones(1, 1, 2, 2), wg.tensor([[math.nan, 0, 0, 1, 1]]), 1.0, 1, 1)
