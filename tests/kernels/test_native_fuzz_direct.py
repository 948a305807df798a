"""Every native function that only the dispatcher and rules call, given arguments that fit and then hostile ones.

An error or a result, never a crash; see `test_native_fuzz.py` for those that have a twin of their name.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.direct_arguments import DIRECT as ARGUMENTS
from tests.kernels.direct_linear import LINEAR
from tests.kernels.direct_shapes import SHAPES

FLOATS = (np.float32, np.float64)
DIRECT = ARGUMENTS | LINEAR | SHAPES


def test_every_native_function_of_the_dispatcher_is_fuzzed(native):
    names = {name.removeprefix("direct_") for name in dir(native) if name.startswith("direct_")}
    assert names - set(native.twin_names()) <= set(DIRECT)
    assert set(DIRECT) <= names


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(DIRECT))
def test_hostile_arguments_end_in_an_error_or_a_result(native, fuzz, name):
    writes = name.endswith("_") or name in ("normal", "gamma_numbers")  # its first argument; the number that is kept
    fuzz(name, [getattr(native, f"direct_{name}")], DIRECT[name], not writes)


@pytest.mark.parametrize("name", sorted(DIRECT))
@pytest.mark.parametrize("dtype", FLOATS)
def test_arguments_that_fit_are_answered(native, name, dtype):
    if name == "view_as_real" and dtype is np.float64:
        dtype = np.float32  # its sample makes complex64
    random = np.random.default_rng(1)
    for _ in range(5):
        assert getattr(native, f"direct_{name}")(*DIRECT[name](random, dtype)) is not NotImplemented


@pytest.mark.parametrize("dtype", FLOATS)
def test_long_doubles_can_be_computed_after_each_function(native, dtype):
    """GCC uses MMX registers where it finds nothing better, which leaves the x87 unit answering NaN."""
    random, number = np.random.default_rng(2), np.longdouble(0.5)
    for name, arguments in sorted(DIRECT.items()):
        getattr(native, f"direct_{name}")(*arguments(random, dtype))
        assert number * number == 0.25, name


def test_long_doubles_can_be_computed_after_the_loops_for_any_processor(pass_on):
    pass_on("baseline", test_long_doubles_can_be_computed_after_each_function)
