"""Eigenvalues that are searched for by products with the matrix: values, vectors without sign, derivatives."""

from __future__ import annotations

from tests.parity.programs.common import caught


def matrix(torch, size):
    """A positive definite matrix."""
    rows = (torch.arange(size * size, dtype=torch.float64).reshape(size, size) * 7 % 11 - 5) / 3
    return rows @ rows.t() + torch.diag(torch.arange(size, dtype=torch.float64) * 3)


def shown(torch, found):
    values, vectors = found
    return torch.round(values, decimals=5), torch.round(vectors.abs(), decimals=3)


def ends_of_the_spectrum(torch):
    a = matrix(torch, 12)
    weights = torch.diag(torch.arange(1.0, 13.0, dtype=torch.float64))
    found = [torch.lobpcg(a), torch.lobpcg(a, 3), torch.lobpcg(a, 2, largest=False), torch.lobpcg(a, 2, method="basic")]
    found += [torch.lobpcg(a, 2, B=weights), torch.lobpcg(a, 2, n=4), torch.lobpcg(a, 2, X=a[:, :3].clone())]
    found += [torch.lobpcg(a, 2, iK=torch.linalg.inv(a), largest=False), torch.lobpcg(torch.stack([a, 2 * a]), 2)]
    return [shown(torch, each) for each in found], torch.round(torch.lobpcg(a.float(), 1)[0], decimals=0)


def gradients(torch):
    a = matrix(torch, 9).requires_grad_()
    places = torch.arange(9, dtype=torch.float64)[:, None]
    found = []
    for largest in (True, False):
        values, vectors = torch.lobpcg(a, 2, niter=-1, tol=1e-12, largest=largest)
        found += torch.autograd.grad(values.sum(), a, retain_graph=True)
        found += torch.autograd.grad((vectors**2 * places).sum(), a)
    return [torch.round(each, decimals=5) for each in found]


def what_is_refused(torch):
    a = matrix(torch, 12)
    weights = torch.eye(12, dtype=torch.float64).requires_grad_()
    values, _ = torch.lobpcg(a, 1, B=weights)
    found = [
        caught(lambda: torch.lobpcg(a[:5])),
        caught(lambda: torch.lobpcg(a, 5)),
        caught(lambda: values.sum().backward()),
    ]
    return [*found, caught(lambda: torch.lobpcg(a, 1, B=a[:5, :5])), caught(lambda: torch.lobpcg(a, 1, X=a[:5, :3]))]
