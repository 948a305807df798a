"""The text of tensors, letter for letter, and its options; the expected strings are what torch 2.13 prints."""

import re
import threading
import tracemalloc
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

import wengert as wg
from wengert._tensor.text import PrintOptions, format_tensor, get_printoptions, printoptions, set_printoptions
from wengert.func import grad, hessian, jacfwd, jacrev, jvp, vmap

CASES = [
    pytest.param(np.array(3), "int64", "tensor(3)", id="a 0-dim integer"),
    pytest.param(np.array(2.5, np.float32), "float32", "tensor(2.5000)", id="a 0-dim float"),
    pytest.param(np.array([1, 2], np.float32), "float32", "tensor([1., 2.])", id="whole floats keep a point"),
    pytest.param(
        np.array([1, 2.5, -100], np.float32),
        "float32",
        "tensor([   1.0000,    2.5000, -100.0000])",
        id="a fraction gives all four decimals",
    ),
    pytest.param(
        np.array([0.12345, 0.99999], np.float32), "float32", "tensor([0.1235, 1.0000])", id="decimals are rounded"
    ),
    pytest.param(np.array([1.0, 2.0]), "float64", "tensor([1., 2.], dtype=torch.float64)", id="float64 is named"),
    pytest.param(
        np.array([0.1, 65504], np.float16),
        "float16",
        "tensor([9.9976e-02, 6.5504e+04], dtype=torch.float16)",
        id="float16 is named",
    ),
    pytest.param(
        np.array([0.5, 3.0], np.float32),
        "bfloat16",
        "tensor([0.5000, 3.0000], dtype=torch.bfloat16)",
        id="bfloat16 is named",
    ),
    pytest.param(
        np.array([[1, -20], [300, 4]], np.int32),
        "int32",
        ("tensor([[  1, -20],\n        [300,   4]], dtype=torch.int32)"),
        id="int32 is named",
    ),
    pytest.param(np.array([0, 255], np.uint8), "uint8", "tensor([  0, 255], dtype=torch.uint8)", id="uint8 is named"),
    pytest.param(
        np.array([[True, False], [False, False]]),
        "bool",
        ("tensor([[ True, False],\n        [False, False]])"),
        id="booleans line up",
    ),
    pytest.param(np.zeros(0, np.float32), "float32", "tensor([])", id="an empty vector"),
    pytest.param(
        np.zeros((0, 3), np.float32), "float32", "tensor([], size=(0, 3))", id="an empty matrix shows its size"
    ),
    pytest.param(
        np.zeros((2, 0), np.int64),
        "int64",
        "tensor([], size=(2, 0), dtype=torch.int64)",
        id="an empty integer tensor names its dtype",
    ),
    pytest.param(np.zeros((2, 2), np.float32), "float32", ("tensor([[0., 0.],\n        [0., 0.]])"), id="zeros alone"),
    pytest.param(np.array([-0.0, 1.0], np.float32), "float32", "tensor([-0., 1.])", id="a negative zero"),
    pytest.param(
        np.array([np.nan, np.inf, -np.inf, 1.0], np.float32),
        "float32",
        "tensor([nan, inf, -inf, 1.])",
        id="nan and infinity beside whole numbers",
    ),
    pytest.param(
        np.array([np.nan, -np.inf, 1.5], np.float32),
        "float32",
        "tensor([   nan,   -inf, 1.5000])",
        id="nan and infinity beside fractions",
    ),
    pytest.param(np.array([np.nan, 0.0], np.float32), "float32", "tensor([nan, 0.])", id="only nan"),
    pytest.param(
        np.array([1.5, 2000.0], np.float32),
        "float32",
        "tensor([1.5000e+00, 2.0000e+03])",
        id="a wide range is scientific",
    ),
    pytest.param(
        np.array([1.5, 1500.0], np.float32),
        "float32",
        "tensor([   1.5000, 1500.0000])",
        id="a range of exactly 1000 is not",
    ),
    pytest.param(
        np.array([9e-5, 1e-4, 0.0], np.float64),
        "float64",
        "tensor([9.0000e-05, 1.0000e-04, 0.0000e+00], dtype=torch.float64)",
        id="tiny fractions are scientific",
    ),
    pytest.param(
        np.array([1e8, 2e8], np.float64),
        "float64",
        "tensor([1.0000e+08, 2.0000e+08], dtype=torch.float64)",
        id="large whole numbers are scientific",
    ),
    pytest.param(
        np.array([1e8], np.float64),
        "float64",
        "tensor([100000000.], dtype=torch.float64)",
        id="a whole number of 1e8 is not",
    ),
    pytest.param(
        np.array([1e-4], np.float32), "float32", "tensor([1.0000e-04])", id="float32 rounds 1e-4 below the bound"
    ),
    pytest.param(
        np.array([1 + 2j, -1 - 2j], np.complex64), "complex64", "tensor([ 1.+2.j, -1.-2.j])", id="whole complex numbers"
    ),
    pytest.param(
        np.array([1.5 + 1e9j, -200 - 1j], np.complex128),
        "complex128",
        "tensor([   1.5000+1.0000e+09j, -200.0000-1.0000e+00j], dtype=torch.complex128)",
        id="complex parts have their own styles",
    ),
    pytest.param(
        np.array([complex(np.nan, np.inf), 1j], np.complex64),
        "complex64",
        "tensor([nan+infj, 0.+1.j])",
        id="complex nan and infinity",
    ),
    pytest.param(
        np.array(0.5 - 0.25j, np.complex64), "complex64", "tensor(0.5000-0.2500j)", id="a 0-dim complex number"
    ),
    pytest.param(
        np.arange(12, dtype=np.float32).reshape(2, 3, 2),
        "float32",
        (
            "tensor([[[ 0.,  1.],\n"
            "         [ 2.,  3.],\n"
            "         [ 4.,  5.]],\n"
            "\n"
            "        [[ 6.,  7.],\n"
            "         [ 8.,  9.],\n"
            "         [10., 11.]]])"
        ),
        id="nested brackets",
    ),
    pytest.param(
        np.arange(8).reshape(2, 2, 1, 2),
        "int64",
        ("tensor([[[[0, 1]],\n\n         [[2, 3]]],\n\n\n        [[[4, 5]],\n\n         [[6, 7]]]])"),
        id="four dimensions are set apart by empty lines",
    ),
    pytest.param(
        np.arange(30) * 1000,
        "int64",
        (
            "tensor([    0,  1000,  2000,  3000,  4000,  5000,  6000,  7000,  8000,  9000,\n"
            "        10000, 11000, 12000, 13000, 14000, 15000, 16000, 17000, 18000, 19000,\n"
            "        20000, 21000, 22000, 23000, 24000, 25000, 26000, 27000, 28000, 29000])"
        ),
        id="long rows wrap at 80 columns",
    ),
    pytest.param(
        np.arange(1001),
        "int64",
        "tensor([   0,    1,    2,  ...,  998,  999, 1000])",
        id="1001 elements are abbreviated",
    ),
    pytest.param(
        np.arange(10000, dtype=np.float32).reshape(100, 100),
        "float32",
        (
            "tensor([[0.0000e+00, 1.0000e+00, 2.0000e+00,  ..., 9.7000e+01, 9.8000e+01,\n"
            "         9.9000e+01],\n"
            "        [1.0000e+02, 1.0100e+02, 1.0200e+02,  ..., 1.9700e+02, 1.9800e+02,\n"
            "         1.9900e+02],\n"
            "        [2.0000e+02, 2.0100e+02, 2.0200e+02,  ..., 2.9700e+02, 2.9800e+02,\n"
            "         2.9900e+02],\n"
            "        ...,\n"
            "        [9.7000e+03, 9.7010e+03, 9.7020e+03,  ..., 9.7970e+03, 9.7980e+03,\n"
            "         9.7990e+03],\n"
            "        [9.8000e+03, 9.8010e+03, 9.8020e+03,  ..., 9.8970e+03, 9.8980e+03,\n"
            "         9.8990e+03],\n"
            "        [9.9000e+03, 9.9010e+03, 9.9020e+03,  ..., 9.9970e+03, 9.9980e+03,\n"
            "         9.9990e+03]])"
        ),
        id="large matrices are abbreviated at both ends of each axis",
    ),
    pytest.param(
        np.arange(2400).reshape(2, 400, 3),
        "int64",
        (
            "tensor([[[   0,    1,    2],\n"
            "         [   3,    4,    5],\n"
            "         [   6,    7,    8],\n"
            "         ...,\n"
            "         [1191, 1192, 1193],\n"
            "         [1194, 1195, 1196],\n"
            "         [1197, 1198, 1199]],\n"
            "\n"
            "        [[1200, 1201, 1202],\n"
            "         [1203, 1204, 1205],\n"
            "         [1206, 1207, 1208],\n"
            "         ...,\n"
            "         [2391, 2392, 2393],\n"
            "         [2394, 2395, 2396],\n"
            "         [2397, 2398, 2399]]])"
        ),
        id="short axes of large tensors are whole",
    ),
    pytest.param(
        np.array([0.5] * 600 + [1e9] + [0.5] * 600, np.float32),
        "float32",
        "tensor([0.5000, 0.5000, 0.5000,  ..., 0.5000, 0.5000, 0.5000])",
        id="hidden numbers do not set the style",
    ),
]

