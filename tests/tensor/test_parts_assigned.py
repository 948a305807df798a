"""`tensor.real = value` and `tensor.imag = value`."""

from __future__ import annotations

import pytest

import wengert as wg


@pytest.mark.parametrize("value", [3, 3.0, True, wg.tensor(3.0), wg.tensor([3.0, 4.0])])
@pytest.mark.parametrize("part", ["real", "imag"])
def test_a_number_or_a_tensor_is_written_in_place(part, value):
    given = wg.tensor([1 + 2j, 5 + 6j])
    setattr(given, part, value)
    expected = value if isinstance(value, wg.Tensor) else wg.tensor(float(value))
    assert getattr(given, part).tolist() == expected.expand(2).tolist()
    other = "imag" if part == "real" else "real"
    assert getattr(given, other).tolist() == ([2, 6] if other == "imag" else [1, 5])
    assert given._version == 1


@pytest.mark.parametrize("value", ["a", None, [1.0, 2.0]])
def test_anything_else_is_refused_and_nothing_written(value):
    given = wg.tensor([1 + 2j])
    with pytest.raises(TypeError, match=f"can't assign a {type(value).__name__} to a torch.FloatTensor"):
        given.imag = value
    with pytest.raises(RuntimeError, match="value cannot be converted to type float without overflow"):
        given.real = 2j
    assert given.tolist() == [1 + 2j] and given._version == 0
