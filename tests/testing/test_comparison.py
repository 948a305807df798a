"""The parts of `assert_close` by torch's names, which libraries compare values of their own with."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import wengert as wg
from wengert.testing import _comparison as comparison

ONES = wg.ones(3)
KINDS = (comparison.NonePair, comparison.BooleanPair, comparison.NumberPair, comparison.TensorLikePair)
NAN = wg.tensor([float("nan")])
SAME = {
    "tensors": (ONES, ONES.clone()),
    "arrays": (np.ones(2), np.ones(2)),
    "lists": ([1, 2.0], [1, 2.0]),
    "None": (None, None),
    "bools": (True, np.True_),
    "numbers": (1.0, np.float64(1.0)),
    "mappings": ({"a": [1, ONES]}, {"a": [1, ONES + 1e-7]}),
    "sparse tensors": (ONES.to_sparse(), ONES.to_sparse()),
    "strides": (wg.ones(2, 3), wg.ones(3, 2).t()),
}
DIFFERENT = {
    "values": (ONES, ONES + 1),
    "shapes": (ONES, wg.ones(2)),
    "dtypes": (ONES, ONES.double()),
    "layouts": (ONES, ONES.to_sparse()),
    "arrays": (np.ones(2), np.zeros(2)),
    "None": (None, 1),
    "bools": (True, False),
    "numbers": (1.0, 1.5),
    "complex numbers": (1j, 2j),
    "NaN": (NAN, NAN),
    "sparse tensors": (ONES.to_sparse(), 2 * ONES.to_sparse()),
    "inner values": ({"a": [1, ONES]}, {"a": [1, ONES + 1]}),
}


def found(actual: Any, expected: Any, **options: Any) -> list[comparison.ErrorMeta]:
    return comparison.not_close_error_metas(actual, expected, pair_types=KINDS, **options)


@pytest.mark.parametrize(("actual", "expected"), SAME.values(), ids=SAME)
def test_nothing_is_found_between_close_values(actual, expected):
    assert found(actual, expected) == []
    wg.testing.assert_close(actual, expected)


@pytest.mark.parametrize(("actual", "expected"), DIFFERENT.values(), ids=DIFFERENT)
def test_each_difference_is_that_of_assert_close(actual, expected):
    (error,) = found(actual, expected, check_dtype=True)
    with pytest.raises(error.type) as noted:
        wg.testing.assert_close(actual, expected)
    assert str(error.to_error()) == str(noted.value)


def test_all_differences_are_found_with_their_places():
    errors = found({"a": [1, ONES], "b": 2}, {"a": [2, ONES + 1], "b": 2})
    assert [error.id for error in errors] == [("a", 0), ("a", 1)]
    assert str(errors[1].to_error()).endswith("The failure occurred for item ['a'][1]")
    assert str(errors[0].to_error("other")) == "other"
    assert str(errors[0].to_error(lambda text: text[:11] + "!")) == "Scalars are!"


def test_options_decide_what_is_found():
    assert found(NAN, NAN, equal_nan=True) == found(ONES, ONES + 1, rtol=0, atol=2) == []
    assert found(ONES, ONES.double(), check_dtype=False) == found(ONES, ONES.to_sparse(), check_layout=False) == []
    assert found(wg.ones(2, 3), wg.ones(3, 2).t(), check_stride=True)


@pytest.mark.parametrize(
    ("actual", "expected", "error"),
    [
        ([ONES], [ONES, ONES], AssertionError),
        ({"a": 1}, {"b": 1}, AssertionError),
        ("a", "b", TypeError),
        (ONES, 1.0, TypeError),
    ],
)
def test_values_of_different_form_are_not_compared(actual, expected, error):
    with pytest.raises(error):
        found(actual, expected)
    with pytest.raises(ValueError, match="must be either specified or omitted"):
        found(ONES, ONES, rtol=0.1)


def test_tolerances_go_by_dtype():
    assert comparison.default_tolerances(ONES) == (1.3e-6, 1e-5)
    assert comparison.default_tolerances(wg.float64, wg.bfloat16) == (1.6e-2, 1e-5)
    assert comparison.default_tolerances(wg.int64) == (0.0, 0.0)
    assert comparison.default_tolerances(ONES, dtype_precisions={wg.float32: (1, 2)}) == (1, 2)
    assert comparison.get_tolerances(ONES, rtol=1, atol=2) == (1, 2)
    with pytest.raises(TypeError, match=r"Expected a torch.Tensor or a torch.dtype"):
        comparison.default_tolerances(3)
    with pytest.raises(comparison.ErrorMeta):
        comparison.get_tolerances(ONES, rtol=1, atol=None)


class Texts(comparison.ObjectPair):
    """Texts, as a library may compare them."""

    def __init__(self, actual, expected, **options):
        self._check_inputs_isinstance(actual, expected, cls=str)
        super().__init__(actual, expected, **options)

    def compare(self):
        if self.actual.lower() != self.expected.lower():
            self._fail(AssertionError, f"{self.actual} is not {self.expected}")


def test_libraries_add_kinds_of_their_own():
    pairs = comparison.originate_pairs(["A", 1, ONES], ["a", 1, ONES], pair_types=(Texts, *KINDS))
    assert [type(pair) for pair in pairs] == [Texts, comparison.NumberPair, comparison.TensorLikePair]
    (error,) = comparison.not_close_error_metas({"x": "a"}, {"x": "b"}, pair_types=(Texts, *KINDS))
    assert str(error.to_error()) == "a is not b\n\nThe failure occurred for item ['x']"
    assert "actual=A," in repr(pairs[0]) and "rtol=1.3e-06" in repr(pairs[2])
