"""The judge of torch's operator samples finds planted differences; wengert stands on both sides here."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import wengert as wg
from tools.beside_torch.agree import Difference, compare_gradients, compare_results
from tools.beside_torch.opinfo import Failure, Outcome, TimeUp, time_limit
from tools.beside_torch.report import table
from tools.beside_torch.samples import Missing, Translator, same_strides, tell, tensors_in
from tools.beside_torch.ties import singular, tied, without_ties


def leaf(*values):
    return wg.tensor(list(values), dtype=wg.float64, requires_grad=True)


def kind_of(first, second, **options):
    with pytest.raises(Difference) as caught:
        compare_results(first, second, strict=True, **options)
    return caught.value.kind


def test_equal_results_agree():
    compare_results(leaf(1.0, np.nan) * 2, leaf(1.0, np.nan) * 2, strict=True)
    compare_results((leaf(1.0), 3, "a"), (leaf(1.0), 3, "a"), strict=True)


@pytest.mark.parametrize(
    ("second", "kind"),
    [
        (lambda x: x * 2.001, "values"),
        (lambda x: (x * 2).detach(), "requires_grad"),
        (lambda x: x + x, "node name"),
        (lambda x: (x * 2).float(), "dtype"),
        (lambda x: (x * 2).reshape(2, 1), "shape"),
        (lambda x: [x * 2], "kind"),
        (lambda x: ValueError("no"), "raises"),
    ],
)
def test_a_difference_is_found_and_called_by_its_kind(second, kind):
    assert kind_of(leaf(1.0, 2.0) * 2, second(leaf(1.0, 2.0))) == kind


def test_strides_and_views_are_compared():
    x = wg.ones(2, 3)
    assert kind_of(x.t(), x.t().contiguous()) == "strides"
    assert kind_of(x[:], x.clone()) == "view"
    compare_results(x[:], x.clone(), strict=True, views=False)


def test_errors_are_compared_by_type():
    compare_results(ValueError("a"), ValueError("b"), strict=True)
    compare_results(RuntimeError("a"), NotImplementedError("a"), strict=True)
    assert kind_of(ValueError("a"), TypeError("a")) == "error type"
    assert kind_of(ValueError("a"), leaf(1.0)) == "not refused"


def gradients(first, second):
    x, y = leaf(0.5, 2.0), leaf(0.5, 2.0)
    compare_gradients((wg, first(x), [x]), (wg, second(y), [y]), twice=True)


def test_equal_gradients_agree():
    gradients(lambda x: x.exp() * x, lambda x: x.exp() * x)


def test_a_wrong_first_gradient_is_found():
    with pytest.raises(Difference, match="gradient 0") as caught:
        gradients(lambda x: x.exp(), lambda x: x.exp() * 1.1)
    assert caught.value.kind == "gradient"


def test_a_wrong_second_gradient_is_found():
    with pytest.raises(Difference) as caught:
        gradients(lambda x: x * x, lambda x: x * x.detach() * 2)
    assert caught.value.kind == "second gradient"


def test_copies_keep_strides_and_sharing():
    array = np.arange(24.0).reshape(4, 6)[::2, 1:5].T
    made = same_strides(array, (1, 12))
    assert np.array_equal(made, array)
    assert made.strides == array.strides
    assert not np.shares_memory(made, array)
    assert same_strides(np.broadcast_to(np.ones(1), (3,)), (0,)).strides == (0,)
    assert same_strides(np.zeros((1, 0, 3)), (7, 3, 1)).strides == (56, 24, 8)


def test_tensors_are_found_in_nested_arguments_once():
    x, y = leaf(1.0), leaf(2.0)
    found = tensors_in([x, (y, {"a": x}), 3])
    assert [each is other for each, other in zip(found, [x, y])] == [True, True]
    assert len(found) == 2


def test_a_sample_is_told_in_a_line():
    assert tell(wg.tensor([1.0, 2.0])) == "tensor([1.0, 2.0], float32)"
    assert tell((wg.zeros(3, 4), {"dim": 1})) == "(<float32 [3, 4]>, dim=1)"


def test_the_report_has_the_worst_first_and_the_smallest_sample():
    bad = Outcome("bad", passed=1, failures=[Failure("values", "large", "x", 9), Failure("values", "small", "x", 1)])
    text = table([Outcome("good", passed=3), Outcome("fair", passed=9, failures=[Failure("dtype", "s", "m", 1)]), bad])
    assert text.index("bad") < text.index("fair")
    assert "small" in text
    assert "large" not in text
    assert text.startswith("operators: 2 failed, 1 passed")


def test_time_runs_out():
    with pytest.raises(TimeUp), time_limit(0.01):
        while True:
            pass


@pytest.mark.parametrize(
    ("name", "places", "equal"),
    [("topk", [1, 3], True), ("topk", [3, 1], True), ("topk", [1, 0], False), ("cummax", [3, 1], False)],
)
def test_places_of_equal_elements_are_compared_by_what_lies_there(name, places, equal):
    given = wg.tensor([1.0, 5.0, 2.0, 5.0])
    sample = SimpleNamespace(input=given, args=(2,), kwargs={})
    results = [(wg.tensor([5.0, 5.0]), wg.tensor(each)) for each in ([1, 3], places)]
    told = [without_ties(wg, name, sample, each) for each in results]
    assert wg.equal(told[0][1], told[1][1]) == equal


def test_a_stable_order_is_compared_as_it_is():
    sample = SimpleNamespace(input=wg.tensor([2, 2]), args=(), kwargs={"stable": True})
    result = (wg.tensor([2, 2]), wg.tensor([1, 0]))
    assert without_ties(wg, "sort", sample, result) is result


@pytest.mark.parametrize(
    ("name", "values", "equal"),
    [
        ("topk", [1.0, 5.0, 5.0], True),
        ("topk", [1.0, 5.0, 2.0], False),
        ("add", [5.0, 5.0], False),
    ],
)
def test_equal_elements_are_known_where_an_operator_chooses_between_them(name, values, equal):
    sample = SimpleNamespace(input=wg.tensor(values, dtype=wg.bfloat16), args=(), kwargs={})
    assert tied(name, sample) == equal


def test_places_along_a_dimension_in_a_tensor_are_compared_by_what_lies_there():
    sample = SimpleNamespace(input=wg.tensor([[3, 3], [1, 2]]), args=(1, wg.tensor(-1)), kwargs={})
    told = [without_ties(wg, "kthvalue", sample, (wg.tensor([3, 1]), wg.tensor(at))) for at in ([0, 0], [1, 0])]
    assert told[0][1].flatten().tolist() == told[1][1].flatten().tolist() == [3, 1]


def test_the_largest_in_no_order_are_compared_in_one():
    sample = SimpleNamespace(input=wg.tensor([3.0, 1.0, 2.0]), args=(2,), kwargs={"sorted": False})
    results = [(wg.tensor([3.0, 2.0]), wg.tensor([0, 2])), (wg.tensor([2.0, 3.0]), wg.tensor([2, 0]))]
    compare_results(*(without_ties(wg, "topk", sample, each) for each in results), strict=True)
    assert tied("topk", sample)


@pytest.mark.parametrize(
    ("name", "rows", "expected"),
    [
        ("lu", [[1.0, 2.0], [3.0, 4.0]], False),
        ("lu", [[1.0, 2.0], [1.0, 2.0]], True),
        ("linalg.lu_factor_ex", [[1.0, 2.0], [np.inf, 4.0]], True),
        ("linalg.svdvals", [[1.0, 0.0], [0.0, -1.0]], True),
        ("qr", [[1e30, 2.0], [3.0, 4.0]], True),
        ("ormqr", [1e30, 2.0], True),
        ("matmul", [[1.0, 2.0], [1.0, 2.0]], False),
    ],
)
def test_matrices_without_factors_of_their_own_are_known(name, rows, expected):
    assert singular(name, SimpleNamespace(input=wg.tensor(rows), args=(), kwargs={})) is expected


def test_a_module_is_translated_with_its_settings():
    given = wg.nn.PairwiseDistance(p=3.0, keepdim=True)
    made = Translator(wg, wg).value(given, {})
    assert made is not given
    assert (made.norm, made.keepdim) == (3.0, True)
    with pytest.raises(Missing, match="Linear with parameters"):
        Translator(wg, wg).value(wg.nn.Linear(1, 1), {})
