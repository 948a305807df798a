"""The public test kit: `assert_close` with torch's tolerances and words, `make_tensor`, checks of derivatives."""

from __future__ import annotations

import numpy as np
import pytest

import wengert as wg
from wengert.testing import Call, Wrong, assert_close, check_first_order, check_second_order, make_tensor

NAN = float("nan")
T = wg.tensor

EQUAL = [
    (T([1.0, 2.0]), T([1.0, 2.0 + 1e-6]), {}),
    (T([1.0], dtype=wg.float64), T([1.0 + 1e-8], dtype=wg.float64), {}),
    (T([1, 2]), T([1, 2]), {}),
    (T([True]), T([True]), {}),
    (T([]), T([]), {}),
    (T([float("inf"), -float("inf")]), T([float("inf"), -float("inf")]), {}),
    (T([NAN]), T([NAN]), {"equal_nan": True}),
    (T([1.0]), T([1.0], dtype=wg.float64), {"check_dtype": False}),
    (T([1.0, 5.0]), T([1.5, 5.0]), {"rtol": 0.0, "atol": 0.5}),
    ([T([1.0]), 2.0, None], [T([1.0]), 2.0, None], {}),
    ((T(1.0),), [T(1.0)], {}),
    ({"a": [1.0]}, {"a": [1.0]}, {}),
    (1.0, 1.0 + 1e-9, {}),
    (True, True, {}),
    (np.ones(2), np.ones(2), {}),
    (None, None, {}),
]


@pytest.mark.parametrize(("actual", "expected", "options"), EQUAL, ids=range(len(EQUAL)))
def test_what_is_close_passes(actual, expected, options):
    assert_close(actual, expected, **options)


# The texts are torch 2.13's.
DIFFERENT = [
    (
        T([1.0, 2, 3]),
        T([1.0, 2, 4]),
        {},
        "Tensor-likes are not close!\n\n"
        "Mismatched elements: 1 / 3 (33.3%)\nGreatest absolute difference: 1.0 at index (2,) "
        "(up to 1e-05 allowed)\nGreatest relative difference: 0.25 at index (2,) (up to 1.3e-06 allowed)",
    ),
    (
        T([1.0, 2, 3]),
        T([1.0, 2, 4]),
        {"rtol": 0, "atol": 0},
        "Tensor-likes are not equal!\n\n"
        "Mismatched elements: 1 / 3 (33.3%)\nGreatest absolute difference: 1.0 at index (2,)\n"
        "Greatest relative difference: 0.25 at index (2,)",
    ),
    (
        T([[1, 2], [3, 5]]),
        T([[1, 2], [3, 4]]),
        {"rtol": 0, "atol": 0.5},
        "Tensor-likes are not close!\n\n"
        "Mismatched elements: 1 / 4 (25.0%)\nGreatest absolute difference: 1 at index (1, 1) "
        "(up to 0.5 allowed)\nGreatest relative difference: 0.25 at index (1, 1) (up to 0 allowed)",
    ),
    (
        T([True, False]),
        T([True, True]),
        {},
        "Tensor-likes are not equal!\n\n"
        "Mismatched elements: 1 / 2 (50.0%)\nGreatest absolute difference: 1 at index (1,)\n"
        "Greatest relative difference: 1.0 at index (1,)",
    ),
    (
        T([NAN]),
        T([NAN]),
        {},
        "Tensor-likes are not close!\n\n"
        "Mismatched elements: 1 / 1 (100.0%)\nGreatest absolute difference: nan at index (0,) "
        "(up to 1e-05 allowed)\nGreatest relative difference: nan at index (0,) (up to 1.3e-06 allowed)",
    ),
    (
        T(1.0),
        T(2.0),
        {},
        "Scalars are not close!\n\nExpected 2.0 but got 1.0.\nAbsolute difference: 1.0 (up to 1e-05 allowed)\n"
        "Relative difference: 0.5 (up to 1.3e-06 allowed)",
    ),
    (1, 2, {}, "Scalars are not equal!\n\nExpected 2 but got 1.\nAbsolute difference: 1\nRelative difference: 0.5"),
    (1, 2.0, {}, "The (d)types do not match: <class 'int'> != <class 'float'>."),
    (True, False, {}, "Booleans mismatch: True is not False"),
    (T([1.0]), T([1.0, 2]), {}, "The values for attribute 'shape' do not match: torch.Size([1]) != torch.Size([2])."),
    (T([1.0]), T([1]), {}, "The values for attribute 'dtype' do not match: torch.float32 != torch.int64."),
    (
        wg.ones(2, 3),
        wg.ones(3, 2).t(),
        {"check_stride": True},
        "The values for attribute 'stride()' do not match: (3, 1) != (1, 2).",
    ),
    (
        [T([1.0]), T(2.0)],
        [T([1.0]), T(3.0)],
        {},
        "Scalars are not close!\n\nExpected 3.0 but got 2.0.\nAbsolute difference: 1.0 (up to 1e-05 allowed)\n"
        "Relative difference: 0.3333333333333333 (up to 1.3e-06 allowed)\n\nThe failure occurred for item [1]",
    ),
    (
        {"a": [1.0]},
        {"a": [2.0]},
        {},
        "Scalars are not close!\n\nExpected 2.0 but got 1.0.\nAbsolute difference: 1.0 (up to 1e-07 allowed)\n"
        "Relative difference: 0.5 (up to 1e-07 allowed)\n\nThe failure occurred for item ['a'][0]",
    ),
    ([1.0], [1.0, 2.0], {}, "The length of the sequences mismatch: 1 != 2"),
    (
        {"a": 1.0},
        {"b": 1.0},
        {},
        "The keys of the mappings do not match:\nMissing keys in the actual mapping: ['b']\n"
        "Additional keys in the actual mapping: ['a']",
    ),
    (None, 1.0, {}, "None mismatch: None is not 1.0"),
    (T(1.0), T(2.0), {"msg": "hello"}, "hello"),
]


