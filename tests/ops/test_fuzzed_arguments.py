"""What changed samples of a further seed showed beside torch: losses, weights and fills of other dtypes, odd shapes."""

from __future__ import annotations

import math
import warnings

import pytest

import wengert as wg
import wengert.nn.functional as F


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_the_huber_loss_has_the_dtype_of_its_input(reduction):
    x = wg.tensor([1.0, 3.0], dtype=wg.float32, requires_grad=True)
    target = wg.zeros(2, dtype=wg.float64, requires_grad=True)
    made = F.huber_loss(x, target, reduction=reduction)
    assert made.dtype is wg.float32
    grads = wg.autograd.grad(made.sum(), [x, target])
    assert [each.dtype for each in grads] == [wg.float32, wg.float64]
    with pytest.raises(RuntimeError, match="result type Double can't be cast to the desired output type Long"):
        F.huber_loss(wg.tensor([1, 3]), target, reduction=reduction)


@pytest.mark.parametrize("dtype", [wg.float64, wg.float16, wg.int64])
def test_the_weight_of_a_binary_cross_entropy_may_be_of_another_dtype(dtype):
    x = wg.full((2,), 0.5, requires_grad=True)
    made = F.binary_cross_entropy(x, wg.ones(2), weight=wg.tensor([2, 4]).to(dtype), reduction="sum")
    assert made.dtype is wg.float32 and made.item() == pytest.approx(6 * math.log(2))
    assert wg.autograd.grad(made, x)[0].tolist() == [-4, -8]
    with pytest.raises(RuntimeError, match="can't be cast"):
        F.binary_cross_entropy(x, wg.ones(2), weight=wg.ones(2, dtype=wg.complex64))


def test_the_weight_of_classes_has_the_dtype_of_the_scores_of_halves_too():
    scores, weight = wg.zeros(2, 3, dtype=wg.bfloat16), wg.ones(3, dtype=wg.float16)
    for loss in (F.nll_loss, F.cross_entropy):
        with pytest.raises(RuntimeError, match="expected scalar type BFloat16 but found Half"):
            loss(scores, wg.tensor([0, 1]), weight=weight)


@pytest.mark.parametrize(("training", "eps"), [(True, 0.0), (True, -1.0), (False, -1.0)])
def test_batch_norm_refuses_an_eps_that_may_divide_by_zero(training, eps):
    with pytest.raises(ValueError, match="batch_norm eps must be"):
        F.batch_norm(wg.rand(3, 2), wg.zeros(2), wg.ones(2), training=training, eps=eps)
    assert F.batch_norm(wg.rand(3, 2), wg.zeros(2), wg.ones(2), eps=0.0).shape == (3, 2)


def test_a_complex_number_without_imaginary_part_may_fill_real_elements():
    mask, given = wg.tensor([True, False]), wg.tensor(3.5 + 0j)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert wg.zeros(2).masked_fill(mask, given).tolist() == [3.5, 0]
        assert wg.zeros(2).fill_(given).tolist() == [3.5, 3.5]
    x = wg.zeros(2)
    for write in (lambda: x.masked_fill_(mask, given + 1j), lambda: x.__setitem__(mask, given + 1j)):
        with pytest.raises(RuntimeError, match="cannot be converted"):
            write()
    with pytest.raises(RuntimeError, match="Converting complex Scalar to non-complex type"):
        x.index_fill(0, wg.tensor([0]), given)
    assert x.tolist() == [0, 0]


def test_dropout3d_takes_three_dimensions_for_one_item():
    wg.manual_seed(0)
    with pytest.warns(UserWarning, match="dropout3d: Received a 3-D input"):
        made = F.dropout3d(wg.ones(20, 2, 3))
    assert all(len(set(each.flatten().tolist())) == 1 for each in made)  # channels of one item are the first dimension
    assert {0.0, 2.0} == set(made.flatten().tolist())
    with pytest.warns(UserWarning):
        made = F.dropout3d(wg.ones(2, 2, 3, requires_grad=True), training=False)
    assert made.grad_fn.name() == "SqueezeBackward1"


@pytest.mark.parametrize("call", [F.conv1d, F.conv_transpose1d])
def test_a_convolution_refuses_items_of_no_places(call):
    with pytest.raises(RuntimeError, match=r"Only zero batch or zero channel inputs.*\[2, 2, 1, 0\]"):
        call(wg.ones(2, 2, 0), wg.ones(2, 2, 2), padding=1)
    assert call(wg.ones(0, 2, 4), wg.ones(2, 2, 2)).shape[0] == 0


