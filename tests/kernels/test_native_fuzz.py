"""Every native function, given arguments that fit and then hostile ones: an error or a result, never a crash.

What a sanitizer would see is only seen by `make sanitize`, which runs this with many more tries; without one the test
still finds crashes, endless loops and inputs that are written to.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from wengert import _kernels

FLOATS = (np.float32, np.float64)
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


def spectrum(random: np.random.Generator, t: Any) -> Any:
    return (random.normal(size=(5, 6)) + 1j).astype(np.result_type(t, np.complex64))


def spectra(random: np.random.Generator, t: Any) -> Any:
    """Ten of them: the fewest lines that fill half of the widest vectors are eight."""
    return np.concatenate([spectrum(random, t), spectrum(random, t)])


def of_convolution(random: np.random.Generator, t: Any) -> Arguments:
    """Of signals, planes or volumes."""
    count = random.integers(1, 4)
    x, weight = random.normal(size=(2, 4, 3, 5, 4)[: 2 + count]), random.normal(size=(6, 2, 2, 2, 3)[: 2 + count])
    steps = [each[:count] for each in ((1, 2, 1), (1, 0, 1), (1, 1, 1))]
    return [x.astype(t), weight.astype(t), np.ones(6, t), *steps, 2]


def of_convolution_input(random: np.random.Generator, t: Any) -> Arguments:
    x, weight, _, *options = of_convolution(random, t)
    return [_kernels.convolution(x, weight, None, *options), weight, x.shape, *options]


def of_convolution_weight(random: np.random.Generator, t: Any) -> Arguments:
    x, weight, _, *options = of_convolution(random, t)
    return [_kernels.convolution(x, weight, None, *options), x, weight.shape, *options]


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


def of_formula(random: np.random.Generator, dtype: Any) -> Arguments:
    params = [matrix(random, dtype) for _ in range(2)]
    states = [tuple(np.abs(matrix(random, dtype)) for _ in range(3)) for _ in params]
    numbers = [(0.1, 0.9, 0.1, 1e-8, 0.5)] * len(params)
    return ["rmsprop", params, [matrix(random, dtype) for _ in params], states, numbers, 1.0, 0.1, False]


def of_adam(random: np.random.Generator, t: Any) -> Arguments:
    return [*([np.ones((3, 5), t), np.ones(7, t)] for _ in range(5)), [1.0, 2], 0.1, 0.9, 0.99, 1e-8, 0.0, True, False]


def of_converted(random: np.random.Generator, t: Any) -> Arguments:
    x = matrix(random, np.float32)
    return [x, np.dtype(np.float16)] if t is np.float32 else [x.astype(np.float16).T, np.dtype(np.float32)]


SIZES = (4, 2)
"""Of packed sequences: six rows in all."""


def of_rnn(random: np.random.Generator, t: Any) -> Arguments:
    return [*[random.normal(size=shape).astype(t) for shape in ((6, 5), (4, 5), (5, 5))], False, SIZES, True]


def of_rnn_backward(random: np.random.Generator, t: Any) -> Arguments:
    inputs, hidden, weight, *_ = of_rnn(random, t)
    return [inputs, hidden, inputs, weight, True, 4, SIZES, False]


def of_gru(random: np.random.Generator, t: Any) -> Arguments:
    shapes = ((6, 15), (4, 5), (15, 5), (15,))
    return [*[random.normal(size=shape).astype(t) for shape in shapes], SIZES, True]


def of_gru_backward(random: np.random.Generator, t: Any) -> Arguments:
    inputs, hidden, weight, *_ = of_gru(random, t)
    output, last, gates, candidates = _kernels.gru_steps(inputs, hidden, weight, None, SIZES, False)
    return [output, last, gates, candidates, output, hidden, weight, SIZES, False]


def of_lstm(random: np.random.Generator, t: Any) -> Arguments:
    shapes = ((6, 20), (4, 3), (4, 5), (20, 3), (3, 5))
    return [*[random.normal(size=shape).astype(t) for shape in shapes], SIZES, True]


def of_lstm_backward(random: np.random.Generator, t: Any) -> Arguments:
    inputs, hidden, cell, weight, projection, *how = of_lstm(random, t)
    output, last, last_cell, gates, cells = _kernels.lstm_steps(inputs, hidden, cell, weight, projection, *how)
    return [output, last, last_cell, gates, cells, cell, weight, projection, *how]


CALLS: dict[str, Callable[[np.random.Generator, Any], Arguments]] = {
    "sum": lambda r, t: [images(r, t), (1, 2), False, None],
    "mean": lambda r, t: [images(r, t), 1, True, None],
    "softmax": lambda r, t: [matrix(r, t), -1],
    "causal_softmax": lambda r, t: [matrix(r, t)],
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
    "convolution": of_convolution,
    "convolution_backward_input": of_convolution_input,
    "convolution_backward_weight": of_convolution_weight,
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
    "fft_lines": lambda r, t: [spectra(r, t), 1, 2, False, np.empty((10, 6), spectrum(r, t).dtype)],
    "rfft_lines": lambda r, t: [spectra(r, t).real.T, 0, 1, True, np.empty((4, 10), spectrum(r, t).dtype)],
    "irfft_lines": lambda r, t: [spectra(r, t), 1, 0, 10, np.empty((10, 10), t)],
    "normal_blocks": lambda r, t: [r.random(32).astype(t)],
    "normal_pairs": lambda r, t: [r.random((5, 2))],
    "shuffle": lambda r, t: [np.arange(6), np.array([3, 0, 2, 1, 1])],
    "rnn_steps": of_rnn,
    "rnn_steps_backward": of_rnn_backward,
    "gru_steps": of_gru,
    "gru_steps_backward": of_gru_backward,
    "converted": of_converted,
    "copy_into": lambda r, t: [np.empty((4, 6), t), matrix(r, t)[:1, :1]],
    "lstm_steps": of_lstm,
    "lstm_steps_backward": of_lstm_backward,
    "formula_step": of_formula,
    "sgd_step": of_sgd,
    "adam_step": of_adam,
}
BINARY = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "relu_backward",
    "sigmoid_backward",
    "tanh_backward",
    "silu_backward",
    "sigmoid_backward_from_input",
    "tanh_backward_from_input",
    "maximum",
    "minimum",
    "arctan2",
    "fmod",
    "remainder",
    "floor_divide",
]
UNARY = [
    "negative",
    "exp",
    "log",
    "tanh",
    "sqrt",
    "absolute",
    "sigmoid",
    "silu",
    "relu",
    "erf",
    "square",
    "reciprocal",
    "rsqrt",
    "floor",
    "ceil",
    "trunc",
    "rint",
    "sign",
    "sin",
    "cos",
    "tan",
    "sinh",
    "cosh",
    "expm1",
    "log1p",
    "log2",
    "log10",
]
CALLS.update(
    dict.fromkeys(["sigmoid_saturates", "tanh_saturates", "expm1_saturates"], lambda r, t: [matrix(r, t) * 1e3])
)
CALLS["add_scaled"] = lambda r, t: [*[matrix(r, t)] * 2, 0.5, None]
CALLS.update(dict.fromkeys(BINARY, lambda r, t: [*[matrix(r, t)] * 2, None]))
CALLS.update(dict.fromkeys(UNARY, lambda r, t: [matrix(r, t) * 1e3, None]))
IN_PLACE = {"copy_into", "sgd_step", "adam_step", "formula_step"}


def test_every_native_function_with_a_twin_is_fuzzed(native):
    others = {"bind_twins", "get_num_threads", "set_num_threads", "instruction_set", "twin_names", "pointwise_table"}
    others |= {
        "keep_memory",
        "empty_cache",
        "memory_stats",
        "set_memory_limit",
        "reset_peak_memory_stats",
        "available_memory",
    }
    others |= {
        "replay_calls",
        "run_calls",
        "repeated_calls",
        "fused_calls",
        "kept_bytes",
    }  # `test_replayed_calls.py`
    names = {name for name in dir(native) if not name.startswith(("_", "direct_"))}
    assert names - others == set(CALLS)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(CALLS))
def test_hostile_arguments_end_in_an_error_or_a_result(native, fuzz, name):
    functions = [getattr(native, each) for each in (name, f"direct_{name}") if hasattr(native, each)]
    fuzz(name, functions, CALLS[name], name not in IN_PLACE)


@pytest.mark.parametrize("name", sorted(set(CALLS) - IN_PLACE))
def test_arguments_that_fit_are_computed_natively(only_native, name):
    """What the fuzz starts from reaches the loops, not the twin."""
    arguments = CALLS[name](np.random.default_rng(1), np.float32)
    with np.errstate(all="ignore"):
        getattr(only_native, name)(*arguments)