QUARTERS = np.arange(4, dtype=np.float32) / 4
SEVENTHS = np.arange(6, dtype=np.float32).reshape(2, 3) / 7

OPTIONS = [
    ({"precision": 2}, "tensor([[0.00, 0.14, 0.29],\n        [0.43, 0.57, 0.71]])"),
    ({"precision": 0}, "tensor([[0, 0, 0],\n        [0, 1, 1]])"),
    (
        {"sci_mode": True},
        "tensor([[0.0000e+00, 1.4286e-01, 2.8571e-01],\n        [4.2857e-01, 5.7143e-01, 7.1429e-01]])",
    ),
    (
        {"linewidth": 20},
        "tensor([[0.0000,\n         0.1429,\n         0.2857],\n        [0.4286,\n         0.5714,\n         0.7143]])",
    ),
    ({"threshold": 3, "edgeitems": 1}, "tensor([[0.0000,  ..., 0.2857],\n        [0.4286,  ..., 0.7143]])"),
    ({"profile": "short", "threshold": 3}, "tensor([[0.00, 0.14, 0.29],\n        [0.43, 0.57, 0.71]])"),
    ({"edgeitems": 0, "threshold": 0}, "tensor([...], size=(2, 3))"),
    ({"edgeitems": 0}, "tensor([[0.0000, 0.1429, 0.2857],\n        [0.4286, 0.5714, 0.7143]], size=(2, 3))"),
]


