"""Index sets through every operator, from its samples: no element of a derivative is missing in the pattern found."""

from __future__ import annotations

import numpy as np
import pytest

import wengert as wg
from wengert._core.cards.card import Card
from wengert._core.types import dtypes
from wengert.autograd.sparsity import families, tracer
from wengert.autograd.sparsity.calls import pointwise
from wengert.func import jacobian_sparsity, vjp
from wengert.testing import Case, cases
from wengert.testing.calls import operators
from wengert.testing.differences import exchange, finite, recorded
from wengert.testing.seeds import reseed


def is_checked(operator, dtype) -> bool:
    return dtype is dtypes.float64 and not (isinstance(operator, Card) and operator.why)


class Subject:
    """A sample as a function of the list of its tensors, whose outputs are real."""

    def __init__(self, case: Case) -> None:
        self.call = case.call()
        self.inputs = self.call.differentiable()
        self.outputs = recorded(self.call)
        self.fits = bool(self.inputs and self.outputs) and all(each._array_.dtype.kind == "f" for each in self.outputs)
        self.fits = self.fits and finite(self.inputs) and finite(self.outputs)

    def value(self, tensors):
        return recorded(exchange(self.call, self.inputs, tensors))

    def gradient(self, tensors):
        random = np.random.default_rng(0)
        cotangents = [wg.tensor(random.random(each.shape), dtype=each.dtype) for each in self.outputs]
        return vjp(self.value, tensors)[1](cotangents)[0]


def dense(function, inputs):
    """The Jacobian of a function of a list of tensors, row by row."""
    variables = [each.detach().requires_grad_() for each in inputs]
    reseed()
    rows = []
    for output in function(variables):
        for at in range(output.numel()):
            if output.requires_grad:
                found = wg.autograd.grad(output.reshape(-1)[at], variables, retain_graph=True, materialize_grads=True)
                rows.append(np.concatenate([each.numpy().ravel() for each in found]))
            else:
                rows.append(np.zeros(sum(each.numel() for each in variables)))
    return np.reshape(rows, (len(rows), sum(each.numel() for each in variables)))


def missing(function, inputs):
    """The elements of the Jacobian that are not in the pattern found, though not zero."""
    pattern = jacobian_sparsity(function, [each.detach() for each in inputs]).toarray()
    found = dense(function, inputs)
    assert pattern.shape == found.shape
    return np.argwhere((np.nan_to_num(found) != 0) & ~pattern)


@pytest.mark.cases(wanted=is_checked)
def test_no_element_of_the_jacobian_is_missing(case: Case):
    subject = Subject(case)
    if subject.fits:
        assert not missing(subject.value, subject.inputs).size


DRAWN = ("_standard_gamma", "_sample_dirichlet")
"""Draws with gradients whose second derivatives are refused, as torch's are."""


@pytest.mark.cases(wanted=lambda operator, dtype: is_checked(operator, dtype) and operator.name not in DRAWN)
def test_no_element_of_the_jacobian_of_the_gradient_is_missing(case: Case):
    subject = Subject(case)
    if subject.fits:
        assert not missing(subject.gradient, subject.inputs).size


def test_a_wrong_rule_is_found(monkeypatch):
    case = next(case for case in cases(is_checked, names=["cumsum"]) if Subject(case).call.args[0].ndim > 1)
    assert not missing(Subject(case).value, Subject(case).inputs).size
    monkeypatch.setitem(families.RULES, "cumsum", pointwise)
    assert missing(Subject(case).value, Subject(case).inputs).size


# Random numbers do not depend on their parameters in any way that could be followed; the others are rare.
DENSE = {
    *("adaptive_average", "adaptive_average_backward", "adaptive_maximum", "as_strided_backward", "bernoulli"),
    *("_as_strided_copy", "_as_strided_scatter"),
    *("adaptive_average3d", "adaptive_average3d_backward", "adaptive_maximum3d", "fractional_max_pool2d"),
    "fractional_max_pool3d",
    *("bernoulli_fill", "cauchy", "col2im", "convolution_weight", "dot", "edge_pad_backward", "exponential"),
    *(
        "_native_dropout",
        "masked_scatter_backward",
        "geometric",
        "log_normal",
        "nll_loss_backward",
        "nll_loss_forward",
        "normal_about",
        "normal_fill",
        "poisson",
    ),
    *("random", "resample", "resample_backward", "uniform", "vdot"),
    *("glu_backward", "huber_loss_backward", "mse_loss_backward", "smooth_l1_loss_backward"),
    *("_frexp", "addr", "cummax_along", "cummin_along", "dist", "expand_copy", "heaviside", "kthvalue_along"),
    *("median_along", "median_full", "mode_along", "nanmedian_along", "nanmedian_full", "renorm", "sort_along"),
    *("split_copy", "split_with_sizes_copy", "topk_along", "trace", "unbind_copy", "unsafe_split"),
    "unsafe_split_with_sizes",
    *(
        "_sample_dirichlet",
        "_standard_gamma",
        "_ctc_loss",
        "_embedding_bag",
        "_fft_c2c",
        "_fft_c2r",
        "_fft_r2c",
        "_grid_sample",
        "_multi_margin_loss",
    ),
    *("_multilabel_margin_loss", "_safe_softmax", "_segment_reduce", "_soft_margin_loss", "affine_grid_generator"),
    *("_causal_softmax", "_scaled_dot_product_flash_attention_for_cpu"),
    *("channel_shuffle", "distance_norm", "glu", "view_as_complex_copy", "view_as_real_copy"),
    *("_det_minors", "_eigh_frame", "_eigh_function", "_linalg_eigvalsh", "bincount"),
    *("_cdist_forward", "_euclidean_dist", "_linalg_householder_product", "_linalg_lstsq", "ormqr"),
}


def test_only_some_operators_are_taken_to_make_each_element_from_all():
    cards = [each for each in operators().values() if isinstance(each, Card)]
    rules = [each for each in cards if each.rules and not each.view and not each.refused]
    assert {card.name for card in rules if tracer.rule_of(card) is families.everything} == DENSE
