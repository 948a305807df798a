"""Every native function, given arguments that fit and then hostile ones: an error or a result, never a crash.

What a sanitizer would see is only seen by `make sanitize`, which runs this with many more tries; without one the test
still finds crashes, endless loops and inputs that are written to.
"""

from __future__ import annotations

import contextlib
import os
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from wengert import _kernels

TRIES = int(os.environ.get("WENGERT_FUZZ_TRIES", "40"))
# None lies between what is computed in no time and what no memory holds.
NUMBERS = [0, 1, -1, 2, 3, 7, -7, 1000, 2**45, 2**62, 2**63 - 1, -(2**63), 2**64, 0.5, float("nan"), float("inf"), True]
OTHERS = [None, "mean", "sum", "none", "tanh", (), [], (1,), (0, 0), (-1, -1), (2, 2**62), (2**45, 2**45), ((), ()), 1j]
FLOATS = (np.float32, np.float64)
OPTIONS = ((1, 1), (1, 1), (1, 1), 1)
Arguments = list[Any]


def pooled(random: np.random.Generator, t: Any) -> tuple[Any, ...]:
    kernel, stride = (tuple(int(n) for n in random.integers(1, 5, 2)) for _ in range(2))
    return images(random, t), kernel, stride, tuple(int(n) // 2 for n in kernel)


def images(random: np.random.Generator, t: Any, channels: int = 4) -> Any:
    return random.normal(size=(2, channels, *random.integers(3, 9, 2))).astype(t)


def matrix(random: np.random.Generator, t: Any) -> Any:
    return random.normal(size=tuple(random.integers(1, 40, 2))).astype(t)


def rows(random: np.random.Generator, count: int, below: int) -> Any:
    return random.integers(0, max(below, 1), count)


def of_embedding(random: np.random.Generator, t: Any) -> Arguments:
    x = matrix(random, t)
    return [x, rows(random, len(x), 9), 9, 3]


def of_index_add(random: np.random.Generator, t: Any) -> Arguments:
    x, source = matrix(random, t), matrix(random, t)
    source = np.resize(source, (len(source), x.shape[1]))
    return [x, 0, rows(random, len(source), len(x)), source, 2]


def of_scatter(random: np.random.Generator, t: Any) -> Arguments:
    x = matrix(random, t)
    return [x, 0, random.integers(0, len(x), x.shape), x + 1]


def of_put(random: np.random.Generator, t: Any) -> Arguments:
    x = matrix(random, t)
    index = rows(random, 5, len(x))
    return [x, (index,), np.ones((5, x.shape[1]), t)]


def of_convolution(random: np.random.Generator, t: Any) -> Arguments:
    x = images(random, t)
    return [x, random.normal(size=(6, 2, 2, 3)).astype(t), np.ones(6, t), (1, 2), (1, 0), (1, 1), 2]


def of_convolution_input(random: np.random.Generator, t: Any) -> Arguments:
    x, weight = images(random, t), random.normal(size=(6, 4, 3, 2)).astype(t)
    return [_kernels.conv2d(x, weight, None, *OPTIONS), weight, x.shape, *OPTIONS]


def of_convolution_weight(random: np.random.Generator, t: Any) -> Arguments:
    grad, weight, _, *options = of_convolution_input(random, t)
    x = images(random, t)
    grad = _kernels.conv2d(x, weight, None, *options)
    return [grad, x, weight.shape, *options]


def of_maxima_backward(random: np.random.Generator, t: Any) -> Arguments:
    x, *options = pooled(random, t)
    return [*_kernels.max_pool2d(x, *options), x.shape]


def of_means_backward(random: np.random.Generator, t: Any) -> Arguments:
    x, *options = pooled(random, t)
    return [_kernels.avg_pool2d(x, *options), x.shape, *options, False, True, None]


def of_nll(random: np.random.Generator, t: Any) -> Arguments:
    x = matrix(random, t)
    return [x, rows(random, len(x), x.shape[1]), np.ones(x.shape[1], t), "mean", -100]


def of_batch_norm(random: np.random.Generator, t: Any) -> Arguments:
    ones = np.ones(4, t)
    return [images(random, t), ones, ones + 1, ones, ones]


def of_layer_norm_backward(random: np.random.Generator, t: Any) -> Arguments:
    x = matrix(random, t)
    _, mean, spread = _kernels.layer_norm(x, 1)
    return [x, x + 1, 1, mean, spread, np.ones(x.shape[1], t)]


def of_sgd(random: np.random.Generator, t: Any) -> Arguments:
    params, grads, buffers = ([np.ones((3, 5), t), np.ones(7, t)] for _ in range(3))
    return [params, grads, buffers, 0.1, 0.9, 0.0, 0.0, False, False]


def of_adam(random: np.random.Generator, t: Any) -> Arguments:
    return [*([np.ones((3, 5), t), np.ones(7, t)] for _ in range(5)), [1.0, 2], 0.1, 0.9, 0.99, 1e-8, 0.0, True, False]


CALLS: dict[str, Callable[[np.random.Generator, Any], Arguments]] = {
    "sum": lambda r, t: [images(r, t), (1, 2), False, None],
    "mean": lambda r, t: [images(r, t), 1, True, None],
    "softmax": lambda r, t: [matrix(r, t), -1],
    "log_softmax": lambda r, t: [matrix(r, t), -1],
    "softmax_backward": lambda r, t: [*[matrix(r, t)] * 2, -1],
    "log_softmax_backward": lambda r, t: [*[matrix(r, t)] * 2, -1],
    "gelu": lambda r, t: [matrix(r, t), "tanh", None],
    "gelu_backward": lambda r, t: [*[matrix(r, t)] * 2, "none", None],
    "embedding_backward": of_embedding,
    "index_add": of_index_add,
    "scatter_add": of_scatter,
    "index_put_add": of_put,
    "dropout_apply": lambda r, t: (lambda x: [x, x > 0, 0.5])(matrix(r, t)),
    "conv2d": of_convolution,
    "conv2d_backward_input": of_convolution_input,
    "conv2d_backward_weight": of_convolution_weight,
    "conv2d_backward_bias": lambda r, t: [images(r, t)],
    "max_pool2d": lambda r, t: [*pooled(r, t), (1, 1), True],
    "max_pool2d_backward": of_maxima_backward,
    "avg_pool2d": lambda r, t: [*pooled(r, t), True, False, 3],
    "avg_pool2d_backward": of_means_backward,
    "nll_loss": of_nll,
    "nll_loss_backward": lambda r, t: [np.ones((), t), *of_nll(r, t), np.ones((), t)],
    "matmul": lambda r, t: (lambda x: [x, x.T, None])(matrix(r, t)),
    "linear": lambda r, t: (lambda x: [x, x, np.ones(len(x), t)])(matrix(r, t)),
    "batch_norm_statistics": lambda r, t: [images(r, t), 1e-5],
    "batch_norm_apply": of_batch_norm,
    "batch_norm_backward": lambda r, t: (lambda a: [a[0], a[0] + 1, *a[1:4], True])(of_batch_norm(r, t)),
    "layer_norm": lambda r, t: (lambda x: [x, 1, *[np.ones(x.shape[1], t)] * 2, 1e-5])(matrix(r, t)),
    "layer_norm_backward": of_layer_norm_backward,
    "sgd_step": of_sgd,
    "adam_step": of_adam,
}  # fmt: skip
BINARY = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "relu_backward",
    "sigmoid_backward",
    "tanh_backward",
    "silu_backward",
    "maximum",
    "minimum",
]
UNARY = ["negative", "exp", "log", "tanh", "sqrt", "absolute", "sigmoid", "silu", "relu", "erf",
         "square", "reciprocal", "rsqrt", "floor", "ceil", "trunc", "rint", "sign"]  # fmt: skip
