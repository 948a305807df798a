"""Operators on a tensor and a value of another library."""

from __future__ import annotations

import operator
from typing import Any

import pytest

import wengert as wg

OPERATORS = (operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.eq, operator.lt)


class Series:
    """A column of pandas, as far as an operator looks at it."""

    __module__ = "pandas"

    def __radd__(self, other: Any) -> Any:
        raise AssertionError("not asked")

    __rsub__ = __rmul__ = __rtruediv__ = __rpow__ = __eq__ = __gt__ = __radd__  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize("sign", OPERATORS)
def test_a_column_of_pandas_is_refused_with_what_to_do(sign: Any) -> None:
    message = r"\(\): a tensor and a pandas Series have no common result; convert the Series by torch.tensor\(value"
    for tensor in (wg.ones(2), wg.ones(2, requires_grad=True)):
        with pytest.raises(TypeError, match=message):
            sign(tensor, Series())


def test_operators_of_pandas_ask_those_of_tensors() -> None:
    assert wg.Tensor.__pandas_priority__ > 4000, "that of a DataFrame, the largest of pandas"


def test_the_columns_of_pandas_itself_are_refused() -> None:
    pandas = pytest.importorskip("pandas")
    for value in (pandas.Series([1.0, 2.0]), pandas.DataFrame({"a": [1.0, 2.0]})):
        for sign in OPERATORS:
            with pytest.raises(TypeError, match=f"a tensor and a pandas {type(value).__name__} have no common result"):
                sign(wg.ones(2), value)
            with pytest.raises(TypeError, match=f"a tensor and a pandas {type(value).__name__} have no common result"):
                sign(value, wg.ones(2))
    assert wg.tensor(pandas.Series([1.0, 2.0])).tolist() == [1, 2]
    assert wg.ones(2) @ pandas.Series([1.0, 2.0]) == 3


def test_other_strangers_are_asked() -> None:
    class Answering:
        def __radd__(self, other: Any) -> str:
            return "answer"

    assert wg.ones(2) + Answering() == "answer"
    with pytest.raises(TypeError, match="unsupported operand type"):
        wg.ones(2) + object()
