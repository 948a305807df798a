"""Native views beside the bodies of their cards: the same memory, seen in the same way, whatever the array."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from wengert import _kernels
from wengert._core.cards.card import REGISTRY
from wengert._core.operators import layouts
from wengert._kernels.layout import memory_of

pytestmark = pytest.mark.skipif(_kernels.native is None, reason="the native kernels are not built or not wanted")

LENGTHS = st.lists(st.sampled_from([0, 1, 1, 2, 3, 5]), max_size=4).map(tuple)
DTYPES = st.sampled_from(["?", "u1", "i2", "f2", "f4", "f8", "c8", "c16"])
SMALL = st.integers(-4, 4)
ANY = st.one_of(SMALL, st.sampled_from([2**62, -(2**63), 2**63 - 1, 2**64, None, True, 1.5]))


@st.composite
def arrays(draw: Any, least: int = 0) -> Any:
    """An array of any shape that lies anyhow in its memory."""
    shape = draw(LENGTHS.filter(lambda lengths: len(lengths) >= least))
    whole = np.arange(max(int(np.prod(shape)), 1) * 4).astype(draw(DTYPES))
    array = whole[: int(np.prod(shape))].reshape(shape)
    if draw(st.booleans()):  # every second element, or from the last to the first
        grown = tuple(length * 2 for length in shape)
        steps = draw(st.lists(st.sampled_from([1, 2, -1, -2]), min_size=len(shape), max_size=len(shape)))
        dense = np.arange(max(int(np.prod(grown)), 1)).astype(whole.dtype)[: int(np.prod(grown))].reshape(grown)
        array = dense[(*[slice(None, None, step) for step in steps], ...)]
        array = array[(*[slice(0, length) for length in shape], ...)]
    array = array.transpose(draw(st.permutations(range(array.ndim))))
    if draw(st.booleans()) and array.ndim:  # strides of dimensions of length 1 that no contiguous array has
        at = draw(st.integers(0, array.ndim - 1))
        array = array[(*[slice(None)] * at, slice(0, 1))]
    return array


def seen(array: Any) -> Any:
    """All that there is to say about a view."""
    place = array.ctypes.data if array.size else None
    return array.shape, array.strides, array.dtype, place, array.flags.writeable, array.flags.aligned


def ends(array: Any) -> tuple[int, int]:
    """Where the memory begins and ends that an array is known to be part of."""
    memory = memory_of(array)
    return memory.ctypes.data, memory.ctypes.data + memory.size


def body_of(name: str) -> Any:
    return REGISTRY[name].body  # type: ignore[union-attr]


def check(name: str, array: Any, *arguments: Any, card: str = "") -> Any:
    """The native function makes what the body makes, or leaves it to the body; what it made."""
    before = array.copy()
    made = _kernels.direct[name](array, *arguments)
    assert np.array_equal(before, array)
    if made is NotImplemented:
        return made
    body = body_of(card or name)
    wanted = body(array, *arguments) if name != "expand" else body(array, arguments[0])
    several = isinstance(made, tuple)
    for one, other in zip(made if several else [made], wanted if several else [wanted], strict=True):
        assert seen(one) == seen(other), f"{name} of {seen(array)} with {arguments}: {seen(one)}, {seen(other)}"
        assert one is not array
        if one.size:
            assert ends(one) == ends(array) == ends(other)
    return made


PLAIN = np.arange(24.0, dtype=np.float32).reshape(2, 3, 4)
VIEWS = {
    "alias": ((), "alias"),
    "view_shape": (((6, -1),), "view_shape"),
    "view_dense": (((6, -1),), "view_shape"),
    "unsafe_view": (((6, -1),), "_unsafe_view"),
    "transpose": ((0, -1), "transpose"),
    "permute": (((2, -3, 1),), "permute"),
    "unsqueeze": ((-2,), "unsqueeze"),
    "squeeze": ((None,), "squeeze"),
    "expand": (((5, -1, 3, 4), False), "expand"),
    "select": ((1, -1), "select"),
    "slice": ((-1, 1, None, 2), "slice"),
    "diagonal": ((1, 0, -1), "diagonal"),
    "split": (([1, 2], 1), "split"),
    "unbind": ((-1,), "unbind"),
}


@pytest.mark.parametrize("name", VIEWS)
def test_a_plain_view_is_made_natively(name: str):
    arguments, card = VIEWS[name]
    arguments = tuple(tuple(each) if isinstance(each, list) else each for each in arguments)
    assert check(name, PLAIN, *arguments, card=card) is not NotImplemented


@pytest.mark.parametrize("name", VIEWS)
def test_what_may_not_be_written_to_is_left_to_the_body(name: str):
    array = PLAIN.copy()
    array.flags.writeable = False
    assert _kernels.direct[name](array, *VIEWS[name][0]) is NotImplemented


@given(arrays(), st.data())
def test_memory_is_seen_under_another_shape_as_the_body_sees_it(array: Any, data: Any):
    wanted = data.draw(st.permutations(array.shape))
    if wanted and data.draw(st.booleans()):
        wanted = [1, *wanted[:-2], int(np.prod(wanted[-2:]))]
    if wanted and data.draw(st.booleans()):
        wanted[data.draw(st.integers(0, len(wanted) - 1))] = -1
    for size in (tuple(wanted), list(wanted), array.shape):
        dense = check("view_dense", array, size, card="view_shape")
        if check("view_shape", array, size) is NotImplemented:
            with pytest.raises(RuntimeError):
                body_of("view_shape")(array, size)
            assert dense is NotImplemented
        else:
            assert (dense is NotImplemented) is not array.flags.c_contiguous


@given(arrays(), st.lists(ANY, max_size=4))
def test_sizes_that_make_no_view_are_left_to_the_body(array: Any, size: Any):
    check("view_shape", array, tuple(size))
    check("expand", array, tuple(size), False)


def test_sizes_without_room_in_any_memory_are_left_to_the_body():
    nothing, one = np.zeros((0,)), np.zeros((1,))
    for size in [(0, 2**62, 2**62), (2**62, 0, 4), (0, 2**60), (2**62, 4, 0)]:
        assert _kernels.direct["view_shape"](nothing, size) is NotImplemented
    for size in [(2**62, 4), (2**31, 2**31, 1), (2**60,)]:
        assert _kernels.direct["expand"](one, size, False) is NotImplemented
    huge = _kernels.direct["expand"](one, (2**59,), False)
    assert seen(huge) == seen(body_of("expand")(one, (2**59,)))
    assert _kernels.direct["expand"](huge, (16, 2**59), False) is NotImplemented


@given(arrays(), st.data())
def test_dimensions_are_rearranged_as_the_body_does(array: Any, data: Any):
    dims = data.draw(st.permutations(range(-array.ndim, 0)))
    assert check("permute", array, tuple(dims)) is not NotImplemented
    for dim in dims:
        assert check("transpose", array, dim, dims[0] + array.ndim) is not NotImplemented
        assert check("squeeze", array, dim) is not NotImplemented
        assert check("unbind", array, dim) is not NotImplemented
    assert (check("t", array) is NotImplemented) is (array.ndim > 2)
    assert check("squeeze", array, None) is not NotImplemented
    assert check("squeeze", array, tuple(dims[:2])) is not NotImplemented
    assert check("alias", array) is not NotImplemented
    for dim in range(-array.ndim - 1, array.ndim + 1):
        assert (check("unsqueeze", array, dim) is NotImplemented) is (array.size == 0)


@given(arrays(), st.lists(ANY, min_size=2, max_size=4))
def test_wrong_dimensions_are_left_to_the_body(array: Any, dims: Any):
    for name in ("transpose", "select", "split"):
        check(name, array, *dims[:2])
    for name in ("unsqueeze", "unbind"):
        check(name, array, dims[0])
    check("permute", array, tuple(dims))
    check("squeeze", array, tuple(dims))
    check("squeeze", array, dims[0])
    check("diagonal", array, *dims[:1], 0, 1)


@given(arrays(), LENGTHS, st.data())
def test_a_tensor_is_expanded_as_the_body_does(array: Any, lead: Any, data: Any):
    shape = [data.draw(st.sampled_from([0, 1, 2, -1])) if length == 1 else length for length in array.shape]
    assert (check("expand", array, (*lead, *shape), False) is NotImplemented) is (array.size == 0)


@given(arrays(least=1), st.data(), ANY, ANY, st.sampled_from([1, 2, 3, 2**62, 0, -1]))
def test_parts_are_taken_as_the_body_takes_them(array: Any, data: Any, start: Any, end: Any, step: int):
    dim = data.draw(st.integers(-array.ndim, array.ndim - 1))
    length = array.shape[dim]
    for index in range(-length, length):
        assert check("select", array, dim, index) is not NotImplemented
    assert _kernels.direct["select"](array, dim, length) is NotImplemented
    made = check("slice", array, dim, start, end, step)
    if step in (1, 2, 3) and not any(each in (2**64, 1.5) or each is True for each in (start, end)):
        assert made is not NotImplemented
    lengths = data.draw(st.lists(st.integers(0, 3), max_size=4))
    if sum(lengths) <= length:
        assert check("split", array, (*lengths, length - sum(lengths)), dim) is not NotImplemented
    assert _kernels.direct["split"](array, (*lengths, length + 1), dim) is NotImplemented
    for most in (1, 2, 7, 2**63 - 1):
        assert check("split", array, most, dim) is not NotImplemented


@given(arrays(least=2), st.data(), st.integers(-6, 6))
def test_diagonals_are_taken_as_the_body_takes_them(array: Any, data: Any, offset: int):
    first, second = data.draw(st.permutations(range(-array.ndim, 0)))[:2]
    rows, columns = array.shape[first], array.shape[second]
    made = check("diagonal", array, offset, first, second)
    assert (made is NotImplemented) is (array.size == 0 or not -rows < offset < columns)


@given(arrays())
def test_complex_numbers_are_seen_as_their_parts(array: Any):
    made = check("view_as_real", array)
    assert (made is NotImplemented) is (array.dtype.kind != "c" or array.size == 0)
    pairs = np.ascontiguousarray(array.real)[..., None].repeat(2, -1)
    check("view_as_complex", array)
    made = check("view_as_complex", pairs)
    assert (made is NotImplemented) is (pairs.dtype.char not in "fd" or pairs.size == 0)


def test_a_view_of_a_view_leads_back_to_the_memory():
    whole = np.zeros((4, 4))
    inner = _kernels.direct["select"](_kernels.direct["slice"](whole, 0, 1, None, 2), 0, 1)
    assert inner.base is whole
    array = np.frombuffer(bytearray(32), "f8")
    assert _kernels.direct["alias"](array).base is array


# ---- gradients ------------------------------------------------------------------------------------------------------


def check_rule(name: str, wanted: Any, grad: Any, *arguments: Any) -> None:
    """A native rule gives these values, row-major where they are new memory, and leaves the gradient as it is."""
    before = grad.copy()
    made = _kernels.direct[name](grad, *arguments)
    assert made is not NotImplemented, f"{name} does not know {seen(grad)} with {arguments}"
    assert np.array_equal(before, grad)
    assert made.dtype == wanted.dtype and np.array_equal(made, wanted)
    if made.size and not np.shares_memory(made, grad):
        assert made.strides == np.empty(wanted.shape, wanted.dtype).strides and made.flags.writeable


@given(arrays(), st.data())
def test_a_gradient_is_seen_as_the_input_or_copied(array: Any, data: Any):
    shape = tuple(data.draw(st.permutations(array.shape)))
    check_rule("reshape_rule", array.reshape(shape), array, shape)
    made = _kernels.direct["reshape_rule"](array, shape)
    seen_so = _kernels.direct["view_shape"](array, shape)
    assert (made.strides == seen_so.strides) if seen_so is not NotImplemented else not np.shares_memory(made, array)
    assert _kernels.direct["reshape_rule"](array, (*shape, 2)) is NotImplemented or not array.size
    dims = tuple(data.draw(st.permutations(range(-array.ndim, 0))))
    check_rule("permute_rule", array, array.transpose(dims), dims)


@given(arrays(least=1), st.data(), st.integers(-6, 6), st.integers(-6, 6), st.integers(1, 3))
def test_gradients_of_parts_lie_in_zeros(array: Any, data: Any, start: int, end: int, step: int):
    dim = data.draw(st.integers(-array.ndim, array.ndim - 1))
    for index in range(-array.shape[dim], array.shape[dim])[:2]:
        grad = body_of("select")(array, dim, index)
        wanted = body_of("select_backward")(grad, array.shape, dim, index)
        check_rule("select_backward", wanted, grad, array.shape, dim, index)
    part = (start, end, step)
    grad = body_of("slice")(array, dim, *part)
    check_rule(
        "slice_backward", body_of("slice_backward")(grad, array.shape, dim, *part), grad, array.shape, dim, *part
    )
    if array.ndim > 1:
        way = (start // 4, dim, dim - 1 if dim > -array.ndim else -1)
        grad = body_of("diagonal")(array, *way)
        if grad.size:
            check_rule(
                "diagonal_backward", body_of("diagonal_backward")(grad, array.shape, *way), grad, array.shape, *way
            )


@given(arrays(least=1), st.data())
def test_gradients_of_split_tensors_are_joined(array: Any, data: Any):
    dim = data.draw(st.integers(0, array.ndim - 1))
    parts = body_of("split")(array, data.draw(st.integers(1, 3)), dim)
    starts = [sum(part.shape[dim] for part in parts[:at]) for at in range(len(parts))]
    kept = data.draw(st.lists(st.integers(0, len(parts) - 1), min_size=1, unique=True))
    arguments = ([parts[at] for at in kept], array.shape, dim, tuple(starts[at] for at in kept))
    made = _kernels.direct["split_backward"](*arguments)
    wanted = body_of("split_backward")(*arguments)
    assert seen(made)[:3] == seen(wanted)[:3] and np.array_equal(made, wanted)
    outside = (*arguments[:3], tuple(start + array.shape[dim] + 1 for start in arguments[3]))
    assert _kernels.direct["split_backward"](*outside) is NotImplemented


@given(arrays(least=1), st.data())
def test_gradients_of_several_results_find_their_parts(array: Any, data: Any):
    dim = data.draw(st.integers(-array.ndim, array.ndim - 1))
    for name, size in (("split", (data.draw(st.integers(1, 3)),)), ("unbind", ())):
        parts = list(body_of(name)(array, *size, dim))
        kept = [each if data.draw(st.booleans()) else None for each in parts]
        made = _kernels.direct[f"{name}_rule"](kept, array.shape, *size, dim)
        if all(each is None for each in kept):
            assert made is NotImplemented
            continue
        wanted = np.zeros(array.shape, array.dtype)
        for one, other in zip(body_of(name)(wanted, *size, dim), kept, strict=True):
            one[...] = 0 if other is None else other
        assert seen(made)[:3] == seen(wanted)[:3] and np.array_equal(made, wanted)
        assert _kernels.direct[f"{name}_rule"]([*kept, parts[0]], array.shape, *size, dim) is NotImplemented


@given(arrays())
def test_copies_lie_in_row_major_order_or_as_before(array: Any):
    for name in ("clone", "contiguous"):
        made = _kernels.direct[name](array, None)
        if made is NotImplemented:
            assert name == "clone" or array.size == 0
        elif made is array:
            assert name == "contiguous" and array.flags.c_contiguous
        else:
            rows = np.empty(array.shape, array.dtype).strides
            wanted = tuple(step * array.itemsize for step in layouts.preserved(array)) if name == "clone" else rows
            assert made.strides == wanted and made.flags.owndata
            assert np.array_equal(made, array) and made.dtype == array.dtype


@pytest.mark.parametrize("length", [7, 100])
def test_large_gradients_that_lie_anyhow_are_copied(length: int):
    """Beyond some thousand elements NumPy copies."""
    array = np.arange(length**2 * 2.0).reshape(length, length, 2).T
    check_rule("reshape_rule", array.reshape(-1), array, (array.size,))
    check_rule(
        "select_backward",
        body_of("select_backward")(array, (2, 3, length, length), 1, -1),
        array,
        (2, 3, length, length),
        1,
        -1,
    )


@given(st.lists(ANY, min_size=1, max_size=5), st.lists(ANY, max_size=3))
def test_rules_leave_what_does_not_fit(numbers: Any, shape: Any):
    grad = np.ones((2, 3))
    for name in ("reshape_rule", "permute_rule", "select_backward", "slice_backward", "diagonal_backward"):
        made = _kernels.direct[name](grad, tuple(shape), *numbers)
        assert made is NotImplemented or made.shape == tuple(shape) or name == "permute_rule"
    assert _kernels.direct["select_backward"](grad, (2**40, 2, 3), 2**40, 1) is NotImplemented
    assert _kernels.direct["select_backward"](grad, (2**62, 2, 3), 0, 1) is NotImplemented
