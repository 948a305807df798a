"""Arguments that fit, for each native function that only the dispatcher and rules call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import wengert as wg
from tests.kernels.direct_planes import PLANES, Arguments, few, images, matrix, rows
from wengert import _kernels as kernels
from wengert._core.forks import forks
from wengert.ops.randomness.generator import default_generator


def drawing() -> Any:
    """The default generator, from which numbers have been drawn."""
    default_generator.draw(lambda source: source.words(1))
    return default_generator


def source_parts() -> tuple[Any, ...]:
    """What native draws need of it."""
    return drawing().draw(lambda source: source.parts)


def of_nll(random: np.random.Generator, t: Any) -> Arguments:
    x = matrix(random, t)
    return [x, rows(random, len(x), x.shape[1]), np.ones(x.shape[1], t), "mean", -100]


def of_choice(random: np.random.Generator, t: Any) -> Arguments:
    x = few(random, t)
    return [x[:1, :, :1] > 0, x, x[0]]


def of_value_selecting_rule(random: np.random.Generator, t: Any) -> Arguments:
    x = few(random, t)
    return [[x[:, 0].copy(), None], x.shape, random.integers(0, x.shape[1], x[:, 0].shape), 1, False]


def of_extreme_rule(random: np.random.Generator, t: Any) -> Arguments:
    x = few(random, t)
    return [x[:, 0].copy(), x, x.max(1), 1, False]


# Functions of cards and rules that the dispatcher alone calls, by position.
DIRECT: dict[str, Callable[[np.random.Generator, Any], Arguments]] = {
    "where": of_choice,
    "where_self_rule": lambda r, t: of_choice(r, t)[1::-1],
    "where_other_rule": lambda r, t: of_choice(r, t)[1::-1],
    "masked_fill": lambda r, t: [*of_choice(r, t)[1::-1], 2],
    "masked_fill_rule": lambda r, t: of_choice(r, t)[1::-1],
    "clamp": lambda r, t: [few(r, t), -1, 0.5],
    "clamp_min": lambda r, t: [few(r, t), -1],
    "clamp_max": lambda r, t: [few(r, t), 1],
    "clamp_rule": lambda r, t: (lambda x: [x + 1, x, None, 0.5])(few(r, t)),
    "pow": lambda r, t: [few(r, t), 2.5],
    "pow_rule": lambda r, t: (lambda x: [x + 1, x, 3])(few(r, t)),
    "round": lambda r, t: [few(r, t), 0],
    "negated_rule": lambda r, t: [few(r, t), 1],
    "vector_norm": lambda r, t: [few(r, t), 2, None, False, None],
    "rsub": lambda r, t: [few(r, t), 2, 1],
    "prod": lambda r, t: [few(r, t), 1, False, None],
    "var": lambda r, t: [few(r, t), (0, 1, 2), None, False, None],
    "std": lambda r, t: [few(r, t), None, False, True, None],
    "max_full": lambda r, t: [few(r, t)],
    "min_full": lambda r, t: [few(r, t)],
    "value_selecting_rule": of_value_selecting_rule,
    "extreme_rule": of_extreme_rule,
    "whole_extreme_rule": lambda r, t: (lambda x: [np.ones((), t), x, x.max(keepdims=True)])(few(r, t)),
}
DIRECT.update(
    dict.fromkeys(
        ["sum_rule", "mean_rule"], lambda r, t: (lambda x: [x[:, :1].copy(), (3, 7, x.shape[2]), 1, True])(few(r, t))
    )
)
DIRECT.update(dict.fromkeys(["eq", "ne", "lt", "le", "gt", "ge"], lambda r, t: of_choice(r, t)[1:]))
DIRECT.update(dict.fromkeys(["amax", "amin", "any", "all"], lambda r, t: [few(r, t), (0, 1), True]))
DIRECT.update(dict.fromkeys(["var_mean", "std_mean"], lambda r, t: [few(r, t), (0, 1), None, False, None]))
DIRECT |= dict.fromkeys(["median_along", "nanmedian_along", "mode_along"], lambda r, t: [few(r, t), 1, False])
DIRECT.update(dict.fromkeys(["median_full", "nanmedian_full"], lambda r, t: [few(r, t)]))
SLICES = ["index_copy", "index_copy_"]
DIRECT |= dict.fromkeys(SLICES, lambda r, t: [np.ones((3, 2), t), 0, rows(r, 2, 3), np.ones((2, 2), t)])
DIRECT.update(dict.fromkeys(["index_fill", "index_fill_"], lambda r, t: [few(r, t), 0, rows(r, 2, 3), 0.5]))
DIRECT.update(dict.fromkeys(["put", "put_"], lambda r, t: [few(r, t), rows(r, 3, 2) - 1, np.ones(3, t), False]))
DIRECT.update(
    logsumexp=lambda r, t: [few(r, t), -1, True],
    aminmax=lambda r, t: [few(r, t), 1, False],
    as_strided=lambda r, t: [few(r, t), (2, 1), (1, 2), 0],
    kthvalue_along=lambda r, t: [few(r, t), 1, 0, True],
    movedim_arguments=lambda r, t: [few(r, t), 0, -1],
    scatter_add_=lambda r, t: (lambda x: [x, 0, rows(r, x.size, len(x)).reshape(x.shape), x + 1])(few(r, t)),
    scatter_=lambda r, t: (lambda x: [x, 0, rows(r, x.size, 3).reshape(x.shape), 0.5, None])(few(r, t)),
)
DIRECT.update(dict.fromkeys(["max_dim", "min_dim", "argmax", "argmin"], lambda r, t: [few(r, t), 1, True]))
DIRECT.update(
    dict.fromkeys(
        [
            *("sinc", "rad2deg", "deg2rad", "entr"),
        ],
        lambda r, t: [np.abs(few(r, t))],
    )
)
DIRECT.update(dict.fromkeys(["xlogy", "xlog1py", "heaviside"], lambda r, t: (lambda x: [x, x + 1])(few(r, t))))
# The element-wise functions, as the extension lists them: name, how many operands, binding, cost.
TABLE = [] if kernels.native is None else kernels.native.pointwise_table()
ONE = [name for name, operands, binding, _ in TABLE if operands == 1 and binding not in ("INNER", "SCIPY")]
TWO = {name: binding for name, operands, binding, _ in TABLE if operands == 2 and binding != "INNER"}
DIRECT.update(dict.fromkeys(ONE, lambda r, t: [np.abs(few(r, t))]))
DIRECT.update(dict.fromkeys(TWO, lambda r, t: (lambda x: [x + 1, x])(few(r, t))))
# Float32 only: of float64 NumPy's loops answer.
OF_FLOAT = ["arctan2", "hypot", "logaddexp", "fmod", "remainder", "floor_divide"]
DIRECT.update(dict.fromkeys(OF_FLOAT, lambda r, t: [few(r, np.float32), np.ones(1, "f4")]))
DIRECT.update(
    {
        "expm1_rule": lambda r, t: (lambda x: [x + 1, x, None])(few(r, t)),
        "sigmoid_rule": lambda r, t: (lambda x: [x + 1, x, None])(few(r, t)),
        "tanh_rule": lambda r, t: (lambda x: [x + 1, x, x * 30])(few(r, t)),
        "logit": lambda r, t: [few(r, t), None],
        "logit_rule": lambda r, t: (lambda x: [x + 1, x, None])(few(r, t)),
        "threshold": lambda r, t: [few(r, t), 0.5, 2],
        "threshold_rule": lambda r, t: (lambda x: [x + 1, x, 0.5])(few(r, t)),
        "hardshrink": lambda r, t: [few(r, t), 0.5],
        "softshrink": lambda r, t: [few(r, t), 0.5],
        "shrink_rule": lambda r, t: (lambda x: [x + 1, x, 0.5])(few(r, t)),
        "nan_to_num": lambda r, t: [few(r, t), 1, None, -2.0],
        "nan_to_num_rule": lambda r, t: (lambda x: [x + 1, x])(few(r, t)),
        "elu": lambda r, t: [few(r, t), 1.0, 2, 0.5],
        "elu_rule": lambda r, t: (lambda x: [x + 1, x, 1.0, 2, 0.5])(few(r, t)),
        "celu": lambda r, t: [few(r, t), 1.5],
        "celu_rule": lambda r, t: (lambda x: [x + 1, x, 1.5])(few(r, t)),
        "softplus": lambda r, t: [few(r, t), 1.0, 20],
        "softplus_rule": lambda r, t: (lambda x: [x + 1, x, 2.0, 20])(few(r, t)),
        "leaky_relu": lambda r, t: [few(r, t), 0.01],
        "leaky_relu_rule": lambda r, t: (lambda x: [x + 1, x, 0.01])(few(r, t)),
        "hardtanh": lambda r, t: [few(r, t), -1, 1.0],
        "hardtanh_rule": lambda r, t: (lambda x: [x + 1, x, -1, 1.0])(few(r, t)),
        "addcmul": lambda r, t: (lambda x: [x, x[0], x[:, :1].copy(), 2])(few(r, t)),
        "addcdiv": lambda r, t: (lambda x: [x, x[0], x[:, :1].copy(), 0.5])(few(r, t)),
        "lerp": lambda r, t: (lambda x: [x, x[0], 0.25])(few(r, t)),
        "addcmul_": lambda r, t: (lambda x: [x, x + 1, x[:, :1] + 1, 2])(few(r, t)),
        "addcdiv_": lambda r, t: (lambda x: [x, x, x[0] + 5, 0.5])(few(r, t)),
        "lerp_": lambda r, t: (lambda x: [x, x + 1, 0.25])(few(r, t)),
        "nansum": lambda r, t: [few(r, t), 1, True, None],
        "cumsum": lambda r, t: [few(r, t), 1, None],
        "cumprod": lambda r, t: [few(r, t), -1, None],
        "cumsum_reversed": lambda r, t: [few(r, t), 1],
        "cumsum_rule": lambda r, t: [few(r, t), 0],
    }
)
DIRECT.update(
    dict.fromkeys(
        ["hardsigmoid_rule", "hardswish_backward", "multiply_rule", "divide_rule"],
        lambda r, t: (lambda x: [x + 1, x])(few(r, t)),
    )
)


def of_places(random: np.random.Generator, t: Any) -> Arguments:
    """x, a dimension, and an index for each element."""
    x = matrix(random, t)
    return [x, 0, random.integers(0, len(x), x.shape)]


def of_slices(random: np.random.Generator, t: Any) -> Arguments:
    """x, a dimension, and an index for each slice."""
    x = matrix(random, t)
    return [x, 1, rows(random, x.shape[1], x.shape[1])]


def of_table(random: np.random.Generator, t: Any) -> Arguments:
    """A gradient of rows of a table, which rows, and the table's shape."""
    return [random.normal(size=(2, 3, 5)).astype(t), random.integers(0, 7, (2, 3)), (7, 5), -1, False]


