"""Powers: of truth values, of complex numbers, of one, and in double precision."""

from __future__ import annotations

import math

import pytest

import wengert as wg


@pytest.mark.parametrize("dtype", [wg.complex64, wg.complex128])
@pytest.mark.parametrize("exponent", [wg.tensor([0, 1, 2]), wg.tensor([0.0, 1, 2]), wg.tensor([0j, 1, 2])])
def test_complex_zeros_to_the_power_0_are_1_and_have_derivatives(dtype, exponent):
    zeros = wg.zeros(3, dtype=dtype, requires_grad=True)
    raised = zeros.pow(exponent)
    assert raised.tolist() == [1, 0, 0]
    raised.real.sum().backward()
    assert zeros.grad.tolist() == [0, 1, 0]
    assert wg.func.jvp(lambda z: z.pow(exponent), (wg.zeros(3, dtype=dtype),), (wg.ones(3, dtype=dtype),))[
        1
    ].tolist() == [0, 1, 0]


def test_complex_powers_of_zero_and_of_infinity_are_those_of_the_logarithm():
    base = wg.tensor([0, 0, complex(math.inf, 0), complex(math.inf, 0), 2 + 1j])
    found = base.pow(wg.tensor([1j, -1, 0, -1, 0]))
    assert found.isnan().tolist() == [True, True, True, False, False]
    assert found.real.isinf().tolist() == [False, True, False, False, False]
    assert found[3:].tolist() == [0, 1]


def test_every_power_of_the_number_one_is_one():
    assert wg.pow(1, wg.tensor([complex(math.inf, 0), complex(0, math.nan), 2j])).tolist() == [1, 1, 1]


TRUTH = wg.tensor([True, False, True])


def test_truth_values_have_powers_of_truth_values():
    assert TRUTH.pow(True).tolist() == [True, False, True]
    assert TRUTH.pow(False).tolist() == [True] * 3
    assert TRUTH.clone().pow_(False).tolist() == [True] * 3
    assert TRUTH.pow(2).dtype is wg.int64
    with pytest.raises(NotImplementedError, match="\"pow\" not implemented for 'Bool'"):
        TRUTH.pow(TRUTH)


def test_the_powers_one_half_of_complex_numbers_are_roots():
    z = wg.tensor([complex(math.inf, 0), complex(-math.inf, 0), -4 + 0j, 3 + 4j])
    assert z.pow(0.5).tolist() == z.sqrt().tolist() == [math.inf, complex(0, math.inf), 2j, 2 + 1j]
    assert z[2:].pow(-0.5).tolist() == z[2:].rsqrt().tolist()


def test_powers_in_double_precision():
    x = wg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    for found, name in ((wg.float_power(x, 2), "PowBackward0"), (wg.float_power(2, x), "PowBackward2")):
        assert found.dtype is wg.float64 and found.grad_fn.name() == name
    assert wg.float_power(wg.tensor([2]), wg.tensor([-1])).tolist() == [0.5]
    assert wg.float_power(x.detach(), 1j).dtype is wg.complex128
    with pytest.raises(RuntimeError, match=r"base given to float_power_ has dtype Float but .* requires dtype Double"):
        x.detach().float_power_(2)
    with pytest.raises(RuntimeError, match="output given to float_power has dtype Float"):
        wg.float_power(x.detach(), 2, out=wg.empty(3))
    written = x.detach().double()
    assert written.float_power_(2) is written and written.tolist() == [1, 4, 9]
    with pytest.raises(TypeError, match="invalid combination of arguments"):
        wg.float_power(2, 3)