@pytest.mark.parametrize(("actual", "expected", "options", "text"), DIFFERENT, ids=range(len(DIFFERENT)))
def test_what_differs_is_reported_in_torchs_words(actual, expected, options, text):
    with pytest.raises(AssertionError) as caught:
        assert_close(actual, expected, **options)
    assert str(caught.value) == text


def test_a_message_may_be_made_from_the_usual_one():
    with pytest.raises(AssertionError) as caught:
        assert_close(1, 2, msg=lambda text: "first\n" + text)
    assert str(caught.value).startswith("first\nScalars are not equal!")


def test_one_tolerance_alone_is_refused():
    with pytest.raises(ValueError, match="Both 'rtol' and 'atol' must be either specified or omitted, but got no atol"):
        assert_close(1.0, 1.0, rtol=1e-3)


@pytest.mark.parametrize(("actual", "expected"), [("a", "a"), (1.0, T(1.0)), (np.ones(1), T([1.0]))])
def test_what_cannot_be_compared_is_refused(actual, expected):
    with pytest.raises(TypeError, match="No comparison pair was able to handle inputs of type"):
        assert_close(actual, expected)


REAL_DTYPES = [wg.float16, wg.bfloat16, wg.float32, wg.float64]
DTYPES = [wg.bool, wg.uint8, wg.int8, wg.int16, wg.uint16, wg.int32, wg.uint32, wg.int64, wg.uint64, *REAL_DTYPES]
DTYPES += [wg.complex64, wg.complex128]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_random_tensors_lie_in_their_range(dtype):
    made = make_tensor(2000, dtype=dtype, device="cpu")
    values = wg.view_as_real(made) if dtype.is_complex else made
    values = values.double()
    low, high = (0, 1) if dtype is wg.bool else (0, 9) if dtype.name.startswith("torch.uint") else (-9, 9)
    assert low <= values.min() < values.max() <= high and made.dtype is dtype
    assert make_tensor(2, 3, dtype=dtype, device="cpu", noncontiguous=True).stride() == (6, 2)
    assert make_tensor((), dtype=dtype, device="cpu").shape == ()
    assert make_tensor(0, 3, dtype=dtype, device="cpu").shape == (0, 3)
    assert (make_tensor(500, dtype=dtype, device="cpu", low=0, high=2, exclude_zero=True) != 0).all()


@pytest.mark.parametrize("dtype", [*REAL_DTYPES, wg.complex64], ids=str)
def test_the_end_of_a_range_is_not_reached_by_rounding(dtype):
    for low, high in ((0, 1), (-1.0, 1.0), (0.5, 0.51), (-1e30, 1e30)):
        made = make_tensor(20_000, dtype=dtype, device="cpu", low=low, high=high)
        values = (wg.view_as_real(made) if dtype.is_complex else made).double()
        limit = min(high, wg.finfo(dtype).max)
        assert values.max() < limit and values.min() >= float(wg.tensor(max(low, -limit), dtype=dtype).real)
    assert (make_tensor(5, dtype=dtype, device="cpu", low=3, high=3).real == 3).all()


def test_options_of_random_tensors():
    assert make_tensor(2, 3, dtype=wg.float32, noncontiguous=True).stride() == (6, 2)
    assert make_tensor(3, dtype=wg.float32, requires_grad=True).requires_grad
    assert bool((make_tensor(500, dtype=wg.int64, low=0, high=2, exclude_zero=True) != 0).all())


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"low": 3, "high": 1}, "`low` must be less than `high`, but got 3 >= 1"),
        ({"low": NAN}, "`low` and `high` cannot be NaN"),
        (
            {"dtype": wg.int64, "requires_grad": True},
            "`requires_grad=True` is not supported for boolean and integral dtypes",
        ),
        ({"dtype": wg.bool, "low": 3, "high": 7}, "The value interval specified by `low` and `high` is \\[3, 7\\)"),
    ],
)
def test_random_tensors_refuse_what_they_cannot_make(options, says):
    with pytest.raises(ValueError, match=says):
        make_tensor(3, **{"dtype": wg.float32, "device": "cpu", **options})


def test_derivatives_of_any_function_can_be_checked():
    x = make_tensor(3, dtype=wg.float64, low=0.5, high=2, requires_grad=True)
    assert check_first_order(Call(lambda x: x.exp() * x, [x]))
    assert check_second_order(Call(lambda x: x.exp() * x, [x]))
    with pytest.raises(Wrong):
        check_first_order(Call(lambda x: x.detach() * x, [x]))
