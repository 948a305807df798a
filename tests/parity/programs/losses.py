"""Softmax and losses: values, gradients, options, refused arguments."""

# ruff: noqa: N806 - programs are written as torch's users write them

from __future__ import annotations

import math

from tests.parity.programs.common import caught, chain


def scores(torch):
    return torch.tensor([[1.0, 2.0, 3.0], [0.5, -1.0, 0.0]], dtype=torch.float64, requires_grad=True)


def with_gradient(torch, function):
    x = scores(torch)
    y = function(x)
    return y, torch.autograd.grad(y.sum() if y.ndim else y, x)


def softmax_over_each_dim(torch):
    return [with_gradient(torch, lambda x, d=d: x.softmax(d) ** 2) for d in (0, 1, -1)]


def softmax_dim_out_of_range(torch):
    return torch.ones(2, 3).softmax(2)


def softmax_with_dtype(torch):
    return torch.ones(2, 3).softmax(1, dtype=torch.float64), torch.tensor([1, 2]).softmax(0, dtype=torch.float32)


def softmax_of_integers_is_refused(torch):
    return torch.tensor([1, 2]).softmax(0)


def softmax_special(torch):
    inf = math.inf
    return torch.tensor([[inf, 0.0], [-inf, -inf], [-inf, 1.0], [1e4, 1e4]]).softmax(1)


def softmax_of_empty_and_0_dim(torch):
    return torch.zeros(0, 3).softmax(1), torch.zeros(3, 0).softmax(1), torch.tensor(2.0).softmax(0)


def log_softmax_over_each_dim(torch):
    return [with_gradient(torch, lambda x, d=d: x.log_softmax(d) ** 2) for d in (0, 1)]


def log_softmax_special(torch):
    return torch.tensor([[-math.inf, 0.0], [1e4, -1e4]]).log_softmax(1)


def softmax_second_derivative(torch):
    x = scores(torch)
    (first,) = torch.autograd.grad(x.softmax(1)[:, 0].sum(), x, create_graph=True)
    return torch.autograd.grad(first[:, 1].sum(), x)


def log_softmax_second_derivative(torch):
    x = scores(torch)
    (first,) = torch.autograd.grad(x.log_softmax(1)[:, 0].sum(), x, create_graph=True)
    return torch.autograd.grad(first[:, 1].sum(), x)


def functional_softmax_without_dim_warns(torch):
    return torch.nn.functional.softmax(torch.ones(2, 3))


def cross_entropy_mean(torch):
    return with_gradient(torch, lambda x: torch.nn.functional.cross_entropy(x, torch.tensor([2, 0])))


def cross_entropy_reductions(torch):
    F = torch.nn.functional
    return [
        with_gradient(torch, lambda x, r=r: F.cross_entropy(x, torch.tensor([2, 0]), reduction=r))
        for r in ("sum", "none")
    ]


def cross_entropy_unknown_reduction(torch):
    return torch.nn.functional.cross_entropy(scores(torch), torch.tensor([2, 0]), reduction="max")


def cross_entropy_weights(torch):
    weight = torch.tensor([1.0, 2.0, 0.5], dtype=torch.float64)
    return with_gradient(torch, lambda x: torch.nn.functional.cross_entropy(x, torch.tensor([2, 0]), weight))


def cross_entropy_ignore_index(torch):
    F = torch.nn.functional
    return with_gradient(torch, lambda x: F.cross_entropy(x, torch.tensor([2, -100]))), with_gradient(
        torch, lambda x: F.cross_entropy(x, torch.tensor([2, 1]), ignore_index=1)
    )


def cross_entropy_everything_ignored(torch):
    return with_gradient(torch, lambda x: torch.nn.functional.cross_entropy(x, torch.tensor([-100, -100])))


def cross_entropy_label_smoothing(torch):
    F = torch.nn.functional
    return with_gradient(torch, lambda x: F.cross_entropy(x, torch.tensor([2, 0]), label_smoothing=0.1))


def cross_entropy_probabilities(torch):
    target = torch.tensor([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]], dtype=torch.float64)
    return with_gradient(torch, lambda x: torch.nn.functional.cross_entropy(x, target))


