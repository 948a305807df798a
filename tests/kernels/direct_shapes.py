"""Arguments that fit, for native functions of shapes, factories, random numbers, and those that call inner loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special  # noqa: F401 - whose loops are called only where it is loaded

from tests.kernels.direct_arguments import Arguments, drawing, few, images, matrix, rows, source_parts
from wengert._core.forks import forks

Fitting = Callable[[np.random.Generator, Any], Arguments]


def alike(count: int, make: Callable[[np.random.Generator], Any]) -> Fitting:
    """So many arrays of one shape."""
    return lambda r, t: (lambda x: [x] * count)(make(r))


def truths(random: np.random.Generator) -> Any:
    return random.normal(size=(3, 4)) > 0


def integers(random: np.random.Generator) -> Any:
    return random.integers(1, 9, (3, 4))


ONE_REAL = (
    "isnan",
    "isinf",
    "isfinite",
    "signbit",
    "erfcx",
    "ndtri",
    "log_ndtr",
    "gammaln",
    "i0",
    "i1",
    "i0e",
    "i1e",
    "j0",
    "j1",
    "y0",
    "y1",
    "k0",
    "k1",
    "k0e",
    "k1e",
    "digamma",
)
TWO_REAL = ("fmax", "fmin", "copysign", "nextafter", "logaddexp2", "gammainc", "gammaincc")
TWO_TRUTHS = ("logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor")

SHAPES: dict[str, Fitting] = {
    **dict.fromkeys(ONE_REAL, lambda r, t: [np.abs(few(r, t))]),
    **dict.fromkeys(TWO_REAL, lambda r, t: [np.abs(few(r, t))] * 2),
    **dict.fromkeys(["logical_not", "invert"], alike(1, truths)),
    **dict.fromkeys(TWO_TRUTHS, alike(2, truths)),
    **dict.fromkeys(["left_shift", "right_shift", "gcd", "lcm"], alike(2, integers)),
    "erfinv": lambda r, t: [r.uniform(-1, 1, (3, 4)).astype(t)],
    "logcumsumexp": lambda r, t: [few(r, t), int(r.integers(-3, 3))],
    "polygamma": lambda r, t: [int(r.integers(1, 4)), np.abs(few(r, t))],
    "as_strided_arguments": lambda r, t: [few(r, t), (2, 1), (1, 2), None],
    "unfold": lambda r, t: [images(r, t), -2, 2, 1],
    "unflatten": lambda r, t: [images(r, t), 1, (2, -1)],
    "diag_embed": lambda r, t: [matrix(r, t), -1, 0, -1],
    "diagonal_copy": lambda r, t: [images(r, t), 1, 1, -1],
    "diagonal_scatter": lambda r, t: (lambda x: [x, x[:, 0, :, :2].copy(), 1, 1, -1])(
        images(r, t)[:, :2, :, :3].copy()
    ),
    "select_scatter": lambda r, t: (lambda x: [x, x[:, 0].copy(), 1, -1])(matrix(r, t)),
    "slice_scatter": lambda r, t: (lambda x: [x, x[:, 1:].copy(), 1, 1, None, 1])(images(r, t)),
    "rot90": lambda r, t: [images(r, t), int(r.integers(-3, 9)), (1, -1)],
    "take": lambda r, t: (lambda x: [x, rows(r, 9, x.size).reshape(3, 3)])(matrix(r, t)),
    "histc": lambda r, t: [few(r, t), int(r.integers(1, 9)), 0, 0.0],
    "isin": lambda r, t: (lambda x: [x, x[0, 0].copy(), False, True])(few(r, t)),
    "all_equal": lambda r, t: [few(r, t)] * 2,
    "count_nonzero": lambda r, t: [few(r, t), None],
    "hstack_arguments": lambda r, t: [[matrix(r, t)] * 3],
    "vstack_arguments": lambda r, t: [[matrix(r, t)] * 3],
    "dstack_arguments": lambda r, t: [[images(r, t)] * 3],
    "block_diag": lambda r, t: [[matrix(r, t), matrix(r, t)[0], matrix(r, t)[0, 0, None][0:1].reshape(())]],
    "complex": lambda r, t: [few(r, t)] * 2,
    "sgn": lambda r, t: [few(r, t)],
    "polar": lambda r, t: [few(r, t)] * 2,
    "eye": lambda r, t: [np.dtype(t), *map(int, r.integers(0, 9, 2))],
    "tril_indices": lambda r, t: [np.dtype(t), *map(int, r.integers(0, 9, 2)), int(r.integers(-9, 9))],
    "triu_indices": lambda r, t: [np.dtype(t), *map(int, r.integers(0, 9, 2)), int(r.integers(-9, 9))],
    "logspace": lambda r, t: [np.dtype(t), 0, 2.5, int(r.integers(2, 50)), 2.0],
    "randint": lambda r, t: [
        drawing(),
        forks,
        np.dtype(t),
        -5,
        int(r.integers(1, 2**40)),
        tuple(map(int, r.integers(0, 5, 2))),
    ],
    "randperm": lambda r, t: [drawing(), forks, np.dtype(t), int(r.integers(2, 50))],
    "bernoulli": lambda r, t: [drawing(), forks, r.random((3, 4)).astype(t), None, None],
    "gamma_numbers": lambda r, t: [*source_parts(), r.gamma(1.0, 2.0, 20).astype(t)],
    "poisson_numbers": lambda r, t: [*source_parts(), r.gamma(1.0, 20.0, 20).astype(t)],
    "binomial_numbers": lambda r, t: [
        *source_parts(),
        r.integers(0, 200, 20).astype(t),
        r.uniform(-0.1, 1.1, 20).astype(t),
    ],
    "normal_about": lambda r, t: (lambda x: [drawing(), forks, x, np.abs(x), None])(matrix(r, t)),
}
