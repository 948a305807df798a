"""Sums, means, extremes: dimensions, keepdim, ties, NaN, empty, errors."""

from __future__ import annotations

import math

from tests.parity.programs.common import caught

NAN = math.nan


def matrix(torch, dtype="float64"):
    return torch.arange(6.0, dtype=getattr(torch, dtype)).reshape(2, 3).requires_grad_()


def gradient_of(torch, function, x=None):
    x = matrix(torch) if x is None else x
    y = function(x)
    weights = torch.arange(1.0, y.numel() + 1, dtype=y.dtype).reshape(y.shape)
    return y, torch.autograd.grad(y, x, weights)


def sum_all(torch):
    return gradient_of(torch, lambda x: x.sum())


def sum_over_dim(torch):
    return [gradient_of(torch, lambda x, d=d: x.sum(d)) for d in (0, 1, -1, (0, 1), (0,), [])]


def sum_keepdim(torch):
    return gradient_of(torch, lambda x: x.sum(1, keepdim=True)), gradient_of(torch, lambda x: x.sum((0, 1), True))


def sum_by_axis_name(torch):
    return torch.ones(2, 3).sum(axis=1), torch.ones(2, 3).sum(dim=(0, 1))


def sum_with_dtype(torch):
    return torch.ones(2, dtype=torch.float32).sum(dtype=torch.float64), torch.tensor([1.7, 1.7]).sum(dtype=torch.int64)


def sum_of_empty(torch):
    return torch.zeros(0).sum(), torch.zeros(0, 3).sum(0), torch.zeros(0, 3).sum(1), torch.zeros(2, 0).sum(1)


def sum_of_0_dim(torch):
    x = torch.tensor(3.0, requires_grad=True)
    return x.sum(), x.sum(0), x.sum(-1), caught(lambda: x.sum(1))


def sum_dim_out_of_range(torch):
    return torch.ones(2, 3).sum(2)


def sum_dim_twice(torch):
    return torch.ones(2, 3).sum((0, 0))


def sum_dim_of_wrong_type(torch):
    return torch.ones(2, 3).sum("a")


def sum_of_booleans(torch):
    return torch.tensor([True, True, False]).sum()


def mean_all_and_dims(torch):
    return gradient_of(torch, lambda x: x.mean()), gradient_of(torch, lambda x: x.mean((0, 1), keepdim=True))


def mean_of_empty(torch):
    return torch.zeros(0).mean(), torch.zeros(2, 0).mean(1)


def var_and_std(torch):
    return [gradient_of(torch, function) for function in (lambda x: x.var(), lambda x: x.std(), lambda x: x.var(1))]


def var_corrections(torch):
    x = matrix(torch)
    return [caught(lambda c=c: x.var(1, correction=c)) for c in (0, 1, 2, 1.5)], x.var(1, unbiased=False), x.var(False)


def var_with_too_few(torch):
    return torch.ones(1).var(), torch.ones(1).var(correction=0), torch.zeros(0).var()


def std_at_zero_spread(torch):
    return gradient_of(torch, lambda x: x.std(), torch.ones(3, requires_grad=True))


def var_of_integers_is_refused(torch):
    return torch.tensor([1, 2]).var()


def var_mean_pair(torch):
    return torch.var_mean(matrix(torch), 1), torch.std_mean(matrix(torch), 1)


def prod_all_and_dim(torch):
    x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 0.0, 6.0]], requires_grad=True)
    return gradient_of(torch, lambda x: x.prod(), x), gradient_of(torch, lambda x: x.prod(1), x)


def prod_with_two_zeros(torch):
    return gradient_of(torch, lambda x: x.prod(), torch.tensor([0.0, 0.0, 3.0], requires_grad=True))


def prod_of_integers_and_empty(torch):
    return torch.tensor([2, 3], dtype=torch.int32).prod(), torch.zeros(0).prod()


def amax_ties_share(torch):
    x = torch.tensor([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]], requires_grad=True)
    return gradient_of(torch, lambda x: x.amax(1), x), gradient_of(torch, lambda x: x.amin(), x)


def max_all_ties_share(torch):
    return gradient_of(torch, lambda x: x.max(), torch.tensor([1.0, 3.0, 3.0], requires_grad=True))


def max_over_dim_takes_one(torch):
    x = torch.tensor([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]], requires_grad=True)
    values, indices = x.max(1)
    return values, indices, torch.autograd.grad(values.sum(), x)


def min_over_dim_takes_one(torch):
    x = torch.tensor([[1.0, 3.0, 1.0], [2.0, 2.0, 2.0]], requires_grad=True)
    values, indices = x.min(1, keepdim=True)
    return values, indices, torch.autograd.grad(values.sum(), x)


