"""What changed samples of the seeds from 70 on showed beside torch: ties, integers in tensors, and nothing at all."""

from __future__ import annotations

import math

import pytest

import wengert as wg
import wengert.nn.functional as F


@pytest.mark.parametrize("name", ["index_reduce", "scatter_reduce"])
@pytest.mark.parametrize("reduce", ["amin", "amax"])
def test_an_old_value_that_equals_the_result_takes_its_share_even_if_it_does_not_count(name, reduce):
    old, new = wg.tensor([1.0], requires_grad=True), wg.tensor([1.0, 1.0], requires_grad=True)
    made = getattr(old, name)(0, wg.tensor([0, 0]), new, reduce, include_self=False)
    grads = wg.autograd.grad(made.sum(), (old, new))
    assert [each.tolist() for each in grads] == [[0.0], pytest.approx([1 / 3, 1 / 3])]


def test_a_number_of_chunks_in_a_tensor_of_bytes_does_not_wrap():
    parts = wg.zeros(300, 1).chunk(wg.tensor(250, dtype=wg.uint8))
    assert [len(each) for each in parts] == [2] * 150
    assert len(wg.chunk(wg.zeros(5, 5), wg.tensor(5, dtype=wg.uint8), 1)) == 5


@pytest.mark.parametrize("dtype", [wg.uint8, wg.int8, wg.int64])
def test_an_integer_in_a_tensor_is_that_integer_whatever_its_dtype(dtype):
    def number(value):
        return wg.tensor(value, dtype=dtype)

    assert wg.zeros(3, 4).narrow(number(1), 0, 2).shape == (3, 2)
    assert wg.zeros(2, 3, 4).flatten(start_dim=number(1)).shape == (2, 12)
    assert wg.zeros(8).unflatten(number(0), (2, 4)).shape == (2, 4)
    assert [each.shape for each in wg.zeros(2, 5).tensor_split((2, 4), number(1))] == [(2, 2), (2, 2), (2, 1)]
    assert wg.triu_indices(20, 21, number(7)).shape == (2, 105)
    assert wg.histc(wg.tensor(8.0), bins=number(10), min=0, max=0).tolist() == [0.0] * 5 + [1.0] + [0.0] * 4
    assert F.embedding(wg.tensor([1, 2]), wg.zeros(5, 3), padding_idx=number(2)).shape == (2, 3)


@pytest.mark.parametrize("function", [wg.trapz, wg.trapezoid])
def test_the_integral_of_nothing_asks_no_questions(function):
    nothing = wg.zeros(0, 3)
    assert function(nothing.bool(), dim=0).tolist() == [False] * 3
    assert function(nothing, wg.zeros(5, dtype=wg.bool), dim=0).tolist() == [0.0] * 3
    with pytest.raises(RuntimeError, match="received a bool input"):
        function(nothing.bool(), dim=1)


def test_the_margin_of_integers_is_an_integer():
    x, target = wg.tensor([0, 1, 2, 3]), wg.tensor([1, -1, -1, 0])
    made = F.hinge_embedding_loss(x, target, margin=2.7, reduction="none")
    assert made.dtype is wg.int64 and made.tolist() == [0, 1, 0, 3]
    assert F.hinge_embedding_loss(x.byte(), target, reduction="none").tolist() == [0, 0, 255, 1]
    with pytest.raises(RuntimeError, match="could not infer output dtype"):
        F.hinge_embedding_loss(x, target)
    with pytest.raises(RuntimeError, match="cannot be converted to type uint8_t without overflow"):
        F.hinge_embedding_loss(x.byte(), target, margin=math.nan)


@pytest.mark.parametrize("high", [wg.tensor(10.0), wg.tensor(2.5), wg.tensor(True), wg.tensor(3, dtype=wg.uint8)])
def test_an_upper_bound_may_be_a_tensor(high):
    assert wg.randint_like(wg.zeros(20), high).max() < high.to(wg.int64)
    assert wg.randint_like(wg.zeros(20), high=high).min() >= 0
    with pytest.raises(RuntimeError, match="high must be a scalar tensor"):
        wg.randint_like(wg.zeros(2), high.reshape(1))


def test_tolerances_that_do_not_broadcast_with_the_matrices_are_named():
    with pytest.raises(RuntimeError, match=r"size of tensor a \(3\) must match the size of tensor b \(2\)"):
        wg.linalg.pinv(wg.ones(2, 5, 5), rtol=wg.zeros(3))


def test_the_inverse_of_a_tensor_of_too_few_dimensions_is_refused():
    with pytest.raises(RuntimeError, match="invalid slice, N = 2; size = 0"):
        wg.linalg.tensorinv(wg.tensor(0.5), ind=2)


def test_the_second_derivative_of_softplus_keeps_nan():
    x = wg.tensor([math.nan, math.inf, -math.inf, 40.0], requires_grad=True)
    (slope,) = wg.autograd.grad(F.softplus(x, 2, 30).sum(), x, create_graph=True)
    found = wg.autograd.grad(slope.sum(), x)[0].tolist()
    assert math.isnan(found[0]) and found[1:] == [0.0, 0.0, 0.0]


def test_complex_logarithms_of_sums_are_nan_where_a_part_is():
    x = wg.tensor([complex(math.inf, math.nan), complex(math.inf, math.inf), complex(math.nan, 1)])
    y = wg.tensor([1j, complex(1, math.nan), 1j])
    found = wg.logaddexp(x, y)
    assert found.real.isnan().all() and found.imag.isnan().all()


def test_complex_running_logarithms_of_sums_at_infinities():
    low, high = -math.inf, math.inf
    found = wg.tensor([complex(low, high), complex(low, 1), 1j, complex(math.nan, 0), 1]).logcumsumexp(0)
    assert found[:3].tolist() == [complex(low, 0), complex(low, 0), 1j]
    assert found[3:].real.isnan().all() and found[3:].imag.isnan().all()


@pytest.mark.parametrize("rows", [[[5], [4]], [1, 2, 2], []])
def test_rows_of_no_width_have_a_gradient(rows):
    table = wg.zeros(10, 0, requires_grad=True)
    wg.nn.functional.embedding(wg.tensor(rows, dtype=wg.int64), table).sum().backward()
    assert table.grad is not None and table.grad.shape == (10, 0)


def test_a_small_number_in_a_tensor_with_dimensions_is_none():
    assert F.poisson_nll_loss(wg.ones(2), wg.ones(2), eps=wg.tensor(1e-3)) == F.poisson_nll_loss(wg.ones(2), wg.ones(2))
    with pytest.raises(TypeError, match=r"argument 'eps' \(position 5\) must be float, not Tensor"):
        F.poisson_nll_loss(wg.ones(2), wg.ones(2), eps=wg.tensor([1e-3]))


def test_hurwitz_zeta_of_an_infinite_start_is_no_number_but_at_the_pole():
    starts = wg.full((3,), math.inf, dtype=wg.float64)
    found = wg.special.zeta(wg.tensor([2.0, 1.0, math.inf], dtype=wg.float64), starts)
    assert found.isnan().tolist() == [True, False, True] and found[1] == math.inf
    assert math.isnan(wg.special.zeta(wg.tensor(2.0), math.inf).item())
    assert wg.polygamma(1, starts).tolist() == [0, 0, 0]
