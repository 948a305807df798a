"""NumPy's functions called with tensors give tensors with their history, or an error that says there is no rule."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import wengert as wg
from wengert.compat.arrays import functions, ufuncs

UFUNCS = [each for each in vars(np).values() if isinstance(each, np.ufunc)]
DIFFERENTIABLE = [
    *(np.sin, np.exp, np.log, np.sqrt, np.tanh, np.absolute, np.square, np.negative, np.reciprocal, np.cbrt),
    *(np.add, np.subtract, np.multiply, np.divide, np.power, np.maximum, np.hypot, np.arctan2, np.logaddexp),
]


def leaf(*values, dtype=wg.float64):
    return wg.tensor(values, dtype=dtype, requires_grad=True)


def pair_of(ufunc):
    return [leaf(0.3, 0.7), leaf(0.5, 0.2)][: ufunc.nin]


@pytest.mark.parametrize("ufunc", DIFFERENTIABLE, ids=lambda each: each.__name__)
def test_a_ufunc_gives_its_values_and_the_gradient(ufunc):
    given = pair_of(ufunc)
    made = ufunc(*given)
    assert isinstance(made, wg.Tensor) and made.requires_grad
    np.testing.assert_allclose(made.detach(), ufunc(*[each.detach().numpy() for each in given]))
    assert wg.autograd.gradcheck(ufunc, given)


@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda each: each.__name__)
def test_a_ufunc_gives_tensors_or_says_that_it_has_no_rule(ufunc):
    given = [wg.tensor([2.0, 3.0]) for _ in range(ufunc.nin)]
    try:
        made = ufunc(*given)
    except (TypeError, ValueError) as error:
        if "only implemented on integer" not in str(error):  # without a rule, NumPy's own words about the values
            with pytest.raises(type(error), match=re.escape(str(error))):
                ufunc(*[each.numpy() for each in given])
    except (RuntimeError, NotImplementedError):  # an operator that floating-point numbers do not have
        made = ufunc(*[each.to(wg.int64) for each in given])
    else:
        found = [each.numpy() for each in (made if isinstance(made, tuple) else (made,))]
        if ufunc is np.ldexp:  # NumPy takes integers only for the exponent
            given[1] = given[1].to(wg.int64)
        with np.errstate(all="ignore"):
            wanted = ufunc(*[each.numpy() for each in given])
        for one, other in zip(found, wanted if isinstance(wanted, tuple) else (wanted,)):
            np.testing.assert_allclose(one, other, rtol=1e-6)


def test_arrays_beside_tensors_give_tensors():
    x, a = leaf(1.0, 2.0), np.array([3.0, 4.0])
    for made in (a * x, x * a, np.float64(3) * x, a + x, a - x, a / x, a**x, np.float32(1) + x):
        assert isinstance(made, wg.Tensor) and made.requires_grad
    assert isinstance(a == x, wg.Tensor) and (a @ x).item() == 11.0
    assert (np.float64(2) * wg.ones(1)).dtype is wg.float32


def test_out_takes_results_unless_a_gradient_is_lost():
    x, out, array = wg.tensor([1.0, 4.0]), wg.zeros(2), np.zeros(2, np.float32)
    assert np.sqrt(x, out=out) is out and out.tolist() == [1.0, 2.0]
    assert np.sqrt(x, out=array) is array and array.tolist() == [1.0, 2.0]
    array += x
    assert type(array) is np.ndarray and array.tolist() == [2.0, 6.0]
    with pytest.raises(RuntimeError, match="its gradient is lost"):
        np.sqrt(leaf(1.0, 4.0, dtype=wg.float32), out=array)
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        np.sqrt(leaf(1.0, 4.0, dtype=wg.float32), out=out)
    assert array.tolist() == [2.0, 6.0] and out.tolist() == [1.0, 2.0]


def test_where_computes_only_what_is_chosen():
    x = leaf(-1.0, 0.0, 4.0)
    chosen = np.array([False, False, True])
    made = np.log(x, where=chosen)
    made.sum().backward()
    assert made.tolist()[:2] == [0.0, 0.0] and x.grad.tolist() == [0.0, 0.0, 0.25]
    out = wg.full((3,), 7.0, dtype=wg.float64)
    assert np.sqrt(x.detach(), where=chosen, out=out).tolist() == [7.0, 7.0, 2.0]
    assert np.add.reduce(x, where=chosen).item() == 4.0 and np.sum(x, where=chosen).item() == 4.0


def test_methods_of_ufuncs():
    x, a = leaf(1.0, 2.0, 3.0), np.array([1.0, 2.0, 3.0])
    for ufunc in (np.add, np.multiply, np.maximum, np.minimum, np.logaddexp):
        assert wg.autograd.gradcheck(ufunc.reduce, [x]) and wg.autograd.gradcheck(ufunc.accumulate, [x])
        np.testing.assert_allclose(ufunc.reduce(x).detach(), ufunc.reduce(a))
        np.testing.assert_allclose(ufunc.accumulate(x).detach(), ufunc.accumulate(a))
        np.testing.assert_allclose(ufunc.outer(x, a).detach(), ufunc.outer(a, a))
    target = wg.zeros(2)
    np.add.at(target, np.array([0, 0, 1]), 1.0)
    assert target.tolist() == [2.0, 1.0]
    assert np.add.reduce(wg.ones(2, 3)).tolist() == [2.0, 2.0, 2.0]  # along the first dimension, as NumPy does
    assert np.add.reduce(wg.ones(2, 3), axis=None, initial=1.0).item() == 7.0
    y = wg.ones(3)
    for refused in (lambda: np.add.reduceat(y, [0]), lambda: np.subtract.reduce(y), lambda: np.multiply.at(y, 0, 1)):
        with pytest.raises(TypeError, match="has no rule for tensors"):
            refused()


SQUARE = {
    np.reshape: ((4,),),
    np.moveaxis: (0, 1),
    np.swapaxes: (0, 1),
    np.expand_dims: (0,),
    np.take: ([0],),
    np.roll: (1,),
    np.tile: (2,),
    np.repeat: (2,),
    np.split: (2,),
    np.clip: (0.6, 2.5),
    np.pad: (1,),
    np.percentile: (50.0,),
    np.quantile: (0.5,),
    np.linalg.matrix_power: (2,),
}
FUNCTIONS = [
    *(np.sum, np.mean, np.prod, np.var, np.std, np.max, np.min, np.cumsum, np.cumprod, np.trace, np.sort, np.median),
    *(np.transpose, np.ravel, np.diag, np.flip, np.fliplr, np.triu, np.diff, np.linalg.inv, np.linalg.det, np.sinc),
    *(np.linalg.cholesky, np.linalg.eigvalsh, np.linalg.norm, np.linalg.svdvals, np.trapezoid, *SQUARE),
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.__name__)
def test_a_function_gives_its_values_and_the_gradient(function):
    symmetric = function in (np.linalg.cholesky, np.linalg.eigvalsh)
    x, more = leaf([2.0, 0.5], [0.5 if symmetric else 0.7, 3.0]), SQUARE.get(function, ())
    made, wanted = function(x, *more), function(x.detach().numpy(), *more)
    several = isinstance(made, (list, tuple))
    for one, other in zip(made if several else [made], wanted if several else [wanted]):
        assert isinstance(one, wg.Tensor) and one.requires_grad
        np.testing.assert_allclose(one.detach(), other)
    assert wg.autograd.gradcheck(lambda y: function((y + y.mT) / 2 if symmetric else y, *more), [x])


def test_functions_of_lists_and_of_pairs():
    x, y, a = leaf(1.0, 2.0), leaf(3.0, 4.0), np.array([5.0, 6.0])
    calls = [lambda: np.stack([x, a]), lambda: np.concatenate([a, y]), lambda: np.where(a > 5, x, y)]
    calls += [
        lambda: np.dot(x, y),
        lambda: np.einsum("i,j->ij", x, a),
        lambda: np.hstack([x, y]),
        lambda: np.outer(x, a),
    ]
    calls += [lambda: np.fft.fft(x), lambda: np.fft.irfftn(x), lambda: np.linalg.solve(np.eye(2), x)]
    for call in calls:
        made = call()
        assert isinstance(made, wg.Tensor) and made.requires_grad


def test_what_has_no_derivative_gives_tensors_or_answers():
    x = leaf(3.0, 1.0)
    assert (
        np.argsort(x).tolist() == [1, 0] and np.round(x).tolist() == [3.0, 1.0] and np.zeros_like(x).tolist() == [0, 0]
    )
    assert all(isinstance(each, wg.Tensor) for each in (np.argsort(x), np.isclose(x, x), *np.nonzero(x)))
    assert np.shape(x) == (2,) and np.ndim(x) == 1 and np.allclose(x, x) is True and np.array_equal(x, x)


def test_no_function_gives_an_array_in_silence():
    x = leaf([2.0, 0.5], [0.5, 3.0])
    for function in dict.fromkeys([*functions.RULES, *functions.OPERATORS, *functions.REDUCING, *functions.CONSTANT]):
        for args in ((x, *SQUARE.get(function, ())), ([x, x],), (x, x)):
            try:
                made = function(*args)
            except Exception:  # other arguments are wanted
                continue
            assert not any(isinstance(each, np.ndarray) for each in functions.leaves(made)), function


def test_a_ufunc_without_rule_is_computed_of_values_that_have_no_derivative():
    special = pytest.importorskip("scipy.special")
    found = special.binom(4, wg.arange(3))
    assert isinstance(found, wg.Tensor) and found.dtype is wg.float64 and found.tolist() == [1.0, 4.0, 6.0]
    assert special.gammaincinv(wg.ones(2), wg.zeros(2)).dtype is wg.float32
    part, exponent = np.frexp(wg.tensor([4.0]))
    assert (part.tolist(), exponent.tolist()) == ([0.5], [3])
    sine, cosine = special.sici(wg.ones(2))
    assert sine.shape == cosine.shape == (2,)
    with pytest.raises(TypeError, match="binom has no rule for tensors"):
        special.binom(4, leaf(1.0, 2.0))
    with wg.autograd.forward_ad.dual_level():
        dual = wg.autograd.forward_ad.make_dual(wg.ones(2), wg.ones(2))
        with pytest.raises(TypeError, match="binom has no rule for tensors"):
            special.binom(4, dual)


def test_a_function_without_rule_is_refused_by_name():
    x = leaf(1.0, 2.0)
    for call, name in ((lambda: np.interp(x, [0, 1], [0, 1]), "np.interp"), (lambda: np.spacing(x), "np.spacing")):
        with pytest.raises(TypeError, match=f"{name} has no rule for tensors"):
            call()
    with pytest.raises(RuntimeError, match="Can't call numpy"):
        np.unique(x)


def test_arrays_are_made_only_where_the_program_says_so():
    x = wg.ones(2)
    assert type(np.asarray(x)) is np.ndarray and type(np.array(x)) is np.ndarray
    with pytest.raises(RuntimeError, match="Can't call numpy"):
        np.asarray(leaf(1.0))


def test_other_libraries_are_asked_first():
    class Other:
        def __array_ufunc__(self, ufunc, method, *inputs, **options):
            return "other"

    assert np.add(wg.ones(2), Other()) == "other"
    assert ufuncs.is_foreign(Other()) and not ufuncs.is_foreign(np.ones(1))


def test_programs_of_torch_get_arrays_of_numpys_functions():
    program = """
    import numpy as np
    import torch

    x = torch.tensor([1, 2, 3, 4])
    for made in (np.isin(x, x[:2]), np.concatenate([x, x]), np.where(x > 2, x, 0), np.dot(x, x), np.vstack([x, x])):
        assert isinstance(made, (np.ndarray, np.integer)), made
    for made in (np.repeat(x, 2), np.reshape(x, (2, 2)), np.sqrt(x.double())):  # functions that keep the class
        assert isinstance(made, torch.Tensor), made
    try:
        np.concatenate([torch.ones(1, requires_grad=True)])
    except RuntimeError as error:
        print(str(error)[:23])
    """
    for start in ("import wengert; wengert.install_as_torch()", "import wengert.as_torch as a; a.install_as_torch()"):
        told = subprocess.run(
            [sys.executable, "-c", start + textwrap.dedent(program)], capture_output=True, text=True, check=False
        )
        assert told.stdout == "Can't call numpy() on T\n", told.stderr
