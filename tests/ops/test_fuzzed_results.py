"""What changed samples of further seeds showed beside torch: limits, factors, slopes, order, numbers in tensors."""

from __future__ import annotations

import math

import numpy as np
import pytest

import wengert as wg
import wengert.nn.functional as F
from wengert._core.cards.card import find

TRUTH = wg.tensor([True, False, True])


@pytest.mark.parametrize(
    ("call", "kernel"),
    [
        (lambda x: x.clamp(True), "clamp_min_scalar_cpu"),
        (lambda x: x.clamp(max=False), "clamp_max_scalar_cpu"),
        (lambda x: x.clamp(False, True), "clamp_scalar_cpu"),
        (lambda x: x.clamp_min(True), "clamp_min_scalar_cpu"),
        (lambda x: x.clamp_max_(True), "clamp_max_scalar_cpu"),
        (lambda x: x[:0].clamp(True), "clamp_min_scalar_cpu"),
        (lambda x: x.clamp(wg.tensor(False), wg.tensor(True)), "clamp_cpu"),
    ],
)
def test_truth_values_have_no_limits(call, kernel):
    with pytest.raises(NotImplementedError, match=f"\"{kernel}\" not implemented for 'Bool'"):
        call(TRUTH.clone())
    assert TRUTH.clamp(0, 1).tolist() == [1, 0, 1]
    assert TRUTH.clamp(wg.tensor(True)).tolist() == [True] * 3


@pytest.mark.parametrize("name", ["clamp", "clamp_min", "clamp_max", "clamp_", "clamp_min_", "clamp_max_"])
@pytest.mark.parametrize(
    ("dtype", "limit"), [(wg.int8, 300), (wg.int32, 2**31), (wg.uint8, -256), (wg.float32, 1e39), (wg.float32, -1e300)]
)
def test_a_limit_that_the_dtype_does_not_hold_is_refused(name, dtype, limit):
    with pytest.raises(RuntimeError, match="without overflow"):
        getattr(wg.tensor([1, 2], dtype=dtype), name)(limit)
    assert wg.tensor([1, 2], dtype=wg.float64).clamp_max(1e39).tolist() == [1, 2]


def test_truth_values_have_powers_of_truth_values():
    assert TRUTH.pow(True).tolist() == [True, False, True]
    assert TRUTH.pow(False).tolist() == [True] * 3
    assert TRUTH.clone().pow_(False).tolist() == [True] * 3
    assert TRUTH.pow(2).dtype is wg.int64
    with pytest.raises(NotImplementedError, match="\"pow\" not implemented for 'Bool'"):
        TRUTH.pow(TRUTH)


@pytest.mark.parametrize("upper", [False, True])
def test_a_factor_that_does_not_exist_is_left_where_its_elimination_ended(upper):
    matrices = wg.tensor([[[4.0, 2, 1], [2, 1, 3], [1, 3, 9]], [[-1, 0, 0], [0, 1, 0], [0, 0, 1]], np.eye(3).tolist()])
    factor, info = wg.linalg.cholesky_ex(matrices, upper=upper)
    assert info.tolist() == [2, 1, 0]
    first = wg.tensor([[2.0, 0, 0], [1, 0, 0], [0.5, 3, 9]])
    wanted = wg.stack([first, wg.diag(wg.tensor([-1.0, 1, 1])), wg.eye(3)])
    assert wg.equal(factor, wanted.mT if upper else wanted)


def test_what_is_left_of_a_complex_factor_has_a_real_pivot():
    factor, info = wg.linalg.cholesky_ex(wg.tensor([[1, 2j, 0], [-2j, 1, 5], [0, 5, 7 + 0j]]))
    assert info.item() == 2
    assert factor.tolist() == [[1, 0, 0], [-2j, -3, 0], [0, 5, 7]]


def test_the_pivot_that_is_zero_is_counted_in_the_matrix_itself():
    for matrix, pivot in (([[0.0, 1], [0, 2]], 1), ([[1.0, 2], [2, 4]], 2)):
        assert wg.linalg.inv_ex(wg.tensor(matrix))[1].item() == pivot
        with pytest.raises(RuntimeError, match=f"The diagonal element {pivot} is zero"):
            wg.linalg.inv(wg.tensor(matrix))


