"""Losses of scores that are to keep a margin from each other, in NumPy: one loss for each row of scores (N, C)."""

from __future__ import annotations

import numpy as np

from . import positions
from .results import Array


def multi_margin(rows: Array, classes: Array, p: int, margin: float, weight: Array | None) -> Array:
    """By how much the scores of other classes come nearer to that of the right one than `margin`: the mean of powers.

    Args:
        rows: scores (N, C).
        classes: the right classes (N,).
        p: 1 or 2, the power.
        margin: what scores are to keep.
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
    return np.where(losses == 0, losses, losses * weight[classes])  # nothing is nothing, whatever it weighs


def true_labels(labels: Array) -> tuple[Array, Array]:
    """Of labels (N, C) which ones count, those before the first negative one; and which classes they name."""
    counted = np.logical_and.accumulate(labels >= 0, axis=1)
    named = np.zeros(labels.shape, np.bool_)
    items, places = positions.nonzero(counted)
    named[items, labels[items, places]] = True
    return counted, named


def multilabel_margin(rows: Array, labels: Array) -> tuple[Array, Array]:
    """By how much the scores of classes that are not named come nearer than 1 to those of classes that are.

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
