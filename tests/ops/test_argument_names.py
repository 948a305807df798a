"""Arguments by each of the names that torch's overloads give them."""

from __future__ import annotations

import pytest

import wengert as torch

X = torch.arange(24.0).reshape(4, 3, 2)
CALLS = [
    (torch.tensor_split, (X, 2), {"sections": 2}),
    (torch.tensor_split, (X, (1, 3)), {"indices": (1, 3)}),
    (torch.tensor_split, (X, torch.tensor([1, 2])), {"tensor_indices_or_sections": torch.tensor([1, 2])}),
    (torch.hsplit, (X, 3), {"sections": 3}),
    (torch.hsplit, (X, [1]), {"indices": [1]}),
    (torch.vsplit, (X, 2), {"sections": 2}),
    (torch.dsplit, (X, (1,)), {"indices": (1,)}),
    (torch.Tensor.tensor_split, (X, 2), {"sections": 2}),
    (torch.Tensor.vsplit, (X, [1, 2]), {"indices": [1, 2]}),
    (torch.split, (X, 2), {"split_size_or_sections": 2}),
    (torch.isin, (X, 3.0), {"test_element": 3.0}),
    (torch.result_type, (X, 1), {"other": 1}),
    (torch.result_type, (1, X), {"tensor": X}),
    (torch.result_type, (1, 2.0), {"scalar2": 2.0}),
]


@pytest.mark.parametrize(("function", "args", "named"), CALLS, ids=lambda value: getattr(value, "__name__", None))
def test_a_name_of_an_overload_stands_for_the_place(function, args, named) -> None:
    expected, result = function(*args), function(*args[:-1], **named)
    if isinstance(expected, tuple):
        assert all(torch.equal(part, other) for part, other in zip(result, expected, strict=True))
    elif isinstance(expected, torch.Tensor):
        assert torch.equal(result, expected)
    else:
        assert result is expected


def test_all_arguments_by_name() -> None:
    assert torch.equal(torch.isin(element=2.0, test_elements=X), torch.tensor(True))
    assert torch.result_type(tensor=X, other=X) is torch.result_type(scalar=1, tensor=X) is torch.float32
    assert X.clone().resize_(size=(6, 4)).shape == (6, 4)


@pytest.mark.parametrize(
    ("function", "args", "named"),
    [
        (torch.tensor_split, (X,), {"sections": 2, "indices": (1,)}),
        (torch.hsplit, (X, 2), {"sections": 2}),
        (torch.result_type, (X, 1), {"other": 1}),
        (torch.result_type, (X,), {}),
    ],
)
def test_names_that_do_not_belong_together_are_refused(function, args, named) -> None:
    with pytest.raises(TypeError):
        function(*args, **named)
