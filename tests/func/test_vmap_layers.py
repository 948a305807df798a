"""What networks are made of, under `vmap`: convolutions, norms, losses, tables and dropout, against their members."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

import wengert as wg
from wengert import nn
from wengert._core.operators import batch_rules
from wengert.func import functional_call, grad, vmap

F = nn.functional
MEMBERS = 3


def numbers(*shape, seed=0):
    return wg.tensor(np.random.default_rng(seed).standard_normal(shape))


def close(found, expected):
    assert found.shape == expected.shape and found.dtype is expected.dtype
    np.testing.assert_allclose(found.detach().numpy(), expected.detach().numpy(), rtol=1e-9, atol=1e-9)


def check(f, dims, *args, fixed=0):
    """That `vmap` of a function gives what it gives for the members: values, and gradients of what floats, but of the
    last `fixed` arguments.
    """
    floating = tuple(at for at, each in enumerate(args[: len(args) - fixed]) if each.is_floating_point())
    slopes = grad(lambda *each: (f(*each) * f(*each)).sum(), floating)
    members = [
        [each if dim is None else each.select(dim, nr) for each, dim in zip(args, dims)] for nr in range(MEMBERS)
    ]
    close(vmap(f, dims)(*args), wg.stack([f(*each) for each in members]))
    for found, *expected in zip(vmap(slopes, dims)(*args), *[slopes(*each) for each in members]):
        close(found, wg.stack(expected))


batched = st.lists(st.booleans(), min_size=3, max_size=3).filter(any)


@given(
    batched,
    st.integers(1, 3),
    st.integers(1, 2),
    st.integers(1, 2),
    st.integers(0, 1),
    st.integers(1, 2),
    st.booleans(),
    st.booleans(),
)
def test_convolutions(which, count, groups, stride, padding, dilation, transposed, biased):
    shape = (2, 2 * groups, *range(4, 4 + count))
    kernel = (2 * groups, 3 if transposed else 2, *(2,) * count)
    channels = kernel[1] * groups if transposed else kernel[0]
    args = [numbers(*(MEMBERS,) * on, *each) for on, each in zip(which, (shape, kernel, (channels,)))]
    dims = tuple(0 if on else None for on in which)
    if not biased:
        args, dims = args[:2], dims[:2]
        assume(any(dim == 0 for dim in dims))

    def f(x, weight, bias=None):
        steps = (stride,) * count, (padding,) * count, (dilation,) * count
        return wg.convolution(x, weight, bias, *steps, transposed, (0,) * count, groups)

    check(f, dims, *args)


@given(st.integers(-100, 3), st.sampled_from(["mean", "sum", "none"]), batched, st.sampled_from([(), (2,), (2, 2)]))
def test_cross_entropy_with_weights_and_ignored_classes(ignored, reduction, which, places):
    shapes = (4, 3, *places), (4, *places), (3,)
    logits = numbers(*(MEMBERS,) * which[0], *shapes[0])
    lead = (MEMBERS,) * which[1]
    target = wg.tensor(np.random.default_rng(1).integers(0, 3, (*lead, *shapes[1])))
    weight = numbers(*(MEMBERS,) * which[2], *shapes[2]).abs()
    dims = tuple(0 if on else None for on in which)

    def f(logits, target, weight):
        return F.cross_entropy(logits, target, weight, ignore_index=ignored, reduction=reduction)

    check(f, dims, logits, target, weight, fixed=1)


@pytest.mark.parametrize("shape", [(5,), (4, 5), (4, 5, 2)])
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_smoothed_cross_entropy(shape, reduction):
    target = wg.tensor(np.random.default_rng(1).integers(0, 5, (MEMBERS, *shape[:1], *shape[2:])))
    target = target if len(shape) > 1 else target[:, 0]
    weight = numbers(5).abs()

    def f(logits, target):
        return F.cross_entropy(logits, target, weight, ignore_index=2, reduction=reduction, label_smoothing=0.2)

    check(f, (0, 0), numbers(MEMBERS, *shape), target)


PAIRS = (
    F.mse_loss,
    F.smooth_l1_loss,
    F.huber_loss,
    F.l1_loss,
    F.binary_cross_entropy_with_logits,
    lambda x, y, reduction: F.binary_cross_entropy(x.sigmoid(), y, reduction=reduction),
    lambda x, y, reduction: F.kl_div(x, y, reduction=reduction),
)


@given(st.sampled_from(PAIRS), st.sampled_from(["sum", "none"]), st.sampled_from([(), (2,), (2, 3)]), st.integers(0, 2))
def test_losses_reduce_each_member(loss, reduction, shape, which):
    dims = ((0, 0), (0, None), (None, 0))[which]
    x, y = [numbers(*(MEMBERS,) * (dim is not None), *shape, seed=nr) for nr, dim in enumerate(dims)]
    check(lambda x, y: loss(x, y.sigmoid(), reduction=reduction), dims, x, y)


@pytest.mark.parametrize("training", [False, True])
@given(st.lists(st.booleans(), min_size=5, max_size=5).filter(any), st.sampled_from([(), (2,), (2, 3)]))
def test_batch_norm(training, which, places):
    shapes = ((4, 3, *places), *[(3,)] * 4)
    args = [numbers(*(MEMBERS,) * on, *each, seed=nr) for nr, (on, each) in enumerate(zip(which, shapes))]
    dims = tuple(0 if on else None for on in which)

    def f(x, weight, bias, mean, variance):
        statistics = (None, None) if training else (mean, variance.abs())
        return F.batch_norm(x, *statistics, weight, bias, training)

    if training:
        args, dims, f = args[:3], dims[:3], lambda *each, of=f: of(*each, None, None)
        assume(any(dim == 0 for dim in dims))
    check(f, dims, *args, fixed=0 if training else 2)


def test_running_statistics_are_those_of_each_member_or_refused():
    x, shared = numbers(MEMBERS, 4, 3), numbers(3)
    before = shared.clone()
    for norm in (F.batch_norm, lambda x, mean, *rest: F.instance_norm(x[..., None].expand(4, 3, 2), mean)):
        with pytest.raises(RuntimeError, match="running_mean or running_var, which will be updated in place"):
            vmap(lambda x, norm=norm: norm(x, shared, None, None, None, True))(x)
    close(shared, before)
    means, singles = numbers(MEMBERS, 3), [each.clone() for each in numbers(MEMBERS, 3)]
    vmap(lambda x, mean: F.batch_norm(x, mean, None, training=True))(x, means)
    for each, mean in zip(x, singles):
        F.batch_norm(each, mean, None, training=True)
    close(means, wg.stack(singles))


@given(batched, st.sampled_from([(), (2,), (2, 3)]))
def test_layer_and_group_norm(which, places):
    shape = (2, 4, *places)
    dims = tuple(0 if on else None for on in which)
    args = [numbers(*(MEMBERS,) * on, *each) for on, each in zip(which, (shape, (4,), (4,)))]
    check(lambda x, weight, bias: F.group_norm(x, 2, weight, bias), dims, *args)
    args = [numbers(*(MEMBERS,) * on, *each) for on, each in zip(which, (shape, shape[1:], shape[1:]))]
    check(lambda x, weight, bias: F.layer_norm(x, shape[1:], weight, bias), dims, *args)


def test_norms_refuse_what_would_fit_with_the_batch_only():
    with pytest.raises(RuntimeError, match="expected input with shape"):
        vmap(lambda x: F.layer_norm(x, (MEMBERS, 4)))(numbers(MEMBERS, 4))
    with pytest.raises(RuntimeError, match="same shape as normalized_shape"):
        vmap(lambda x, weight: F.layer_norm(x, (4,), weight))(numbers(MEMBERS, 2, 4), numbers(MEMBERS, 1))
    with pytest.raises(RuntimeError, match="non-empty 3D or 4D"):
        vmap(lambda x: F.max_pool2d(x, 2))(numbers(MEMBERS, 4, 4))
    with pytest.raises(RuntimeError, match="non-empty 3D or 4D"):
        vmap(lambda x: F.max_pool2d(x, 2))(numbers(MEMBERS, 1, 1, 1, 4, 4))


@given(
    st.lists(st.booleans(), min_size=2, max_size=2).filter(any),
    st.sampled_from([None, 0, 2]),
    st.booleans(),
    st.sampled_from([(), (2,), (2, 3)]),
)
def test_embeddings(which, padding, by_frequency, shape):
    dims = tuple(0 if on else None for on in which)
    table = numbers(*(MEMBERS,) * which[0], 4, 3)
    lead = (MEMBERS,) * which[1]
    rows = wg.tensor(np.random.default_rng(0).integers(0, 4, (*lead, *shape)))
    check(lambda t, r: F.embedding(r, t, padding, scale_grad_by_freq=by_frequency), dims, table, rows)


def test_no_member_reads_the_table_of_another():
    table, rows = numbers(MEMBERS, 4, 3), wg.tensor([[0, 4]] * MEMBERS)
    with pytest.raises(IndexError, match="embedding has 4 rows, got indices from 0 to 4"):
        vmap(lambda table, rows: F.embedding(rows, table))(table, rows)


def test_one_hot_asks_for_the_number_of_classes():
    found = vmap(lambda x: F.one_hot(x, 4))(wg.tensor([[0, 1], [3, 2]]))
    assert found.tolist() == np.eye(4, dtype=int)[[[0, 1], [3, 2]]].tolist()
    with pytest.raises(RuntimeError, match="depends on the values"):
        vmap(F.one_hot)(wg.tensor([[0, 1], [3, 2]]))


DROPOUTS = {
    "dropout": lambda x: F.dropout(x, 0.5, True),
    "alpha_dropout": lambda x: F.alpha_dropout(x, 0.5, True),
    "dropout1d": lambda x: F.dropout1d(x, 0.5, True),
    "feature_alpha_dropout": lambda x: F.feature_alpha_dropout(x, 0.5, True),
    "native_dropout": lambda x: wg.native_dropout(x, 0.5, True)[0],
    "of what is not batched": lambda x: F.dropout(wg.ones(20, 2), 0.5, True),
}


@pytest.mark.parametrize("form", DROPOUTS)
def test_dropout_draws_as_randomness_says(form):
    wg.manual_seed(0)
    x = wg.ones(MEMBERS, 20, 2)
    different = vmap(DROPOUTS[form], randomness="different")(x)
    assert len({str(each) for each in different.tolist()}) == MEMBERS
    same = vmap(DROPOUTS[form], randomness="same")(x)
    assert len({str(each) for each in same.tolist()}) == 1 and len(set(same.flatten().tolist())) == 2
    with pytest.raises(RuntimeError, match="called random operation while in randomness error mode"):
        vmap(DROPOUTS[form])(x)


def test_dropout_in_nested_batches():
    wg.manual_seed(0)
    inner = lambda way: vmap(lambda x: F.dropout(x, 0.5), randomness=way)  # noqa: E731
    x = wg.ones(2, 3, 40)
    rows = vmap(inner("same"), randomness="different")(x)
    assert (rows == rows[:, :1]).all() and (rows[0] != rows[1]).any()
    columns = vmap(inner("different"), randomness="same")(x)
    assert (columns == columns[:1]).all() and (columns[:, 0] != columns[:, 1]).any()


def test_dropout_in_evaluation_asks_nothing_of_vmap():
    x = wg.ones(MEMBERS, 4)
    for form in (F.dropout, F.alpha_dropout, lambda x, training: wg.native_dropout(x, 0.5, training)[0]):
        close(vmap(lambda x, form=form: form(x, training=False))(x), x)


def layers():
    yield nn.Sequential(
        nn.Conv2d(2, 4, 3), nn.GroupNorm(2, 4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(16, 3)
    )
    yield nn.Sequential(nn.Conv2d(2, 4, 3), nn.BatchNorm2d(4), nn.AvgPool2d(2), nn.Flatten(), nn.Linear(16, 3)).eval()
    yield nn.Sequential(nn.Flatten(), nn.Linear(72, 8), nn.LayerNorm(8), nn.GELU(), nn.Linear(8, 3))


@pytest.mark.parametrize("net", list(layers()), ids=["groups", "batches", "layers"])
def test_gradients_for_each_item_of_networks(net):
    net = net.double()
    x, target = numbers(5, 2, 6, 6), wg.tensor([0, 1, 2, 0, 1])
    values = {name: each.detach() for name, each in net.named_parameters()}
    own = {"convolution", "native_layer_norm", "native_group_norm", "batch_norm_forward", "nll_loss_forward"}

    def loss(values, x, target):
        state = {**values, **dict(net.named_buffers())}
        return F.cross_entropy(functional_call(net, state, (x[None],)), target[None])

    batch_rules.LOOPED.clear()
    found = vmap(grad(loss), (None, 0, 0))(values, x, target)
    assert not own & set(batch_rules.LOOPED)
    expected = [grad(loss)(values, *each) for each in zip(x, target)]
    for name in values:
        close(found[name], wg.stack([each[name] for each in expected]))


def test_ensembles_take_one_input_or_one_each():
    net = nn.Sequential(nn.Conv2d(2, 4, 3, padding=1), nn.Flatten(), nn.Linear(64, 3)).double()
    stacked = {name: numbers(MEMBERS, *each.shape) for name, each in net.named_parameters()}
    x = numbers(MEMBERS, 2, 2, 4, 4)
    each = lambda nr: {name: value[nr] for name, value in stacked.items()}  # noqa: E731
    run = lambda values, x: functional_call(net, values, (x,))  # noqa: E731
    close(vmap(run)(stacked, x), wg.stack([run(each(nr), x[nr]) for nr in range(MEMBERS)]))
    close(vmap(run, (0, None))(stacked, x[0]), wg.stack([run(each(nr), x[0]) for nr in range(MEMBERS)]))
