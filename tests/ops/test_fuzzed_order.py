"""What changed samples of further seeds showed beside torch: which error comes first, strides, dtypes, no gradients."""

from __future__ import annotations

import math

import pytest

import wengert as wg
import wengert.nn.functional as F


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: wg.ones(5).split(-1, 7), RuntimeError, "split expects split_size be non-negative"),
        (lambda: wg.ones(5).split(None, 7), TypeError, "must be tuple of ints, not NoneType"),
        (lambda: wg.ones(()).split("a", 0), TypeError, "must be tuple of ints, not str"),
        (lambda: wg.ones(()).split(-1, 0), RuntimeError, "split expects at least a 1-dimensional tensor"),
        (lambda: wg.ones(5).split([-1], 7), IndexError, "Dimension out of range"),
        (lambda: wg.ones(5).split(0, 7), IndexError, "Dimension out of range"),
        (lambda: F.bilinear(wg.ones(7), wg.ones(8), wg.ones(8, 8, 8), wg.tensor(1.0)), RuntimeError, "input1 size"),
        (lambda: F.bilinear(wg.ones(8), wg.ones(8), wg.ones(8, 8, 8), wg.tensor(1.0)), IndexError, "specified as 0"),
        (lambda: F.adaptive_max_pool2d(wg.ones(1, 4, 4), wg.tensor([3])), RuntimeError, "must be 2"),
        (lambda: F.adaptive_avg_pool2d(wg.ones(1, 4, 4), wg.tensor([3, 3, 3])), ValueError, "at least 4"),
    ],
)
def test_the_first_thing_that_is_wrong_is_told(call, error, says):
    with pytest.raises(error, match=says):
        call()


@pytest.mark.parametrize("name", ["adaptive_avg_pool", "adaptive_max_pool"])
@pytest.mark.parametrize("count", [2, 3])
def test_adaptive_pools_take_their_sizes_in_a_tensor(name, count):
    x = wg.rand(2, *[4] * count)
    pool = getattr(F, f"{name}{count}d")
    assert pool(x, wg.tensor([2] * count)).equal(pool(x, 2))


@pytest.mark.parametrize(
    ("dtypes", "strides"),
    [
        ((wg.int64, wg.int64), (50, 5, 1)),
        ((wg.float32, wg.float32), (50, 5, 1)),
        ((wg.float32, wg.int64), (10, 1, 50)),
        ((wg.complex64, wg.int32), (10, 1, 50)),
        ((wg.float64, wg.float64), (10, 1, 50)),
        ((wg.float32, wg.float64), (50, 5, 1)),
        ((wg.int64, wg.bfloat16), (50, 5, 1)),
    ],
)
def test_a_power_of_two_lies_in_rows_beside_integers_and_float32(dtypes, strides):
    x = wg.zeros(5, 10, 1, dtype=dtypes[0])
    other = wg.zeros(5, 10, 5, dtype=dtypes[1]).permute(2, 1, 0)
    assert other.stride() == (1, 5, 50)
    assert wg.ldexp(x, other).stride() == strides


@pytest.mark.parametrize(
    ("shape", "strides", "index", "wanted"),
    [
        ((1, 5, 5), (1, 1, 5), (slice(None), [0, 3]), (10, 5, 1)),
        ((1, 5, 5), (1, 5, 1), (slice(None), [0, 3]), (10, 5, 1)),
        ((1, 5, 5), (1, 1, 5), (slice(None), slice(None), [0, 3]), (2, 2, 1)),
        ((5, 1, 5), (1, 1, 5), ([0, 3],), (5, 1, 1)),
        ((5, 5, 1), (1, 5, 25), ([0, 3],), (5, 1, 5)),
    ],
)
def test_index_arrays_tell_the_place_of_dimensions_of_one_element(shape, strides, index, wanted):
    assert wg.empty_strided(shape, strides).zero_()[index].stride() == wanted


def test_the_factors_of_reflections_lie_in_rows():
    assert wg.geqrf(wg.rand(2, 5, 2, 1).transpose(0, 1)).tau.stride() == (2, 1, 1)
    assert wg.geqrf(wg.rand(2, 5, 2, 3).transpose(0, 1)).tau.stride() == (4, 2, 1)


@pytest.mark.parametrize("name", ["hann", "cosine", "kaiser", "bartlett"])
def test_windows_of_a_float_in_a_tensor_are_those_of_the_float(name):
    window = getattr(wg.signal.windows, name)
    assert window(wg.tensor(0.0)).tolist() == []
    with pytest.raises(ValueError, match=r"requires non-negative window length, got M=-2\.0"):
        window(wg.tensor(-2.0))
    with pytest.raises(TypeError, match="must be int, not float"):
        window(wg.tensor(2.5))


@pytest.mark.parametrize("dtype", [wg.float16, wg.bfloat16, wg.float32])
def test_three_numbers_in_tensors_are_mixed_in_the_widest_dtype(dtype):
    one, two, weight = wg.tensor(1.0, dtype=dtype), wg.tensor(2.0, dtype=dtype), wg.tensor(0.4, dtype=wg.float64)
    made = wg.lerp(one, two, weight)
    assert made.dtype is wg.float64 and made.item() == pytest.approx(1.4)
    assert wg.lerp(one[None], two, weight).dtype is dtype
    assert one.clone().lerp_(two, weight).dtype is dtype
    one.requires_grad_()
    wg.lerp(one, two, weight).backward()
    assert one.grad.dtype is dtype and one.grad.item() == pytest.approx(0.6, rel=1e-2)


