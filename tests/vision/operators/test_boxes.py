"""Non-maximum suppression against its definition, and the overlap of rotated boxes against known areas."""

import numpy as np
import pytest

import wengert as wg
from wengert.vision.operators.boxes import box_iou_rotated, nms, qnms


def random_boxes(rng: np.random.Generator, count: int) -> np.ndarray:
    """Boxes of which many overlap, two are equal and one is empty."""
    corners = np.sort(rng.uniform(0, 10, (count, 2, 2)), axis=1)
    boxes = corners.reshape(count, 4)
    boxes[1::7] = boxes[0]
    boxes[2, 2:] = boxes[2, :2]
    return boxes


def overlap(first: np.ndarray, second: np.ndarray) -> float:
    """Intersection over union of two boxes."""
    sides = np.minimum(first[2:], second[2:]) - np.maximum(first[:2], second[:2])
    shared = np.prod(np.maximum(sides, 0))
    union = np.prod(first[2:] - first[:2]) + np.prod(second[2:] - second[:2]) - shared
    return float(shared / union) if union else 0.0


@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.7, 1.0])
@pytest.mark.parametrize("dtype", [wg.float16, wg.bfloat16, wg.float32, wg.float64])
def test_nms_keeps_a_box_unless_a_kept_one_of_a_higher_score_overlaps_it(threshold: float, dtype: wg.dtype) -> None:
    rng = np.random.default_rng(0)
    for count in (0, 1, 5, 40):
        boxes = wg.tensor(random_boxes(rng, count) if count > 2 else rng.uniform(0, 1, (count, 4)), dtype=dtype)
        scores = wg.tensor(rng.integers(0, 9, count) / 8, dtype=dtype)  # some are equal: the first comes first
        expected: list[int] = []
        exact = boxes.float().numpy() if dtype.itemsize < 4 else boxes.numpy()
        for i in np.argsort(-scores.double().numpy(), kind="stable"):
            if all(overlap(exact[j], exact[i]) <= threshold for j in expected):
                expected.append(int(i))
        result = nms(boxes, scores, threshold)
        assert result.dtype is wg.int64
        assert result.tolist() == expected


def test_nms_of_quantised_boxes_is_that_of_their_values() -> None:
    rng = np.random.default_rng(1)
    boxes, scores = (10 * random_boxes(rng, 20)).astype(np.uint8), rng.permutation(20).astype(np.uint8)
    result = qnms(wg.from_numpy(boxes), wg.from_numpy(scores), 0.4)
    assert result.tolist() == nms(wg.tensor(boxes).double(), wg.tensor(scores).double(), 0.4).tolist()


@pytest.mark.parametrize(
    ("boxes", "scores", "message"),
    [
        (wg.zeros(4), wg.zeros(1), "boxes should be a 2d tensor, got 1D"),
        (wg.zeros(2, 5), wg.zeros(2), "boxes should have 4 elements in dimension 1, got 5"),
        (wg.zeros(2, 4), wg.zeros(2, 1), "scores should be a 1d tensor, got 2D"),
        (wg.zeros(2, 4), wg.zeros(3), "same number of elements in dimension 0, got 2 and 3"),
        (wg.zeros(2, 4), wg.zeros(2).double(), "same type"),
    ],
)
def test_nms_refuses_what_does_not_belong_together(boxes: wg.Tensor, scores: wg.Tensor, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        nms(boxes, scores, 0.5)


@pytest.mark.parametrize("angle", [0.0, 30.0, -75.0, 90.0, 400.0])
def test_rotated_boxes_overlap_as_boxes_do_that_are_turned_together(angle: float) -> None:
    turn = np.deg2rad(angle)
    matrix = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    rng = np.random.default_rng(2)
    first, second = random_boxes(rng, 6), random_boxes(rng, 5)
    turned = []
    for boxes in (first, second):
        centers = (boxes[:, :2] + boxes[:, 2:]) / 2 @ matrix.T
        turned.append(wg.tensor(np.column_stack([centers, boxes[:, 2:] - boxes[:, :2], np.full(len(boxes), angle)])))
    expected = [[overlap(a, b) for b in second] for a in first]
    np.testing.assert_allclose(box_iou_rotated(*turned).numpy(), expected, atol=1e-6)


def test_a_square_and_the_same_square_turned_by_45_degrees_share_an_octagon() -> None:
    square, turned = wg.tensor([[0.0, 0, 2, 2, 0]]), wg.tensor([[0.0, 0, 2, 2, 45]])
    octagon = 8 * (np.sqrt(2) - 1)
    assert box_iou_rotated(square, turned).item() == pytest.approx(octagon / (8 - octagon), rel=1e-6)