def cross_entropy_target_out_of_range(torch):
    return torch.nn.functional.cross_entropy(scores(torch), torch.tensor([3, 0]))


def cross_entropy_wrong_batch(torch):
    return torch.nn.functional.cross_entropy(scores(torch), torch.tensor([1, 0, 2]))


def cross_entropy_float_labels(torch):
    return torch.nn.functional.cross_entropy(scores(torch), torch.tensor([1.0, 0.0]))


def cross_entropy_int32_labels(torch):
    return torch.nn.functional.cross_entropy(scores(torch), torch.tensor([1, 0], dtype=torch.int32))


def cross_entropy_of_one(torch):
    return torch.nn.functional.cross_entropy(torch.tensor([1.0, 2.0]), torch.tensor(1))


def cross_entropy_of_images(torch):
    x = torch.arange(12.0).reshape(1, 3, 2, 2).requires_grad_()
    loss = torch.nn.functional.cross_entropy(x, torch.tensor([[[0, 1], [2, 0]]]))
    loss.backward()
    return loss, x.grad


def cross_entropy_graph(torch):
    return chain(torch.nn.functional.cross_entropy(scores(torch), torch.tensor([2, 0])))


def nll_loss_values(torch):
    F = torch.nn.functional
    return [
        with_gradient(torch, lambda x, r=r: F.nll_loss(x.log_softmax(1), torch.tensor([2, 0]), reduction=r))
        for r in ("mean", "sum", "none")
    ]


def mse_loss_values(torch):
    F, target = torch.nn.functional, torch.zeros(2, 3, dtype=torch.float64)
    return [with_gradient(torch, lambda x, r=r: F.mse_loss(x, target, reduction=r)) for r in ("mean", "sum", "none")]


def mse_loss_warns_of_broadcasting(torch):
    return torch.nn.functional.mse_loss(torch.ones(2, 1), torch.zeros(2))


def mse_loss_graph(torch):
    return chain(torch.nn.functional.mse_loss(scores(torch), torch.zeros(2, 3, dtype=torch.float64)))


def mse_loss_second_derivative(torch):
    x = scores(torch)
    loss = torch.nn.functional.mse_loss(x, torch.zeros(2, 3, dtype=torch.float64))
    (first,) = torch.autograd.grad(loss, x, create_graph=True)
    return torch.autograd.grad(first.sum(), x)


def l1_loss_values(torch):
    target = torch.tensor([[1.0, 0.0, 3.0], [0.0, 0.0, 0.0]], dtype=torch.float64)
    return with_gradient(torch, lambda x: torch.nn.functional.l1_loss(x, target))


def bce_with_logits_values(torch):
    F, target = torch.nn.functional, torch.tensor([[1.0, 0.0, 0.5], [0.0, 1.0, 1.0]], dtype=torch.float64)
    return [
        with_gradient(torch, lambda x, r=r: F.binary_cross_entropy_with_logits(x, target, reduction=r))
        for r in ("mean", "sum", "none")
    ]


def bce_with_logits_weights(torch):
    F, target = torch.nn.functional, torch.tensor([[1.0, 0.0, 0.5], [0.0, 1.0, 1.0]], dtype=torch.float64)
    weights = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
    return with_gradient(
        torch, lambda x: F.binary_cross_entropy_with_logits(x, target, weight=weights, pos_weight=weights)
    )


def bce_with_logits_extremes(torch):
    x = torch.tensor([1000.0, -1000.0, 0.0], requires_grad=True)
    loss = torch.nn.functional.binary_cross_entropy_with_logits(x, torch.tensor([1.0, 0.0, 1.0]))
    loss.backward()
    return loss, x.grad


def bce_with_logits_wrong_size(torch):
    return torch.nn.functional.binary_cross_entropy_with_logits(torch.ones(2), torch.ones(3))


def loss_of_unknown_reduction(torch):
    F = torch.nn.functional
    return caught(lambda: F.mse_loss(torch.ones(2), torch.ones(2), reduction="most")), caught(
        lambda: F.nll_loss(torch.ones(2, 2), torch.tensor([0, 1]), reduction="most")
    )
