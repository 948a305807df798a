"""Forms of calls that torch refuses: loose integers of functions, None for a bound, dtypes without a kernel."""

from __future__ import annotations

import copy
import pickle

import pytest

import wengert as wg

x = wg.arange(24.0).reshape(2, 3, 4)
LOOSE = {
    "flip": (0, 1), "permute": (2, 0, 1), "tile": (2, 1, 1), "reshape": (4, 6), "broadcast_to": (2, 3, 4),
    "expand_copy": (2, 3, 4), "permute_copy": (2, 0, 1),
}  # fmt: skip


@pytest.mark.parametrize("name", LOOSE)
def test_functions_take_integers_as_one_sequence_and_methods_one_by_one_too(name):
    function, given = getattr(wg, name), LOOSE[name]
    made = function(x, given)
    assert made.equal(function(x, list(given)))
    with pytest.raises(TypeError, match=rf"{name}\(\) takes 2 positional arguments but {1 + len(given)} were given"):
        function(x, *given)
    with pytest.raises(TypeError, match="must be tuple of ints, not int"):
        function(x, given[0])
    if hasattr(wg.Tensor, name):
        method = getattr(x, name)
        assert method(*given).equal(made) and method(given).equal(made)


@pytest.mark.parametrize(("name", "argument"), [("flip", "dims"), ("tile", "dims"), ("reshape", "shape")])
def test_an_integer_given_by_name_is_no_sequence(name, argument):
    with pytest.raises(TypeError, match=rf"{name}\(\): argument '{argument}' must be tuple of ints, not int"):
        getattr(wg, name)(x, **{argument: 1})
    with pytest.raises(TypeError, match=rf"{name}\(\): argument '{argument}' must be tuple of ints, not int"):
        getattr(x, name)(**{argument: 1})


def test_a_function_that_differs_from_its_method_is_one_object_and_has_the_same_node_and_rules():
    for name in LOOSE:
        function = getattr(wg, name)
        assert pickle.loads(pickle.dumps(function)) is function is copy.copy(function), name
    y = x.clone().requires_grad_()
    assert type(wg.flip(y, (0,)).grad_fn) is type(y.flip(0).grad_fn)
    wg.permute(wg.flip(y, (0,)), (1, 0, 2))[0].sum().backward()
    assert y.grad.sum() == 8
    assert wg.vmap(lambda row: wg.flip(row, (0,)))(x).equal(x.flip(1))


@pytest.mark.parametrize(
    ("bounds", "named"),
    [
        ((0,), {"end": None}),
        ((3,), {"step": None}),
        ((0, 3), {"step": None}),
        ((), {"start": None, "end": 3}),
        ((1, 2), {"end": 5}),
        ((1, 2, 3, 4), {}),
    ],
)
def test_a_range_takes_no_none_for_a_bound(bounds, named):
    with pytest.raises(TypeError, match="received an invalid combination of arguments"):
        wg.arange(*bounds, **named)


def test_ranges_by_name():
    assert wg.arange(end=3).tolist() == wg.arange(0, end=3).tolist() == [0, 1, 2]
    assert wg.arange(1, end=6, step=2).tolist() == wg.arange(start=1, end=6, step=2).tolist() == [1, 3, 5]


@pytest.mark.parametrize("named", [{"layout": wg.strided}, {"pin_memory": False}])
def test_new_tensors_of_data_have_no_layout(named):
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        x.new_tensor([1.0], **named)


@pytest.mark.parametrize("dtype", [wg.bool, wg.uint16])
@pytest.mark.parametrize(("mode", "kernel"), [("reflect", "reflection_pad1d"), ("replicate", "replication_pad1d")])
def test_borders_of_few_dtypes_only(dtype, mode, kernel):
    given = wg.ones(2, 4).to(dtype)
    with pytest.raises(NotImplementedError, match=f"{kernel}.* not implemented for"):
        wg.nn.functional.pad(given, (1, 1), mode)
    assert wg.nn.functional.pad(given, (1, 1), "circular").shape == (2, 6)


def test_a_short_time_transform_of_truth_values_has_no_border():
    with pytest.raises(NotImplementedError, match=r"reflection_pad1d.* not implemented for 'Bool'"):
        wg.stft(wg.ones(10, dtype=wg.bool), 4, window=wg.ones(4), return_complex=True)


@pytest.mark.parametrize("dtype", [wg.bool, wg.complex64, wg.uint16])
def test_a_single_number_is_in_order_whatever_it_is(dtype):
    value, place = wg.ones((), dtype=dtype).kthvalue(1)
    assert value.dtype is dtype and place == 0
    with pytest.raises(NotImplementedError, match="kthvalue_cpu"):
        wg.ones(1, dtype=dtype).kthvalue(1)


@pytest.mark.parametrize(
    ("given", "said"),
    [(1.5, "not float"), ("a", "not str"), (None, "not NoneType"), ([1.0, 3], "found element of type float")],
)
def test_what_is_no_number_of_parts_is_refused_as_their_lengths(given, said):
    for call in (wg.split, wg.Tensor.split):
        with pytest.raises(TypeError, match=r"split_with_sizes\(\): argument 'split_sizes' \(position 2\)") as refused:
            call(wg.ones(4), given)
        assert said in str(refused.value)


def test_a_signal_that_would_be_empty_is_refused_as_an_image_of_one_row():
    with pytest.raises(RuntimeError, match=r"per channel: \(1 x 2\). Calculated output size per channel: \(1 x 0\)"):
        wg.nn.functional.conv_transpose1d(wg.ones(1, 1, 2), wg.ones(1, 1, 1), padding=1)
