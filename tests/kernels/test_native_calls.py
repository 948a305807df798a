"""Functions that NumPy makes of several loops, beside the bodies of their cards."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

import wengert as wg
from wengert import _kernels
from wengert._core.cards.card import REGISTRY

if not _kernels.direct:
    pytest.skip("no native kernels here", allow_module_level=True)

ONE = {
    "sinc": "sinc",
    "rad2deg": "rad2deg",
    "deg2rad": "deg2rad",
    "entr": "special_entr",
    "frac": "frac",
    "erfc": "erfc",
    "exp2": "exp2",
    "logit": "logit",
}
BY_LOOPS = ("frac", "erfc", "exp2", "logit")
"""Those that know other orders of memory, too, as all element-wise functions do."""
TWO = {"xlogy": "xlogy", "xlog1py": "special_xlog1py", "heaviside": "heaviside"}
VALUES = st.one_of(
    st.floats(width=32), st.sampled_from([0.0, -0.0, 1.0, 0.5, -1.0, np.inf, -np.inf, np.nan, 2.0, 1e-30])
)


@given(st.data(), st.sampled_from([*ONE, *TWO]), st.sampled_from(["f4", "f8"]))
def test_each_gives_what_the_body_gives(data: Any, name: str, dtype: str):
    shape = data.draw(hnp.array_shapes(max_dims=3, min_side=1, max_side=5))
    count = 1 if name in ONE else 2
    operands = [data.draw(hnp.arrays(dtype, shape, elements=VALUES)) for _ in range(count)]
    more = [None] if name == "logit" else []
    made = _kernels.direct[name](*operands, *more)
    with np.errstate(all="ignore"):
        wanted = REGISTRY[(ONE | TWO)[name]].body(*operands, *more)
    assert made.dtype == wanted.dtype and made.shape == shape
    if name == "sinc":  # of large angles the sines of the C library and NumPy lie apart by what they are rounded
        np.testing.assert_allclose(made, wanted, rtol=1e-5, atol=1e-6)
    else:
        np.testing.assert_allclose(made, wanted, rtol=4 * np.finfo(dtype).eps, atol=np.finfo(dtype).tiny)


@pytest.mark.parametrize("name", [*ONE, *TWO])
def test_what_is_no_plain_array_is_left_to_the_body(name: str):
    call = _kernels.direct[name]
    more = [None] if name == "logit" else []
    fine = np.ones((3, 3))
    not_plain = () if name in BY_LOOPS else (fine[::-1], np.ones((0, 2)))
    for strange in (*not_plain, fine.astype(int), fine.astype(">f8"), 2.0, None, fine.astype("c8")):
        given_operands = [strange] if name in ONE else [strange, fine]
        assert call(*given_operands, *more) is NotImplemented
        assert name in ONE or call(fine, strange) is NotImplemented
    assert name in ONE or call(fine, fine[:1].copy()) is NotImplemented
    assert call() is NotImplemented


@pytest.mark.parametrize("name", ["sinc", "exp2", "xlog1py"])
def test_many_numbers_are_left_to_loops_of_vectors(name: str):
    many = np.ones(257)
    assert _kernels.direct[name](*[many] * (2 if name in TWO else 1)) is NotImplemented


@given(st.integers(200, 3000), st.sampled_from(["entr", "xlogy"]), st.sampled_from(["f4", "f8"]), st.integers(0, 99))
def test_products_with_many_logarithms_are_the_bodys(count: int, name: str, dtype: str, seed: int):
    random = np.random.default_rng(seed)
    operands = [random.standard_normal(count).astype(dtype) for _ in range(1 if name in ONE else 2)]
    for each in operands:
        each[random.integers(0, count, 60)] = random.choice([0.0, -0.0, 1.0, np.inf, -np.inf, np.nan], 60)
    made = _kernels.direct[name](*operands)
    with np.errstate(all="ignore"):
        wanted = REGISTRY[(ONE | TWO)[name]].body(*operands)
    np.testing.assert_allclose(made, wanted, rtol=4 * np.finfo(dtype).eps, atol=np.finfo(dtype).tiny)


@pytest.mark.parametrize("name", ["erfc", "erfinv", "ndtri", "gammaln", "digamma", "i1e", "exp2", "entr"])
@pytest.mark.parametrize("threads", [1, 2, 4])
def test_results_do_not_depend_on_threads(name: str, threads: int):
    x = np.random.default_rng(0).standard_normal(100_000).astype(np.float32)
    wanted = np.array([_kernels.direct[name](x[at : at + 1])[0] for at in range(0, x.size, 997)])
    before = wg.get_num_threads()
    try:
        wg.set_num_threads(threads)
        np.testing.assert_array_equal(_kernels.direct[name](x)[::997], wanted)
    finally:
        wg.set_num_threads(before)