def of_factor(random: np.random.Generator, t: Any) -> Arguments:
    """A square gradient, a factor, and the other factor's shape and strides."""
    x = random.normal(size=(5, 5)).astype(t)
    return [x, x + 1, x.shape, x.T.strides]


def of_pair(random: np.random.Generator, t: Any) -> Arguments:
    x = matrix(random, t)
    return [np.ones((), t), x, x + 1]


def square(random: np.random.Generator, t: Any) -> Any:
    return random.normal(size=(6, 6)).astype(t)


def batch(random: np.random.Generator, t: Any) -> Any:
    return random.normal(size=(3, 4, 4)).astype(t)


PRODUCTS: dict[str, Callable[[np.random.Generator, Any], Arguments]] = {
    "cat": lambda r, t: (lambda x: [[x, x[:, ::2].copy(), x[:, 1:]], 1])(matrix(r, t)),
    "stack": lambda r, t: [[matrix(r, t)] * 9, -1],
    "cat_rule": lambda r, t: [images(r, t), ((2, 1, 3, 3), (2, 3, 3, 3)), 1],
    "stack_rule": lambda r, t: [images(r, t), 1],
    "mm": lambda r, t: (lambda x: [x, x.T])(square(r, t)),
    "mv": lambda r, t: [square(r, t), square(r, t)[1]],
    "dot": lambda r, t: [square(r, t)[0], square(r, t)[:, 1]],
    "bmm": lambda r, t: [batch(r, t), batch(r, t).transpose(0, 2, 1)],
    "matmul": lambda r, t: (lambda x: [x, x.transpose(0, 1, 3, 2)])(images(r, t)),
    "addmm": lambda r, t: [square(r, t)[0], square(r, t), square(r, t).T, 1, 1],
    "bmm_first_rule": lambda r, t: [batch(r, t)] * 2,
    "bmm_second_rule": lambda r, t: [batch(r, t)] * 2,
    "mm_first_rule": of_factor,
    "mm_second_rule": of_factor,
    "addmm_first_rule": lambda r, t: [*of_factor(r, t), 1],
    "addmm_second_rule": lambda r, t: [*of_factor(r, t), 1],
    "addmm_bias_rule": lambda r, t: [np.broadcast_to(np.ones((), t), (4, 5)), (5,), 1],
    "mv_first_rule": lambda r, t: [square(r, t)[0], square(r, t)[1]],
    "mv_second_rule": lambda r, t: [square(r, t)[0], square(r, t)],
    "dot_rule": lambda r, t: [np.ones((), t), square(r, t)[1]],
    "gather": lambda r, t: [*of_places(r, t), False],
    "scatter_source_rule": lambda r, t: (lambda given: [*given, given[2].shape])(of_places(r, t)),
    "index_select": of_slices,
    "embedding": lambda r, t: [square(r, t), rows(r, 9, 6), -1, False, False],
    "gather_rule": lambda r, t: (lambda a: [a[0], a[0].shape, *a[1:]])(of_places(r, t)),
    "index_select_rule": lambda r, t: (lambda a: [a[0], a[0].shape, *a[1:]])(of_slices(r, t)),
    "embedding_rule": of_table,
    "nll_loss_rule": lambda r, t: (lambda a: [[a[3], None], a[0], a[1], a[3], *a[2:3], "mean", -100])(
        [*of_nll(r, t)[:3], np.ones((), t)]
    ),
    "mse_loss": lambda r, t: [*of_pair(r, t)[1:], "mean"],
    "smooth_l1_loss": lambda r, t: [*of_pair(r, t)[1:], "none", 0.5],
    "huber_loss": lambda r, t: [*of_pair(r, t)[1:], "sum", 2],
    "bce_with_logits": lambda r, t: [*of_pair(r, t)[1:], None, None, "mean"],
    "mse_loss_rule": lambda r, t: [*of_pair(r, t), "mean", (True, True)],
    "smooth_l1_loss_rule": lambda r, t: [*of_pair(r, t), "sum", 0.5, (True, False)],
    "huber_loss_rule": lambda r, t: [*of_pair(r, t), "mean", 2, (False, True)],
    "bce_with_logits_rule": lambda r, t: [*of_pair(r, t), None, None, "sum", (True, True)],
}
DIRECT.update(PRODUCTS)
# Rules by what was saved of one operand or of the result, of both operands, and of reductions.
BY_ONE = (
    "sqrt",
    "rsqrt",
    "reciprocal",
    "tan",
    "log1p",
    "log2",
    "log10",
    "square",
    "absolute",
    "sin",
    "cos",
    "sinh",
    "cosh",
)
DIRECT.update(dict.fromkeys([f"{name}_rule" for name in BY_ONE], lambda r, t: [few(r, t)] * 2))
DIRECT.update(
    dict.fromkeys(
        ["divisor_rule", "larger_rule", "smaller_rule"], lambda r, t: (lambda x: [x, x[0], x[:, :1].copy()])(few(r, t))
    )
)
DIRECT.update(
    gelu_backward=lambda r, t: (lambda x: [x, x + 1, "tanh"])(few(r, t)),
    max_whole=lambda r, t: [few(r, t), None, False],
    min_whole=lambda r, t: [few(r, t), None, False],
    max_pair=lambda r, t: (lambda x: [x, x[0], False])(few(r, t)),
    min_pair=lambda r, t: (lambda x: [x, x[0], False])(few(r, t)),
    var_rule=lambda r, t: (lambda x: [x[:, 0].copy(), x, 1, None, False, 0])(few(r, t)),
    std_rule=lambda r, t: (lambda x: [x[0].copy(), x, x[0].copy(), 0, False, False, None])(few(r, t)),
    logsumexp_rule=lambda r, t: (lambda x: [x[..., :1].copy(), x, x[..., 0].copy(), -1, True])(few(r, t)),
    prod_rule=lambda r, t: (lambda x: [x[:, 0].copy(), x, x[:, 0].copy(), 1, False])(few(r, t)),
    vector_norm_rule=lambda r, t: (lambda x: [x[:, 0].copy(), x, x[:, 0].copy(), 2, 1, False])(few(r, t)),
    takes_classes=lambda r, t: (lambda a: [*a[:2], None, "mean", -100])(of_nll(r, t)),
    is_pair=lambda r, t: (lambda x: [x, x, 1])(matrix(r, t)),
    binary_cross_entropy=lambda r, t: (lambda x: [x, x[::-1].copy(), None, "mean"])(r.random(size=(3, 4)).astype(t)),
    binary_cross_entropy_rule=lambda r, t: (lambda x: [np.ones((), t), x, x[::-1].copy(), None, "mean", (True, True)])(
        r.random(size=(3, 4)).astype(t)
    ),
    index_put_rule=lambda r, t: (lambda x: [x, [rows(r, 9, len(x)), rows(r, 9, x.shape[1])], False])(matrix(r, t)),
)
DIRECT.update(
    alias=lambda r, t: [matrix(r, t)],
    view_shape=lambda r, t: [images(r, t), (-1, 4)],
    view_dense=lambda r, t: [images(r, t), (-1, 4)],
    unsafe_view=lambda r, t: [images(r, t), (-1, 4)],
    transpose=lambda r, t: [images(r, t), -1, 1],
    t=lambda r, t: [matrix(r, t)],
    permute=lambda r, t: [images(r, t), (-1, 0, 2, 1)],
    unsqueeze=lambda r, t: [matrix(r, t), 1],
    squeeze=lambda r, t: [matrix(r, t)[:1], (0, -1)],
    expand=lambda r, t: [matrix(r, t)[:1], (3, 2, -1), False],
    select=lambda r, t: [images(r, t), 1, -1],
    slice=lambda r, t: [images(r, t), 1, 1, None, 2],
    diagonal=lambda r, t: [images(r, t), 1, 1, -1],
    split=lambda r, t: [images(r, t), (1, 0, 3), 1],
    unbind=lambda r, t: [matrix(r, t), -1],
    angle=lambda r, t: [matrix(r, np.float32) * np.complex64(1j)],
    view_as_real=lambda r, t: [matrix(r, t) * np.complex64(1j)],
    view_as_complex=lambda r, t: [matrix(r, t)[..., None].repeat(2, -1)],
    reshape_rule=lambda r, t: (lambda x: [x.T, (x.size // 2, 2)])(images(r, t)),
    permute_rule=lambda r, t: [images(r, t), (-1, 0, 2, 1)],
    select_backward=lambda r, t: (lambda x: [x, (*x.shape, 3), -1, -2])(matrix(r, t)),
    slice_backward=lambda r, t: (lambda x: [x, (len(x), 50), -1, -x.shape[1], None, 1])(matrix(r, t)),
    diagonal_backward=lambda r, t: (lambda x: [x, (50, len(x), x.shape[1] + 1), 1, 0, -1])(matrix(r, t)),
    split_backward=lambda r, t: (lambda x: [[x, x], (len(x), 99), 1, (0, 50)])(matrix(r, t)),
)
DIRECT.update(
    index_add_=lambda r, t: (lambda x: [x, 1, rows(r, 9, x.shape[1]), np.ones((len(x), 9), t), 0.5])(matrix(r, t)),
    copy_=lambda r, t: [images(r, t)[..., ::2], np.ones(1, t), False],
    fill_=lambda r, t: [images(r, t).T, 1.5],
    zero_=lambda r, t: [images(r, t)[::-1]],
    masked_fill_=lambda r, t: (lambda x: [x, x[:, :1] > 0, 2])(matrix(r, t)),
    index=lambda r, t: (lambda x: [x, [None, rows(r, 9, 4) - 4, rows(r, 9, x.shape[2]).reshape(9, 1)]])(images(r, t)),
    index_put_=lambda r, t: (lambda x: [x.T, [rows(r, 9, x.shape[1]).reshape(3, 3)], np.ones(len(x), t), False])(
        matrix(r, t)
    ),
    index_rule=lambda r, t: (lambda x: [x, (x.shape[0], 50, 2), [None, np.arange(x.shape[1]), rows(r, 1, 2)]])(
        matrix(r, t)
    ),
)
DIRECT.update(
    flip=lambda r, t: [images(r, t), (0, -1)],
    roll=lambda r, t: [images(r, t), (3, -1), (0, 2)],
    tril=lambda r, t: [images(r, t), 1],
    triu=lambda r, t: [images(r, t), -1],
    sort_along=lambda r, t: [matrix(r, t), None, 0, bool(r.integers(2))],
    topk_along=lambda r, t: [matrix(r, t), 1, 0, True, True],
    distinct=lambda r, t: [matrix(r, t), None, False, True, True],
    sorted_positions=lambda r, t: [np.sort(matrix(r, t)[0]), matrix(r, t), True, False],
    bincount=lambda r, t: [rows(r, 9, 30), None, 3],
    cummax_along=lambda r, t: [matrix(r, t), 0],
    cummin_along=lambda r, t: [matrix(r, t), 1],
    scatter=lambda r, t: [*of_places(r, t), 2, None],
    scatter_reduce=lambda r, t: (lambda a: [*a, a[0] + 1, "amax", True])(of_places(r, t)),
    masked_select=lambda r, t: (lambda x: [x, x > 0])(matrix(r, t)),
    masked_select_backward=lambda r, t: [np.ones(2, t), (3,), np.array([True, False, True])],
    masked_scatter=lambda r, t: (lambda x: [x, x > 0, x + 1])(matrix(r, t)),
    nonzero_positions=lambda r, t: (lambda x: [np.append(x * (x > 0), t(1))])(matrix(r, t)),
    index_put=lambda r, t: (lambda x: [x, [rows(r, 9, len(x))], np.ones((9, x.shape[1]), t), True])(matrix(r, t)),
)
DIRECT.update(
    tensor=lambda r, t: [np.dtype(t), [[1.5, 2], [3, float(r.normal())]]],
    zeros=lambda r, t: [np.dtype(t), *map(int, r.integers(0, 5, 3))],
    ones=lambda r, t: [np.dtype(t), tuple(map(int, r.integers(0, 5, 3)))],
    empty=lambda r, t: [np.dtype(t), *map(int, r.integers(0, 5, 2))],
    full=lambda r, t: [np.dtype(t), tuple(map(int, r.integers(0, 5, 3))), [1.5, 2, True][r.integers(3)]],
    full_like=lambda r, t: [np.dtype(t), matrix(r, t), 2],
    arange=lambda r, t: [np.dtype(t), *map(int, r.integers(-5, 5, 1)), 9, [2, 0.5][r.integers(2)]],
    linspace=lambda r, t: [np.dtype(t), -1, 2.5, int(r.integers(2, 50))],
    new_full=lambda r, t: [np.dtype(t), matrix(r, t), tuple(map(int, r.integers(0, 5, 3))), 1.5],
    whole=lambda r, t: [*source_parts(), int(r.integers(0, 40)), int(r.integers(1, 2**40)), -5, bool(r.integers(0, 2))],
    even=lambda r, t: [*source_parts(), np.dtype(t), int(r.integers(0, 40))],
    normal=lambda r, t: [*source_parts(), np.dtype(t), int(r.integers(0, 40))],
    rand=lambda r, t: [drawing(), forks, np.dtype(t), *map(int, r.integers(0, 5, 2))],
    randn=lambda r, t: [drawing(), forks, np.dtype(t), tuple(map(int, r.integers(0, 5, 3)))],
    clone=lambda r, t: [matrix(r, t), None],
    to_copy=lambda r, t: [matrix(r, t), r.choice([wg.bool, wg.float64 if t is np.float32 else wg.float32]), None],
    contiguous=lambda r, t: [images(r, t).T, None],
    flatten=lambda r, t: [images(r, t), 1, -1],
    chunk_arguments=lambda r, t: [images(r, t), 3, -1],
    narrow_arguments=lambda r, t: [images(r, t), 1, -3, 2],
    split_rule=lambda r, t: (lambda x: [[None, x], (2 * len(x), x.shape[1]), len(x), 0])(matrix(r, t)),
    unbind_rule=lambda r, t: (lambda x: [[x[0], None, x[1]], (len(x[0]), 3), -1])(np.stack([matrix(r, t)[0]] * 2)),
)
DIRECT.update(
    dict.fromkeys(
        ["new_zeros", "new_ones", "new_empty"],
        lambda r, t: [np.dtype(t), images(r, t).T, *map(int, r.integers(0, 5, 2))],
    )
)
DIRECT.update(dict.fromkeys(["zeros_like", "ones_like", "empty_like"], lambda r, t: [np.dtype(t), images(r, t)]))
DIRECT.update(PLANES)

IN_PLACE = [
    "elu",
    "celu",
    "leaky_relu",
    "hardtanh",
    "threshold",
    "nan_to_num",
    "tril",
    "triu",
    "pow",
    "round",
    "clamp",
    "clamp_min",
    "clamp_max",
]
DIRECT.update({f"{name}_": DIRECT[name] for name in IN_PLACE})
DIRECT |= dict.fromkeys([f"{name}_" for name in ONE], lambda r, t: [np.abs(few(r, t))])
SCALED = [f"{name}_" for name, binding in TWO.items() if binding == "SCALED"]
WRITTEN = [f"{name}_" for name, binding in TWO.items() if "WRITTEN" in binding]
DIRECT |= dict.fromkeys(SCALED, lambda r, t: (lambda x: [x, x[:1] + 1, 0.5])(matrix(r, t)))
DIRECT |= dict.fromkeys(WRITTEN, lambda r, t: (lambda x: [x, x + 1])(few(r, np.float32)))
DIRECT |= dict.fromkeys(["multiply_", "divide_"], lambda r, t: (lambda x: [x, x[:1] + 1])(matrix(r, t)))
