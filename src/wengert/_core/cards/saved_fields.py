"""How nodes show what they saved as `_saved_*`: in torch's form, with what its nodes have beside."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..recording.recorded import OpNode
from ..recording.saved_tensor import read_operand, read_saved

Read = Callable[[OpNode, str], Any]

WITH_NUMBERS = ("mul", "true_divide")
"""Operators of which torch has no form for a number: it makes a tensor of the number, and saves that."""
OVER_DIMENSIONS = frozenset(
    {
        "amax", "amin", "linalg_vector_norm", "logsumexp", "mean", "nansum", "roll", "std", "std_mean", "sum", "var",
        "var_mean",
    }
)  # fmt: skip
"""Operators whose nodes show the one dimension that they were called with as a tuple."""
SPREADS = frozenset({"std", "std_mean", "var", "var_mean"})
REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}
"""The numbers by which torch's nodes show how a loss is reduced."""
SAMPLED = {"bilinear": 0, "nearest": 1, "bicubic": 2}
BORDERS = {"zeros": 0, "border": 1, "reflection": 2}
"""Those for how a grid takes values between pixels, and outside of the image."""
WHOLE = frozenset(
    {
        "diagonal", "dim", "dim0", "dim1", "dim2", "dimension", "dims", "end", "ignore_index", "index", "k", "offset",
        "pad", "padding_idx", "shifts", "start",
    }
)  # fmt: skip
"""What torch's nodes keep as integers of 64 bits, and show as if these had no sign."""
WINDOWS = {"avg_pool2d": 2, "avg_pool3d": 3, "im2col": 2, "col2im": 2}
"""Operators on windows, and over how many dimensions: an integer stands for one for each."""
OF_WINDOWS = frozenset({"dilation", "kernel_size", "padding", "stride"})
LAST = 2**63 - 1  # where a slice without an end ends


def reader_of(operator: str, attribute: str, name: str) -> Read:
    """What reads a saved value as torch shows it."""
    if attribute.endswith("_sym_numel"):
        return lambda node, name: math.prod(read_saved(node, name))
    if name == "reduction":
        return lambda node, name: REDUCTIONS.get(read_saved(node, name))
    if operator in SPREADS and name in ("correction", "dim"):
        return read_correction if name == "correction" else read_spread_dimensions
    if operator in OVER_DIMENSIONS and name in ("dim", "dims", "shifts"):
        return read_dimensions
    if operator in WINDOWS and name in OF_WINDOWS:
        return lambda node, name: repeated(read_saved(node, name), WINDOWS[operator])
    if operator == "slice" and name in ("start", "end"):
        return read_bound
    if name in WHOLE:
        return lambda node, name: unsigned(read_saved(node, name))
    return read_operand if name == "other" and operator in WITH_NUMBERS else read_saved


def unsigned(value: Any) -> Any:
    """Integers below zero as torch shows them: with their sign bit read as 2^63."""
    if type(value) is int:
        return value % 2**64
    return tuple(map(unsigned, value)) if isinstance(value, tuple) else value


def repeated(value: Any, count: int) -> Any:
    """An integer for each of several dimensions; what was not given is no integer."""
    return () if value is None else (value,) * count if isinstance(value, int) else tuple(value)


def read_dimensions(node: OpNode, name: str) -> Any:
    """Saved dimensions, a single one as a tuple."""
    found = unsigned(read_saved(node, name))
    return (found,) if isinstance(found, int) else found


def read_spread_dimensions(node: OpNode, name: str) -> Any:
    """Over which dimensions a variance is; a truth in their place is no dimension, but says how it is corrected."""
    return None if isinstance(read_saved(node, name), bool) else read_dimensions(node, name)


def read_correction(node: OpNode, name: str) -> Any:
    """By how much a variance is corrected, whatever form said so."""
    given, unbiased, dim = (read_saved(node, each) for each in (name, "unbiased", "dim"))
    if given is None and isinstance(dim, bool):
        return int(dim)
    if given is None and unbiased is not None:
        return int(unbiased)
    return 1 if given is None and dim is not None else given