@pytest.mark.parametrize("size", [1, 4])
def test_what_is_found_for_each_matrix_lies_in_rows_whatever_the_order_of_the_batch(size):
    matrices = (wg.rand(2, 3, size, size, dtype=wg.float64) + wg.eye(size) * 3).transpose(0, 1)
    for found in (
        wg.linalg.eigvals(matrices),
        wg.linalg.eig(matrices)[0],
        wg.linalg.eigh(matrices)[0],
        wg.linalg.eigvalsh(matrices),
        wg.linalg.svd(matrices)[1],
        wg.linalg.svdvals(matrices),
    ):
        assert found.stride() == (2 * size, size, 1)
    for found in (wg.linalg.det(matrices), *wg.linalg.slogdet(matrices)):
        assert found.stride() == (2, 1)
    assert wg.linalg.inv(matrices).stride() == (2 * size * size, size * size, 1, size)


@pytest.mark.parametrize("function", [wg.special.xlogy, wg.special.xlog1py])
def test_the_slope_beside_a_logarithm_of_a_half_is_that_of_the_product(function):
    x = wg.tensor([1.0, 2.0], dtype=wg.float64, requires_grad=True)
    other = wg.tensor(0.60546875, dtype=wg.bfloat16)
    wanted = math.log(0.60546875 + (function is wg.special.xlog1py))
    assert wg.autograd.grad(function(x, other).sum(), x)[0].tolist() == pytest.approx([wanted, wanted], rel=1e-12)


@pytest.mark.parametrize("function", [wg.special.xlogy, wg.special.xlog1py])
def test_a_gradient_of_0_stays_so_where_the_logarithm_is_infinite(function):
    x, other = wg.tensor([2.0], requires_grad=True), wg.tensor([0.0 if function is wg.special.xlogy else -1.0])
    assert wg.autograd.grad(function(x, other), x, wg.zeros(1))[0].tolist() == [0]


def test_distances_between_integers_are_real_whatever_eps():
    for eps in (0, 2, False, 1e-6):
        made = F.pairwise_distance(wg.tensor([-8, 6]), wg.tensor([0, 0]), eps=eps)
        assert made.dtype is wg.float32 and made.item() == pytest.approx(math.hypot(-8 + eps, 6 + eps))


def test_only_the_first_of_several_dimensions_must_be_no_truth_value():
    x = wg.rand(2, 3, 4)
    for reduce in (wg.sum, wg.mean, wg.amax, wg.std, wg.linalg.vector_norm):
        given = {"dim": [1, False]}
        assert reduce(x, **given).tolist() == reduce(x, dim=[1, 0]).tolist()
        with pytest.raises(TypeError):
            reduce(x, dim=[False, 1])


@pytest.mark.parametrize("name", ["uniform_", "normal_", "cauchy_", "log_normal_"])
def test_a_real_parameter_may_stand_in_a_complex_tensor(name):
    filled = [getattr(wg.zeros(3), name)(low, 2.0, generator=wg.Generator()) for low in (1.0, wg.tensor(1 + 0j))]
    assert filled[0].tolist() == filled[1].tolist()
    with pytest.raises(RuntimeError, match="value cannot be converted to type double without overflow"):
        getattr(wg.zeros(3), name)(wg.tensor(1 + 1j), 2.0)
    for wrong in (1 + 0j, wg.tensor([1]), wg.tensor([1.0]), "a"):
        with pytest.raises(TypeError, match="must be float, not"):
            getattr(wg.zeros(3), name)(wrong, 2.0)


def test_momentum_may_stand_in_a_complex_tensor():
    x, mean = wg.rand(4, 3), wg.zeros(3)
    F.batch_norm(x, mean, wg.ones(3), training=True, momentum=wg.tensor(1 + 0j))
    assert wg.allclose(mean, x.mean(0))


@pytest.mark.parametrize(
    "call",
    [
        lambda number: wg.histc(wg.rand(4), 3, number, 2),
        lambda number: wg.histc(wg.rand(4), 3, 0, number),
        lambda number: wg.cdist(wg.rand(2, 2), wg.rand(2, 2), number),
        lambda number: F.pairwise_distance(wg.rand(2), wg.rand(2), number),
    ],
)
def test_a_number_stands_in_a_tensor_without_dimensions_only(call):
    call(wg.tensor(1.0))
    with pytest.raises(TypeError, match="not Tensor"):
        call(wg.tensor([1.0]))