def test_numbers_of_rows_and_places_of_bags_meet_in_a_common_dtype():
    table, places = wg.arange(6.0).reshape(3, 2), wg.tensor([0, 2])
    made = F.embedding_bag(wg.tensor([0, 1, 1], dtype=wg.uint8), table, places, mode="sum")
    assert made.tolist() == [[2, 4], [2, 3]]
    with pytest.raises(RuntimeError, match="Long, Int"):
        F.embedding_bag(wg.tensor([0, 1, 1], dtype=wg.uint8), table, places.to(wg.uint8))


@pytest.mark.parametrize("shape", [(0,), (2, 0)])
def test_no_category_can_be_drawn(shape):
    with pytest.raises(RuntimeError, match="invalid multinomial distribution"):
        wg.multinomial(wg.zeros(shape), 3, replacement=True)


def test_a_cross_product_lies_in_rows():
    x = wg.rand(5, 3, 4).permute(2, 1, 0)
    assert wg.cross(x, x, dim=1).stride() == wg.linalg.cross(x, x, dim=1).stride() == (15, 5, 1)


def test_the_gradient_of_sinc_is_linear_where_the_square_vanishes():
    x = wg.tensor([1e-30, -1e-30, 0.0], requires_grad=True)
    (grad,) = wg.autograd.grad(wg.sinc(x).sum(), x)
    assert grad.tolist() == pytest.approx([-3.2898681e-30, 3.2898681e-30, 0.0], rel=1e-6, abs=0)  # -pi^2 / 3 x


@pytest.mark.parametrize("dim", [(0, 1.0), (0, wg.tensor(1.0)), (0, wg.tensor([0, 1])), (0, None)])
def test_the_dimensions_of_matrices_are_integers(dim):
    for call in (lambda x: x.norm("nuc", dim), lambda x: wg.linalg.matrix_norm(x, dim=dim)):
        with pytest.raises(TypeError):
            call(wg.rand(2, 3))


def test_the_slopes_of_rrelu_are_numbers():
    with pytest.raises(TypeError, match="argument 'lower' must be Number, not Tensor"):
        F.rrelu(wg.ones(2), wg.zeros(2), 1.0)


def test_sizes_may_be_given_by_their_names():
    x = wg.arange(3.0)
    assert x.tile(dims=(2,)).tolist() == [0, 1, 2, 0, 1, 2]
    assert wg.tile(x, dims=[2, 1]).shape == (2, 3)
    assert x.broadcast_to(size=(2, 3)).shape == wg.broadcast_to(x, size=(2, 3)).shape == (2, 3)
    assert wg.ones(2, 3).sum_to_size(size=(3,)).tolist() == [2, 2, 2]
    for name, keyword in (("tile", "dims"), ("broadcast_to", "size"), ("sum_to_size", "size")):
        with pytest.raises(TypeError, match=rf"{name}\(\) got multiple values for argument '{keyword}'"):
            getattr(x, name)((3,), **{keyword: (3,)})


def test_the_power_of_a_margin_loss_may_be_any_number_that_is_1_or_2():
    scores, target = wg.ones(2, 3), wg.tensor([0, 1])
    for p in (1.0, True, 2.0):
        assert F.multi_margin_loss(scores, target, p=p).equal(F.multi_margin_loss(scores, target, p=int(p)))
    with pytest.raises(ValueError, match="only p == 1 and p == 2 supported"):
        F.multi_margin_loss(scores, target, p=1.5)


def test_attention_without_members_of_the_batch_looks_at_the_others():
    with pytest.raises(RuntimeError, match=r"size of tensor a \(0\) must match the size of tensor b \(4\)"):
        F.scaled_dot_product_attention(wg.ones(4, 0, 3, 8), wg.ones(4, 4, 6, 8), wg.ones(4, 4, 6, 8))


@pytest.mark.parametrize("count", [3, 200])
def test_a_product_that_counts_for_nothing_is_not_read(count):
    start, bad = wg.ones(count, count), wg.full((count, count), float("inf"))
    assert wg.equal(wg.addmm(start, bad, bad, alpha=0), start)
    assert wg.equal(wg.addmv(start[0], bad, bad[0], alpha=0), start[0])
    assert wg.equal(wg.addbmm(start, bad[None], bad[None], alpha=0), start)


@pytest.mark.parametrize("name", ["remainder", "fmod", "floor_divide"])
def test_no_integers_are_divided_by_zero(name):
    none, one = wg.ones(0, dtype=wg.int64), wg.ones(1, dtype=wg.int64)
    assert getattr(wg, name)(none, 0).shape == (0,)
    assert getattr(wg, name)(none, one * 0).shape == (0,)
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        getattr(wg, name)(one, 0)
