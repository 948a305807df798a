"""Calls of NumPy's functions: each with its arguments, all of which it is differentiated by.

A case is a name, a function of the NumPy module and of the arguments, and a function that makes the arguments.
"""

from __future__ import annotations

import numpy


def drawn(*shapes, seed=0, positive=False, complex_=False):
    """Arrays of these shapes, away from the points where functions have no derivative."""
    random = numpy.random.default_rng(seed)
    made = []
    for shape in shapes:
        found = random.uniform(0.3, 0.9, shape) * (1 if positive else random.choice([-1.0, 1.0], shape))
        made.append(found + 1j * random.uniform(0.3, 0.9, shape) if complex_ else found)
    return tuple(made)


UNARY = (
    *("exp", "exp2", "expm1", "sin", "cos", "tan", "arctan", "arcsin", "arccos", "sinh", "cosh", "tanh", "arcsinh"),
    *("arctanh", "negative", "absolute", "abs", "fabs", "square", "reciprocal", "deg2rad", "rad2deg", "radians"),
    *("degrees", "sinc", "nan_to_num", "real", "conj", "conjugate", "real_if_close", "copy", "positive"),
)
POSITIVE = ("log", "log2", "log10", "log1p", "sqrt", "cbrt")
COMPLEX = ("exp", "sin", "cos", "tanh", "square", "reciprocal", "abs", "real", "imag", "conj", "log", "sqrt", "angle")
BINARY = (
    *("add", "subtract", "multiply", "divide", "true_divide", "maximum", "minimum", "fmax", "fmin", "arctan2"),
    *("logaddexp", "logaddexp2", "hypot", "mod", "remainder", "fmod"),
)


def one(name):
    return lambda np, *args: getattr(np, name)(*args)


CASES = {}
for name in UNARY:
    CASES[name] = (one(name), lambda: drawn((3, 2)))
for name in POSITIVE:
    CASES[name] = (one(name), lambda: drawn((3, 2), positive=True))
CASES["arccosh"] = (lambda np, x: np.arccosh(x + 2), lambda: drawn((3,)))
for name in COMPLEX:
    CASES[f"{name} of complex numbers"] = (one(name), lambda: drawn((2, 2), complex_=True))
for name in BINARY:
    CASES[name] = (one(name), lambda: drawn((3, 2), (3, 2)))
    CASES[f"{name}, one repeated"] = (one(name), lambda: drawn((3, 2), (2,), seed=1))
    CASES[f"{name} of numbers"] = (one(name), lambda: tuple(each[()] for each in drawn((), (), seed=2)))
CASES["power"] = (one("power"), lambda: drawn((3, 2), (2,), positive=True))
CASES["power by a number"] = (lambda np, x: x**3 + x**-1.0 + 2.0**x, lambda: drawn((3, 2)))