@pytest.fixture(autouse=True)
def default_options() -> Iterator[None]:
    """Each test starts from, and leaves behind, the default options."""
    with printoptions(profile="default"):
        yield


@pytest.mark.parametrize(("array", "dtype_name", "expected"), CASES)
def test_a_tensor_is_written_as_torch_writes_it(array: np.ndarray, dtype_name: str, expected: str) -> None:
    assert format_tensor(array, dtype_name=dtype_name) == expected


@pytest.mark.parametrize(("options", "expected"), OPTIONS)
def test_options_shape_the_text_as_in_torch(options: dict, expected: str) -> None:
    set_printoptions(**options)
    assert format_tensor(SEVENTHS, dtype_name="float32") == expected


def test_sci_mode_false_writes_tiny_numbers_without_exponent() -> None:
    set_printoptions(sci_mode=False)
    text = format_tensor(np.array([1e-5, 1.5], np.float32), dtype_name="float32")
    assert text == "tensor([0.0000, 1.5000])"


def test_sci_mode_leaves_zeros_alone() -> None:
    set_printoptions(sci_mode=True)
    assert format_tensor(np.zeros(2, np.float32), dtype_name="float32") == "tensor([0., 0.])"


def test_1000_elements_are_shown_whole_and_1001_are_not() -> None:
    assert "..." not in format_tensor(np.arange(1000), dtype_name="int64")
    assert "..." in format_tensor(np.arange(1001), dtype_name="int64")


def test_strides_do_not_change_the_text() -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    turned = format_tensor(array.T, dtype_name="float32")
    assert turned == "tensor([[0., 3.],\n        [1., 4.],\n        [2., 5.]])"
    assert turned == format_tensor(array.T.copy(), dtype_name="float32")


@pytest.mark.parametrize(
    ("dtype", "default", "expected"),
    [
        (np.float64, "float64", "tensor([0., 1.])"),
        (np.float32, "float64", "tensor([0., 1.], dtype=torch.float32)"),
        (np.complex128, "float64", "tensor([0.+0.j, 1.+0.j])"),
        (np.complex64, "float64", "tensor([0.+0.j, 1.+0.j], dtype=torch.complex64)"),
        (np.complex64, "float16", "tensor([0.+0.j, 1.+0.j])"),
    ],
)
def test_only_dtypes_that_are_not_the_default_are_named(dtype: type, default: str, expected: str) -> None:
    array = np.arange(2).astype(dtype)
    assert format_tensor(array, dtype_name=np.dtype(dtype).name, default_float=default) == expected