def read_bound(node: OpNode, name: str) -> Any:
    """Where a slice starts or ends; torch knows no open ones."""
    found = read_saved(node, name)
    return (0 if name == "start" else LAST) if found is None else unsigned(found)


def argument_of_view(at: int) -> Callable[[Any], Any]:
    """What reads an argument of a view: those are kept to take it again."""
    return lambda node: unsigned(node.step[1][at])


def shape_of_input(slot: int, at: int | None = None) -> Callable[[OpNode], Any]:
    """What reads the shape of an input, or a length: the edge to it knows the space of its gradient, if it has one."""

    def read(node: OpNode) -> Any:
        edge = node.next_edges[slot]
        if edge is None:
            return None
        return tuple(edge.shape) if at is None else edge.shape[at]

    return read


def shape_of_bias(node: OpNode) -> tuple[int, ...]:
    """The shape of the bias of a convolution, in torch's way of saying that there is none."""
    return (0,) if node.next_edges[2] is None else tuple(node.next_edges[2].shape)


def output_padding(node: OpNode) -> tuple[int, ...] | None:
    """What a convolution pads its result with; of a transposed one it is not kept."""
    return None if read_saved(node, "transposed") else (0,) * (len(read_saved(node, "input_shape")) - 2)


def scale(at: int) -> Callable[[OpNode], Any]:
    """What reads by how much a dimension of an image is scaled, if that was said."""

    def read(node: OpNode) -> Any:
        found = read_saved(node, "scales")
        return found if found is None else found[at]

    return read


DERIVED: dict[str, dict[str, Callable[[Any], Any]]] = {
    "_grid_sample": {
        "interpolation_mode": lambda node: SAMPLED[read_saved(node, "mode")],
        "padding_mode": lambda node: BORDERS[read_saved(node, "padding")],
    },
    "addbmm": {
        "batch1_sym_argsize_0": shape_of_input(1, 0),
        "batch1_sym_argsize_1": shape_of_input(1, 1),
        "batch2_sym_argsize_2": shape_of_input(2, 2),
    },
    "as_strided_from": {"storage_offset": argument_of_view(3)},
    "convolution": {"bias_sym_sizes_opt": shape_of_bias, "output_padding": output_padding},
    "edge_pad": {"padding": lambda node: unsigned(read_saved(node, "pad"))},
    "embedding": {
        "sparse": lambda node: False,
        "weight_sym_argsize_0": lambda node: read_saved(node, "weight_shape")[0],
    },
    "expand": {"self_sym_sizes": shape_of_input(0)},
    "gather": {"sparse_grad": lambda node: False},
    "im2col": {
        "self_sym_argsize_minus_1": lambda node: read_saved(node, "input_shape")[-1],
        "self_sym_argsize_minus_2": lambda node: read_saved(node, "input_shape")[-2],
    },
    "native_group_norm": {
        "N": shape_of_input(0, 0),
        "C": shape_of_input(0, 1),
        "HxW": lambda node: None if node.next_edges[0] is None else math.prod(node.next_edges[0].shape[2:]),
    },
    "resample": {"scales": scale(-1), "scales_d": scale(-3), "scales_h": scale(-2), "scales_w": scale(-1)},
    "split": {"split_sizes": lambda node: read_saved(node, "split_size")},
    "squeeze": {"dim": argument_of_view(1)},
}
"""What reads those that are shown beside what is saved, by operator."""


def shown(node: OpNode, operator: str, attribute: str, name: str) -> Any:
    """The value of `_saved_<attribute>` of a node: what is saved under a name, or, without one, told from the rest."""
    if name:
        return reader_of(operator, attribute, name)(node, name)
    return DERIVED[operator][attribute](node)
