"""Native functions of cards on arrays of any shape, beside the cards' bodies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as arrays

import wengert as wg
from wengert import _kernels
from wengert._core.cards.card import REGISTRY
from wengert._core.operators import layouts
from wengert._core.tensor.base import wrap

DTYPES = {"float32": np.float32, "float64": np.float64, "int64": np.int64, "bool": np.bool_}
FEW = [0, 1, -1, 2, 3, 0.5, -0.0, np.inf, -np.inf, np.nan]

pytestmark = pytest.mark.skipif(not _kernels.direct, reason="there is no extension: bodies only")


def values(dtype: str) -> Any:
    """Elements with many ties, and the special ones of floats."""
    if dtype == "bool":
        return st.booleans()
    return st.sampled_from([n for n in FEW if dtype != "int64" or (np.isfinite(n) and n == int(n))])


@st.composite
def operands(draw: Any, dtypes: tuple[str, ...], count: int) -> list[Any]:
    """Arrays of one dtype that broadcast, row-major or seen transposed."""
    dtype = draw(st.sampled_from(dtypes))
    shapes = draw(
        arrays.mutually_broadcastable_shapes(num_shapes=count, min_side=0, max_side=4, max_dims=4)
    ).input_shapes
    found = [draw(arrays.arrays(DTYPES[dtype], shape, elements=values(dtype))) for shape in shapes]
    return [draw(st.sampled_from([each, np.asfortranarray(each)])) for each in found]


def check(name: str, *args: Any) -> None:
    """The native function gives what the body gives, or knows nothing."""
    card: Any = REGISTRY[name]
    made = card.native(*args)
    if made is NotImplemented:
        return
    with np.errstate(all="ignore"):
        count = card.positional
        wanted = card.body(*args[:count], **dict(zip(card.names[count:], args[count:], strict=True)))
    pairs = zip(made, wanted, strict=True) if isinstance(made, tuple) else [(made, wanted)]
    for one, other in pairs:
        assert one.dtype == other.dtype and one.shape == other.shape
        assert one.flags.owndata
        if one.size:
            given = tuple(wrap(each) if isinstance(each, np.ndarray) else each for each in args)
            assert one.strides == layouts.laid_out(card, given, np.asarray(other)).strides
        np.testing.assert_allclose(one, other, rtol=1e-5 if one.dtype == np.float32 else 1e-12, atol=1e-30)


@pytest.mark.parametrize("name", ["sum", "mean", "amax", "amin", "all", "any", "logsumexp"])
@given(data=st.data())
def test_reductions_over_any_dimensions_are_those_of_the_body(name: str, data: Any):
    (x,) = data.draw(operands(("float32", "float64", "int64", "bool"), 1))
    each = st.integers(-x.ndim - 1, x.ndim)
    dim = data.draw(st.none() | each | st.lists(each, max_size=3).map(tuple) | st.lists(each, max_size=3))
    more = (None,) if name in ("sum", "mean") else ()
    check_reduction(name, x, dim, data.draw(st.booleans()), *more)


@pytest.mark.parametrize("name", ["max_dim", "min_dim", "argmax", "argmin", "prod"])
@given(data=st.data())
def test_reductions_along_one_dimension_are_those_of_the_body(name: str, data: Any):
    (x,) = data.draw(operands(("float32", "float64", "int64", "bool"), 1))
    dim = data.draw(st.none() | st.integers(-x.ndim - 1, x.ndim))
    more = (None,) if name == "prod" else ()
    check_reduction(name, x, dim, data.draw(st.booleans()), *more)


def check_reduction(name: str, x: Any, dim: Any, *more: Any) -> None:
    """`check`; what the body refuses the native function does not know."""
    card: Any = REGISTRY[name]
    try:
        with np.errstate(all="ignore"):
            count = card.positional - 2
            card.body(x, dim, *more[:count], **dict(zip(card.names[2 + count :], more[count:], strict=True)))
    except Exception:
        assert card.native(x, dim, *more) is NotImplemented
    else:
        check(name, x, dim, *more)


@pytest.mark.parametrize("name", ["_softmax", "_log_softmax"])
@given(data=st.data())
def test_softmax_along_any_dimension_is_that_of_the_body(name: str, data: Any):
    (x,) = data.draw(operands(("float32", "float64"), 1))
    for dim in range(-x.ndim, x.ndim):
        check(name, x, dim)
        card: Any = REGISTRY[name]
        rule: Any = REGISTRY[f"{name}_backward_data"]
        if x.size and x.flags.c_contiguous:
            with np.errstate(all="ignore"):
                result = card.native(x, dim)
                made = rule.native(x, result, dim)
                np.testing.assert_allclose(made, rule.body(x, result, dim), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["eq", "ne", "lt", "le", "gt", "ge", "maximum", "minimum"])
@given(pair=operands(("float32", "float64", "int64"), 2))
def test_pairs_of_any_shapes_that_broadcast_are_compared(name: str, pair: list[Any]):
    check(name, *pair)


@pytest.mark.parametrize("name", ["eq", "ne", "lt", "le", "gt", "ge", "pow", "clamp_min", "clamp_max"])
@given(x=operands(("float32", "float64"), 1), number=st.sampled_from([-1, 0, 1, 2, 3, 0.5, -0.5, 2.0, 2.5]))
def test_a_number_beside_an_array_takes_its_dtype(name: str, x: list[Any], number: float):
    check(name, x[0], number)


@given(data=st.data())
def test_choices_among_operands_that_broadcast_are_those_of_the_body(data: Any):
    x, y, seed = data.draw(operands(("float32", "float64", "int64"), 3))
    condition = seed == 1
    check("_where", condition, x, y)
    check("_where", condition, 2, y)
    check("_where", condition, x, -1)
    check("masked_fill", x, condition, 3)
    check("clamp", x, -1, 2)


@pytest.mark.parametrize("shape", [(3, 5000), (5000, 3), (70000,), (300, 300), (2, 1500, 40)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_long_reductions_find_the_first_of_equals_and_of_nan(shape: tuple[int, ...], dtype: Any):
    x = np.random.default_rng(0).integers(-50, 50, shape).astype(dtype)
    for strange in (False, True):
        if strange and dtype is not np.int64:
            x.reshape(-1)[::7919] = np.nan
        for name in ("max", "min"):
            check(f"arg{name}", x, None, False)
            check(f"{name}_full", x)
            for dim in range(x.ndim):
                check(f"{name}_dim", x, dim, False)


def test_gradients_expanded_from_one_element_are_taken_as_they_are():
    x = wg.tensor([[1.0, 5.0, 5.0], [7.0, 2.0, 7.0]], requires_grad=True)
    (x.max(1).values.sum() + (x**2).sum() + x.clamp(2, 6).sum() + x.amax(1).sum() + x.max()).backward()
    # the first place; 2 x; inside of the limits; halves for ties; halves of one
    wanted = [[2 * 1 + 0, 2 * 5 + 1 + 1 + 0.5, 2 * 5 + 1 + 0.5], [2 * 7 + 1 + 0.5 + 0.5, 2 * 2 + 1, 2 * 7 + 0.5 + 0.5]]
    assert x.grad.tolist() == wanted


def test_a_card_that_asks_for_a_function_that_is_not_there_is_an_error():
    assert _kernels.direct_function("add") is _kernels.direct["add"]
    with pytest.raises(ImportError, match=r"has no function direct_ad$"):
        _kernels.direct_function("ad")


def test_cards_ask_for_native_functions_in_no_other_way():
    folder = Path(wg.__file__).parent / "ops"
    assert [path.name for path in folder.rglob("*.py") if "direct.get" in path.read_text(encoding="utf-8")] == []


KNOWN = ["?", "u1", "i1", "i2", "i4", "i8", "f4", "f8"]
PAIRS = [
    (np.array(one).astype(first), np.array(other).astype(second))
    for first in KNOWN
    for second in KNOWN
    for one in ([[1, 0, 3], [2, 5, 7]], 3)
    for other in ([[3, 1, 1], [2, 0, 1]], [1, 2, 0], 1)
]


@pytest.mark.parametrize(
    "name", ["add", "sub", "mul", "true_divide", "maximum", "minimum", "eq", "ne", "lt", "le", "gt", "ge"]
)
def test_operands_of_two_dtypes_are_brought_to_one(name: str):
    answered = 0
    for a, b in PAIRS:
        card: Any = REGISTRY[name]
        made = card.native(a, b, 1) if name in ("add", "sub") else card.native(a, b)
        if made is NotImplemented:
            continue
        answered += 1
        common = wg.result_type(wrap(a), wrap(b))
        left, right = a.astype(common.numpy), b.astype(common.numpy)
        wanted = card.body(left, right)
        assert made.dtype == wanted.dtype and made.shape == wanted.shape, (a, b)
        np.testing.assert_array_equal(made, wanted)
        assert name != "sub" or not {a.dtype.char, b.dtype.char} & {"?"}
    assert answered > 100


@pytest.mark.parametrize("name", ["sum", "cumsum", "prod", "argmax", "argmin"])
@pytest.mark.parametrize("dtype", ["u1", "i1", "i2", "i4"])
def test_shorter_integers_are_counted_in_long_ones(name: str, dtype: str):
    x = np.array([[100, 90, 3], [2, 100, 7]]).astype(dtype)
    more = {"sum": (False, None), "cumsum": (None,), "prod": (False, None), "argmax": (False,), "argmin": (False,)}[
        name
    ]
    for dim in (0, 1):
        made = _kernels.direct[name](x, dim, *more)
        wanted = getattr(np, name)(x.astype(np.int64), dim)
        assert made.dtype == np.int64
        np.testing.assert_array_equal(made, wanted)
