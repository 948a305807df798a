"""The storage as programs see it, and what becomes of views when it grows or a tensor leaves it."""

from __future__ import annotations

import pytest

import wengert as wg


def test_a_storage_is_that_of_all_views():
    x = wg.arange(12.0)
    storage = x[4:].untyped_storage()
    assert isinstance(storage, wg.UntypedStorage)
    assert storage.size() == storage.nbytes() == len(storage) == 48
    assert (
        storage.data_ptr() == x.data_ptr()
        and storage == x.untyped_storage()
        and storage != wg.ones(3).untyped_storage()
    )
    assert storage[4:8].tolist() == storage.tolist()[4:8]
    with pytest.raises(IndexError):
        storage[48]


def test_a_typed_storage_counts_elements_and_warns():
    x = wg.arange(4)
    with pytest.warns(UserWarning, match="TypedStorage is deprecated"):
        storage = x[1:].storage()
    assert isinstance(storage, wg.TypedStorage) and storage.dtype is wg.int64
    assert storage.size() == len(storage) == 4 and storage.nbytes() == 32 and storage.tolist() == [0, 1, 2, 3]
    storage[0] = 9
    assert x.tolist() == [9, 1, 2, 3]
    assert storage.resize_(6).size() == 6 and x.untyped_storage().nbytes() == 48
    assert "[torch.storage.TypedStorage(dtype=torch.int64, device=cpu) of size 6]" in repr(storage)


def test_all_tensors_on_a_storage_that_grows_move():
    x = wg.arange(12.0)
    view, data, other = x[2:], x.data, wg.arange(12.0)
    storage = x.untyped_storage().resize_(80)
    assert storage.size() == view.untyped_storage().size() == data.untyped_storage().size() == 80
    assert view.data_ptr() - x.data_ptr() == 8 and data.data_ptr() == x.data_ptr() and x._version == 0
    assert x.tolist() == list(range(12)) and view.storage_offset() == 2
    view.fill_(5.0)
    assert x.tolist() == data.tolist() == [0.0, 1.0] + [5.0] * 10 and other.tolist() == list(range(12))
    assert x.as_strided((20,), (1,), 0)[:3].tolist() == [0.0, 1.0, 5.0]


def test_a_storage_that_shrank_bounds_new_views():
    x = wg.arange(12.0)
    x.untyped_storage().resize_(8)
    with pytest.raises(RuntimeError, match="out of bounds for storage of size 8"):
        x.as_strided((4,), (1,))
    x.untyped_storage().resize_(0)
    assert x.untyped_storage().data_ptr() == 0
    x.untyped_storage().resize_(48)
    assert x.fill_(3.0).tolist() == [3.0] * 12 and x.untyped_storage().nbytes() == 48
    with pytest.raises(RuntimeError, match="not negative"):
        x.untyped_storage().resize_(-1)


@pytest.mark.parametrize("count", [3, 8, 9, 30])
def test_an_output_that_is_resized_keeps_its_place_in_its_storage(count):
    x = wg.arange(12.0)
    view = x[4:]
    target = view.detach()
    if count == 8:
        wg.add(wg.ones(count), 1, out=target)
    else:
        with pytest.warns(UserWarning, match="An output with one or more elements was resized"):
            wg.add(wg.ones(count), 1, out=target)
    assert target.shape == (count,) and target.storage_offset() == 4 and view.storage_offset() == 4
    assert target.tolist() == [2.0] * count and view.shape == (8,)
    assert x.tolist() == [0.0, 1.0, 2.0, 3.0] + [2.0] * min(count, 8) + list(map(float, range(4 + count, 12)))
    assert x._version == view._version == target._version == 1


def test_an_output_that_is_resized_does_not_move_under_its_views():
    x = wg.arange(12.0)
    view = x[4:]
    with pytest.warns(UserWarning, match=r"since it had shape \[12\], which does not match .* \[20\]"):
        wg.add(wg.ones(20), 1, out=x)
    assert view.storage_offset() == 4 and view.tolist() == [2.0] * 8
    assert view.as_strided((20,), (1,), 0).tolist() == [2.0] * 20


def test_an_empty_output_is_resized_without_a_word():
    x = wg.empty(0)
    wg.add(wg.ones(3), 1, out=x)
    assert x.tolist() == [2.0] * 3 and x._version == 1


def test_a_warning_that_is_an_error_leaves_the_output_as_it_was(recwarn):
    import warnings

    x = wg.arange(2.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning):
            wg.add(wg.ones(3), 1, out=x)
    assert x.tolist() == [0.0, 1.0] and x._version == 0


def test_a_growing_resize_is_seen_by_views():
    x = wg.arange(4.0)
    view = x[1:]
    x.resize_(6)
    view.fill_(9.0)
    assert x[:4].tolist() == [0.0, 9.0, 9.0, 9.0] and view.storage_offset() == 1


@pytest.mark.parametrize("change", [lambda x, y: setattr(x, "data", y), lambda x, y: x.set_(y)], ids=["data", "set_"])
def test_a_tensor_that_leaves_its_memory_goes_on_counting_with_its_views(change):
    x, y = wg.ones(3), wg.zeros(3)
    view = x[:2]
    change(x, y)
    before = x._version
    assert view._version == before and y._version == 0
    x.add_(1.0)
    assert x._version == view._version == before + 1 and y._version == 0
    view.add_(1.0)
    assert x._version == view._version == before + 2
    assert view.tolist() == [2.0, 2.0] and y.tolist() == [1.0, 1.0, 1.0]


def test_a_write_after_data_was_assigned_is_noticed_by_what_saved_a_view():
    x, weight = wg.ones(3), wg.ones(2, requires_grad=True)
    product = x[:2] * weight
    x.data = wg.zeros(3)
    x.add_(1.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.sum().backward()


def test_data_that_is_assigned_again_and_again_keeps_nothing_of_what_was():
    import gc
    import weakref

    x = wg.ones(3)
    gone = []
    for _ in range(5):
        values = wg.zeros(3)
        gone.append(weakref.ref(values._array_))
        x.data = values
        del values
    gc.collect()
    assert [each() is None for each in gone] == [True] * 4 + [False]


def test_set_gives_a_leaf_another_accumulator_and_leaves_that_of_earlier_graphs():
    x = wg.ones(3, requires_grad=True)
    y = x * 2
    (before,) = (function for function, _ in y.grad_fn.next_functions if function is not None)
    with wg.no_grad():
        x.set_()
    (after,) = (function for function, _ in (x * 3).grad_fn.next_functions if function is not None)
    assert after is not before
    with pytest.raises(RuntimeError, match="appears to not have been used"):
        wg.autograd.grad(y.sum(), x, retain_graph=True)
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0, 2.0] and x.shape == (0,)
