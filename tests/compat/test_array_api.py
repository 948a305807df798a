"""`wengert.array_api`: the functions of the array API standard 2024.12, beside NumPy's, and their gradients."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import wengert as wg

xp = wg.array_api
A = np.array([[2.0, -1.0, 0.5], [1.0, 3.0, 2.0]])
S = np.array([[2.0, 0.5], [0.5, 3.0]])
I = np.array([[3, 1, 2], [1, 3, 1]])  # noqa: E741 - integers
CALLS = [
    *((name, (A,), {}) for name in ("abs", "ceil", "exp", "floor", "isnan", "negative", "round", "sign", "sin")),
    *((name, (A, A + 1), {}) for name in ("add", "atan2", "copysign", "divide", "equal", "hypot", "less", "maximum")),
    *((name, (I, I), {}) for name in ("bitwise_and", "bitwise_xor", "floor_divide", "multiply", "remainder", "pow")),
    *((name, (A,), {"axis": axis}) for name in ("sum", "prod", "max", "min", "mean", "var", "std", "all", "any")
      for axis in (None, 0, (0, 1), ())),
    *((name, (I,), {"axis": 1, "keepdims": True}) for name in ("sum", "max", "argmax", "argmin", "count_nonzero")),
    *((name, (A,), {"axis": 1}) for name in ("cumulative_sum", "cumulative_prod", "sort", "argsort", "diff", "flip")),
    ("cumulative_sum", (A,), {"axis": 0, "include_initial": True}),
    ("var", (A,), {"axis": 1, "correction": 1.0}),
    ("concat", ([A, A],), {"axis": None}),
    ("expand_dims", (A,), {"axis": 1}),
    ("permute_dims", (A, (1, 0)), {}),
    ("moveaxis", (A, 0, 1), {}),
    ("repeat", (A, 2), {"axis": 1}),
    ("repeat", (A, 2), {}),
    ("reshape", (A, (3, 2)), {}),
    ("roll", (A, 1), {}),
    ("stack", ([A, A],), {"axis": 1}),
    ("tile", (A, (2, 1)), {}),
    ("take", (A, np.array([0, -1])), {"axis": 1}),
    ("take_along_axis", (A, np.array([[0], [1]])), {"axis": 1}),
    ("tril", (A,), {"k": 1}),
    ("clip", (A, 0.0, 1.0), {}),
    ("matmul", (S, S), {}),
    ("tensordot", (S, S), {"axes": 1}),
    ("vecdot", (A, A), {}),
    ("matrix_transpose", (A,), {}),
    ("where", (A > 0, A, -A), {}),
    ("broadcast_to", (A, (2, 2, 3)), {}),
    ("searchsorted", (np.arange(3.0), A), {}),
    ("searchsorted", (np.arange(3.0), A), {"side": "right"}),
    *((name, (I,), {}) for name in ("unique_all", "unique_counts", "unique_inverse", "nonzero")),
    ("unstack", (A,), {"axis": 1}),
    ("meshgrid", (np.arange(2.0), np.arange(3.0)), {}),
]  # fmt: skip


def tensors(value):
    if isinstance(value, np.ndarray):
        return wg.tensor(value)
    return [tensors(each) for each in value] if isinstance(value, list) else value


def compare(found, wanted):
    if isinstance(wanted, (list, tuple)):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted):
            compare(one, other)
        return
    assert isinstance(found, wg.Tensor)
    np.testing.assert_allclose(found, wanted)
    assert np.asarray(found).dtype == np.asarray(wanted).dtype and tuple(found.shape) == np.shape(wanted)


@pytest.mark.parametrize("name, args, options", CALLS, ids=lambda each: each if isinstance(each, str) else "")
def test_a_function_gives_what_numpy_gives(name, args, options):
    with np.errstate(all="ignore"):
        wanted = getattr(np, name)(*args, **options)
    compare(getattr(xp, name)(*map(tensors, args), **options), wanted)


@pytest.mark.parametrize("name", ["inv", "det", "eigvalsh", "svdvals", "trace", "diagonal", "matrix_norm", "cholesky"])
def test_linear_algebra_gives_what_numpy_gives(name):
    compare(getattr(xp.linalg, name)(wg.tensor(S)), getattr(np.linalg, name)(S))
    function = getattr(xp.linalg, name)
    assert wg.autograd.gradcheck(lambda x: function((x + x.mT) / 2), [wg.tensor(S, requires_grad=True)])


def test_factories():
    compare(xp.eye(2, 3, k=1), np.eye(2, 3, k=1, dtype=np.float32))
    compare(xp.linspace(0, 1, 4, endpoint=False, dtype=xp.float64), np.linspace(0, 1, 4, endpoint=False))
    compare(xp.fft.fftfreq(4, d=0.5), np.fft.fftfreq(4, d=0.5).astype(np.float32))
    x = wg.ones(2, requires_grad=True)
    assert (
        xp.asarray(x) is x and xp.asarray(x, copy=True).requires_grad and xp.asarray(x, dtype=xp.float64).requires_grad
    )
    assert xp.astype(x, xp.float32, copy=False) is x and xp.astype(x, xp.float32) is not x


def test_sums_of_small_integers_are_wide():
    assert xp.sum(wg.tensor([200, 100], dtype=wg.uint8)).dtype is xp.uint64
    assert xp.prod(wg.tensor([100, 2], dtype=wg.int8)).item() == 200
    assert xp.sum(wg.ones(2), dtype=xp.float64).dtype is xp.float64


def test_dtypes():
    assert xp.isdtype(xp.int8, "integral") and xp.isdtype(xp.float32, ("bool", "real floating"))
    assert not xp.isdtype(xp.uint8, "signed integer") and xp.isdtype(xp.bool, xp.bool)
    assert xp.can_cast(xp.int8, xp.int16) and not xp.can_cast(xp.float64, xp.float32)
    assert xp.result_type(xp.int8, wg.ones(1), 2) is xp.float32
    assert xp.result_type(xp.int32, 1.5) is xp.float32
    info = xp.__array_namespace_info__()
    assert info.default_dtypes()["integral"] is xp.int64 and info.dtypes(kind="bool") == {"bool": xp.bool}
    assert info.devices() == [info.default_device()]


def test_refusals():
    with pytest.raises(ValueError, match="has length 2"):
        xp.squeeze(wg.ones(2, 1), 0)
    with pytest.raises(ValueError, match="axis is needed"):
        xp.cumulative_sum(wg.ones(2, 2))
    with pytest.raises(ValueError, match="without a copy"):
        xp.reshape(wg.ones(2, 3).T, (6,), copy=False)
    with pytest.raises(ValueError, match="unsupported version"):
        wg.ones(1).__array_namespace__(api_version="1999.1")


def test_tensors_name_their_namespace():
    assert wg.ones(1).__array_namespace__() is xp is wg.ones(1).__array_namespace__(api_version="2024.12")
    assert xp.__array_api_version__ == "2024.12" and all(hasattr(xp, each) for each in xp.__all__)


def test_gradients_go_through():
    x = wg.tensor(A, requires_grad=True)
    for function in (
        xp.sum,
        xp.prod,
        xp.mean,
        xp.var,
        xp.std,
        xp.max,
        xp.sort,
        xp.flip,
        lambda y: xp.clip(y, 0.2, 1.5),
    ):
        assert wg.autograd.gradcheck(function, [x])


def test_parameters_are_the_standard_ones():
    for name in (
        "sum",
        "prod",
        "max",
        "mean",
        "var",
        "all",
        "argmax",
        "cumulative_sum",
        "sort",
        "flip",
        "roll",
        "unstack",
    ):
        kinds = [each.kind for each in inspect.signature(getattr(xp, name)).parameters.values()]
        assert kinds[0] is inspect.Parameter.POSITIONAL_ONLY, name
