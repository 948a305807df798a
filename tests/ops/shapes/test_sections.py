"""Parts of tensors: how many, how long, and where they are cut."""

from __future__ import annotations

import pytest

import wengert as wg


def test_a_number_of_chunks_in_a_tensor_of_bytes_does_not_wrap():
    parts = wg.zeros(300, 1).chunk(wg.tensor(250, dtype=wg.uint8))
    assert [len(each) for each in parts] == [2] * 150
    assert len(wg.chunk(wg.zeros(5, 5), wg.tensor(5, dtype=wg.uint8), 1)) == 5


def test_one_integer_in_a_list_says_where_to_cut_in_a_tensor_too():
    x = wg.arange(12.0).reshape(1, 2, 6)
    for given in ([2], wg.tensor([2])):
        assert [part.shape[2] for part in x.dsplit(given)] == [2, 4]
    assert [part.shape[2] for part in x.dsplit(wg.tensor(2))] == [3, 3]
    assert [part.shape[1] for part in x.hsplit(wg.tensor([1]))] == [1, 1]
    with pytest.raises(TypeError):
        x.hsplit(wg.tensor([1, 2]))


def test_cuts_in_a_tensor_must_be_a_vector_of_int64() -> None:
    x = wg.arange(6.0)
    assert [part.tolist() for part in x.tensor_split(wg.tensor([2]))] == [[0.0, 1.0], [2.0, 3.0, 4.0, 5.0]]
    assert len(x.hsplit(wg.tensor(2))) == 2
    with pytest.raises(RuntimeError, match="to have dtype of long, but got Byte"):
        x.tensor_split(wg.tensor(2, dtype=wg.uint8))
    with pytest.raises(RuntimeError, match="a zero-dimensional or one-dimensional tensor, but got a tensor with 2 dim"):
        x.tensor_split(wg.tensor([[2]]))


@pytest.mark.parametrize(
    ("given", "said"),
    [(1.5, "not float"), ("a", "not str"), (None, "not NoneType"), ([1.0, 3], "found element of type float")],
)
def test_what_is_no_number_of_parts_is_refused_as_their_lengths(given, said):
    for call in (wg.split, wg.Tensor.split):
        with pytest.raises(TypeError, match=r"split_with_sizes\(\): argument 'split_sizes' \(position 2\)") as refused:
            call(wg.ones(4), given)
        assert said in str(refused.value)


def test_more_sections_than_fit_memory_are_refused_before_any_is_made():
    with pytest.raises(RuntimeError, match="cannot create std::vector larger than max_size"):
        wg.ones(5).tensor_split(2**62)
    with pytest.raises(MemoryError):
        wg.ones(5).tensor_split(2**56)


def test_parts_that_are_no_views_share_memory_but_no_versions():
    x = wg.arange(4.0, requires_grad=True)
    first, second = x.unsafe_split(2)
    assert not first._is_view() and first.data_ptr() == x.data_ptr()
    assert (first.grad_fn.name(), second.grad_fn.name()) == ("UnsafeSplitBackward0",) * 2
    (first * second).sum().backward()
    assert x.grad.tolist() == [2.0, 3.0, 0.0, 1.0]
