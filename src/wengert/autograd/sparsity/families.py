"""Families of operators: the dependence of elements of a result on elements of the operands.

Elementwise operators are known by their cards. For an operator in no table here, each element of the result is assumed
to depend on all operands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core.cards.card import load_all
from ..._core.tensor.base import Tensor
from .calls import Call, Rule, everything, moved, numbers_by, pointwise
from .sets import Sets, numbers_of, union
from .windows import average_back, convolution, convolution_back, pooled


def nothing(call: Call, result: Tensor) -> Sets | None:
    """Rule of operators with a constant result."""
    return None


def only(name: str) -> Rule:
    """Return the rule: each element depends only on the element of operand `name` at its index."""
    return lambda call, result: union([call.sets[name]], result._array_.shape)


def dims_of(call: Call) -> Any:
    """Return the dimensions along which a call works; None for all."""
    dim = call["dim"] if call.has("dim") else None
    return None if dim is None or dim == () else dim


def reduced(call: Call, result: Tensor) -> Sets | None:
    """Rule of reductions: each element depends on all of the operand along some dimensions."""
    sets = call.operands()[0].united(dims_of(call))
    return sets.reshaped(result._array_.shape)


def of_matrices(call: Call, result: Tensor) -> Sets | None:
    """Rule of functions of matrices: each matrix (vector, number) of a result depends on one matrix of each operand."""
    shape = result._array_.shape
    depths = [call[name]._array_.ndim - 2 for name in call.sets]
    item_dims = len(shape) - max(depths)  # dimensions of an item of the result
    if min(depths) < 0 or item_dims < 0 or (len(depths) > 1 and item_dims != 2):
        return everything(call, result)
    matrices = [operand.united((-2, -1)) for operand in call.operands()]
    return union([matrix.reshaped((*matrix.shape[:-2], *(1,) * item_dims)) for matrix in matrices], shape)


def along(call: Call, result: Tensor) -> Sets | None:
    """Rule of functions along a dimension that keep the shape: softmax, cumulative sums."""
    return union([operand.united(call["dim"]) for operand in call.operands()], result._array_.shape)


def product(first: str, second: str, added: str = "", *, batches: bool = True) -> Rule:
    """Return the rule of matrix products: each element depends on a row of `first` and a column of `second`.

    Args:
        added: the name of an operand that is added to the product.
        batches: whether products of different batches are separate; otherwise they are summed.
    """

    def rule(call: Call, result: Tensor) -> Sets | None:
        left, right, shape = call.sets[first], call.sets[second], result._array_.shape
        if (left is None) != (right is None) and batches:
            constant = call[first if left is None else second]
            if call.is_fixed(constant) and constant._array_.ndim <= 2:
                product = by_constant(constant._array_, right) if left is None else of_constant(left, constant._array_)
                return union([product.reshaped(shape), call.sets.get(added)], shape)
        if left is not None:
            left = left.united(-1)
            left = left.reshaped(left.shape[:-1]) if right_rank(call[second]) == 1 else left
        if right is not None:
            right = right.united(0 if len(right.shape) == 1 else -2)
        parts = [left, right]
        if not batches:
            parts = [None if part is None else part.united(0) for part in parts]
            parts = [None if part is None else part.reshaped(part.shape[1:]) for part in parts]
        return union([*parts, call.sets.get(added)], shape)

    return rule


def by_constant(matrix: Any, right: Sets) -> Sets:
    """Return the sets of a constant matrix times a matrix or vector; products with zeros do not count."""
    rows, between = np.nonzero(matrix)
    count = right.shape[1] if len(right.shape) == 2 else 1
    column = np.arange(count)
    numbers, elements = rows[:, np.newaxis] * count + column, between[:, np.newaxis] * count + column
    return right.linked(numbers.ravel(), elements.ravel(), (matrix.shape[0], count))


def of_constant(left: Sets, matrix: Any) -> Sets:
    """Return the sets of a matrix times a constant matrix or vector."""
    between, columns = np.nonzero(matrix.reshape(len(matrix), -1))
    count, length = matrix.size // max(len(matrix), 1), left.shape[1]
    row = np.arange(left.shape[0])[:, np.newaxis]
    return left.linked((row * count + columns).ravel(), (row * length + between).ravel(), (left.shape[0], count))


def right_rank(value: Any) -> int:
    """Return the number of dimensions of a tensor."""
    return value._array_.ndim


def written(call: Call, result: Tensor, targets: Any, name: str, keep: bool) -> Sets | None:
    """Return the sets of a result with elements of one operand written at `targets`, into `self` if there is one.

    Args:
        targets: for each written element the number of an element of the result.
        keep: whether they are added to the elements there.
    """
    shape = result._array_.shape
    source, target = call.sets[name], call.sets.get("self")
    parts = []
    if source is not None:
        if source.matrix.shape[0] == targets.size:
            source = source.reshaped(targets.shape)
        elif len(source.shape) == targets.ndim:  # `scatter` reads only as many elements as there are indices
            source = source.moved(numbers_of(source.shape)[tuple(map(slice, targets.shape))] + 1)
        parts.append(source.broadcast(targets.shape).gathered(targets, shape))
    if target is not None:
        numbers = numbers_of(shape) + 1
        if not keep:
            numbers.reshape(-1)[targets.ravel()] = 0
        parts.append(target.moved(numbers))
    return union(parts, shape)


def into(reader: str, name: str, *names: str, keep: bool | str = True) -> Rule:
    """Return the rule of an operator that writes where another one reads.

    Args:
        reader, names: the reading operator, and the names of its arguments after the tensor.
        name: the operand that is written.
        keep: whether it is added to the elements there, or the name of the argument that says so.
    """

    def rule(call: Call, result: Tensor) -> Sets | None:
        targets = numbers_by(load_all()[reader].public, result._array_.shape, *[call[key] for key in names])
        return written(call, result, targets, name, bool(call[keep]) if isinstance(keep, str) else keep)

    return rule


def scattered(call: Call, result: Tensor) -> Sets | None:
    """Rule of `scatter`, which may combine new elements with those there."""
    return into("gather", "src", "dim", "index", keep=call["reduce"] is not None)(call, result)


def indexed(name: str, keep: bool | str = True) -> Rule:
    """Return the rule of writes at index tensors."""

    def rule(call: Call, result: Tensor) -> Sets | None:
        shape = result._array_.shape
        some = any(index is not None for index in call["indices"])
        targets = numbers_by(load_all()["index"].public, shape, call["indices"]) if some else numbers_of(shape)
        return written(call, result, targets, name, bool(call[keep]) if isinstance(keep, str) else keep)

    return rule


def looked_up(call: Call, result: Tensor) -> Sets | None:
    """Rule of the gradient of an embedding: gradients of rows, added where the rows were read."""
    targets = numbers_of(result._array_.shape)[call["indices"].numpy()]
    return written(call, result, targets, "grad", True)


def normalised(kept: Callable[[Call, int], set[int]]) -> Rule:
    """Return the rule of normalisations: each element depends on all others along the dimensions that are not kept."""

    def rule(call: Call, result: Tensor) -> Sets | None:
        sets = call.sets["input"]
        shape = result._array_.shape
        if call["input"]._array_.shape != shape:  # a mean or another statistic
            return everything(call, result)
        parts = [call.sets["weight"], call.sets["bias"]]
        operands = [None if part is None else part.united().reshaped(()) for part in parts]
        if sets is None:
            return union(operands, shape)
        rank = len(sets.shape)
        dims = [dim for dim in range(rank) if dim not in kept(call, rank)]
        return union([sets.united(dims), *operands], shape)

    return rule


REDUCED = (
    *("sum", "mean", "nansum", "prod", "logsumexp", "linalg_vector_norm", "var", "std", "var_mean", "std_mean"),
    *("amax", "amin", "_aminmax", "max_full", "min_full", "max_dim", "min_dim"),
)
ALONG = (
    *("_softmax", "_log_softmax", "_softmax_backward_data", "_log_softmax_backward_data"),
    *("cumsum", "cumsum_reversed", "cumprod", "recurrence", "logcumsumexp", "linalg_cross"),
)
POINTWISE = (
    *("clone", "_to_copy", "_restrided", "_conj_physical", "conjugate_complex", "complex", "polar", "lerp"),
    *("masked_fill", "native_dropout", "kept_gradient", "_binary_cross_entropy"),
    *("_binary_cross_entropy_with_logits", "_mse_loss", "_smooth_l1_loss", "_huber_loss"),
)
MOVED = (
    *("index", "gather", "index_select", "take", "masked_select", "_unsafe_view", "repeat", "tril", "triu"),
    *("diag_embed", "diagonal_copy", "flip", "roll", "cat", "stack", "constant_pad_nd", "edge_pad", "fill_diagonal"),
    *("index_fill", "masked_scatter", "split_backward", "slice_backward", "select_backward", "diagonal_backward"),
    *(
        "masked_select_backward",
        "gather_planes",
        "gather_volumes",
        "pixel_shuffle",
        "pixel_unshuffle",
        "im2col",
        "embedding",
    ),
    *("embedding_dense_gather", "rot90", "_block_diag", "narrow_copy", "diagonal_scatter", "select_scatter"),
    *("slice_scatter", "permute_copy", "transpose_copy", "t_copy", "squeeze_copy", "unsqueeze_copy"),
    *("_view_copy", "alias_copy", "unfold_copy", "select_copy", "slice_copy"),
)
MATRICES = (
    *("_linalg_inv_ex", "_linalg_solve_ex", "_linalg_solve_triangular", "_triangular_solve", "_linalg_cholesky_ex"),
    *("cholesky_solve", "cholesky_inverse", "_linalg_det", "_linalg_slogdet", "_linalg_qr", "_linalg_svd"),
    *("_linalg_eigh", "_linalg_eig", "_linalg_lu", "_linalg_lu_factor_ex", "_lu_unpack", "_linalg_lu_solve"),
    *("_linalg_pinv", "linalg_matrix_exp", "_pdist_forward"),
)
RULES: dict[str, Rule] = {
    **dict.fromkeys(MATRICES, of_matrices),
    **dict.fromkeys(REDUCED, reduced),
    **dict.fromkeys(ALONG, along),
    **dict.fromkeys(POINTWISE, pointwise),
    **dict.fromkeys(MOVED, moved),
    "copy": only("src"),
    "fill": only("value"),
    **dict.fromkeys(
        ("fake_quantize_per_tensor_affine_cachemask", "fake_quantize_per_channel_affine_cachemask"), only("self")
    ),
    "zero": nothing,
    "mm": product("self", "mat2"),
    "bmm": product("self", "mat2"),
    "mv": product("self", "vec"),
    "dot": everything,
    "vdot": everything,
    "addmm": product("mat1", "mat2", "self"),
    "addmv": product("mat", "vec", "self"),
    "baddbmm": product("batch1", "batch2", "self"),
    "addbmm": product("batch1", "batch2", "self", batches=False),
    "index_put": indexed("values", keep="accumulate"),
    "index_backward": indexed("grad"),
    "put": into("take", "source", "index", keep="accumulate"),
    "scatter": scattered,
    "scatter_add": into("gather", "src", "dim", "index"),
    "scatter_reduce": into("gather", "src", "dim", "index"),
    "index_add": into("index_select", "source", "dim", "index"),
    "index_reduce": into("index_select", "source", "dim", "index"),
    "index_copy": into("index_select", "source", "dim", "index", keep=False),
    "gather_backward": into("gather", "grad", "dim", "index"),
    "index_select_backward": into("index_select", "grad", "dim", "index"),
    "scatter_planes": into("gather_planes", "grad", "indices"),
    "scatter_volumes": into("gather_volumes", "grad", "indices"),
    "max_unpool2d": into("gather_planes", "input", "indices"),
    "max_unpool3d": into("gather_volumes", "input", "indices"),
    "unfold_backward": into("unfold", "grad", "dimension", "size", "step"),
    "embedding_dense_backward": looked_up,
    "slope_with_history": only("grad"),
    "native_layer_norm": normalised(lambda call, rank: set(range(rank - len(call["normalized_shape"])))),
    "native_group_norm": normalised(lambda call, rank: {0}),
    "batch_norm_forward": normalised(lambda call, rank: {1}),
    "convolution": convolution,
    "convolution_input": convolution_back,
    **dict.fromkeys(("avg_pool2d", "max_pool2d_with_indices"), pooled(2)),
    **dict.fromkeys(("avg_pool3d", "max_pool3d_with_indices"), pooled(3)),
    "avg_pool2d_backward": average_back(2),
    "avg_pool3d_backward": average_back(3),
}


def rule_of(op: Any) -> Rule:
    """Return the rule of an operator."""
    known = RULES.get(op.name)
    if known is not None:
        return known
    return pointwise if op.promotion is not None and op.allows_larger else everything
