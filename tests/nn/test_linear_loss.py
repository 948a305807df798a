"""The loss of a linear layer's scores, some items at a time."""

import warnings

import pytest

import wengert as wg
from wengert.nn import LinearCrossEntropyOptions as Options, functional as F


def problem():
    wg.manual_seed(0)
    x = wg.randn(7, 3, dtype=wg.float64, requires_grad=True)
    table = wg.randn(5, 3, dtype=wg.float64, requires_grad=True)
    bias = wg.randn(5, dtype=wg.float64, requires_grad=True)
    return x, table, wg.tensor([0, 4, 2, 2, 1, 3, 0]), bias


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("weight", [None, [1.0, 2.0, 0.5, 3.0, 1.0]])
@pytest.mark.parametrize("ignore", [None, 2, 9])
def test_parts_give_the_loss_of_the_whole(reduction, weight, ignore):
    x, table, classes, bias = problem()
    weight = None if weight is None else wg.tensor(weight, dtype=wg.float64)
    given = {"linear_bias": bias, "weight": weight, "reduction": reduction, "ignore_index": ignore}
    told = []
    for options in (None, Options(batch_chunk_size=2), Options()):
        loss = F.linear_cross_entropy(x, table, classes, options=options, **given)
        grads = wg.autograd.grad(loss.square().sum(), (x, table, bias), create_graph=True)
        again = wg.autograd.grad(sum(each.square().sum() for each in grads), (x, table, bias))
        told.append([loss, *grads, *again])
    for other in told[1:]:
        for one, two in zip(told[0], other):
            wg.testing.assert_close(one, two)


def test_scores_of_a_part_only_are_kept():
    x, table, classes, bias = problem()
    kept = []
    with wg.autograd.graph.saved_tensors_hooks(lambda each: kept.append(tuple(each.shape)) or each, lambda each: each):
        F.linear_cross_entropy(x, table, classes, linear_bias=bias, options=Options(batch_chunk_size=2))
    assert (7, 5) not in kept and (2, 5) not in kept


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (Options(), 64),
        (Options(chunking_method="aspect_ratio"), 128),
        (Options(chunking_method="aspect_ratio:4"), 32),
        (Options(batch_chunk_size=9), 9),
        (Options(chunking_method=None), 1000),
        (Options(batch_chunk_size=128, chunking_method="aspect_ratio"), 128),
    ],
)
def test_sizes_of_parts(options, part):
    assert options.part(1000, 64, 512, wg.float32) == part


def test_one_item_and_halves():
    x, table, classes, _ = problem()
    one = F.linear_cross_entropy(x[0], table, classes[0], reduction="none", options=Options())
    assert one.shape == () and one.item() == F.linear_cross_entropy(x[0], table, classes[0], reduction="none").item()
    halves = F.linear_cross_entropy(x.half(), table.half(), classes, options=Options(acc_dtype=wg.float32))
    assert halves.dtype is wg.float16


def test_what_parts_cannot_do_is_done_as_a_whole_with_a_warning():
    x, table, classes, _ = problem()
    with pytest.warns(UserWarning, match="``options`` ignored"):
        made = F.linear_cross_entropy(x, table, classes, label_smoothing=0.1, options=Options())
    assert made.item() == F.linear_cross_entropy(x, table, classes, label_smoothing=0.1).item()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        F.linear_cross_entropy(x, table, classes, options=Options())


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"acc_policy": "wide"}, "invalid acc_policy: 'wide'"),
        ({"chunking_method": "aspect_ratio:0"}, "invalid chunking_method"),
        ({"chunking_method": "halves"}, "invalid chunking_method"),
        ({"batch_chunk_size": 0}, "batch_chunk_size must be positive int or None, got 0"),
        ({"acc_dtype": wg.int64}, "acc_dtype must be one of"),
    ],
)
def test_options_are_checked(options, says):
    with pytest.raises(ValueError, match=says):
        Options(**options)


def test_refusals_of_parts():
    x, table, classes, _ = problem()
    with pytest.raises(ValueError, match=r"batch_size \(7\) to match"):
        F.linear_cross_entropy(x, table, classes[:3], options=Options())
    with pytest.raises(ValueError, match="give different chunk sizes"):
        Options(batch_chunk_size=3, chunking_method="aspect_ratio").part(1000, 64, 512, wg.float32)
    with pytest.raises(RuntimeError, match="supports float32 acc_dtype"):
        F.linear_cross_entropy(x, table, classes, options=Options(acc_dtype=wg.float32))
