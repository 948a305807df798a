"""Operators on boxes: non-maximum suppression, and the overlap of rotated boxes.

Boxes are rows `(x1, y1, x2, y2)` with `x1 <= x2` and `y1 <= y2`; rotated boxes are rows
`(center_x, center_y, width, height, angle)` with the angle in degrees, counter-clockwise.
"""

from __future__ import annotations

import numpy as np

import wengert as wg
from wengert._tensor import Tensor

from .arrays import computed


def check_boxes(boxes: Tensor, scores: Tensor) -> None:
    """Refuse operands of `nms` that do not fit together.

    Raises:
        RuntimeError: if the shape of `boxes` is not (K, 4), that of `scores` not (K,), or their dtypes differ.
    """
    if boxes.dim() != 2:
        raise RuntimeError(f"boxes should be a 2d tensor, got {boxes.dim()}D")
    if boxes.size(1) != 4:
        raise RuntimeError(f"boxes should have 4 elements in dimension 1, got {boxes.size(1)}")
    if scores.dim() != 1:
        raise RuntimeError(f"scores should be a 1d tensor, got {scores.dim()}D")
    if boxes.size(0) != scores.size(0):
        raise RuntimeError(
            "boxes and scores should have same number of elements in dimension 0, "
            f"got {boxes.size(0)} and {scores.size(0)}"
        )
    if boxes.dtype != scores.dtype:
        raise RuntimeError(f"dets should have the same type as scores, got {boxes.dtype} and {scores.dtype}")


def nms(dets: Tensor, scores: Tensor, iou_threshold: float) -> Tensor:
    """Non-maximum suppression: return the indices of boxes that overlap no box of higher score too much.

    Boxes are processed by decreasing score. Each removes the later boxes whose intersection over union with it is
    greater than `iou_threshold`.

    Args:
        dets: boxes of shape (K, 4).
        scores: their scores, of shape (K,).
        iou_threshold: largest intersection over union of two selected boxes.

    Returns:
        int64 indices of the selected boxes, by decreasing score.

    Raises:
        RuntimeError: if shapes or dtypes do not fit together.
    """
    check_boxes(dets, scores)
    order = np.argsort(-computed(scores).astype(np.float64), kind="stable")
    x1, y1, x2, y2 = computed(dets)[order].T
    areas = (x2 - x1) * (y2 - y1)
    candidates = np.arange(len(order))
    selected = []
    while candidates.size:
        best, candidates = candidates[0], candidates[1:]
        selected.append(best)
        widths = np.minimum(x2[best], x2[candidates]) - np.maximum(x1[best], x1[candidates])
        heights = np.minimum(y2[best], y2[candidates]) - np.maximum(y1[best], y1[candidates])
        intersections = np.maximum(widths, 0) * np.maximum(heights, 0)
        with np.errstate(invalid="ignore", divide="ignore"):  # two empty boxes: NaN, which removes neither
            overlaps = intersections / (areas[best] + areas[candidates] - intersections)
        candidates = candidates[~(overlaps > iou_threshold)]
    return wg.from_numpy(order[np.asarray(selected, np.int64)])


def qnms(dets: Tensor, scores: Tensor, iou_threshold: float) -> Tensor:
    """`nms` of the integer representations of quantised boxes and scores: a common scale changes no overlap."""
    check_boxes(dets, scores)
    return nms(dets.double(), scores.double(), iou_threshold)


def box_iou_rotated(boxes1: Tensor, boxes2: Tensor) -> Tensor:
    """Return the intersection over union of each rotated box of `boxes1` with each of `boxes2`.

    Args:
        boxes1: boxes of shape (K, 5).
        boxes2: boxes of shape (L, 5).

    Returns:
        Intersections over unions, of shape (K, L) and dtype float32.

    Raises:
        RuntimeError: if a shape is not (N, 5).
    """
    for name, boxes in (("boxes1", boxes1), ("boxes2", boxes2)):
        if boxes.dim() != 2 or boxes.size(1) != 5:
            raise RuntimeError(f"{name} should have shape (N, 5), got {tuple(boxes.shape)}")
    rows, columns = (computed(boxes).astype(np.float64) for boxes in (boxes1, boxes2))
    result = np.zeros((len(rows), len(columns)), np.float32)
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            result[i, j] = rotated_overlap(row, column)
    return wg.from_numpy(result)


def rotated_overlap(first: np.ndarray, second: np.ndarray) -> float:
    """Return the intersection over union of two rotated boxes."""
    areas = first[2] * first[3], second[2] * second[3]
    if min(areas) < 1e-14:
        return 0.0
    middle = (first[:2] + second[:2]) / 2  # corners have full precision near zero
    shared = area(clipped(corners(first, middle), corners(second, middle)))
    return float(shared / (areas[0] + areas[1] - shared))


def corners(box: np.ndarray, origin: np.ndarray) -> np.ndarray:
    """Return the four corners of a rotated box, in the order of increasing angle, relative to `origin`."""
    angle = np.deg2rad(box[4])
    along = np.array([np.cos(angle), -np.sin(angle)]) * box[2] / 2
    across = np.array([np.sin(angle), np.cos(angle)]) * box[3] / 2
    center = box[:2] - origin
    return np.stack(
        [center - along - across, center + along - across, center + along + across, center - along + across]
    )


def clipped(polygon: np.ndarray, window: np.ndarray) -> np.ndarray:
    """Return the part of a convex polygon within a convex window (Sutherland and Hodgman, 1974)."""
    for start, end in zip(window, np.roll(window, -1, axis=0)):
        if not len(polygon):
            break
        edge = end - start
        sides = edge[0] * (polygon[:, 1] - start[1]) - edge[1] * (polygon[:, 0] - start[0])
        points = []
        for i in range(len(polygon)):
            before, side = sides[i - 1], sides[i]
            if (before >= 0) != (side >= 0):
                points.append(polygon[i - 1] + before / (before - side) * (polygon[i] - polygon[i - 1]))
            if side >= 0:
                points.append(polygon[i])
        polygon = np.array(points)
    return polygon


def area(polygon: np.ndarray) -> float:
    """Return the area of a polygon by the shoelace formula."""
    if len(polygon) < 3:
        return 0.0
    x, y = polygon.T
    return abs(float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))) / 2