def test_suffixes_follow_the_numbers() -> None:
    text = format_tensor(QUARTERS, dtype_name="float32", suffixes=["requires_grad=True"])
    assert text == "tensor([0.0000, 0.2500, 0.5000, 0.7500], requires_grad=True)"


def test_a_suffix_that_does_not_fit_goes_to_a_new_line() -> None:
    text = format_tensor(QUARTERS.astype(np.float64) * 2, dtype_name="float64", suffixes=["grad_fn=<MulBackward0>"])
    assert text == ("tensor([0.0000, 0.5000, 1.0000, 1.5000], dtype=torch.float64,\n       grad_fn=<MulBackward0>)")


@pytest.mark.parametrize(("linewidth", "breaks"), [(64, True), (65, False)])
def test_the_line_of_suffixes_breaks_at_the_same_width_as_in_torch(linewidth: int, breaks: bool) -> None:
    set_printoptions(linewidth=linewidth)
    text = format_tensor(QUARTERS * 2, dtype_name="float32", suffixes=["grad_fn=<MulBackward0>"])
    assert ("\n" in text) == breaks


@given(
    hnp.arrays(
        st.sampled_from([np.float64, np.float32, np.int64, np.bool_]),
        hnp.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=6),
    )
)
def test_every_element_is_shown_and_brackets_match(array: np.ndarray) -> None:
    with printoptions(profile="full", linewidth=10**6):
        text = format_tensor(array, dtype_name=array.dtype.name, default_float="float32")
    body = text[len("tensor(") :].split("], dtype=")[0]
    words = re.findall(r"[^\s,\[\]()]+", body)
    assert len(words) == array.size
    assert text.count("[") == text.count("]")
    assert text.startswith("tensor(" + "[" * array.ndim)


@given(hnp.arrays(np.float64, st.integers(1, 30), elements=st.floats(allow_nan=True, allow_infinity=True)))
def test_seventeen_digits_give_the_numbers_back(array: np.ndarray) -> None:
    with printoptions(precision=17, sci_mode=True):
        text = format_tensor(array, dtype_name="float64", default_float="float64")
    back = np.array([float(word) for word in text[len("tensor([") : -len("])")].split(",")])
    np.testing.assert_array_equal(back, array)


@given(hnp.arrays(np.float64, st.integers(1, 40), elements=st.floats(0.5, 1e6)))
def test_no_line_is_wider_than_the_line_width(array: np.ndarray) -> None:
    text = format_tensor(array, dtype_name="float64", suffixes=["requires_grad=True"])
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("dtype", [wg.float32, wg.bfloat16, wg.int64, wg.bool, wg.complex64], ids=str)
@pytest.mark.parametrize(
    ("take", "shape"),
    [
        (lambda x: x.expand(2**33), (7,)),
        (lambda x: x.expand(2**20, 2**13), (7, 7)),
        (lambda x: x[:2, None].expand(2, 2**33), (2, 7)),
        (lambda x: x.expand(2**16, 2, 2**14).transpose(0, 2), (7, 2, 7)),
    ],
)
def test_what_is_left_out_of_a_text_is_not_copied(dtype, take, shape):
    huge = take(wg.ones(2, dtype=dtype)[:1] if len(shape) != 2 or shape[0] == 7 else wg.ones(2, dtype=dtype))
    small = wg.ones(tuple(1001 if length == 7 else length for length in shape), dtype=dtype)
    tracemalloc.start()
    text = repr(huge)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert text == repr(small) and peak < 1_000_000


# ---- the options -----------------------------------------------------------------------------------------------------


def test_options_are_read_back() -> None:
    set_printoptions(precision=7, threshold=float("inf"), linewidth=100, sci_mode=False)
    assert get_printoptions() == {
        "precision": 7,
        "threshold": float("inf"),
        "edgeitems": 3,
        "linewidth": 100,
        "sci_mode": False,
    }


def test_a_call_that_does_not_name_sci_mode_resets_it() -> None:
    set_printoptions(sci_mode=True)
    set_printoptions(precision=5)
    assert get_printoptions()["sci_mode"] is None
    assert get_printoptions()["precision"] == 5