CALLS = {
    "where": (lambda np, x, y: np.where(np.array([True, False]), x, y), (3, 2), (2,)),
    "where of numbers": (lambda np, x: np.where(x > 0, x, 1.0), (3, 2)),
    "clip": (lambda np, x: np.clip(x, -0.5, 0.5), (3, 2)),
    "clip, one side": (lambda np, x: np.clip(x, None, 0.5), (3, 2)),
    "operators": (lambda np, x, y: (2 - x) * y / (1 + y * y) - -x @ y.T + abs(y)[:, :1], (2, 2), (2, 2)),
    "reflected operators": (lambda np, x: numpy.ones(2) * x + numpy.eye(2) @ x - numpy.float64(2) / x % 0.7, (2, 2)),
    "sum": (lambda np, x: np.sum(x), (3, 2)),
    "sum, method": (lambda np, x: x.sum(axis=1, keepdims=True), (3, 2)),
    "sum, axes": (lambda np, x: np.sum(x, (0, -1)), (3, 2, 2)),
    "sum of a list": (lambda np, x, y: np.sum([x, y], axis=1), (3,), (3,)),
    "mean": (lambda np, x: np.mean(x, axis=0), (3, 2)),
    "mean of a list": (lambda np, x, y: np.mean([x, y]), (3,), (3,)),
    "average": (lambda np, x, y: np.average(x, axis=1, weights=y * y), (2, 3), (3,)),
    "var": (lambda np, x: np.var(x, axis=0, ddof=1), (3, 2)),
    "std": (lambda np, x: np.std(x), (3, 2)),
    "std, method": (lambda np, x: x.std(axis=1, keepdims=True), (3, 2)),
    "prod": (lambda np, x: np.prod(x), (3, 2)),
    "prod, axes": (lambda np, x: np.prod(x, axis=(0, 2)), (3, 2, 2)),
    "max": (lambda np, x: np.max(x, axis=0), (3, 2)),
    "min": (lambda np, x: x.min(), (3, 2)),
    "amax": (lambda np, x: np.amax(x, axis=(0, 1), keepdims=True), (3, 2)),
    "ptp": (lambda np, x: np.ptp(x, axis=0), (3, 2)),
    "cumsum": (lambda np, x: np.cumsum(x, axis=1) + np.sum(np.cumsum(x)), (2, 3)),
    "cumprod": (lambda np, x: np.cumprod(x, axis=1), (2, 3)),
    "trace": (lambda np, x: np.trace(x, 1), (3, 3)),
    "reshape": (lambda np, x: np.reshape(x, (2, -1)) * x.reshape(2, 3) + x.reshape((2, 3), order="F"), (3, 2)),
    "ravel": (lambda np, x: np.ravel(x) * x.flatten() + np.ravel(x, order="F"), (3, 2)),
    "transpose": (lambda np, x: np.transpose(x, (2, 0, 1)) + x.T.transpose(0, 2, 1), (2, 3, 2)),
    "swapaxes": (lambda np, x: x.swapaxes(0, -1), (2, 3, 2)),
    "moveaxis": (lambda np, x: np.moveaxis(x, 0, -1), (2, 3, 2)),
    "rollaxis": (lambda np, x: np.rollaxis(x, 2), (2, 3, 2)),
    "squeeze": (lambda np, x: np.squeeze(x, 1), (2, 1, 3, 1)),
    "expand_dims": (lambda np, x: np.expand_dims(x, 1), (2, 3)),
    "broadcast_to": (lambda np, x: np.broadcast_to(x, (2, 3)), (3,)),
    "repeat": (lambda np, x: np.repeat(x, 2, axis=1), (2, 3)),
    "repeat, uneven": (lambda np, x: np.repeat(x, [1, 0, 2]), (3,)),
    "tile": (lambda np, x: np.tile(x, (2, 2)), (2, 3)),
    "roll": (lambda np, x: np.roll(x, 1, axis=0), (2, 3)),
    "flip": (lambda np, x: np.flipud(x) + np.fliplr(x), (2, 3)),
    "rot90": (lambda np, x: np.rot90(x), (2, 3)),
    "diag": (lambda np, x: np.diag(x), (3,)),
    "diag of a matrix": (lambda np, x: np.diag(x, 1), (3, 3)),
    "diagonal": (lambda np, x: np.diagonal(x, 0, 1, 2), (2, 3, 3)),
    "triu, tril": (lambda np, x: np.triu(x) * 2 + np.tril(x, -1), (3, 3)),
    "split": (lambda np, x: np.split(x, 2, axis=1)[1], (3, 4)),
    "array_split": (lambda np, x: np.array_split(x, 2)[0], (3, 4)),
    "hsplit, vsplit": (lambda np, x: np.hsplit(x, 2)[0][:2] + np.vsplit(x, 2)[1][:, :2], (4, 4)),
    "take": (lambda np, x: np.take(x, [2, 0, 0], axis=1), (2, 3)),
    "concatenate": (lambda np, x, y: np.concatenate([x, y], axis=1), (2, 3), (2, 1)),
    "concatenate with constants": (lambda np, x: np.concatenate([x, numpy.ones((2, 1)), x], -1), (2, 3)),
    "stack": (lambda np, x, y: np.stack([x, y], axis=1), (2, 3), (2, 3)),
    "hstack, vstack": (lambda np, x, y: np.vstack([x, y]) @ np.hstack([x.T, y.T]), (2, 3), (2, 3)),
    "column_stack": (lambda np, x, y: np.column_stack([x, y]), (3,), (3,)),
    "append": (lambda np, x, y: np.append(x, y), (2, 2), (3,)),
    "array of boxes": (lambda np, x: np.array([[x[0], 1.0], [x[1] * x[0], x[2]]]), (3,)),
    "array of a box": (lambda np, x: np.array(x) * np.array([x, x]), (3,)),
    "atleast": (lambda np, x: np.atleast_2d(x) * np.atleast_1d(x), (3,)),
    "pad": (lambda np, x: np.pad(x, ((1, 0), (2, 1)), "constant"), (2, 3)),
    "diff": (lambda np, x: np.diff(x, axis=1), (2, 4)),
    "gradient": (lambda np, x: np.gradient(x), (5,)),
    "sort": (lambda np, x: np.sort(x), (5,)),
    "partition": (lambda np, x: np.sum(np.partition(x, 2)[:3]), (5,)),
    "select": (lambda np, x: np.select([x > 0.5, x > 0], [x**2, x**3], 1.0), (5,)),
    "linspace": (lambda np, x, y: np.linspace(x, y, 4), (), ()),
    "full": (lambda np, x: np.full((2, 2), x), ()),
    "r_": (lambda np, x, y: np.r_[x, y, 1.0, 0:2], (3,), (2,)),
    "c_": (lambda np, x, y: np.c_[x, y], (3,), (3,)),
    "index": (lambda np, x: x[0] * x[-1, 1] + x[:, 1][0], (3, 2)),
    "slices": (lambda np, x: x[::2, ..., None] + x[1][None, :, None], (3, 2)),
    "negative steps": (lambda np, x: x[::-1] * x[:, ::-1], (3, 2)),
    "index arrays": (lambda np, x: x[[0, 2, 0], 1] + x[numpy.array([0, 1, 1])][:, 0], (3, 2)),
    "index by truth": (lambda np, x: x[x > 0] ** 2, (6,)),
    "index apart": (lambda np, x: x[0, :, [1, 0, 1]], (2, 3, 2)),
    "iterate": (lambda np, x: sum([row[0] * row[1] for row in x], 0.0), (3, 2)),
    "matmul": (lambda np, x, y: x @ y, (2, 3), (3, 2)),
    "matmul of stacks": (lambda np, x, y: np.matmul(x, y), (2, 2, 3), (3, 2)),
    "dot": (lambda np, x, y: np.dot(x, y), (2, 3), (3, 2)),
    "dot of vectors": (lambda np, x, y: np.dot(x, y) + x.dot(y), (3,), (3,)),
    "dot with a vector": (lambda np, x, y: np.dot(x, y), (2, 3), (3,)),
    "dot of stacks": (lambda np, x, y: np.dot(x, y), (2, 3), (2, 3, 2)),
    "dot with a number": (lambda np, x, y: np.dot(x, y), (), (3, 2)),
    "inner": (lambda np, x, y: np.inner(x, y), (2, 3), (4, 3)),
    "outer": (lambda np, x, y: np.outer(x, y), (2,), (3,)),
    "tensordot": (lambda np, x, y: np.tensordot(x, y, 2), (2, 3, 2), (3, 2, 2)),
    "tensordot over axes": (lambda np, x, y: np.tensordot(x, y, ([0, 1], [2, 0])), (2, 3), (3, 2, 2)),
    "tensordot, nothing": (lambda np, x, y: np.tensordot(x, y, 0), (2,), (3,)),
    "kron": (lambda np, x, y: np.kron(x, y), (2, 2), (2, 3)),
    "cross": (lambda np, x, y: np.cross(x, y), (2, 3), (2, 3)),
    "einsum": (lambda np, x, y: np.einsum("ij,jk->ki", x, y), (2, 3), (3, 2)),
    "einsum of three": (lambda np, x, y: np.einsum("ij,jk,k->i", x, y, y[0]), (2, 3), (3, 2)),
    "einsum, sums": (lambda np, x, y: np.einsum("ij,kl->k", x, y), (2, 3), (3, 2)),
    "einsum, diagonal": (lambda np, x: np.einsum("ii->i", x), (3, 3)),
    "einsum, trace": (lambda np, x: np.einsum("ii", x), (3, 3)),
    "einsum, dots": (lambda np, x, y: np.einsum("...ij,...jk->...ik", x, y), (2, 2, 3), (3, 2)),
    "inv": (lambda np, x: np.linalg.inv(x + 3 * numpy.eye(3)), (3, 3)),
    "det": (lambda np, x: np.linalg.det(x), (2, 3, 3)),
    "slogdet": (lambda np, x: np.linalg.slogdet(x)[1], (3, 3)),
    "solve": (lambda np, x, y: np.linalg.solve(x + 3 * numpy.eye(3), y), (3, 3), (3, 2)),
    "solve for a vector": (lambda np, x, y: np.linalg.solve(x + 3 * numpy.eye(3), y), (3, 3), (3,)),
    "cholesky": (lambda np, x: np.linalg.cholesky(x @ x.T + numpy.eye(3)), (3, 3)),
    "eigh": (lambda np, x: np.linalg.eigh(x + x.T + numpy.diag([1.0, 2.0, 4.0]))[0], (3, 3)),
    "eigh, vectors": (lambda np, x: np.linalg.eigh(x + x.T + numpy.diag([1.0, 2.0, 4.0]))[1] ** 2, (3, 3)),
    "svd": (lambda np, x: np.linalg.svd(x, full_matrices=False)[1], (3, 2)),
    "svd, vectors": (
        lambda np, x: np.linalg.svd(x, full_matrices=False)[0] @ np.linalg.svd(x, full_matrices=False)[2],
        (3, 2),
    ),
    "pinv": (lambda np, x: np.linalg.pinv(x), (3, 2)),
    "norm": (lambda np, x: np.linalg.norm(x), (3, 2)),
    "norm along": (lambda np, x: np.linalg.norm(x, axis=1) + np.linalg.norm(x, 1, axis=1), (3, 2)),
    "norm, infinite": (lambda np, x: np.linalg.norm(x, numpy.inf, axis=1), (3, 2)),
    "norm, nuclear": (lambda np, x: np.linalg.norm(x, "nuc"), (3, 2)),
    "fft": (lambda np, x: np.fft.fft(x), (6,)),
    "fft, cut and filled": (lambda np, x: np.abs(np.fft.fft(x, 4)) + np.abs(np.fft.fft(x, 8)[:4]), (6,)),
    "ifft": (lambda np, x: np.real(np.fft.ifft(x, axis=0)), (4, 3)),
    "fft2": (lambda np, x: np.abs(np.fft.fft2(x)), (4, 3)),
    "fftn": (lambda np, x: np.imag(np.fft.ifftn(x)), (4, 3)),
    "rfft": (lambda np, x: np.abs(np.fft.rfft(x)), (6,)),
    "rfft, ortho": (lambda np, x: np.real(np.fft.rfft(x, norm="ortho")), (6,)),
    "irfft": (lambda np, x: np.fft.irfft(x + 1j * x[::-1]), (4,)),
    "irfft, odd": (lambda np, x: np.fft.irfft(x, 7), (4,)),
    "rfftn": (lambda np, x: np.abs(np.fft.rfftn(x)) + np.abs(np.fft.rfft2(x)), (4, 3)),
    "irfftn": (lambda np, x: np.fft.irfftn(x + 1j * x**2, (3, 5), (0, 1)) + np.fft.irfft2(x - 1j * x, (3, 5)), (3, 3)),
    "std of one": (lambda np, x: np.std(x) + x, ()),
    "tensordot with a number": (lambda np, x, y: np.tensordot(x, y, 0), (3,), ()),
    "einsum with lists": (lambda np, x, y: np.einsum(x, [0, ...], y, [1, 0, ...], [1, ...]), (2, 3), (3, 2, 3)),
    "norm of a list": (lambda np, x, y: np.linalg.norm([x, y + 2]), (), ()),
    "append lists": (lambda np, x, y: np.append([x, y], [[y], [x]]), (), ()),
    "power of zero": (lambda np, x: np.power(numpy.array([0.0, 2.0]), x * x), (2,)),
    "fftshift": (lambda np, x: np.fft.fftshift(x), (5,)),
    "astype": (lambda np, x: x.astype(complex) * 2j, (3,)),
}
for name, (function, *shapes) in CALLS.items():
    CASES[name] = (function, lambda shapes=shapes: tuple(each[()] for each in drawn(*shapes, seed=4)))
