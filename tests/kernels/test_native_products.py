"""Native joins, products, indexing and losses beside the bodies of their cards, and native rules beside Python's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import wengert as wg
from wengert import _kernels
from wengert._core.cards.card import REGISTRY

pytestmark = pytest.mark.skipif(not _kernels.direct, reason="there are no native functions beside the bodies")
LENGTHS = st.integers(0, 4)
DTYPES = [np.float32, np.float64]
REDUCTIONS = ["none", "mean", "sum"]
Draw = Callable[[Any], Any]


@contextmanager
def without_native(card: Any) -> Iterator[None]:
    """The general way for the calls and rules of an operator."""
    function, rules = card.native, [rule.native for rule in card.rules]
    try:
        card.native = None
        for rule in card.rules:
            rule.native = None
        yield
    finally:
        card.native = function
        for rule, native in zip(card.rules, rules):
            rule.native = native


def laid(draw: Draw, values: Any) -> Any:
    """The same values in one of several layouts."""
    form = draw(st.sampled_from(["rows", "columns", "part", "expanded"]))
    if form == "columns":
        return np.asfortranarray(values)
    if form == "part" and values.ndim:
        whole = np.zeros((*values.shape[:-1], values.shape[-1] + 2), values.dtype)
        whole[..., 1:-1] = values
        return whole[..., 1:-1]
    if form == "expanded" and values.ndim and len(values):
        return repeated(values)
    return values


def repeated(values: Any) -> Any:
    """The first slice of an array, seen as often as there are slices."""
    return np.lib.stride_tricks.as_strided(values[:1].copy(), values.shape, (0, *values.strides[1:]))


def drawn(draw: Draw, shape: tuple[int, ...], dtype: Any) -> Any:
    """A leaf with numbers of a few sizes."""
    random = np.random.default_rng(draw(st.integers(0, 1000)))
    array = laid(draw, np.asarray(random.normal(size=shape) * 3).astype(dtype))
    return wg.from_numpy(array).requires_grad_(np.dtype(dtype).kind == "f" and draw(st.booleans()))


def places(draw: Draw, shape: tuple[int, ...], length: int) -> Any:
    """Indices, one of them perhaps outside."""
    random = np.random.default_rng(draw(st.integers(0, 1000)))
    index = np.asarray(random.integers(0, max(length, 1), shape))
    if index.size and draw(st.integers(0, 5)) == 0:
        index.reshape(-1)[-1] = draw(st.sampled_from([-1, length, 2**62]))
    return wg.from_numpy(laid(draw, index))


def answer(card: Any, args: list[Any], number: int) -> Any:
    """Result and gradients of a call, as arrays, or the error."""
    leaves = [each for value in args for each in (value if isinstance(value, list) else [value])]
    leaves = [each for each in leaves if isinstance(each, wg.Tensor) and each.requires_grad]
    try:
        result = card(*args)
        result = result[0] if isinstance(result, tuple) else result
        grads: tuple[Any, ...] = ()
        if leaves:
            grad = wg.ones((), dtype=result.dtype).expand(result.shape)
            if number:
                values = np.asarray(np.random.default_rng(number).normal(size=tuple(result.shape)))
                grad = wg.from_numpy(values).to(result.dtype)
            grads = wg.autograd.grad(result, leaves, grad, allow_unused=True)
    except (RuntimeError, IndexError, ValueError) as error:
        return type(error), str(error)
    return [result.numpy(force=True), *[None if each is None else each.numpy() for each in grads]]


def check(draw: Draw, name: str, args: list[Any]) -> None:
    card, number = REGISTRY[name], draw(st.integers(0, 3))
    found = answer(card, args, number)
    with without_native(card):
        wanted = answer(card, args, number)
    if isinstance(found, tuple) or isinstance(wanted, tuple):
        assert found == wanted
        return
    for one, other in zip(found, wanted, strict=True):
        assert (one is None) == (other is None)
        if one is None:
            continue
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
        assert one.strides == other.strides or not one.size
        tolerance = 1e-12 if one.dtype == np.float64 else 3e-5
        np.testing.assert_allclose(one, other, tolerance, tolerance * (10 if one.size < 50 else 100))


@given(st.data())
def test_cat(data):
    draw = data.draw
    shape, axis = draw(st.lists(LENGTHS, min_size=1, max_size=4)), draw(st.integers(0, 3))
    axis %= len(shape)
    dtype = draw(st.sampled_from([*DTYPES, np.int64, np.bool_, np.complex64]))
    tensors = []
    for _ in range(draw(st.sampled_from([1, 2, 3, 11]))):
        own = [draw(LENGTHS) if at == axis else length for at, length in enumerate(shape)]
        tensors.append(drawn(draw, (0,) if draw(st.integers(0, 9)) == 0 else tuple(own), dtype))
    check(draw, "cat", [tensors, axis - len(shape) * draw(st.integers(0, 1))])


@given(st.data())
def test_stack(data):
    draw = data.draw
    shape = tuple(draw(st.lists(LENGTHS, max_size=4)))
    dtype = draw(st.sampled_from([*DTYPES, np.int32, np.float16]))
    tensors = [drawn(draw, shape, dtype) for _ in range(draw(st.sampled_from([1, 2, 3, 10])))]
    check(draw, "stack", [tensors, draw(st.integers(-len(shape) - 1, len(shape)))])


@given(st.data())
def test_products(data):
    draw, dtype = data.draw, data.draw(st.sampled_from(DTYPES))
    lengths = st.one_of(LENGTHS, st.sampled_from([30, 100]))  # of which some are BLAS's
    n, k, m, count = draw(lengths), draw(lengths), draw(lengths), draw(LENGTHS)
    name = draw(st.sampled_from(["mm", "mv", "dot", "bmm", "addmm"]))
    shapes = {"mm": [(n, k), (k, m)], "mv": [(n, k), (k,)], "dot": [(k,), (k,)], "bmm": [(count, n, k), (count, k, m)]}
    bias = draw(st.sampled_from([(m,), (n, m), (1, m), (n, 1), (1,), ()]))
    check(draw, name, [drawn(draw, shape, dtype) for shape in shapes.get(name, [bias, (n, k), (k, m)])])


@given(st.data())
def test_norm(data):
    draw, dtype = data.draw, data.draw(st.sampled_from([*DTYPES, np.float16, np.complex64]))
    lengths = st.one_of(LENGTHS, st.just(40))
    x = drawn(draw, tuple(draw(st.lists(lengths, max_size=3))), dtype)
    check(draw, "linalg_vector_norm", [x, draw(st.sampled_from([2, 2.0, 1, True]))])


@given(st.data())
def test_indexing(data):
    draw, dtype = data.draw, data.draw(st.sampled_from(DTYPES))
    shape = draw(st.lists(LENGTHS, min_size=1, max_size=3))
    axis, count = draw(st.integers(0, len(shape) - 1)), draw(LENGTHS)
    other = tuple(count if at == axis else length for at, length in enumerate(shape))
    x, dim = drawn(draw, tuple(shape), dtype), axis - len(shape) * draw(st.integers(0, 1))
    name = draw(st.sampled_from(["gather", "scatter_add", "index_select", "index_add", "embedding"]))
    if name == "gather":
        check(draw, name, [x, dim, places(draw, other, shape[axis])])
    elif name == "scatter_add":
        check(draw, name, [x, dim, places(draw, other, shape[axis]), drawn(draw, other, dtype)])
    elif name == "index_select":
        check(draw, name, [x, dim, places(draw, (count,), shape[axis])])
    elif name == "index_add":
        check(draw, name, [x, dim, places(draw, (count,), shape[axis]), drawn(draw, other, dtype)])
    else:
        table, numbers = drawn(draw, (4, 3), dtype), places(draw, tuple(shape), 4)
        check(draw, name, [table, numbers, draw(st.integers(-1, 3)), draw(st.booleans())])


@given(st.data())
def test_softmax(data):
    draw, shape = data.draw, data.draw(st.lists(LENGTHS, max_size=3))
    x = drawn(draw, tuple(shape), draw(st.sampled_from(DTYPES)))
    check(
        draw,
        draw(st.sampled_from(["_softmax", "_log_softmax"])),
        [x, draw(st.integers(-len(shape), max(len(shape) - 1, 0)))],
    )


@given(st.data())
def test_losses_of_pairs(data):
    draw, dtype = data.draw, data.draw(st.sampled_from(DTYPES))
    shape, other = tuple(draw(st.lists(LENGTHS, max_size=3))), draw(st.sampled_from([None, (), (1,)]))
    x, target = drawn(draw, shape, dtype), drawn(draw, shape if other is None else other, dtype)
    name, reduction = (
        draw(st.sampled_from(["_mse_loss", "_smooth_l1_loss", "_huber_loss"])),
        draw(st.sampled_from(REDUCTIONS)),
    )
    bend = [] if name == "_mse_loss" else [draw(st.sampled_from([1, 0.5, 3.0]))]
    check(draw, name, [x, target, reduction, *bend])
    if other is None:
        check(draw, "_binary_cross_entropy_with_logits", [x, target, None, None, reduction])


@given(st.data())
def test_nll_loss(data):
    draw, dtype = data.draw, data.draw(st.sampled_from(DTYPES))
    items, classes = draw(LENGTHS), draw(st.integers(1, 4))
    logp, target = drawn(draw, (items, classes), dtype), places(draw, (items,), classes)
    weight = drawn(draw, (classes,), dtype).detach().abs() + 1 if draw(st.booleans()) else None
    check(draw, "nll_loss_forward", [logp, target, weight, draw(st.sampled_from(REDUCTIONS)), draw(st.integers(-1, 2))])


@st.composite
def large_factors(draw: Any) -> tuple[Any, ...]:
    """Two factors that are too large for the small products, in any order, with neighbours between their elements."""
    rows, depth, columns = draw(st.integers(12, 70)), draw(st.integers(8, 600)), draw(st.integers(16, 90))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    dtype = draw(st.sampled_from([np.float32, np.float64]))

    def factor(first: int, second: int) -> Any:
        step = draw(st.integers(1, 2))
        made = random.normal(size=(first, second * step)).astype(dtype)[:, ::step]
        return random.normal(size=(second, first)).astype(dtype).T if draw(st.booleans()) else made

    return factor(rows, depth), factor(depth, columns), random


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(factors=large_factors())
def test_larger_products_and_the_gradients_of_their_factors(factors, native):
    a, b, random = factors
    grad = random.normal(size=(a.shape[0], b.shape[1])).astype(a.dtype)
    bias = random.normal(size=b.shape[1]).astype(a.dtype)
    tolerance = {"rtol": 0, "atol": np.finfo(a.dtype).eps * 4 * a.shape[1]}
    np.testing.assert_allclose(native.direct_mm(a, b), a @ b, **tolerance)
    np.testing.assert_allclose(native.direct_addmm(bias, a, b, 1, 1), a @ b + bias, **tolerance)
    first = native.direct_mm_first_rule(grad, b, a.shape, a.strides)
    np.testing.assert_allclose(first, grad @ b.T, rtol=0, atol=tolerance["atol"] * 4)
    second = native.direct_mm_second_rule(grad, a, b.shape, b.strides)
    np.testing.assert_allclose(second, a.T @ grad, rtol=0, atol=tolerance["atol"] * 4)


@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_products_of_batches_in_any_layout(native, data):
    """A batch with another, with a matrix, or with a vector; what the native function does not know it leaves."""
    draw, dtype = data.draw, data.draw(st.sampled_from(DTYPES))
    lead, (n, k, m) = (
        draw(st.lists(LENGTHS, min_size=1, max_size=3)),
        draw(st.tuples(*[st.sampled_from([1, 3, 17])] * 3)),
    )
    random = np.random.default_rng(draw(st.integers(0, 1000)))
    a = laid(draw, random.normal(size=(*lead, n, k)).astype(dtype))
    b = laid(draw, random.normal(size=draw(st.sampled_from([(*lead, k, m), (k, m), (k,)]))).astype(dtype))
    made = native.direct_matmul(a, b)
    if made is NotImplemented:
        assert not (a.size and b.size and a.flags.c_contiguous and b.flags.c_contiguous)
        return
    assert made.shape == (a @ b).shape and made.flags.c_contiguous
    np.testing.assert_allclose(made, a @ b, rtol=0, atol=np.finfo(dtype).eps * 16 * k)


@pytest.mark.parametrize("shape", [(3, 40, 50, 60), (9, 16, 300, 33), (1, 70, 70, 70)])
def test_batches_of_larger_products_are_the_same_for_any_number_of_threads(shape, native, random):
    count, rows, depth, columns = shape
    a = random.normal(size=(count, depth, rows)).astype(np.float32).transpose(0, 2, 1)
    b = random.normal(size=(count, depth, columns)).astype(np.float32)
    before, made = native.get_num_threads(), []
    try:
        for threads in (1, 2, 5):
            native.set_num_threads(threads)
            made.append((native.direct_bmm(a, b), native.direct_mm(a[0], b[0])))
    finally:
        native.set_num_threads(before)
    if made[0][0] is NotImplemented:
        pytest.skip("vectors are too narrow for packed panels: these products are the BLAS's")
    np.testing.assert_allclose(made[0][0], a @ b, rtol=0, atol=1e-4 * depth**0.5)
    for other in made[1:]:
        assert all(np.array_equal(one, two) for one, two in zip(made[0], other, strict=True))


@pytest.mark.parametrize("shape", [(200, 160, 70), (70, 160, 200), (61, 300, 700), (700, 90, 65), (130, 520, 131)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_are_the_same_for_any_number_of_threads(shape, dtype, native, random):
    rows, depth, columns = shape
    a, b = random.normal(size=(rows, depth)).astype(dtype), random.normal(size=(columns, depth)).astype(dtype).T
    before, made = native.get_num_threads(), []
    try:
        for threads in (1, 2, 3, 8):
            native.set_num_threads(threads)
            made.append(native.direct_mm(a, b))
    finally:
        native.set_num_threads(before)
    if made[0] is NotImplemented:
        pytest.skip("vectors are too narrow for packed panels: these products are the BLAS's")
    assert all(np.array_equal(each, made[0]) for each in made)
    scale = 1e-5 if dtype == np.float32 else 1e-13
    np.testing.assert_allclose(made[0], a.astype(np.float64) @ b.astype(np.float64), atol=scale * np.sqrt(depth) * 4)
