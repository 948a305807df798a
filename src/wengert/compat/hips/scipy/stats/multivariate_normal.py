"""The normal distribution of vectors, with the functions of `scipy.stats.multivariate_normal`."""

from __future__ import annotations

from typing import Any

import numpy as np

from .distributions import sampling


def matrix_of(x: Any, mean: Any, cov: Any) -> Any:
    """Return the covariance as a matrix: a number is the variance of all elements, a vector the diagonal."""
    if np.ndim(cov) == 2:
        return cov
    size = max(np.shape(value)[-1] if np.ndim(value) else 1 for value in (x, mean, cov))
    return cov * np.eye(size)


def logpdf(x: Any, mean: Any = 0.0, cov: Any = 1.0, allow_singular: bool = False) -> Any:
    """The logarithm of the density of one vector `x`, or of several along the last dimension."""
    matrix = matrix_of(x, mean, cov)
    size = np.shape(matrix)[-1]
    away = x - mean
    if np.ndim(away) == 0 or (size == 1 and np.shape(away)[-1] != 1):
        away = np.expand_dims(away, -1)
    if allow_singular:
        inverse, eigenvalues = np.linalg.pinv(matrix, hermitian=True), np.linalg.eigh(matrix)[0]
        positive = eigenvalues > 1e6 * np.finfo(float).eps * np.max(np.abs(eigenvalues))
        logdet, rank = np.sum(np.log(np.where(positive, eigenvalues, 1.0))), np.sum(positive)
        steps = np.matmul(away, inverse)
    else:
        logdet, rank = np.linalg.slogdet(matrix)[1], size
        steps = np.reshape(np.linalg.solve(matrix, np.reshape(away, (-1, size)).T).T, np.shape(away))
    return -0.5 * (np.sum(away * steps, axis=-1) + logdet + rank * np.log(2 * np.pi))


def pdf(x: Any, mean: Any = 0.0, cov: Any = 1.0, allow_singular: bool = False) -> Any:
    """The density."""
    return np.exp(logpdf(x, mean, cov, allow_singular))


def entropy(mean: Any = None, cov: Any = 1.0) -> Any:
    """The differential entropy."""
    matrix = cov if np.ndim(cov) == 2 else matrix_of(0.0, 0.0 if mean is None else mean, cov)
    return 0.5 * (np.linalg.slogdet(matrix)[1] + np.shape(matrix)[-1] * (1 + np.log(2 * np.pi)))


__getattr__ = sampling("multivariate_normal")
