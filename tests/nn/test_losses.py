"""Losses beside their definitions: every alignment counted, every triplet measured; and what they refuse."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import wengert as wg
from wengert import nn
from wengert.nn import functional as F

numbers = st.integers(0, 2**32 - 1)


def collapsed(path, blank):
    """A path through labels without what is repeated, then without blanks."""
    return [label for label, _ in itertools.groupby(path) if label != blank]


def by_counting(probabilities, labels, blank):
    """The probability that an alignment of these labels is drawn."""
    steps, classes = probabilities.shape
    paths = itertools.product(range(classes), repeat=steps)
    fitting = (path for path in paths if collapsed(path, blank) == list(labels))
    return sum(math.prod(probabilities[at, label] for at, label in enumerate(path)) for path in fitting)


@settings(max_examples=40, deadline=None)
@given(numbers, st.integers(1, 5), st.integers(0, 3), st.integers(0, 2))
def test_ctc_counts_every_alignment(seed, steps, length, blank):
    draws = np.random.default_rng(seed)
    scores = draws.standard_normal((steps, 3))
    labels = draws.choice([each for each in range(3) if each != blank], length)
    logs = wg.tensor(scores).log_softmax(-1)
    loss = F.ctc_loss(logs, wg.tensor(labels, dtype=wg.int64), (steps,), (length,), blank, reduction="none")
    wanted = by_counting(logs.exp().numpy(), labels, blank)
    np.testing.assert_allclose(math.exp(-loss.item()), wanted, rtol=1e-9, atol=1e-300)


@settings(max_examples=20, deadline=None)
@given(numbers)
def test_ctc_of_a_batch_is_that_of_each_item_however_labels_are_given(seed):
    draws = np.random.default_rng(seed)
    times, lengths = draws.integers(3, 7, 3).tolist(), draws.integers(0, 3, 3).tolist()
    logs = wg.tensor(draws.standard_normal((6, 3, 4))).log_softmax(-1)
    rows = draws.integers(1, 4, (3, 2))
    flat = np.concatenate([row[:length] for row, length in zip(rows, lengths)])
    together = F.ctc_loss(logs, wg.tensor(rows), times, lengths, reduction="none")
    joined = F.ctc_loss(logs, wg.tensor(flat), wg.tensor(times), wg.tensor(lengths), reduction="none")
    assert together.tolist() == joined.tolist()
    for at in range(3):
        row = wg.tensor(rows[at, : lengths[at]])
        alone = F.ctc_loss(logs[: times[at], at], row, (times[at],), (lengths[at],), reduction="none")
        np.testing.assert_allclose(together[at].item(), alone.item(), rtol=1e-12)


def test_both_rules_of_ctc_agree_recorded_or_not():
    draws = np.random.default_rng(3)
    scores = wg.tensor(draws.standard_normal((6, 2, 4)), requires_grad=True)
    loss = F.ctc_loss(scores.log_softmax(-1), wg.tensor([[1, 1, 2], [3, 0, 0]]), (6, 4), (3, 1))
    (plain,) = wg.autograd.grad(loss, scores, retain_graph=True)
    (recorded,) = wg.autograd.grad(loss, scores, create_graph=True)
    np.testing.assert_allclose(plain.numpy(), recorded.detach().numpy(), atol=1e-14)
    assert recorded.requires_grad
    assert (plain[4:, 1] == 0).all()


def test_labels_that_do_not_fit_cost_infinity_or_nothing():
    logs = wg.zeros(2, 1, 3, dtype=wg.float64).log_softmax(-1).requires_grad_()
    labels = wg.tensor([[1, 1]])  # needs a blank between
    assert F.ctc_loss(logs, labels, (2,), (2,)).item() == math.inf
    loss = F.ctc_loss(logs, labels, (2,), (2,), zero_infinity=True)
    (grad,) = wg.autograd.grad(loss, logs)
    assert loss.item() == 0
    assert (grad == 0).all()
    (grad,) = wg.autograd.grad(F.ctc_loss(logs, labels, (2,), (2,), reduction="sum"), logs)
    assert grad.isnan().all()


def test_a_label_that_is_none_is_refused():
    logs = wg.zeros(2, 1, 3).log_softmax(-1)
    for wrong in (3, -1, 2**40):
        with pytest.raises(IndexError, match=f"target {wrong} is out of bounds"):
            F.ctc_loss(logs, wg.tensor([[wrong]]), (2,), (1,))


@settings(max_examples=30, deadline=None)
@given(numbers, st.sampled_from([1, 2]))
def test_margins_between_classes_are_sums_over_pairs(seed, p):
    draws = np.random.default_rng(seed)
    scores, right = draws.standard_normal((3, 4)), draws.integers(0, 4, 3)
    loss = F.multi_margin_loss(wg.tensor(scores), wg.tensor(right), p, 0.7, reduction="none")
    for row, label, found in zip(scores, right, loss.tolist()):
        pairs = (max(0.0, 0.7 - row[label] + other) ** p for at, other in enumerate(row) if at != label)
        np.testing.assert_allclose(found, sum(pairs) / 4, atol=1e-12)
    named = np.array([[2, 0, -1, 1], [3, 3, 1, -1], [-1, 0, 1, 2]])
    loss = F.multilabel_margin_loss(wg.tensor(scores), wg.tensor(named), reduction="none")
    for row, labels, found in zip(scores, ([2, 0], [3, 3, 1], []), loss.tolist()):
        pairs = (max(0.0, 1 - row[a] + row[b]) for a in labels for b in range(4) if b not in labels)
        np.testing.assert_allclose(found, sum(pairs) / 4, atol=1e-12)


@pytest.mark.parametrize("swap", [False, True])
def test_a_triplet_takes_the_nearer_negative(swap):
    anchor, near, far = (wg.tensor([place]) for place in ([0.0, 0.0], [3.0, 4.0], [3.0, 0.0]))
    for loss in (nn.TripletMarginLoss(swap=swap), nn.TripletMarginWithDistanceLoss(swap=swap)):
        assert loss(anchor, near, far).item() == pytest.approx(1 + 5 - 3, abs=1e-4)
    closer = wg.tensor([[3.0, 3.0]])
    assert nn.TripletMarginLoss(swap=swap)(anchor, near, closer).item() == pytest.approx(
        1 + 5 - (1 if swap else math.sqrt(18)), abs=1e-4
    )


def test_likelihoods_are_those_of_scipys_formulas():
    draws = np.random.default_rng(0)
    mean, value, variance = draws.standard_normal(5), draws.standard_normal(5), draws.uniform(0.5, 2, 5)
    found = F.gaussian_nll_loss(*map(wg.tensor, (mean, value, variance)), full=True, reduction="none")
    wanted = 0.5 * np.log(2 * np.pi * variance) + (value - mean) ** 2 / (2 * variance)
    np.testing.assert_allclose(found.numpy(), wanted)
    rate, count = draws.uniform(1, 9, 5), np.array([0.0, 1.0, 5.0, 30.0, 100.0])
    found = F.poisson_nll_loss(wg.tensor(rate), wg.tensor(count), log_input=False, full=True, eps=0, reduction="none")
    wanted = rate - count * np.log(rate) + [0, 0, *(math.lgamma(each + 1) for each in count[2:])]
    np.testing.assert_allclose(found.numpy(), wanted, atol=0.02)
    with pytest.raises(ValueError, match="negative"):
        F.gaussian_nll_loss(wg.ones(2), wg.ones(2), wg.tensor([1.0, -1.0]))


def test_variances_and_lengths_that_are_cut_have_the_gradient_of_what_was_cut():
    variance = wg.tensor([1e-9, 1.0], requires_grad=True)
    (grad,) = wg.autograd.grad(F.gaussian_nll_loss(wg.zeros(2), wg.zeros(2), variance, reduction="sum"), variance)
    assert grad.tolist() == pytest.approx([0.5e6, 0.5])
    assert F.cosine_similarity(wg.zeros(1, 3), wg.ones(1, 3)).item() == 0
    assert F.cosine_similarity(wg.full((1, 2), 1e15), wg.ones(1, 2)).item() == pytest.approx(1)


@pytest.mark.parametrize(
    ("made", "wrong"),
    [
        (lambda: F.margin_ranking_loss(wg.ones(2), wg.ones(2), wg.ones(2, 1)), "should have same dimension"),
        (lambda: F.cosine_embedding_loss(wg.ones(2, 3), wg.ones(2, 3), wg.ones(2, 3)), "multi-target not supported"),
        (lambda: F.triplet_margin_loss(wg.ones(2), wg.ones(2), wg.ones(2), margin=0), "greater than 0"),
        (lambda: F.multi_margin_loss(wg.ones(2, 3), wg.tensor([0, 1]), p=3), "p == 1 and p == 2"),
        (lambda: F.hinge_embedding_loss(wg.ones(2), wg.ones(2), reduction="max"), "not a valid value for reduction"),
        (lambda: F.linear_cross_entropy(wg.ones(2, 3), wg.ones(4, 2), wg.tensor([0, 1])), "in_features"),
        (lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 9, [5, 3]), "sorted in an increasing order"),
    ],
)
def test_what_does_not_fit_is_refused(made, wrong):
    with pytest.raises((ValueError, RuntimeError), match=wrong):
        made()


def test_the_adaptive_softmax_is_a_distribution():
    layer = nn.AdaptiveLogSoftmaxWithLoss(16, 12, [3, 7], head_bias=True)
    vectors, classes = wg.randn(12, 16), wg.arange(12)
    logs = layer.log_prob(vectors)
    np.testing.assert_allclose(logs.detach().exp().sum(1).numpy(), 1, rtol=1e-5)
    output, loss = layer(vectors, classes)
    np.testing.assert_allclose(output.detach().numpy(), logs.detach().diagonal().numpy(), rtol=1e-5)
    assert loss.item() == pytest.approx(-output.mean().item())
    assert layer.predict(vectors).tolist() == logs.argmax(1).tolist()


def test_a_linear_loss_is_the_loss_of_its_scores():
    layer = nn.LinearCrossEntropyLoss(3, 5, bias=True)
    vectors, classes = wg.randn(4, 3), wg.tensor([0, 4, 2, 2])
    assert layer(vectors, classes).item() == pytest.approx(F.cross_entropy(layer.linear(vectors), classes).item())


@pytest.mark.parametrize("loss", [F.mse_loss, F.smooth_l1_loss])
@pytest.mark.parametrize("dtype", [wg.bool, wg.int64, wg.float32])
def test_a_target_may_be_of_any_kind_of_number_and_its_gradient_is_no_negative_zero(loss, dtype):
    x = wg.tensor([1.0, 2.0], requires_grad=True)
    target = wg.tensor([1, 0], dtype=dtype)
    for pair in ((x, target), (target, x)):
        (grad,) = wg.autograd.grad(loss(*pair).double(), x)
        assert grad.sign().tolist() == [0, 1] and not grad.signbit().any()


@pytest.mark.parametrize("name", ["l1_loss", "mse_loss", "huber_loss"])
@pytest.mark.parametrize("shape", [(2,), (1,), (3, 1), ()])
def test_weights_are_as_many_as_the_elements(name, shape):
    with pytest.raises(ValueError, match="Weights and input must have the same size"):
        getattr(F, name)(wg.ones(3), wg.zeros(3), weight=wg.ones(shape))


@pytest.mark.parametrize("delta", [1j, "1", None])
def test_huber_loss_refuses_what_is_no_number(delta):
    with pytest.raises(TypeError, match="delta must be a float or int"):
        nn.HuberLoss(delta=delta)
