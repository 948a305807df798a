"""`wengert.array_api`: the functions of the array API standard 2024.12, beside NumPy's, and their gradients."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import wengert as wg
from tests.compat import array_api_table as table

xp = wg.array_api
A = np.array([[2.0, -1.0, 0.5], [1.0, 3.0, 2.0]])
S = np.array([[2.0, 0.5], [0.5, 3.0]])
I = np.array([[3, 1, 2], [1, 3, 1]])  # noqa: E741 - integers
CALLS = [
    *((name, (A,), {}) for name in ("abs", "ceil", "exp", "floor", "isnan", "negative", "round", "sign", "sin")),
    *((name, (A, A + 1), {}) for name in ("add", "atan2", "copysign", "divide", "equal", "hypot", "less", "maximum")),
    *((name, (I, I), {}) for name in ("bitwise_and", "bitwise_xor", "floor_divide", "multiply", "remainder", "pow")),
    *(
        (name, (A,), {"axis": axis})
        for name in ("sum", "prod", "max", "min", "mean", "var", "std", "all", "any")
        for axis in (None, 0, (0, 1), ())
    ),
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
]


def tensors(value):
    if isinstance(value, np.ndarray):
        return wg.tensor(value)
    return [tensors(each) for each in value] if isinstance(value, list) else value


def compare(found, wanted, **tolerances):
    if isinstance(wanted, (list, tuple)):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted):
            compare(one, other, **tolerances)
        return
    assert isinstance(found, wg.Tensor)
    np.testing.assert_allclose(found, wanted, **tolerances)
    assert np.asarray(found).dtype == np.asarray(wanted).dtype and tuple(found.shape) == np.shape(wanted)


@pytest.mark.parametrize("name, args, options", CALLS, ids=lambda each: each if isinstance(each, str) else "")
def test_a_function_gives_what_numpy_gives(name, args, options):
    with np.errstate(all="ignore"):
        wanted = getattr(np, name)(*args, **options)
    compare(getattr(xp, name)(*map(tensors, args), **options), wanted)


KIND_OF = {name: kind for name, _, kind, _ in table.functions()}
CALLED = {
    "sum prod max min mean std var all any count_nonzero": [
        {"axis": axis, "keepdims": keepdims} for axis in (None, 0, -1, (0, 1), (-1, 0)) for keepdims in (False, True)
    ],
    "argmax argmin": [{"axis": axis} for axis in (None, 0, -1)],
    "cumulative_sum cumulative_prod": [
        {"axis": axis, "include_initial": initial} for axis in (0, -1) for initial in (False, True)
    ],
    "sort argsort": [{"axis": axis, "stable": True} for axis in (0, -1)],
    "diff": [{"axis": axis, "n": n} for axis in (0, -1) for n in (0, 1, 2)],
    "tril triu": [{"k": k} for k in (-1, 0, 2)],
    "flip unique_all unique_counts unique_inverse nonzero matrix_transpose": [{}],
    "linalg.diagonal linalg.trace fft.fftshift fft.ifftshift": [{}],
    "linalg.vector_norm": [{"axis": axis, "ord": ord} for axis in (None, 0) for ord in (0, 1, 2, 3.0, np.inf)],
    "fft.fft fft.ifft fft.hfft fft.rfft fft.ihfft": [
        {"n": n, "axis": axis, "norm": norm} for n in (None, 4) for axis in (0, -1) for norm in ("backward", "ortho")
    ],
    "fft.fftn fft.ifftn fft.rfftn fft.irfftn": [
        {},
        {"axes": (0,)},
        {"s": (4, 2), "axes": (0, 1)},
        {"axes": (1, 0), "norm": "forward"},
    ],
}
OPTIONS = {name: options for names, options in CALLED.items() for name in names.split()}
OPERANDS = {
    "take": [(np.array([0, 1], dtype),) for dtype in ("uint8", "int32", "int64")],
    "repeat": [(2,), (0,), (np.array([2], np.uint8),)],
    "roll": [(1,), (-2,)],
    "tile": [((2,),), ((2, 1, 2),), ((0, 1),)],
    "broadcast_to": [((2, 3, 3),)],
    "permute_dims": [((1, 0),)],
    "moveaxis": [(0, 1), ((0, 1), (1, 0))],
    "squeeze": [((),)],
    "expand_dims": [(0,), (-1,), (1,)],
    "reshape": [((9,),), ((-1, 1),)],
}


def random_array(dtype, seed=0):
    numbers = np.random.default_rng(seed).integers(0 if dtype[0] in "ub" else -4, 2 if dtype == "bool" else 5, (3, 3))
    return (numbers + 1j * numbers.T if dtype.startswith("complex") else numbers).astype(dtype)


def outcome(function, *operands, **options):
    with np.errstate(all="ignore"):
        return function(*operands, **options)


@pytest.mark.parametrize("name", [*OPTIONS, *OPERANDS])
def test_all_dtypes_give_what_numpy_gives(name):
    function, reference = operator.attrgetter(name)(xp), operator.attrgetter(name)(np)
    for dtype in table.KINDS[KIND_OF[name]]:
        x = random_array(dtype)
        for operands in OPERANDS.get(name, [()]):
            for options in OPTIONS.get(name, [{"axis": 1} if name in ("take", "repeat") else {}]):
                wanted = outcome(reference, x, *operands, **options)
                compare(function(tensors(x), *map(tensors, operands), **options), wanted, rtol=1e-5, atol=1e-5)


PRODUCTS = [
    *((name, (3, 3), (3, 3), {}) for name in ("matmul", "tensordot", "vecdot", "linalg.cross")),
    *(("matmul", *shapes, {}) for shapes in (((3,), (3,)), ((3,), (3, 2)), ((2, 1, 2, 3), (4, 3, 2)))),
    ("linalg.outer", (3,), (2,), {}),
    *(("tensordot", (2, 3), (3, 2), {"axes": axes}) for axes in (1, 0, ((1,), (0,)), ((0, -1), (1, 0)))),
    *(("vecdot", (2, 1, 3), (4, 3), {"axis": axis}) for axis in (-1,)),
    *(("linalg.cross", *shapes, {}) for shapes in (((2, 3), (3,)), ((4, 1, 3), (2, 3)))),
    ("searchsorted", (4,), (2, 3), {"side": "right"}),
]


@pytest.mark.parametrize("name, first, second, options", PRODUCTS)
def test_products_of_all_dtypes_give_what_numpy_gives(name, first, second, options):
    function, reference = operator.attrgetter(name)(xp), operator.attrgetter(name)(np)
    for (one, other), dtype in table.promotions().items():
        if dtype and {one, other} <= set(table.KINDS[KIND_OF[name]]):
            operands = np.resize(random_array(one), first), np.resize(random_array(other, 1), second)
            if name == "searchsorted":
                operands[0].sort()
            compare(function(*map(tensors, operands), **options), reference(*operands, **options), rtol=1e-5)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "add",
            "subtract",
            "multiply",
            "floor_divide",
            "remainder",
            "pow",
            "bitwise_and",
            "bitwise_or",
            "bitwise_xor",
        ),
        *("bitwise_left_shift", "bitwise_right_shift", "equal", "not_equal", "less", "less_equal", "greater"),
        *("greater_equal", "maximum", "minimum"),
    ],
)
def test_integers_of_all_dtypes_give_what_numpy_gives(name):
    for (one, other), dtype in table.promotions().items():
        if dtype and {one, other} <= set(table.KINDS["integer"]):
            x, limits = random_array(one), np.iinfo(one)
            if name not in ("pow", "bitwise_left_shift"):
                x[0, 0], x[1, 1] = limits.max, limits.min
            y = np.abs(random_array(other, 1)) + np.ones((), other)
            compare(getattr(xp, name)(tensors(x), tensors(y)), outcome(getattr(np, name), x, y))


@pytest.mark.parametrize(
    "name",
    [
        *("abs", "bitwise_invert", "ceil", "floor", "negative", "positive", "round", "sign", "square", "trunc"),
        *("isfinite", "isinf", "isnan", "conj", "real"),
    ],
)
def test_functions_of_one_integer_give_what_numpy_gives(name):
    for dtype in table.KINDS["integer"]:
        x = np.append(random_array(dtype), np.iinfo(dtype).max).astype(dtype)
        compare(getattr(xp, name)(tensors(x)), getattr(np, name)(x))


@pytest.mark.parametrize("bounds", [(1, 3), (1, None), (None, 3), (2, 2)])
@pytest.mark.parametrize("dtype", table.KINDS["real"])
def test_clip_gives_what_numpy_gives(dtype, bounds):
    x = random_array(dtype)
    wanted = np.clip(x, *bounds)
    arrays = [bound if bound is None else xp.full((3, 1), bound, dtype=getattr(xp, dtype)) for bound in bounds]
    compare(xp.clip(tensors(x), *bounds), wanted)
    compare(xp.clip(tensors(x), *arrays), wanted)
    compare(xp.clip(tensors(x), min=bounds[0], max=bounds[1]), wanted)


@pytest.mark.parametrize(
    "bounds",
    [
        *((5,), (2, 5), (5, 2), (0,), (-3,), (5, 2, -1), (0, 5, -1), (10, 0, 3), (2, 2), (0.0,), (3.5,), (0, 1, 0.25)),
        *((1, 0, -0.25), (0, 5, 2.0)),
    ],
)
@pytest.mark.parametrize("dtype", [None, "int8", "uint16", "uint64", "float32", "float64"])
def test_ranges(bounds, dtype):
    if dtype and "int" in dtype and any(isinstance(bound, float) for bound in bounds):
        return
    integers = all(isinstance(bound, int) for bound in bounds)
    wanted = np.arange(*bounds, dtype=dtype or ("int64" if integers else "float32"))
    compare(xp.arange(*bounds, dtype=dtype and getattr(xp, dtype)), wanted)


@pytest.mark.parametrize("shape", [(3,), (3, 2), (2, 3, 2), (3, 3), (2, 3, 3), (2, 1, 3, 1)])
@pytest.mark.parametrize("stacked", [(), (2,)])
def test_solve_takes_vectors_of_one_dimension_only(shape, stacked):
    a = np.broadcast_to(np.eye(3) * 2 + 1, (*stacked, 3, 3)).copy()
    b = np.arange(1.0, 1 + np.prod(shape)).reshape(shape)
    compare(xp.linalg.solve(tensors(a), tensors(b)), np.linalg.solve(a, b))
    compare(xp.linalg.solve(tensors(a.astype("float32")), tensors(b)), np.linalg.solve(a, b), rtol=1e-5)


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
    assert list(info.dtypes(kind=("real floating", "bool"))) == ["float32", "float64", "bool"]
    assert list(info.dtypes(device="cpu")) == ["bool", *table.KINDS["numeric"]] and info.dtypes(kind=()) == {}
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


def test_arrays_of_numpy_with_negative_strides_are_copied():
    reverse = np.arange(3)[::-1]
    assert xp.asarray(reverse).tolist() == xp.asarray(reverse, copy=True).tolist() == [2, 1, 0]
    with pytest.raises(ValueError, match="stride"):
        xp.asarray(reverse, copy=False)
    with pytest.raises(ValueError, match="step must be greater than zero"):
        xp.ones(3)[::-1]


def test_conjugates_are_arrays_of_their_own():
    z = wg.tensor([1j, 2.0], requires_grad=True)
    assert not xp.conj(z).is_conj() and xp.conj(z).requires_grad
    np.testing.assert_array_equal(np.from_dlpack(xp.conj(z.detach())), [-1j, 2])
    assert xp.imag(wg.ones(2)).tolist() == [0, 0] and xp.round(wg.tensor([1.5 - 2.5j])).item() == 2 - 2j


def test_different_values_come_of_all_dtypes():
    for dtype in table.KINDS["any"]:
        x = random_array(dtype)
        compare(xp.unique_values(tensors(x)), np.sort(np.unique_values(x)))
    z = xp.unique_counts(wg.tensor([xp.nan, xp.nan, 1.0, 1.0])).counts
    assert sorted(z.tolist()) == [1, 1, 2]


def test_one_shift_serves_all_axes():
    compare(xp.roll(wg.tensor(A), 1, axis=(0, 1)), np.roll(A, 1, axis=(0, 1)))


def test_a_norm_over_no_axis_is_that_of_each_element():
    compare(xp.linalg.vector_norm(wg.tensor(A), axis=()), np.abs(A))


def test_tensors_go_to_devices():
    x = wg.ones(2)
    assert x.to_device("cpu") is x and x.to_device(x.device, stream=None) is x
    assert x.to_device("meta").device.type == "meta"
    with pytest.raises(ValueError, match="to_device: stream is None"):
        x.to_device("cpu", stream=1)


REFUSED = {
    "add: no integer dtype holds both": lambda: xp.add(xp.ones(2, dtype=xp.int8), xp.ones(2, dtype=xp.uint64)),
    "concat: an array is expected": lambda: xp.concat([]),
    "astype: torch.complex64 cannot become": lambda: xp.astype(xp.ones(1, dtype=xp.complex64), xp.float32),
    "no kind 'float'": lambda: xp.isdtype(xp.int8, "float"),
    "dtypes: no kind 'float'": lambda: xp.__array_namespace_info__().dtypes(kind="float"),
    "a tuple of dtypes and names is expected": lambda: xp.isdtype(xp.int8, ("bool", ("integral",))),
    "a dtype, a name or a tuple": lambda: xp.isdtype(xp.int8, int),
    "at least one array or dtype": lambda: xp.result_type(1, 2.0),
    "axis 2 is out of range for 2 dimensions": lambda: xp.sum(xp.ones((2, 2)), axis=2),
    "names a dimension twice": lambda: xp.prod(xp.ones((2, 2)), axis=(1, -1)),
    "squeeze: axis 5 is out of range": lambda: xp.squeeze(xp.ones((1, 2)), 5),
    "take: axis 5 is out of range": lambda: xp.take(xp.ones((2, 2)), xp.asarray([0]), axis=5),
    "take: axis is needed for 2 dimensions": lambda: xp.take(xp.ones((2, 2)), xp.asarray([0])),
    "take_along_axis: axis 2": lambda: xp.take_along_axis(xp.ones((2, 2)), xp.asarray([[0]]), axis=2),
    "0-dim array has no indices": lambda: xp.nonzero(xp.ones(())),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_is_refused_is_named(message):
    with pytest.raises((TypeError, ValueError, IndexError), match=message):
        REFUSED[message]()