def test_fractions_beyond_the_range_of_integers_do_not_fit():
    for dtype, value in ((wg.uint8, 255.5), (wg.int8, 127.5), (wg.int8, -128.5), (wg.uint8, -0.5), (wg.uint8, -1.0)):
        for make, given in ((wg.tensor, ([value],)), (wg.full, ((2,), value))):
            with pytest.raises(RuntimeError, match="without overflow"):
                make(*given, dtype=dtype)
    assert wg.tensor([-1, 126.9], dtype=wg.int8).tolist() == [-1, 126]


def test_the_limits_of_hardtanh_are_cut_off_before_they_are_looked_at():
    x = wg.tensor([0, 1, 3], dtype=wg.uint8)
    assert F.hardtanh(x, -0.5, 0.5).tolist() == [0, 0, 0]
    assert F.hardtanh(x, -0.5, 2.5).tolist() == [0, 1, 2]
    with pytest.raises(RuntimeError, match="unsigned type with negative limits"):
        F.hardtanh(x, -1.5, 2)


def test_transposed_convolutions_without_channels_to_make_are_refused():
    for function, shape, told in (
        (F.conv_transpose1d, (3, 0, 2), r"non-empty 2D or 4D weight tensor expected, but got: \[3, 0, 1, 2\]"),
        (F.conv_transpose2d, (3, 0, 2, 2), r"non-empty 2D or 4D weight tensor expected, but got: \[3, 0, 2, 2\]"),
        (F.conv_transpose3d, (3, 0, 2, 2, 2), "non-empty 5D .* tensor expected for weight"),
    ):
        with pytest.raises(RuntimeError, match=told):
            function(wg.rand(3, *(4,) * (len(shape) - 2)), wg.zeros(shape))


def test_statistics_of_nothing_are_refused_where_they_are_results():
    for shape in ((2, 0, 4), (0, 3, 4), (2, 3, 0)):
        with pytest.raises(RuntimeError, match="input tensor must have at least one element"):
            wg.native_batch_norm(wg.zeros(shape), None, None, None, None, True, 0.1, 1e-5)


@pytest.mark.filterwarnings("ignore:Using a target size")
def test_losses_look_at_shapes_before_reductions():
    for loss in (F.mse_loss, F.l1_loss, F.smooth_l1_loss, F.huber_loss):
        with pytest.raises(RuntimeError, match="must match the size of tensor b"):
            loss(wg.rand(5), wg.rand(3), reduction="left")
        with pytest.raises(ValueError, match="left is not a valid value for reduction"):
            loss(wg.rand(3), wg.rand(3), reduction="left")


def test_the_huber_loss_of_infinity_is_no_number_where_its_line_begins_at_infinity():
    x = wg.tensor([math.inf, 1.0, -math.inf, 0.5])
    found = F.huber_loss(x, wg.zeros(4), delta=math.inf, reduction="none")
    np.testing.assert_array_equal(found.numpy(), [math.nan, 0.5, math.nan, 0.125])
    bent = F.huber_loss(wg.tensor([0.3, -0.3]), wg.zeros(2), delta=0.3, reduction="none")
    np.testing.assert_array_equal(
        bent.numpy(), [np.float32(0.3) * (np.float32(0.3) - np.float32(0.5) * np.float32(0.3))] * 2
    )


def test_true_counts_as_one_where_a_rank_is_asked_for():
    for function in (wg.svd_lowrank, wg.pca_lowrank):
        assert function(wg.rand(4, 3), q=True)[1].shape == (1,)
        assert function(wg.rand(4, 3), 2, niter=True)[1].shape == (2,)


def test_how_many_powers_may_stand_in_a_tensor_of_one_integer():
    x = wg.tensor([1.0, 2.0, 3.0])
    assert wg.linalg.vander(x, N=wg.tensor([2])).tolist() == [[1, 1], [1, 2], [1, 3]]
    with pytest.raises(TypeError, match="argument 'N' must be int, not float"):
        wg.linalg.vander(x, N=2.0)


