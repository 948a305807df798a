"""Special functions at the points where they are special, beside SciPy's; what the samples of cards do not reach."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
import scipy.special as reference

import wengert as wg
from wengert._kernels import special

NAN, INF = math.nan, math.inf
POINTS = [0.0, -0.0, 1.0, -1.0, -2.0, 0.5, -0.5, -2.5, 2.0, 30.0, 200.0, INF, -INF, NAN, 1e-310]


def log_gamma(x):
    """SciPy's, but at -inf and at subnormal numbers as in C."""
    return np.where(x == 1e-310, 310 * np.log(10), np.where(np.isneginf(x), np.inf, reference.gammaln(x)))


SINGLE = {
    "airy_ai": lambda x: reference.airy(x)[0],
    "bessel_j0": reference.j0,
    "bessel_j1": reference.j1,
    "bessel_y0": reference.y0,
    "bessel_y1": reference.y1,
    "digamma": reference.psi,
    "entr": reference.entr,
    "erf": reference.erf,
    "erfc": reference.erfc,
    "erfcx": reference.erfcx,
    "erfinv": reference.erfinv,
    "exp2": reference.exp2,
    "expit": reference.expit,
    "expm1": reference.expm1,
    "gammaln": log_gamma,
    "i0": reference.i0,
    "i0e": reference.i0e,
    "i1": reference.i1,
    "i1e": reference.i1e,
    "log1p": reference.log1p,
    "log_ndtr": reference.log_ndtr,
    "logit": reference.logit,
    "modified_bessel_i0": reference.i0,
    "modified_bessel_i1": reference.i1,
    "modified_bessel_k0": reference.k0,
    "modified_bessel_k1": reference.k1,
    "ndtri": reference.ndtri,
    "psi": reference.psi,
    "scaled_modified_bessel_k0": reference.k0e,
    "scaled_modified_bessel_k1": reference.k1e,
    "sinc": np.sinc,
    "spherical_bessel_j0": lambda x: reference.spherical_jn(0, x),
}
PAIRS = {
    "gammainc": reference.gammainc,
    "gammaincc": reference.gammaincc,
    "xlog1py": reference.xlog1py,
    "xlogy": reference.xlogy,
    "zeta": lambda x, q: np.where((q == math.inf) & (x != 1), math.nan, reference.zeta(x, q)),
}


def close(found, wanted, digits=1e-11):
    np.testing.assert_allclose(found.numpy(), wanted, rtol=digits, atol=1e-300)


@pytest.mark.parametrize("name", sorted(SINGLE))
def test_a_function_of_one_number_is_scipys_at_special_points(name):
    points = [each for each in POINTS if name != "sinc" or math.isfinite(each)]
    with np.errstate(all="ignore"):
        wanted = SINGLE[name](np.array(points))
    close(getattr(wg.special, name)(wg.tensor(points, dtype=wg.float64)), wanted)


@pytest.mark.parametrize("name", sorted(PAIRS))
def test_a_function_of_two_numbers_is_scipys_at_special_points(name):
    first, second = np.meshgrid(POINTS, POINTS)
    with np.errstate(all="ignore"):
        wanted = PAIRS[name](first, second)
    found = getattr(wg.special, name)(wg.tensor(first.copy()), wg.tensor(second.copy()))
    close(found, wanted)


@pytest.mark.parametrize("name", sorted(set(SINGLE) - {"erf", "erfc", "exp2", "expit", "expm1", "log1p"}))
def test_single_precision_is_double_precision_rounded(name):
    points = wg.linspace(0.05, 0.95, 181, dtype=wg.float32)
    exact = getattr(wg.special, name)(points.double()).numpy()
    off = np.abs(getattr(wg.special, name)(points).numpy() - exact) / np.spacing(np.abs(exact).astype(np.float32) + 1)
    assert off.max() < 4


def test_ndtr_is_the_distribution_function():
    close(wg.special.ndtr(wg.tensor([-2.0, 0.0, 1.5])), reference.ndtr([-2.0, 0.0, 1.5]), 1e-6)
    found = wg.empty(3, dtype=wg.float64)
    assert wg.special.ndtr(wg.tensor([-1.0, 0.0, 1.0], dtype=wg.float64), out=found) is found
    close(found, reference.ndtr([-1.0, 0.0, 1.0]))