def test_tolerances_of_matrices_without_elements_are_not_compared():
    for shape in ((0, 5, 5), (2, 0, 0), (2, 2, 0)):
        made = wg.linalg.pinv(wg.zeros(shape), rtol=wg.ones(3))
        assert made.shape == (*shape[:-2], shape[-1], shape[-2])
    with pytest.raises(RuntimeError, match=r"tensor a \(3\) must match the size of tensor b \(2\)"):
        wg.linalg.pinv(wg.zeros(2, 2, 2), rtol=wg.ones(3))


def test_output_padding_does_not_meet_infinite_weights():
    weight = wg.ones(1, 1, 2, 2)
    weight[0, 0, 1, 0] = math.inf
    made = F.conv_transpose2d(wg.ones(1, 1, 2, 2), weight, stride=2, padding=1, output_padding=1, dilation=2)
    plain = F.conv_transpose2d(
        wg.ones(1, 1, 2, 2), wg.ones(1, 1, 2, 2), stride=2, padding=1, output_padding=1, dilation=2
    )
    assert not made.isnan().any()
    assert made.isinf().any() and made[made.isfinite()].equal(plain[made.isfinite()])


def test_the_slope_of_renormalised_halves_does_not_run_over():
    x = wg.tensor([[8.5, 3.0], [8.0, 0.25]], dtype=wg.float16, requires_grad=True)
    grad = wg.autograd.grad(wg.renorm(x, 9, -1, 0.5).sum(), x)[0]
    assert grad.dtype is wg.float16 and grad.isfinite().all()
    wide = x.detach().float().requires_grad_()
    wg.testing.assert_close(
        grad.float(), wg.autograd.grad(wg.renorm(wide, 9, -1, 0.5).sum(), wide)[0], rtol=1e-2, atol=1e-3
    )


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("training", [True, False])
def test_second_derivatives_of_normalised_channels_are_none_where_nothing_depends(affine, training):
    norm = wg.nn.BatchNorm1d(3, affine=affine).train(training)
    x = wg.rand(4, 3).requires_grad_()
    operands = [x, *norm.parameters()]
    grads = wg.autograd.grad(norm(x), operands, wg.ones(4, 3), create_graph=True)
    assert all(each.requires_grad for each in grads)
    second = wg.autograd.grad(grads[0].sum(), operands, allow_unused=True, retain_graph=True)
    assert [each is None for each in second] == [not training, False, True][: len(operands)]
    for at, grad in enumerate(grads[1:], 1):
        second = wg.autograd.grad(grad.sum(), operands, allow_unused=True, retain_graph=True)
        assert [each is None for each in second] == [at == 2, True, True]


@pytest.mark.parametrize("loss", [F.binary_cross_entropy, F.binary_cross_entropy_with_logits])
def test_weights_of_a_mean_are_not_rounded_to_their_own_dtype_in_its_gradient(loss):
    weight = wg.tensor([1.3, 0.7], dtype=wg.bfloat16)
    x, target = wg.tensor([0.3, 0.7], dtype=wg.float64, requires_grad=True), wg.tensor([0.2, 0.9], dtype=wg.float64)
    (grad,) = wg.autograd.grad(loss(x, target, weight), x, wg.tensor(0.77, dtype=wg.float64))
    (wanted,) = wg.autograd.grad(loss(x, target, weight.double()), x, wg.tensor(0.77, dtype=wg.float64))
    wg.testing.assert_close(grad, wanted, rtol=1e-12, atol=0)


def test_triangular_factors_lie_in_columns_and_nothing_in_rows_for_the_older_function():
    for upper in (False, True):
        assert wg.cholesky(wg.zeros(0, 5, 5), upper=upper).stride() == (25, 5, 1)
        assert wg.linalg.cholesky(wg.zeros(0, 5, 5), upper=upper).stride() == (25, 1, 5)
        ones = wg.ones(1, 1, 5, 1).expand(1, 1, 5, 5)
        assert wg.linalg.cholesky_ex(ones, upper=upper).L.stride() == (25, 25, 1, 5)


@pytest.mark.parametrize("training", [False, True])
def test_the_momentum_is_a_number_even_where_nothing_moves(training):
    for momentum in (wg.tensor([0.5]), "a", None):
        with pytest.raises(TypeError, match="argument 'momentum'"):
            F.batch_norm(wg.rand(3, 2), wg.zeros(2), wg.ones(2), training=training, momentum=momentum)
    assert F.batch_norm(wg.rand(3, 2), wg.zeros(2), wg.ones(2), training=training, momentum=True).shape == (3, 2)


def test_stirlings_approximation_is_added_in_place():
    rate = wg.ones(3, dtype=wg.bfloat16, requires_grad=True)
    made = F.poisson_nll_loss(rate, wg.arange(3), full=True, reduction="none")
    assert made.dtype is wg.bfloat16 and type(made.grad_fn).__name__ == "AddBackward0"
    assert F.poisson_nll_loss(rate.detach(), wg.arange(3), full=True).item() == 1.9375
