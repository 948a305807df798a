"""Results lie in memory by torch's rules, not by NumPy's order."""

from __future__ import annotations

import numpy as np
import pytest

import wengert as wg
from wengert._core.operators import layouts


def test_the_softmax_of_a_transposed_tensor_can_be_viewed_as_a_vector():
    x = wg.arange(6.0).reshape(2, 3)
    assert x.t().softmax(-1).view(-1).shape == (6,)


def test_the_running_sum_of_a_transposed_tensor_can_be_viewed_as_a_vector():
    x = wg.arange(6.0).reshape(2, 3)
    assert x.t().cumsum(0).view(-1).tolist() == [0.0, 3.0, 1.0, 7.0, 3.0, 12.0]


def ordered(*order: int) -> wg.Tensor:
    """A block of 2 x 3 x 4 whose dimensions lie in memory in the given order, the outermost first."""
    back = sorted(range(3), key=order.__getitem__)
    return wg.arange(24.0).reshape(2, 3, 4).permute(order).contiguous().permute(back)


def test_a_pointwise_result_has_the_strides_of_operands_that_agree():
    x = ordered(2, 0, 1)
    assert (x + x).stride() == x.stride() == (3, 1, 6)
    assert x.exp().stride() == (3, 1, 6)


def test_the_first_operand_that_tells_two_dimensions_apart_decides():
    x, y = ordered(2, 1, 0), ordered(1, 0, 2)
    assert (x + y).stride() == x.stride()
    assert (y + x).stride() == y.stride()
    assert (x[:, :1] + y).stride() == (1, 8, 2)


def test_an_expanded_dimension_tells_nothing():
    column = wg.ones(4, 3).t()[:, :1].expand(3, 4)
    assert (column * 2).stride() == (4, 1)
    assert (column * wg.ones(4, 3).t()).stride() == (1, 3)


def test_a_cast_operand_counts_as_its_dense_copy():
    column = wg.ones(3, 1, dtype=wg.int64).expand(3, 4)
    assert (column + wg.ones(4, 3).t()).stride() == (4, 1)
    assert (column + wg.ones(4, 3, dtype=wg.int64).t()).stride() == (1, 3)


def test_copies_preserve_the_order_and_leave_gaps_out():
    x = ordered(2, 1, 0)[:, 1:, ::2]
    assert x.clone().stride() == wg.zeros_like(x).stride() == x.double().stride() == (1, 2, 4)
    assert x.contiguous().stride() == x.sum(0, True).expand(2, 2, 2).contiguous().stride() == (4, 2, 1)


def test_dimensions_of_one_element_have_the_strides_that_torch_gives_them():
    x = wg.ones(2, 3, 4)[:, 1:2]
    assert x.stride() == (12, 4, 1)
    assert x.unsqueeze(0).stride() == (24, 12, 4, 1)
    assert x.expand(1, 2, 1, 4).stride() == (24, 12, 4, 1)
    assert x.exp().stride() == (4, 4, 1)


def test_a_tensor_without_elements_has_strides_of_row_major_order():
    assert wg.ones(2, 0, 3).stride() == (3, 3, 1)
    assert (wg.ones(2, 0, 3) + 1).stride() == (3, 3, 1)
    assert wg.ones(2, 4)[:, :0].stride() == (4, 1)


def test_is_contiguous_answers_for_a_memory_format():
    x = wg.ones(2, 3, 4, 5)
    y = x.to(memory_format=wg.channels_last)
    assert y.stride() == (60, 1, 15, 3)
    assert (x.is_contiguous(), x.is_contiguous(memory_format=wg.channels_last)) == (True, False)
    assert (y.is_contiguous(), y.is_contiguous(memory_format=wg.channels_last)) == (False, True)


def test_a_volume_can_lie_with_its_channels_innermost():
    x = wg.ones(2, 3, 4, 5, 6).to(memory_format=wg.channels_last_3d)
    assert x.stride() == (360, 1, 90, 18, 3)
    with pytest.raises(RuntimeError, match="required rank 5 tensor to use channels_last_3d format"):
        wg.ones(2, 3, 4, 5).to(memory_format=wg.channels_last_3d)


