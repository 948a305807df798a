"""Arguments that fit, for the native functions of linear algebra and Fourier transforms that dispatch alone calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.kernels.direct_arguments import Arguments, batch, few, matrix, square
from wengert import _kernels


def near_one(random: np.random.Generator, t: Any) -> Any:
    """Matrices that every factorisation knows: symmetric, positive definite."""
    return definite(random, t, 4)


def definite(random: np.random.Generator, t: Any, side: int) -> Any:
    """Two of these."""
    x = random.normal(size=(2, side, side))
    return (x @ x.swapaxes(1, 2) + side * np.eye(side)).astype(t)


def of_any_size(random: np.random.Generator, t: Any) -> Any:
    """The same, small or, where vectors are wide enough, for blocks."""
    narrow = _kernels.native is None or _kernels.native.instruction_set() == "baseline"
    return definite(random, t, 4 if narrow else int(random.choice([4, 4, 35])))


def spectrum(random: np.random.Generator, t: Any) -> Any:
    return (random.normal(size=(3, 6)) + 1j * random.normal(size=(3, 6))).astype(np.result_type(t, np.complex64))


BOTH = (True, True)
LINEAR: dict[str, Callable[[np.random.Generator, Any], Arguments]] = {}
LINEAR.update(
    cholesky_factor=lambda r, t: [of_any_size(r, t), bool(r.integers(2)), ""],
    cholesky_factor_rule=lambda r, t: (lambda x: [[x + 1, None], x, False])(near_one(r, t)),
    triangular=lambda r, t: (lambda x: [x, x + 1, bool(r.integers(2)), bool(r.integers(2)), False])(of_any_size(r, t)),
    triangular_rule=lambda r, t: (lambda x: [x + 1, x, x - 1, True, bool(r.integers(2)), False, BOTH])(near_one(r, t)),
    cholesky_solve=lambda r, t: (lambda x: [x[..., :3], x, bool(r.integers(2))])(of_any_size(r, t)),
    cholesky_solve_rule=lambda r, t: (lambda x: [x + 1, x, x - 1, bool(r.integers(2)), BOTH])(near_one(r, t)),
    lu_factor=lambda r, t: [of_any_size(r, t)[:, : int(r.integers(2, 5))], True, True],
    lu_factor_rule=lambda r, t: (lambda x: [[x + 1, None, None], x, r.integers(1, 5, (2, 4)).astype(np.int32)])(
        near_one(r, t)
    ),
    solve=lambda r, t: (lambda x: [x, x[..., :3], True, True])(of_any_size(r, t)),
    solve_rule=lambda r, t: (lambda x: [[x + 1, None], x, x.shape, x - 1, True, BOTH])(near_one(r, t)),
    inverse=lambda r, t: [of_any_size(r, t), True],
    determinant=lambda r, t: [of_any_size(r, t)],
    log_determinant=lambda r, t: [of_any_size(r, t)],
    qr=lambda r, t: [of_any_size(r, t)[:, : int(r.integers(2, 5))], "reduced"],
    qr_rule=lambda r, t: (lambda x: [[x + 1, [None, x][r.integers(2)]], x.shape, x, x + 1, "reduced"])(near_one(r, t)),
    svd=lambda r, t: [near_one(r, t)[..., :3], True, False],
    svd_of_values=lambda r, t: [near_one(r, t)[..., :3], False, True],
    eigh=lambda r, t: [near_one(r, t), "U", False],
    eigh_of_values=lambda r, t: [near_one(r, t), "L", True],
    pinv=lambda r, t: [near_one(r, t)[..., :3], *[[None, None], [np.zeros((), t)] * 2][r.integers(2)], False],
    pinv_rule=lambda r, t: (lambda x: [x[..., :3].swapaxes(1, 2), x[..., :3], x[:, :3] + 1])(near_one(r, t)),
    lstsq=lambda r, t: (
        lambda x: [
            x[:, :3] if len(x[0]) < 9 else x[..., :5],
            x[:, :3, :2] if len(x[0]) < 9 else x[..., :2],
            None,
            "gelsy",
        ]
    )(of_any_size(r, t)),
    lstsq_rule=lambda r, t: (lambda x: [[x, None, None, None], x[:, :3], x[:, :3], x, BOTH])(near_one(r, t)),
)
LINEAR.update(
    fft_c2c=lambda r, t: [spectrum(r, t), [(1,), (0, 1)][r.integers(2)], int(r.integers(3)), bool(r.integers(2))],
    conjugate=lambda r, t: [spectrum(r, t)],
    vdot=lambda r, t: [spectrum(r, t)[0], spectrum(r, t)[1]],
    fft_r2c=lambda r, t: [matrix(r, t)[:25], (1,), int(r.integers(3)), bool(r.integers(2))],
    fft_c2r=lambda r, t: [spectrum(r, t), (1,), int(r.integers(3)), int(r.integers(10, 12))],
    fft_arguments=lambda r, t: [square(r, t), None, -1, None],
    ifft_arguments=lambda r, t: [spectrum(r, t), None, 0, "ortho"],
    rfft_arguments=lambda r, t: [square(r, t), None, 0, "forward"],
    irfft_arguments=lambda r, t: [spectrum(r, t), None, 1, "backward"],
    addmv=lambda r, t: [square(r, t)[0], square(r, t), square(r, t)[:, 1], 0.5, 2],
    baddbmm=lambda r, t: [batch(r, t).swapaxes(0, 0), batch(r, t), batch(r, t).swapaxes(1, 2), 2, 0.5],
    addr=lambda r, t: [square(r, t)[:1], square(r, t)[1], square(r, t)[:, 0], 1, 2.5],
    trace=lambda r, t: [square(r, t).T],
    cross=lambda r, t: [batch(r, t), batch(r, t) + 1, 0],
    cdist=lambda r, t: [square(r, t), square(r, t)[:4] + 1, [2.0, 1.0, 3.0, float("inf")][r.integers(4)]],
    pdist=lambda r, t: [square(r, t), [2.0, 0.0, 1.5][r.integers(3)]],
    cdist_rule=lambda r, t: (lambda x: [x + 1, x, x - 1, abs(x), [1.0, 2.0][r.integers(2)], BOTH])(square(r, t)),
    pdist_rule=lambda r, t: (lambda x: [x[0][:3], x[:3], abs(x[1][:3]), [1.0, 2.0][r.integers(2)]])(square(r, t)),
    dist=lambda r, t: [square(r, t), square(r, t) + 1, 3],
    renorm=lambda r, t: [few(r, t), 2, -1, 0.5],
)