def test_options_beside_a_profile_win() -> None:
    set_printoptions(profile="short", precision=9)
    assert get_printoptions()["precision"] == 9
    assert get_printoptions()["edgeitems"] == 2


def test_the_context_manager_restores_the_options_after_an_error() -> None:
    before = get_printoptions()
    with pytest.raises(KeyError), printoptions(precision=1):
        assert get_printoptions()["precision"] == 1
        raise KeyError
    assert get_printoptions() == before


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"profile": "tiny"}, ValueError, "default, short, full"),
        ({"precision": -1}, ValueError, "precision must not be negative"),
        ({"threshold": float("nan")}, ValueError, "threshold"),
        ({"linewidth": "wide"}, TypeError, "linewidth must be a number"),
        ({"edgeitems": 2.5}, TypeError, "edgeitems must be a number"),
    ],
)
def test_bad_options_are_refused_and_change_nothing(options: dict, error: type[Exception], says: str) -> None:
    before = get_printoptions()
    with pytest.raises(error, match=says):
        set_printoptions(**{"precision": 9, **options})
    assert get_printoptions() == before


def test_options_may_change_while_other_threads_print() -> None:
    array = np.arange(2000, dtype=np.float32).reshape(20, 100) / 7
    profiles = ["default", "short", "full"]
    allowed = set()
    for profile in profiles:
        set_printoptions(profile=profile)
        allowed.add(format_tensor(array, dtype_name="float32"))
    seen: list[str] = []
    printer = threading.Thread(
        target=lambda: seen.extend(format_tensor(array, dtype_name="float32") for _ in range(20))
    )
    printer.start()
    turn = 0
    while printer.is_alive():
        set_printoptions(profile=profiles[turn % len(profiles)])
        turn += 1
    printer.join()
    assert len(seen) == 20
    assert set(seen) <= allowed


def test_options_cannot_be_changed_from_outside() -> None:
    get_printoptions()["precision"] = 1
    assert get_printoptions()["precision"] == 4
    with pytest.raises(AttributeError):
        PrintOptions().precision = 1  # type: ignore[misc]


# ---- functions that are transformed: torch's wrappers ----------------------------------------------------------------

X = wg.arange(3.0)
ROWS = wg.arange(4.0).reshape(2, 2)
TRACKED = "GradTrackingTensor(lvl={}, value=\n    tensor([0., 1., 2.])\n)"
BATCHED = "BatchedTensor(lvl={}, bdim=0, value=\n{}\n)"


def shown(transform, *args):
    """What is printed of the argument of the innermost function."""
    texts = []

    def function(x):
        texts.append(repr(x))
        return (x**2).sum()

    transform(function)(*args)
    return texts[-1]


@pytest.mark.parametrize(
    ("transform", "depth"), [(grad, 1), (jacrev, 1), (jacfwd, 2), (lambda f: lambda x: jvp(f, (x,), (x,)), 1)]
)
def test_a_variable_is_shown_within_the_wrapper_of_its_transform(transform, depth):
    assert shown(transform, X) == TRACKED.format(depth)


def test_transforms_that_nest_are_shown_from_the_innermost_outwards():
    rows = "    tensor([[0., 1.],\n            [2., 3.]])"
    assert shown(vmap, ROWS) == BATCHED.format(1, rows)
    inner = "\n".join(f"    {line}" for line in BATCHED.format(1, rows).splitlines())
    assert shown(lambda f: vmap(grad(f)), ROWS) == f"GradTrackingTensor(lvl=2, value=\n{inner}\n)"
    twice = shown(lambda f: grad(grad(f)), wg.tensor(2.0))
    assert twice.splitlines()[:3] == [
        "GradTrackingTensor(lvl=2, value=",
        "    GradTrackingTensor(lvl=1, value=",
        "        tensor(2.)",
    ]
    assert shown(hessian, X).count("GradTrackingTensor") == 2


def test_what_no_transform_follows_is_shown_as_it_is():
    texts = []

    def function(x):
        texts.append(repr(X * 2))
        return x.sum()

    grad(function)(X)
    assert texts == ["tensor([0., 2., 4.])"]


def test_numbers_of_one_derivative_in_many_directions_can_be_printed():
    assert shown(lambda f: jacfwd(lambda x: f(x.sum())), X) == "GradTrackingTensor(lvl=2, value=\n    tensor(3.)\n)"
