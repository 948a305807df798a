"""Names of events, and the stacks of calls that led to them, computed on demand from the log."""

from __future__ import annotations

import os
from collections.abc import Iterator
from types import CodeType
from typing import Any

from ..._core.profiling import kinds
from ..._core.profiling.events import Event

PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHOWN = tuple(os.path.join(PACKAGE, layer) + os.sep for layer in ("nn", "optim", "func", "demo", "vision"))
"""Layers of the package whose frames are shown: the layers below are the same in each stack, or compiled."""

INNER = {
    "view_shape": "view",
    "max_dim": "max",
    "max_full": "max",
    "min_dim": "min",
    "min_full": "min",
    "true_divide": "div",
    "divide_rounded": "div",
    "true_divide_": "div_",
    "divide_rounded_": "div_",
    "copy": "copy_",
    "_where": "where",
}
"""Names of operators that are one operator in torch and several here."""

ALONE = {
    **{f"{name}_along": name for name in ("cummax", "cummin", "kthvalue", "median", "mode", "sort", "topk")},
    **{f"_{name}": name for name in ("binary_cross_entropy", "binary_cross_entropy_with_logits", "searchsorted")},
    **{f"_{name}_loss": f"{name}_loss" for name in ("huber", "mse", "multi_margin", "smooth_l1", "soft_margin")},
    **{f"{name}_norm_backward": f"native_{name}_norm_backward" for name in ("batch", "group", "layer")},
    **{f"_linalg_{name}": f"linalg_{name}" for name in ("eig", "lu_solve", "pinv", "qr", "solve_triangular")},
    **dict.fromkeys(("asarray", "new_tensor", "tensor"), "lift_fresh"),
    **dict.fromkeys(("convolution_input", "convolution_weight"), "convolution_backward"),
    **dict.fromkeys(("dropout1d", "dropout2d", "dropout3d"), "feature_dropout"),
    "_grid_sample": "grid_sampler",
    "_histogramdd": "histogramdd",
    "_linalg_cholesky_ex": "linalg_cholesky_ex",
    "_linalg_inv_ex": "linalg_inv_ex",
    "_multilabel_margin_loss": "multilabel_margin_loss_forward",
    "_one_hot": "one_hot",
    "batch_norm_forward": "native_batch_norm",
    "cross_entropy": "cross_entropy_loss",
    "cumsum_reversed": "cumsum",
    "distance_norm": "norm",
    "dropout_noise": "bernoulli_",
    "embedding_bag_lookup": "_embedding_bag",
    "embedding_lookup": "embedding",
    "fill_diagonal": "fill_diagonal_",
    "kept_gradient": "detach",
    "median_full": "median",
    "nonzero_positions": "nonzero",
    "normal_about": "normal",
    "relu_backward": "threshold_backward",
    "unique": "_unique2",
}
"""Names, in profiles, of operators that torch does not have in this form."""


def name_of(event: Event) -> str:
    """Return torch's name of an event."""
    what = event.what
    if event.kind == kinds.OPERATOR:
        name = what if isinstance(what, str) else what.name
        return f"aten::{INNER.get(name) or ALONE.get(name, name)}"
    name = what.__name__ if isinstance(what, type) else str(what)
    return f"autograd::engine::evaluate_function: {name}" if event.kind == kinds.EVALUATE else name


def line_of(code: CodeType, offset: int) -> int:
    """Return the line of an instruction."""
    for start, end, line in code.co_lines():
        if start <= offset < end and line is not None:
            return line
    return code.co_firstlineno


def is_shown(code: CodeType) -> bool:
    """Return whether a frame belongs to the program, or to a layer that is shown."""
    path = code.co_filename
    return not path.startswith(PACKAGE + os.sep) or path.startswith(SHOWN)


def frames_of(stack: Any) -> Iterator[str]:
    """Return the calls that led to an event, innermost first: "file(line): function"."""
    for at in range(0, len(stack), 2):
        code: CodeType = stack[at]
        if is_shown(code):
            yield f"{code.co_filename}({line_of(code, stack[at + 1])}): {code.co_name}"