CALLS.update(dict.fromkeys(BINARY, lambda r, t: [*[matrix(r, t)] * 2, None]))
CALLS.update(dict.fromkeys(UNARY, lambda r, t: [matrix(r, t) * 1e3, None]))
IN_PLACE = {"sgd_step", "adam_step"}


def few(random: np.random.Generator, t: Any) -> Any:
    """So few elements that every function answers."""
    return random.normal(size=(3, *random.integers(1, 6, 2))).astype(t)


def of_choice(random: np.random.Generator, t: Any) -> Arguments:
    x = few(random, t)
    return [x[:1, :, :1] > 0, x, x[0]]


def of_place_rule(random: np.random.Generator, t: Any) -> Arguments:
    x = few(random, t)
    return [x[:, 0].copy(), x.shape, random.integers(0, x.shape[1], x[:, 0].shape), 1, False]


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
    "prod": lambda r, t: [few(r, t), 1, False, None],
    "var": lambda r, t: [few(r, t), (0, 1, 2), None, False, None],
    "std": lambda r, t: [few(r, t), None, False, True, None],
    "max_full": lambda r, t: [few(r, t)],
    "min_full": lambda r, t: [few(r, t)],
    "place_rule": of_place_rule,
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
DIRECT.update(dict.fromkeys(["max_dim", "min_dim", "argmax", "argmin"], lambda r, t: [few(r, t), 1, True]))
DIRECT.update(dict.fromkeys(["logsumexp"], lambda r, t: [few(r, t), -1, True]))
DIRECT.update(
    dict.fromkeys(
        ["sin", "cos", "tan", "sinh", "cosh", "expm1", "log1p", "log2", "log10"], lambda r, t: [np.abs(few(r, t))]
    )
)