def max_result_has_names(torch):
    result = torch.ones(2, 3).max(1)
    return result.values, result.indices, str(type(result).__name__)


def max_with_nan(torch):
    x = torch.tensor([1.0, NAN, 3.0])
    return x.max(), x.min(), x.amax(), x.argmax(), x.argmin(), x.max(0)


def max_of_two(torch):
    return torch.max(torch.tensor([1.0, 5.0]), torch.tensor([2.0, 2.0])), torch.min(
        torch.tensor([1]), torch.tensor([2])
    )


def max_of_empty_is_refused(torch):
    return [caught(lambda f=f: f(torch.zeros(0))) for f in (torch.max, torch.min, torch.argmax, torch.amax)]


def max_over_empty_dim_is_refused(torch):
    return torch.zeros(2, 0).max(1)


def max_over_nonempty_dim_of_empty(torch):
    return torch.zeros(0, 3).max(1)


def argmax_and_argmin(torch):
    x = torch.tensor([[1, 5, 5], [7, 0, 7]])
    return x.argmax(), x.argmax(1), x.argmax(0, keepdim=True), x.argmin(), x.argmin(-1), x.argmax(keepdim=True)


def argmax_is_not_recorded(torch):
    return torch.ones(3, requires_grad=True).argmax()


def logsumexp_values(torch):
    return gradient_of(torch, lambda x: x.logsumexp(1)), gradient_of(torch, lambda x: x.logsumexp((0, 1), keepdim=True))


def logsumexp_special(torch):
    inf = math.inf
    x = torch.tensor([[1000.0, 1000.0], [-inf, -inf], [inf, 0.0], [NAN, 0.0]], requires_grad=True)
    return gradient_of(torch, lambda x: x.logsumexp(1), x)


def any_and_all(torch):
    x = torch.tensor([[True, False], [True, True]])
    return x.any(), x.all(), x.any(0), x.all(1, keepdim=True), torch.zeros(0).any(), torch.zeros(0).all()


def any_of_floats(torch):
    return torch.tensor([0.0, NAN]).any(), torch.tensor([0.0, 2.0]).all(), torch.tensor([0, 2], dtype=torch.uint8).all()


def cumulative_sum_and_product(torch):
    x = matrix(torch)
    return gradient_of(torch, lambda x: x.cumsum(1), x), x.detach().cumprod(0), torch.tensor([True, True]).cumsum(0)


def norms(torch):
    x = torch.tensor([3.0, -4.0], requires_grad=True)
    return [caught(lambda p=p: gradient_of(torch, lambda x: x.norm(p), x)) for p in (2, 1, math.inf)]


def count_nonzero(torch):
    return torch.count_nonzero(torch.tensor([[0, 1], [2, 0]])), torch.count_nonzero(torch.tensor([[0, 1], [2, 0]]), 1)


def second_derivative_of_var(torch):
    x = torch.tensor([1.0, 2.0, 4.0], dtype=torch.float64, requires_grad=True)
    (first,) = torch.autograd.grad(x.var(), x, create_graph=True)
    return first, torch.autograd.grad(first[0], x)


def second_derivative_of_logsumexp(torch):
    x = torch.tensor([1.0, 2.0, 4.0], dtype=torch.float64, requires_grad=True)
    (first,) = torch.autograd.grad(x.logsumexp(0), x, create_graph=True)
    return first, torch.autograd.grad(first[0], x)


def second_derivative_of_prod(torch):
    x = torch.tensor([1.0, 2.0, 4.0], dtype=torch.float64, requires_grad=True)
    (first,) = torch.autograd.grad(x.prod(), x, create_graph=True)
    return first, torch.autograd.grad(first[0], x)


def reductions_of_transposed(torch):
    x = matrix(torch).detach().t()
    return x.sum(0), x.max(1), x.mean(1, keepdim=True), x.var(0)


def node_names_of_reductions(torch):
    x = matrix(torch)
    results = [
        x.sum(),
        x.sum(0),
        x.mean(),
        x.mean(0),
        x.var(),
        x.std(0),
        x.amax(0),
        x.max(),
        x.max(0)[0],
        x.prod(),
        x.prod(0),
        x.logsumexp(0),
    ]
    return [each.grad_fn.name() for each in results]


def sum_to_size(torch):
    return torch.ones(2, 3, 4).sum_to_size(1, 4), caught(lambda: torch.ones(2, 3).sum_to_size(2, 2))


def spread_of_too_few_warns(torch):
    x = torch.zeros(2, 1)
    return x.var(1), x.std(1), x.var(1, correction=0), torch.var_mean(x, 1), torch.std_mean(x, 1), x[0].var()
