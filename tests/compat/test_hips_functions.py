"""NumPy's functions under `wengert.compat.hips`: values, and derivatives of both modes against differences."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy
import pytest

import wengert.compat.hips as autograd
import wengert.compat.hips.numpy as np
from wengert.compat.hips.test_util import check_grads

spec = importlib.util.spec_from_file_location("function_cases", Path(__file__).with_name("function_cases.py"))
assert spec is not None and spec.loader is not None
cases = importlib.util.module_from_spec(spec)
spec.loader.exec_module(cases)


@pytest.mark.parametrize("name", cases.CASES)
def test_values_are_numpys_and_derivatives_those_of_differences(name):
    function, make = cases.CASES[name]
    args = make()
    numpy.random.seed(0)
    value = autograd.make_vjp(lambda args: function(np, *args))(args)[1]
    wanted = function(numpy, *args)
    numpy.testing.assert_allclose(value, wanted, rtol=1e-12, atol=1e-12)
    assert numpy.shape(value) == numpy.shape(wanted)
    assert numpy.result_type(value) == numpy.result_type(wanted)
    check_grads(lambda args: function(np, *args), modes=["fwd", "rev"], order=2)(args)
