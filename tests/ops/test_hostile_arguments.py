"""Arguments that no sensible program gives: refused at once, in torch's words, before time or memory is spent."""

from __future__ import annotations

import pytest

import wengert as wg
import wengert.nn.functional as F
from wengert._core.cards.card import REGISTRY


def holding_itself() -> list:
    data: list = []
    data.append(data)
    return data


def mutually_nested() -> list:
    one: list = []
    other = [one, 1.0]
    one.append(other)
    return one


@pytest.mark.parametrize("make", [wg.tensor, wg.as_tensor, wg.asarray, lambda data: wg.zeros(2).new_tensor(data)])
@pytest.mark.parametrize("data", [holding_itself, mutually_nested])
def test_a_list_that_holds_itself_is_refused(make, data):
    with pytest.raises(ValueError, match="too many dimensions 'list'"):
        make(data())


def test_lists_as_deep_as_arrays_are_read():
    data: object = 1.0
    for _ in range(64):
        data = [data]
    assert wg.tensor(data).ndim == 64
    with pytest.raises(ValueError, match="too many dimensions 'list'"):
        wg.tensor([data])


def test_a_list_that_holds_itself_behind_the_first_element_is_refused():
    data: list = [1.0]
    data.append(data)
    with pytest.raises(TypeError, match="self-referential lists are incompatible"):
        wg.tensor(data)
    one: list = [1.0]
    one.append([2.0, one])
    with pytest.raises(ValueError, match="too many dimensions 'list'"):
        wg.tensor(one)


def test_windows_beyond_32_bits_are_refused():
    x = wg.ones(1, 1, 4, 4)
    for call in (
        lambda: F.avg_pool2d(x, 2**62, padding=2**61),
        lambda: F.max_pool2d(x, 2**40, padding=2**39),
        lambda: F.max_pool1d(x[0], 2**40, padding=2**39),
        lambda: F.avg_pool1d(x[0], 2**62, padding=2**61),
    ):
        with pytest.raises(RuntimeError, match="type int without overflow"):
            call()


def test_the_largest_windows_are_pooled_without_a_loop_over_what_lies_outside():
    x = wg.arange(16.0).view(1, 1, 4, 4)
    assert F.max_pool2d(x, 2**31 - 1, padding=2**30 - 1).item() == 15
    assert F.max_pool2d(x.long(), 2**31 - 1, padding=2**30 - 1).item() == 15
    assert F.avg_pool2d(x, 2**31 - 1, padding=2**30 - 1, count_include_pad=False).item() == 7.5


def test_more_sections_than_fit_memory_are_refused_before_any_is_made():
    with pytest.raises(RuntimeError, match="cannot create std::vector larger than max_size"):
        wg.ones(5).tensor_split(2**62)
    with pytest.raises(MemoryError):
        wg.ones(5).tensor_split(2**56)


def test_adaptive_maxima_are_those_of_each_window_however_many_there_are():
    x = wg.tensor([[[3.0, 1, 4, 1], [5, 9, 2, 6], [5, 3, 5, 8]]])
    values, places = F.adaptive_max_pool2d(x, 1000, return_indices=True)
    for row, column in [(0, 0), (333, 250), (334, 249), (500, 500), (999, 999), (666, 751)]:
        top, bottom = row * 3 // 1000, -(-(row + 1) * 3 // 1000)
        left, right = column * 4 // 1000, -(-(column + 1) * 4 // 1000)
        part = x[0, top:bottom, left:right]
        assert values[0, row, column] == part.max()
        assert x.flatten()[places[0, row, column]] == part.max()


def test_the_last_nan_wins_in_adaptive_maxima_as_in_all_pooling():
    nan = float("nan")
    x = wg.tensor([[[1.0, nan, 2], [nan, 3, 0], [0, 0, 0]]])
    assert F.adaptive_max_pool2d(x, 1, return_indices=True)[1].item() == 3
    assert F.max_pool2d(x, 3, return_indices=True)[1].item() == 3


def test_an_infinity_stays_in_its_window_of_adaptive_means():
    x = wg.ones(1, 4, 4)
    x[0, 0, 0] = float("inf")
    assert F.adaptive_avg_pool2d(x, 2).tolist() == [[[float("inf"), 1.0], [1.0, 1.0]]]


@pytest.mark.parametrize("call", [wg.ones, wg.zeros, wg.empty, wg.rand, wg.ones(1).new_zeros])
def test_a_tensor_of_several_elements_is_no_size(call):
    assert call(wg.tensor([2])).shape == (2,)
    for size in (wg.tensor([2, 3]), wg.empty(5, 0), wg.empty(2**40, 0)):
        with pytest.raises(TypeError, match="must be tuple of ints, not Tensor"):
            call(size)


def test_places_through_strided_views_of_many_dimensions():
    card = REGISTRY["as_strided_backward"].public
    grad = wg.arange(4.0).reshape(2, 2).requires_grad_()
    many = card(grad, (4,) + (1,) * 39, (1,) * 40, (2, 2), (2, 1), 0)
    assert many.shape == (4,) + (1,) * 39 and many.flatten().tolist() == [0.0, 1.0, 2.0, 3.0]
    (back,) = wg.autograd.grad(many, grad, wg.ones(many.shape))
    assert back.tolist() == [[1.0, 1.0], [1.0, 1.0]]
    with pytest.raises(RuntimeError, match="mismatch in length of strides and shape"):
        card(grad, (1,) * 40, (4, 1), (2, 2), (4, 1), 1)


def test_an_index_that_is_expanded_beyond_memory_is_refused_before_it_is_spread():
    with pytest.raises((MemoryError, ValueError)):
        wg.ones(3)[wg.zeros(1, dtype=wg.int64).expand(2**47)]


def test_classes_of_no_dimension_are_refused():
    with pytest.raises(IndexError, match="Dimension specified as"):
        F.cross_entropy(wg.tensor(3.0), wg.tensor(1.5))


def test_what_has_to_be_a_tensor_is_refused_by_name():
    table, row = wg.ones(3, 5), wg.arange(5.0)
    with pytest.raises(TypeError, match=r"cov\(\): argument 'fweights' must be Tensor, not int"):
        wg.cov(table, fweights=2)
    with pytest.raises(TypeError, match=r"histogram\(\): argument 'weight' must be Tensor, not list"):
        wg.histogram(table, 4, weight=[1.0])
    with pytest.raises(TypeError, match=r"searchsorted\(\): argument 'sorter' must be Tensor, not list"):
        wg.searchsorted(row, row, sorter=[0, 1, 2, 3, 4])
    with pytest.raises(IndexError, match=r"torch.ormqr: Dimension specified as -1 but tau has no dimensions"):
        wg.ormqr(wg.ones(3, 2), wg.tensor(1.0), wg.ones(3, 2))


def test_a_grid_without_dimensions_has_no_bins():
    found = wg.histogramdd(wg.empty(3, 0), -1)
    assert found.hist.shape == () and found.bin_edges == ()