def hostile(random: np.random.Generator, value: Any, all_values: Arguments) -> Any:
    """Something in place of an argument."""
    choice = random.integers(0, 10)
    if isinstance(value, np.ndarray) and choice < 8:
        return hostile_array(random, value)
    if isinstance(value, list | tuple) and value and choice < 7:
        at = int(random.integers(0, len(value)))
        return type(value)(hostile(random, each, all_values) if i == at else each for i, each in enumerate(value))
    if choice == 8:
        return all_values[int(random.integers(0, len(all_values)))]
    pool = NUMBERS if choice < 6 else OTHERS
    return pool[int(random.integers(0, len(pool)))]


def hostile_array(random: np.random.Generator, x: Any) -> Any:
    """An array of another shape, layout, dtype or content."""
    changed = [
        lambda: x[..., :0] if x.ndim else x,
        lambda: x[:0] if x.ndim else x,
        lambda: x.reshape(-1),
        lambda: x[None],
        lambda: x[..., ::-1] if x.ndim else x,
        lambda: x.T,
        lambda: np.repeat(x, 2, 0) if x.ndim else x,
        lambda: x.astype(x.dtype.newbyteorder()),
        lambda: x.astype(random.choice(["f2", "f4", "f8", "i4", "i8", "u8", "?", "c8"])),
        lambda: np.frombuffer(b"x" + x.tobytes(), x.dtype, x.size, 1).reshape(x.shape),
        lambda: np.zeros((0, 2**40), x.dtype),
        lambda: x[(0,) * x.ndim] if x.size else x,
        lambda: np.full_like(x, random.choice([0, 1, 3, 100])),
        lambda: np.full_like(x, random.choice([2**62, -(2**63), -1, 5])) if x.dtype == np.int64 else x * np.inf,
    ]
    return changed[int(random.integers(0, len(changed)))]()


def attempt(function: Callable[..., Any], arguments: Arguments) -> None:
    """Call; whatever error comes is fine, only a crash is not."""
    with np.errstate(all="ignore"), contextlib.suppress(Exception):
        function(*arguments)


def test_every_native_function_is_fuzzed(native):
    names = {name.removeprefix("direct_") for name in dir(native) if not name.startswith("_")}
    others = {"bind_twins", "get_num_threads", "set_num_threads", "instruction_set", "twin_names"}
    assert names - others == set(CALLS) | set(DIRECT)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(CALLS | DIRECT))
def test_hostile_arguments_end_in_an_error_or_a_result(native, name):
    random = np.random.default_rng(zlib.crc32(name.encode()))
    functions = [getattr(native, each) for each in (name, f"direct_{name}") if hasattr(native, each)]
    for number in range(TRIES):
        arguments = (CALLS | DIRECT)[name](random, FLOATS[number % 2])
        for _ in range(number % 3):
            at = int(random.integers(0, len(arguments)))
            arguments[at] = hostile(random, arguments[at], arguments)
        if name in IN_PLACE:
            attempt(functions[0], arguments)
            continue
        before = [each.copy() if isinstance(each, np.ndarray) else each for each in arguments]
        for function in functions:
            attempt(function, arguments)
        out = arguments[-1]
        for one, other in zip(before, arguments, strict=True):
            if isinstance(one, np.ndarray) and not (isinstance(out, np.ndarray) and np.may_share_memory(other, out)):
                np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", sorted(set(CALLS) - IN_PLACE))
def test_arguments_that_fit_are_computed_natively(only_native, name):
    """What the fuzz starts from reaches the loops, not the twin."""
    random = np.random.default_rng(1)
    with np.errstate(all="ignore"):
        getattr(only_native, name)(*CALLS[name](random, np.float32))


@pytest.mark.parametrize("name", sorted(DIRECT))
@pytest.mark.parametrize("dtype", FLOATS)
def test_arguments_that_fit_are_answered(native, name, dtype):
    random = np.random.default_rng(1)
    for _ in range(5):
        assert getattr(native, f"direct_{name}")(*DIRECT[name](random, dtype)) is not NotImplemented
