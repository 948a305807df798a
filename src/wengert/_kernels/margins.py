"""Margin losses in NumPy: one loss for each row of scores (N, C)."""

from __future__ import annotations

import numpy as np

from . import positions
from .results import Array


def multi_margin(rows: Array, classes: Array, p: int, margin: float, weight: Array | None) -> Array:
    """Mean over the classes of max(0, margin + score - score of the target class) ** p.

    Args:
        rows: scores (N, C).
        classes: the right classes (N,).
        p: 1 or 2, the power.
        margin: least difference of the scores without a loss.
        weight: of each class (C,), or None for 1.

    Returns:
        A loss for each row.
    """
    at = positions.arange(len(rows))
    missed = np.maximum(rows - rows[at, classes][:, None] + rows.dtype.type(margin), 0)
    missed[at, classes] = 0
    losses = (missed if p == 1 else missed * missed).sum(1) / rows.dtype.type(rows.shape[1])
    if weight is None:
        return losses
    return np.where(losses == 0, losses, losses * weight[classes])  # 0 stays 0 for infinite and NaN weights


def true_labels(labels: Array) -> tuple[Array, Array]:
    """Masks of the labels (N, C) before the first negative one, which count, and of the classes that they name."""
    counted = np.logical_and.accumulate(labels >= 0, axis=1)
    named = np.zeros(labels.shape, np.bool_)
    items, places = positions.nonzero(counted)
    named[items, labels[items, places]] = True
    return counted, named


def multilabel_margin(rows: Array, labels: Array) -> tuple[Array, Array]:
    """Sum of max(0, 1 - score of a named class + score of another class) over all such pairs, divided by C.

    Args:
        rows: scores (N, C).
        labels: classes (N, C), of which those before the first negative one count.

    Returns:
        A loss for each row, and which classes are named, in the dtype of the scores.
    """
    counted, named = true_labels(labels)
    losses = np.zeros(len(rows), rows.dtype)
    for place in range(int(counted.sum(1).max(initial=0))):
        items = positions.flatnonzero(counted[:, place])
        chosen = rows[items, labels[items, place]]
        losses[items] += np.where(named[items], 0, np.maximum(1 - chosen[:, None] + rows[items], 0)).sum(1)
    return losses / rows.dtype.type(max(rows.shape[1], 1)), named.astype(rows.dtype)