def test_elements_at_index_arrays_have_the_order_of_the_source():
    x = ordered(2, 1, 0)
    two = wg.tensor([1, 0])
    assert x[two].stride() == (12, 1, 3)
    assert x[:, :, two].stride() == (2, 4, 1)
    assert ordered(0, 1, 2)[two].stride() == (12, 4, 1)


def test_values_do_not_change_with_the_layout():
    random = np.random.default_rng(3)
    whole = random.normal(size=(2, 3, 4))
    for axes in ((0, 1, 2), (2, 0, 1), (2, 1, 0), (1, 2, 0)):
        x = wg.from_numpy(whole).permute(axes)
        np.testing.assert_array_equal(x.cumsum(1).numpy(), whole.transpose(axes).cumsum(1))
        np.testing.assert_array_equal((x + x.flip(0)).numpy(), whole.transpose(axes) + whole.transpose(axes)[::-1])


def test_memory_made_with_strides_is_dense():
    array = layouts.empty((2, 3), (1, 2), np.dtype(np.float32))
    assert array.strides == (4, 8)
    assert array.flags.f_contiguous
    assert layouts.is_dense(array)


def test_a_power_of_a_number_is_row_major():
    x = wg.ones(3, 4).t()
    assert (2**x).stride() == wg.pow(2, x).stride() == (3, 1)
    assert (x**2).stride() == wg.pow(wg.tensor(2.0), x).stride() == (1, 4)


def empty_columns() -> wg.Tensor:
    """No elements, in column-major order."""
    return wg.ones(5, 4, 3).permute(2, 1, 0)[:, :0]


def test_operators_that_lie_like_their_input_do_so_without_elements():
    x = empty_columns()
    assert x.stride() == (1, 3, 12)
    for function in (wg.nn.functional.hardtanh, wg.nn.functional.relu6, wg.nan_to_num, wg.isreal, wg.zeros_like):
        assert function(x).stride() == (1, 3, 12)
    assert wg.nn.functional.prelu(x, wg.ones(1)).stride() == (1, 3, 12)
    assert x.roll(1, 0).stride() == (1, 3, 12)
    assert x.exp().stride() == x.roll(1).stride() == (5, 5, 1)


def test_results_without_elements_are_broadcast_as_others():
    x = empty_columns()
    assert (x + 1).stride() == (x + wg.ones(5)).stride() == (1, 3, 0)
    assert (x + x).stride() == (5, 5, 1)
    assert (wg.ones(0, 1) * wg.ones(1)).stride() == (1, 0)


def test_indices_of_nothing_lie_column_by_column():
    assert wg.zeros(3, 4).nonzero().stride() == (1, 0)
    assert wg.zeros(()).nonzero().stride() == (1, 0)
    assert wg.eye(3).nonzero().stride() == (1, 3)


def test_a_cast_to_the_same_dtype_in_the_format_that_a_tensor_is_in_gives_itself():
    x = wg.ones(3, 4).t()
    assert x.float(memory_format=wg.contiguous_format) is x
    images = wg.ones(2, 3, 4, 4).contiguous(memory_format=wg.channels_last)
    assert images.to(memory_format=wg.channels_last) is images
    assert images.to(memory_format=wg.contiguous_format).stride() == (48, 16, 4, 1)
    assert images[:, :, ::2].float(memory_format=wg.channels_last).stride() == (48, 1, 24, 3)


def test_images_stacked_have_strides_for_dimensions_of_length_1_as_a_view_has():
    image = wg.ones(1, 1, 4, 2).permute(0, 3, 1, 2)
    assert wg.stack([image, image, image]).stride() == (8, 2, 1, 8, 2)


def test_the_mean_of_images_has_its_channels_innermost():
    images = wg.ones(2, 4, 4, 3).permute(0, 3, 1, 2)
    assert wg.nn.functional.adaptive_avg_pool2d(images, 1).stride() == (3, 1, 3, 3)
    assert wg.nn.functional.adaptive_avg_pool2d(images.contiguous(), 1).stride() == (3, 1, 1, 1)