COMPLEX_CALLS = {
    "matmul of complex numbers": (lambda np, x, y: x @ y, (2, 3), (3, 2)),
    "einsum of complex numbers": (lambda np, x, y: np.einsum("ij,jk->i", x, y), (2, 3), (3, 2)),
    "solve, complex": (lambda np, x, y: np.linalg.solve(x, y), (3, 3), (3,)),
    "inv, complex": (lambda np, x: np.linalg.inv(x), (3, 3)),
    "det, complex": (lambda np, x: np.linalg.det(x), (3, 3)),
    "eigh, complex": (
        lambda np, x: (lambda found: np.stack([found[0], *np.abs(found[1])]))(np.linalg.eigh(x, "U")),
        (3, 3),
    ),
    "eig": (lambda np, x: (lambda found: np.stack([found[0], *np.abs(found[1])]))(np.linalg.eig(x)), (3, 3)),
    "svd, complex": (
        lambda np, x: (lambda u, s, vh: np.vstack([s, np.abs(u), np.abs(vh)]))(*np.linalg.svd(x, full_matrices=False)),
        (4, 3),
    ),
    "svd, complex, products": (
        lambda np, x: (lambda u, s, vh: (u * s**2) @ vh)(*np.linalg.svd(x, full_matrices=False)),
        (2, 3),
    ),
    "norm, nuclear, complex": (lambda np, x: np.linalg.norm(x, "nuc"), (3, 2)),
    "max of complex numbers": (lambda np, x: np.max(x, axis=0), (3, 2)),
    "fft of complex numbers": (lambda np, x: np.fft.fft(x), (4,)),
    "var of complex numbers": (lambda np, x: np.var(x, axis=0), (4, 2)),
    "prod of complex numbers": (lambda np, x: np.prod(x, axis=0), (3, 2)),
}
for name, (function, *shapes) in COMPLEX_CALLS.items():
    CASES[name] = (function, lambda shapes=shapes: drawn(*shapes, seed=5, complex_=True))
