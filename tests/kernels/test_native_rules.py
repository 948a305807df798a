"""Native reverse rules on arrays of any shape, beside the rules in Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as arrays

from wengert import _kernels
from wengert._core.cards.card import REGISTRY, registered
from wengert._core.tensor.base import Tensor, wrap

FEW = [0, 1, -1, 2, 3, 0.5, -0.0, -2.5, np.inf, -np.inf, np.nan]
DTYPES = [np.float32, np.float64]

pytestmark = pytest.mark.skipif(not _kernels.direct, reason="there is no extension: rules in Python only")


@st.composite
def operands(draw: Any, count: int) -> list[Any]:
    """Arrays of one dtype that broadcast."""
    dtype = draw(st.sampled_from(DTYPES))
    shapes = draw(
        arrays.mutually_broadcastable_shapes(num_shapes=count, min_side=0, max_side=4, max_dims=3)
    ).input_shapes
    return [draw(arrays.arrays(dtype, shape, elements=st.sampled_from(FEW))) for shape in shapes]


def gradient(draw: Any, shape: Any, dtype: Any) -> Any:
    """A gradient: row-major, seen transposed, or one element expanded."""
    made = draw(arrays.arrays(dtype, shape, elements=st.sampled_from([1, -2, 0.5, -0.0])))
    return draw(st.sampled_from([made, made.copy(order="F"), np.broadcast_to(made.dtype.type(0.5), shape)]))


def rule_of(name: str, *inputs: str) -> Any:
    """The rule of a card for some of its inputs."""
    card: Any = REGISTRY[name]
    slots = tuple(card.grad_slots.index(card.names.index(each)) for each in inputs)
    (found,) = [rule for rule in card.rules if rule.slots == slots]
    return found


def check(rule: Any, grad: Any, *saved: Any) -> None:
    """The native rule gives what the rule in Python gives, or knows nothing."""
    made = rule.native(grad, *saved)
    if made is NotImplemented:
        return
    given = [wrap(each) if isinstance(each, np.ndarray) else each for each in saved]
    wanted = wrap(grad) * rule.fn(*given) if rule.partial else rule.fn(wrap(grad), *given)
    for one, other in zip(made, wanted, strict=True) if isinstance(made, list) else [(made, wanted)]:
        assert (one is None) == (other is None)
        if isinstance(other, Tensor):
            assert one.dtype == other._array_.dtype and one.shape == other._array_.shape
            assert one.flags.owndata and (not one.size or one.strides == other._array_.strides)
            tolerance = 2e-5 if one.dtype == np.float32 else 1e-12
            np.testing.assert_allclose(one, other._array_, rtol=tolerance, atol=tolerance)


BY_ONE = [
    "sqrt",
    "rsqrt",
    "reciprocal",
    "expm1",
    "tan",
    "log1p",
    "log2",
    "log10",
    "square",
    "abs",
    "sin",
    "cos",
    "sinh",
    "cosh",
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", BY_ONE)
@given(data=st.data())
def test_rules_by_one_saved_value_are_those_in_python(name: str, data: Any):
    (x,) = data.draw(operands(1))
    check(rule_of(name, "self"), gradient(data.draw, x.shape, x.dtype), x)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("name", "side"),
    [("true_divide", "other"), ("maximum", "self"), ("maximum", "other"), ("minimum", "self"), ("minimum", "other")],
)
@given(data=st.data())
def test_rules_by_both_operands_are_those_in_python(name: str, side: str, data: Any):
    x, y = data.draw(operands(2))
    grad = gradient(data.draw, np.broadcast_shapes(x.shape, y.shape), x.dtype)
    check(rule_of(name, side), grad, x, y)
    if name == "true_divide":
        check(rule_of(name, side), gradient(data.draw, y.shape, y.dtype), 2.0, y)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("approximate", ["none", "tanh"])
@given(data=st.data())
def test_the_rule_of_gelu_is_that_in_python(approximate: str, data: Any):
    (x,) = data.draw(operands(1))
    check(rule_of("gelu", "self"), gradient(data.draw, x.shape, x.dtype), x, approximate)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["var", "std", "logsumexp", "prod"])
@given(data=st.data())
def test_rules_of_reductions_are_those_in_python(name: str, data: Any):
    dtype = data.draw(st.sampled_from(DTYPES))
    shape = data.draw(arrays.array_shapes(min_dims=0, min_side=0, max_side=4))
    x = data.draw(arrays.arrays(dtype, shape, elements=st.sampled_from([0, 1, -1, 2, 3, 0.5, -2.5])))
    each = st.integers(-x.ndim, x.ndim - 1) if x.ndim else st.just(0)
    dims = (
        each
        if name == "prod"
        else each | st.lists(each, max_size=3, unique_by=lambda at: at % max(x.ndim, 1)).map(tuple)
    )
    dim = data.draw(dims if name == "logsumexp" else dims | st.none())
    if not x.ndim and dim == ():
        dim = 0
    keepdim = data.draw(st.booleans()) and not (name == "prod" and dim is None)
    card: Any = REGISTRY[name]
    plain = (None, keepdim) if name in ("var", "std") else (keepdim,)
    correction = data.draw(st.sampled_from([None, 0, 1, 2.5]))
    options = {"correction": correction} if name in ("var", "std") else {}
    result = card(wrap(x), dim, *plain, **options)._array_
    saved = (dim, *plain, *options.values())
    if name != "var":
        saved = (result, *saved)
    grad = gradient(data.draw, result.shape, result.dtype)
    if not np.all(np.isfinite(result)):
        return
    check(rule_of(name, "self"), grad, x, *saved)


@pytest.mark.filterwarnings("ignore")
@given(data=st.data(), reduction=st.sampled_from(["none", "mean", "sum"]))
def test_the_rule_of_binary_cross_entropy_is_that_in_python(data: Any, reduction: str):
    dtype = data.draw(st.sampled_from(DTYPES))
    shape = data.draw(arrays.array_shapes(min_dims=0, min_side=0, max_side=4))
    unit = st.sampled_from([0, 1, 0.5, 0.25, 0.75])
    x, target = (data.draw(arrays.arrays(dtype, shape, elements=unit)) for _ in range(2))
    grad = gradient(data.draw, shape if reduction == "none" else (), dtype)
    wanted = (data.draw(st.booleans()), data.draw(st.booleans()))
    check(rule_of("_binary_cross_entropy", "self", "target"), grad, x, target, None, reduction, wanted)
    card: Any = REGISTRY["_binary_cross_entropy"]
    made = card.native(x, target, None, reduction)
    if made is not NotImplemented:
        np.testing.assert_allclose(made, card.body(x, target, None, reduction), rtol=1e-5, atol=1e-6)


@st.composite
def indexed(draw: Any) -> Any:
    """An array, and index arrays that broadcast, for dimensions side by side."""
    x = draw(arrays.arrays(draw(st.sampled_from(DTYPES)), draw(arrays.array_shapes(max_dims=4, max_side=4))))
    lead = draw(st.integers(0, x.ndim - 1))
    count = draw(st.integers(1, x.ndim - lead))
    shapes = draw(
        arrays.mutually_broadcastable_shapes(num_shapes=count, min_side=0, max_side=3, max_dims=2)
    ).input_shapes
    found = []
    for at, shape in enumerate(shapes):
        length = x.shape[lead + at]
        found.append(
            draw(
                arrays.arrays(
                    np.int64, shape, elements=st.integers(-length - (draw(st.integers(0, 30)) == 0), length - 1)
                )
            )
        )
    return x, [None] * lead + found


@given(case=indexed(), data=st.data())
def test_reading_and_writing_at_several_index_arrays_is_that_of_the_body(case: Any, data: Any):
    x, indices = case
    where = tuple(slice(None) if each is None else each for each in indices)
    card: Any = REGISTRY["index"]
    made = card.native(x, indices)
    try:
        wanted = np.asarray(x[where])
    except IndexError:
        assert made is NotImplemented
        return
    if made is not NotImplemented:
        assert made.dtype == wanted.dtype and made.strides == np.empty(made.shape, made.dtype).strides
        np.testing.assert_array_equal(made, wanted)
        grad = gradient(data.draw, made.shape, made.dtype)
        summed = rule_of("index", "self").native(grad, x.shape, indices)
        expected = np.zeros_like(x)
        np.add.at(expected, where, grad)
        if summed is not NotImplemented:
            np.testing.assert_allclose(summed, expected, rtol=1e-6)
    values = data.draw(arrays.arrays(x.dtype, wanted.shape))
    written, target = x.copy(), x.copy()
    target[where] = values
    if _kernels.direct_function("index_put_")(written, indices, values, False) is not NotImplemented:
        np.testing.assert_array_equal(written, target)
    rule, whole = rule_of("index_put", "self"), np.ones_like(x)
    kept = rule.native(whole, indices, False)
    if kept is not NotImplemented:
        whole[where] = 0
        np.testing.assert_array_equal(kept, whole)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dim", [0, 1, -1, (0, 1), (1, 2), ()])
@pytest.mark.parametrize("shape", [(301, 333), (3, 50, 401), (70_000,), (2, 3, 4)])
def test_many_extremes_share_their_gradient_as_in_python(shape: Any, dim: Any):
    if dim and np.max(np.abs(dim)) >= len(shape):
        return
    random = np.random.default_rng(4)
    for dtype in DTYPES:
        x = random.integers(0, 9, shape).astype(dtype)
        x.flat[5] = np.nan
        for name in ("amax", "amin"):
            result = REGISTRY[name](wrap(x), dim, False)._array_  # type: ignore[operator]
            grad = random.normal(size=result.shape).astype(dtype)
            for each in (grad, np.broadcast_to(dtype(0.5), grad.shape)):
                check(rule_of(name, "self"), each, x, result, dim, False)
        whole = registered("max_full")(wrap(x))._array_  # type: ignore[operator]
        check(rule_of("max_full", "self"), np.ones((), dtype), x, whole)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("shape", [(2, 3), (4, 2, 3), (300, 200), (2, 70_000)])
def test_rules_of_gates_and_slopes_are_those_in_python(shape: Any):
    random = np.random.default_rng(4)
    for dtype in DTYPES:
        x, weight = random.normal(size=shape).astype(dtype), random.normal(size=shape[1:2]).astype(dtype)
        x.flat[:3] = 0.0, -0.0, np.nan
        grad = random.normal(size=shape).astype(dtype)
        slopes = weight.reshape((-1,) + (1,) * (len(shape) - 2))
        for each in (grad, np.broadcast_to(dtype(0.5), shape)):
            for slope in (slopes, slopes[:1]):
                check(rule_of("_prelu_kernel", "self"), each, x, slope)
            check(rule_of("_prelu_kernel", "weight"), each, x)
            for dim in range(-1, 1):
                check(rule_of("glu", "self"), each, np.concatenate([x, x + 1], dim), dim)
