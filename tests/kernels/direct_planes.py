"""Arguments that fit the native functions of images, signals and layers, and what others are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Arguments = list[Any]


def matrix(random: np.random.Generator, t: Any) -> Any:
    return random.normal(size=tuple(random.integers(1, 40, 2))).astype(t)


def images(random: np.random.Generator, t: Any, channels: int = 4) -> Any:
    return random.normal(size=(2, channels, *random.integers(3, 9, 2))).astype(t)


def rows(random: np.random.Generator, count: int, below: int) -> Any:
    return random.integers(0, max(below, 1), count)


def few(random: np.random.Generator, t: Any) -> Any:
    """So few elements that every function answers."""
    return random.normal(size=(3, *random.integers(1, 6, 2))).astype(t)


def of_grid(random: np.random.Generator, t: Any) -> Arguments:
    """Images, a grid, and how they are sampled."""
    grid = random.uniform(-1.5, 1.5, (2, 3, 2, 2)).astype(t)
    mode = ["bilinear", "nearest", "bicubic"][random.integers(3)]
    return [images(random, t), grid, mode, ["zeros", "border", "reflection"][random.integers(3)], True]


def of_interpolation(random: np.random.Generator, t: Any) -> Arguments:
    mode = ["nearest", "bilinear", "bicubic"][random.integers(3)]
    return [images(random, t), (5, 4), mode, False, (1.5, 0.5), False]


def of_margins(random: np.random.Generator, t: Any) -> Arguments:
    x = matrix(random, t)
    return [x, rows(random, len(x), x.shape[1]), 2, 0.5, np.ones(x.shape[1], t), "mean"]


def of_volumes(random: np.random.Generator, t: Any) -> Arguments:
    """What a convolution of volumes is asked for."""
    x, weight = random.normal(size=(2, 4, 3, 5, 4)).astype(t), random.normal(size=(6, 2, 2, 2, 3)).astype(t)
    return [x, weight, np.ones(6, t), (1, 2, 1), (1, 0, 1), (1, 1, 1), False, (0, 0, 0), 2]


def of_images(random: np.random.Generator, t: Any) -> Arguments:
    """What a convolution is asked for."""
    x, weight = images(random, t), random.normal(size=(6, 2, 2, 3)).astype(t)
    return [x, weight, np.ones(6, t), (1, 2), (1, 0), (1, 1), False, (0, 0), 2]


def of_slopes(random: np.random.Generator, t: Any, of_weight: bool) -> Arguments:
    """What the rules of a convolution are asked for."""
    x, weight, _, stride, padding, dilation, transposed, _, groups = of_images(random, t)
    places = [(x.shape[2 + i] + 2 * padding[i] - weight.shape[2 + i]) // stride[i] + 1 for i in range(2)]
    grad = random.normal(size=(len(x), len(weight), *places)).astype(t)
    own, other = (weight, x) if of_weight else (x, weight)
    return [grad, other, own.shape, own.strides, stride, padding, dilation, transposed, groups]


def heads(random: np.random.Generator, t: Any) -> list[np.ndarray]:
    """Queries, keys and values: four heads of the one, two of the others."""
    return [random.normal(size=shape).astype(t) for shape in ((2, 4, 3, 6), (2, 2, 5, 6), (2, 2, 5, 6))]


def of_border(random: np.random.Generator, t: Any) -> Arguments:
    return [images(random, t), (2, -1, 1, 2), ["reflect", "replicate", "circular"][random.integers(3)]]


def of_border_back(random: np.random.Generator, t: Any) -> Arguments:
    return [random.normal(size=(2, 3, 6, 5)).astype(t), (2, -1, 1, 2), of_border(random, t)[2], (2, 3, 3, 4)]


PLANES: dict[str, Callable[[np.random.Generator, Any], Arguments]] = {
    "grid_sample": of_grid,
    "grid_sample_input_rule": lambda r, t: (lambda a: [np.ones((2, 4, 3, 2), t), a[0].shape, *a[1:]])(of_grid(r, t)),
    "grid_sample_grid_rule": lambda r, t: (lambda a: [np.ones((2, 4, 3, 2), t), *a[:2], a[1].shape, *a[2:]])(
        of_grid(r, t)
    ),
    "resample": of_interpolation,
    "resample_backward": lambda r, t: (lambda a: [a[0], (*a[0].shape[:2], 3, 7), *a[2:]])(of_interpolation(r, t)),
    "interpolate_arguments": lambda r, t: [images(r, t), None, (1.5, 2.0), "bilinear", None, None, False],
    "constant_pad_nd": lambda r, t: [images(r, t), (1, -1, 2, 0), 0.5],
    "pad_constant": lambda r, t: [images(r, t), (0, 3), None],
    "edge_pad": of_border,
    "edge_pad_backward": of_border_back,
    "edge_pad_rule": lambda r, t: [*of_border_back(r, t), np.ones((2, 3, 3, 4), t).strides],
    "avg_pool1d_arguments": lambda r, t: [matrix(r, t).repeat(3, 1), 3, None, 1, True, False],
    "max_pool1d": lambda r, t: [matrix(r, t).repeat(3, 1), 2, 1, 1, 1, False],
    "max_pool2d_with_indices": lambda r, t: [images(r, t), 2, None, (1, 0), 1, True],
    "adaptive_average": lambda r, t: [images(r, t), (2, 5)],
    "adaptive_average_backward": lambda r, t: [images(r, t), (2, 4, 5, 3)],
    "adaptive_maximum": lambda r, t: [images(r, t), 4],
    "im2col": lambda r, t: [images(r, t), 2, (1, 2), 1, (2, 1)],
    "col2im": lambda r, t: [r.normal(size=(2, 12, 6)).astype(t), (3, 4), 2, 1, 0, 1],
    "pixel_shuffle": lambda r, t: [images(r, t), 2],
    "pixel_unshuffle": lambda r, t: [r.normal(size=(2, 3, 4, 6)).astype(t), 2],
    "channel_shuffle": lambda r, t: [images(r, t), 2],
    "unit_vectors": lambda r, t: [rows(r, 12, 5).reshape(3, 4), int(r.choice([-1, 7]))],
    "multi_margin": of_margins,
    "attention": lambda r, t: [few(r, t)] * 3,
    "soft_margin": lambda r, t: (lambda x: [x, np.sign(x), "sum"])(matrix(r, t)),
    "multi_margin_rule": lambda r, t: (lambda a: [np.ones((), t), a[0], a[0].shape, *a[1:]])(of_margins(r, t)),
    "glu": lambda r, t: [images(r, t), 1],
    "glu_backward": lambda r, t: (lambda x: [x, np.concatenate([x, x + 1], 1), 1])(images(r, t)),
    "prelu_rule": lambda r, t: (lambda x: [x + 1, x, x[:1, :, :1, :1].copy()])(images(r, t)),
    "prelu_weight_rule": lambda r, t: (lambda x: [x + 1, x])(images(r, t)),
    "prelu_kernel": lambda r, t: (lambda x: [x, x[:1, :, :1, :1].copy()])(images(r, t)),
    "prelu": lambda r, t: [matrix(r, t)[0], np.ones(1, t)],
    "convolution": lambda r, t: (of_images if r.random() < 0.5 else of_volumes)(r, t),
    "convolution_input_rule": lambda r, t: of_slopes(r, t, False),
    "convolution_weight_rule": lambda r, t: of_slopes(r, t, True),
    "conv1d_arguments": lambda r, t: [few(r, t), few(r, t), None, 1, (2,), 1, 1],
    "conv2d_arguments": lambda r, t: [*of_images(r, t)[:6], 2],
    "conv3d_arguments": lambda r, t: [*of_volumes(r, t)[:6], 2],
    "conv_transpose1d_arguments": lambda r, t: [few(r, t), few(r, t), None, 1, (2,), 0, 1, 1],
    "conv_transpose2d_arguments": lambda r, t: [*of_images(r, t)[:5], 0, 1, (1, 1)],
    "conv_transpose3d_arguments": lambda r, t: [*of_volumes(r, t)[:5], 0, 1, (1, 1, 1)],
    "native_layer_norm": lambda r, t: (lambda x: [x, x.shape[2:], *[np.ones(x.shape[2:], t)] * 2, 1e-5])(images(r, t)),
    "native_group_norm": lambda r, t: (
        lambda x: [x, np.ones(4, t), np.ones(4, t), *x.shape[:2], x[0, 0].size, 2, 1e-5]
    )(images(r, t)),
    "group_norm_backward": lambda r, t: (
        lambda x: [x, x + 1, *[np.ones((len(x), 2), t)] * 2, np.ones(x.shape[1], t), 2]
    )(images(r, t)),
    "attention_in_blocks": lambda r, t: [*heads(r, t), 0.0, True, np.zeros((3, 5), t), None],
    "attention_in_blocks_backward": lambda r, t: (
        lambda q, k, v: [q, q, k, v, q, np.ones(q.shape[:3], t), 0.0, False, np.zeros((2, 1, 3, 1), t), 0.5]
    )(*heads(r, t)),
    "group_norm_arguments": lambda r, t: [images(r, t), 2, None, None, 1e-5, True],
    "batch_norm": lambda r, t: [images(r, t), np.ones(4, t), None, None, None, True, 1e-5],
    "batch_norm_forward": lambda r, t: [images(r, t), np.ones(4, t), None, None, None, True, 1e-5],
}