def test_one_integer_in_a_list_says_where_to_cut_in_a_tensor_too():
    x = wg.arange(12.0).reshape(1, 2, 6)
    for given in ([2], wg.tensor([2])):
        assert [part.shape[2] for part in x.dsplit(given)] == [2, 4]
    assert [part.shape[2] for part in x.dsplit(wg.tensor(2))] == [3, 3]
    assert [part.shape[1] for part in x.hsplit(wg.tensor([1]))] == [1, 1]
    with pytest.raises(TypeError):
        x.hsplit(wg.tensor([1, 2]))


def test_the_direction_of_an_infinite_number_is_that_of_its_parts():
    z = wg.tensor([complex(1, math.inf), complex(-math.inf, -2), complex(0, -0.0), 3 + 4j])
    found = wg.view_as_real(z.sgn()).tolist()
    assert found[0][0] == 0 and math.isnan(found[0][1])
    assert math.isnan(found[1][0]) and found[1][1] == 0
    assert found[2:] == [[0, 0], pytest.approx([0.6, 0.8])]
    assert wg.sgn(z, out=z) is z and z[3].item() == pytest.approx(0.6 + 0.8j)


def test_systems_are_looked_at_before_their_pivots():
    with pytest.raises(RuntimeError, match="Incompatible shapes of A and B"):
        wg.linalg.lu_solve(wg.eye(3), wg.ones((), dtype=wg.int32), wg.ones(4, 1))
    with pytest.raises(IndexError, match="Dimension specified as -1 but tensor has no dimensions"):
        wg.linalg.lu_solve(wg.eye(3), wg.ones((), dtype=wg.int32), wg.ones(3, 1))


def test_lengths_and_orders_are_integers_that_exist():
    with pytest.raises(RuntimeError, match="step must be nonzero"), pytest.warns(UserWarning, match="deprecated"):
        wg.range(0, 5, math.nan)
    with pytest.raises(RuntimeError, match="negative dimension -1"):
        wg.fft.rfftfreq(-4)
    for size in ([2, 1, 1.0, 4], [math.nan, 1, 3, 4]):
        with pytest.raises(TypeError, match="must be tuple of ints"):
            F.affine_grid(wg.rand(2, 2, 3), size, align_corners=False)
    for options in ({"pow": None}, {"dim": None}, {"dim": 1.0}):
        with pytest.raises(TypeError, match="must be int, not"):
            wg.norm_except_dim(wg.rand(2, 3), **options)
    for value in (None, "a", wg.ones(1)):
        with pytest.raises(TypeError, match=r"argument 'fill_value' .* must be Number, not"):
            wg.zeros(2, 2).fill_diagonal_(value)


@pytest.mark.parametrize("operands", [(2, None), (wg.ones(2), "a"), ([1], 2)])
def test_a_dtype_results_of_tensors_and_numbers_only(operands):
    with pytest.raises(TypeError, match=r"result_type\(\) .*invalid combination of arguments"):
        wg.result_type(*operands)
    assert wg.result_type(np.float32(1), wg.tensor(2)) is wg.float32


def test_the_nuclear_norm_takes_keepdim_in_the_place_of_dim():
    x = wg.rand(3, 4, dtype=wg.float64)
    assert wg.nuclear_norm(x, True).shape == (1, 1)
    assert wg.nuclear_norm(x, False).item() == pytest.approx(wg.linalg.svdvals(x).sum().item())


def test_ranks_lie_in_rows_whatever_the_order_of_the_batch():
    a, b = wg.rand(2, 3, 4, 2).transpose(0, 1), wg.rand(3, 2, 4, 1)
    found = wg.linalg.lstsq(a, b, driver="gelsd")
    assert found.rank.tolist() == [[2, 2]] * 3 and found.rank.stride() == (2, 1)
    assert found.singular_values.stride() == (4, 2, 1)


@pytest.mark.parametrize("name", ["nuttall", "hann", "kaiser", "bartlett"])
def test_windows_have_no_fraction_of_a_point(name):
    window = getattr(wg.signal.windows, name)
    for count in (0.5, 1.5):
        with pytest.raises(TypeError, match="must be int, not float"):
            window(count)
    assert window(1.0).tolist() == [1]