@pytest.mark.parametrize("order", [0, 1, 2, 5])
def test_polygamma_is_scipys_as_function_as_method_and_in_place(order):
    x = wg.tensor([0.5, 2.0, 7.25, -0.5], dtype=wg.float64, requires_grad=True)
    wanted = reference.polygamma(order, x.detach().numpy())
    close(wg.polygamma(order, x).detach(), wanted)
    close(x.polygamma(order).detach(), wanted)
    written = x.clone()
    assert written.polygamma_(order) is written and written.grad_fn.name() == "PolygammaBackward1"
    close(written.detach(), wanted)
    written.sum().backward()
    close(x.grad, reference.polygamma(order + 1, x.detach().numpy()))


def test_mvlgamma_is_scipys():
    x = np.array([1.6, 2.0, 9.5])
    for dimension in (1, 2, 3):
        close(wg.mvlgamma(wg.tensor(x), dimension), [reference.multigammaln(each, dimension) for each in x])


def test_aliases_are_the_operators_of_the_package():
    for name, other in (("psi", "digamma"), ("gammaln", "lgamma"), ("expit", "sigmoid"), ("gammainc", "igamma")):
        own = getattr(
            wg.special, name
        )  # an object of its own, as in torch: handlers of `__torch_function__` tell them apart
        assert own is not getattr(wg, other) and own.name == getattr(wg, other).name
    assert sorted(wg.special.__all__) == wg.special.__all__


def slope(function, at):
    x = wg.tensor(at, dtype=wg.float64, requires_grad=True)
    (found,) = wg.autograd.grad(function(x).sum(), x)
    return found.tolist()


def test_derivatives_at_points_where_their_formula_fails_are_torchs():
    assert slope(wg.special.i1, [0.0]) == [0.5]
    assert slope(wg.special.i1e, [0.0]) == [0.5]
    assert slope(wg.sinc, [0.0]) == [0.0]
    assert slope(wg.special.entr, [0.0]) == [INF]
    assert slope(lambda x: wg.logit(x, 0.25), [0.1, 0.25, 0.9]) == [0.0, 1 / 0.1875, 0.0]
    assert np.isnan(slope(wg.logit, [-0.5, 1.5])).all()
    assert slope(lambda x: wg.xlogy(x, wg.zeros(1)), [0.0]) == [0.0]
    assert slope(lambda x: wg.special.xlog1py(x, -1), [0.0]) == [0.0]
    assert slope(lambda x: wg.copysign(x, -1), [0.0, 2.0, -2.0]) == [0.0, -1.0, 1.0]


def test_what_torch_has_no_derivative_for_says_so():
    x = wg.ones(2, requires_grad=True)
    with pytest.raises(NotImplementedError, match="the derivative for 'igamma: input' is not implemented"):
        wg.igamma(x, wg.ones(2)).sum().backward()
    with pytest.raises(NotImplementedError, match="the derivative for 'zeta' is not implemented"):
        wg.special.zeta(x, 2.0).sum().backward()
    with pytest.raises(RuntimeError, match="derivative for aten::heaviside is not implemented"):
        wg.heaviside(x, wg.ones(2)).sum().backward()


@pytest.mark.parametrize("count", [3, 5000])
def test_erfinv_outside_of_its_domain_asks_scipy_nothing(count):
    x = wg.tensor([2.0, -1.5, 0.5, float("nan"), float("inf")], dtype=wg.float64).repeat(count)
    with reference.errstate(all="raise"):  # a report of each takes microseconds
        found = x.erfinv().reshape(count, 5)
    assert found.isnan().all(0).tolist() == [True, True, False, True, True]
    np.testing.assert_allclose(found[:, 2].numpy(), np.full(count, reference.erfinv(0.5)), rtol=1e-15)


def test_without_scipy_the_error_says_what_to_install(monkeypatch):
    special.ufunc.cache_clear()
    special.scipy_special.cache_clear()
    monkeypatch.setitem(sys.modules, "scipy.special", None)
    with pytest.raises(ImportError, match=r"pip install 'wengert\[full\]'"):
        special.special("gammaln", np.ones(2))  # natively a loop that was found before may be kept
    monkeypatch.undo()
    assert wg.lgamma(wg.ones(2)).tolist() == [0, 0]


def test_a_truth_value_beside_a_tensor_counts_in_full_precision():
    for x in (wg.tensor([True]), wg.tensor([1], dtype=wg.int64), wg.tensor([1.0], dtype=wg.float64)):
        made = wg.special.xlog1py(x, True)
        assert made.item() == pytest.approx(0.6931471805599453, rel=1e-7)