def test_a_product_of_blocks_keeps_the_order_of_its_factors():
    b = wg.arange(200.0).as_strided((20, 10, 1), (1, 20, 200))
    assert wg.kron(wg.rand(5, 5), b).stride() == (1, 100, 20)
    assert wg.kron(wg.rand(2, 3).t(), wg.rand(3, 2).t()).stride() == (1, 6)
    assert wg.kron(wg.rand(2, 3), wg.rand(3, 2)).stride() == (6, 1)


@pytest.mark.parametrize("alpha", [1.0, math.inf, math.nan])
@pytest.mark.parametrize("name", ["elu", "celu"])
def test_zero_stays_zero_under_exponential_units(name, alpha):
    with np.errstate(all="ignore"):
        made = find(name).body(np.array([0.0, -0.0]), alpha)
    assert made.tolist() == [0.0, 0.0] and np.signbit(made).tolist() == [False, True]


@pytest.mark.parametrize("alpha", [1.0, math.inf, math.nan])
@pytest.mark.parametrize("dtype", [wg.float16, wg.float32, wg.float64])
@pytest.mark.parametrize("function", [F.elu, F.celu])
def test_zero_stays_zero_in_every_dtype(function, dtype, alpha):
    made = function(wg.tensor([0.0, -0.0] * 20, dtype=dtype), alpha)
    assert made.tolist() == [0.0] * 40 and made.signbit().tolist() == [False, True] * 20


@pytest.mark.parametrize("shape", [(), (1,), (3,)])
def test_the_second_derivative_of_prelu_is_zero_at_zero(shape):
    x = wg.tensor([[0.0, 1.0, -1.0]], requires_grad=True)
    weight = wg.full(shape, 0.25, requires_grad=True)
    of_x, of_weight = wg.autograd.grad(F.prelu(x, weight).sum(), [x, weight], create_graph=True)
    assert of_x.tolist() == [[0.25, 1, 0.25]] and of_weight.sum().item() == -1
    second = wg.autograd.grad(of_x.sum() + of_weight.sum(), [x, weight])
    assert second[0].tolist() == [[0, 0, 1]] and second[1].sum().item() == 1


def test_a_correction_may_stand_in_a_complex_tensor():
    x = wg.tensor([1.0, 2.0, 4.0, 9.0])
    for reduce in (wg.var, wg.std):
        wanted = reduce(x, correction=2).item()
        assert reduce(x, correction=wg.tensor(2 + 0j)).item() == reduce(x, correction=2 + 0j).item() == wanted
        with pytest.raises(RuntimeError, match="without overflow"):
            reduce(x, correction=2 + 1j)


def test_a_bias_along_one_dimension_goes_with_the_rows_one_below_the_other():
    x, weight = wg.ones(3, 2, 2, requires_grad=True), wg.ones(2, 2)
    made = F.linear(x, weight, wg.arange(6.0).reshape(6, 1))
    assert made[:, :, 0].tolist() == made[:, :, 1].tolist() == [[2, 3], [4, 5], [6, 7]]
    assert made.grad_fn.name() == "ViewBackward0"
    assert F.linear(x, weight, wg.ones(1, 1)).grad_fn.name() == "AddBackward0"
    for shape in ((2, 1), (3, 1, 1)):
        with pytest.raises(RuntimeError, match="expand"):
            F.linear(x, weight, wg.ones(shape))
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        F.linear(wg.ones(2), weight, wg.ones(1, 1))


def test_the_norms_of_single_elements_are_of_the_order_asked_for():
    x = wg.tensor([1.0, -2.0, 0.0])
    assert wg.norm_except_dim(x, 0).tolist() == [1, 1, 0]
    assert wg.norm_except_dim(x, 3).tolist() == [1, 2, 0]


def test_the_powers_one_half_of_complex_numbers_are_roots():
    z = wg.tensor([complex(math.inf, 0), complex(-math.inf, 0), -4 + 0j, 3 + 4j])
    assert z.pow(0.5).tolist() == z.sqrt().tolist() == [math.inf, complex(0, math.inf), 2j, 2 + 1j]
    assert z[2:].pow(-0.5).tolist() == z[2:].rsqrt().tolist()
