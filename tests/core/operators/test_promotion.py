"""Promotion equals torch 2.13's: the whole tables, and the rules for dimensions and numbers as properties."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given, strategies as st

import wengert as wg
from wengert._core.types import dtypes

SHORT = {
    "u1": "uint8",
    "u2": "uint16",
    "u4": "uint32",
    "u8": "uint64",
    "i1": "int8",
    "i2": "int16",
    "i4": "int32",
    "i8": "int64",
    "f2": "float16",
    "f4": "float32",
    "f8": "float64",
    "c8": "complex64",
    "c16": "complex128",
    "b1": "bool",
    "bf": "bfloat16",
}


# What torch.promote_types gives; -- where it raises.
TYPES = """
      u1  u2  u4  u8  i1  i2  i4  i8  f2  f4  f8  c8 c16  b1  bf
 u1:  u1  --  --  --  i2  i2  i4  i8  f2  f4  f8  c8 c16  u1  bf
 u2:  --  u2  --  --  --  --  --  --  f2  f4  f8  --  --  --  bf
 u4:  --  --  u4  --  --  --  --  --  f2  f4  f8  --  --  --  bf
 u8:  --  --  --  u8  --  --  --  --  f2  f4  f8  --  --  --  bf
 i1:  i2  --  --  --  i1  i2  i4  i8  f2  f4  f8  c8 c16  i1  bf
 i2:  i2  --  --  --  i2  i2  i4  i8  f2  f4  f8  c8 c16  i2  bf
 i4:  i4  --  --  --  i4  i4  i4  i8  f2  f4  f8  c8 c16  i4  bf
 i8:  i8  --  --  --  i8  i8  i8  i8  f2  f4  f8  c8 c16  i8  bf
 f2:  f2  f2  f2  f2  f2  f2  f2  f2  f2  f4  f8  c8 c16  f2  f4
 f4:  f4  f4  f4  f4  f4  f4  f4  f4  f4  f4  f8  c8 c16  f4  f4
 f8:  f8  f8  f8  f8  f8  f8  f8  f8  f8  f8  f8 c16 c16  f8  f8
 c8:  c8  --  --  --  c8  c8  c8  c8  c8  c8 c16  c8 c16  c8  c8
c16: c16  --  --  -- c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16
 b1:  u1  --  --  --  i1  i2  i4  i8  f2  f4  f8  c8 c16  b1  bf
 bf:  bf  bf  bf  bf  bf  bf  bf  bf  f4  f4  f8  c8 c16  bf  bf
"""


# What torch.result_type gives for a tensor with dimensions (row) and a 0-dim tensor (column). torch answers
# ComplexHalf, which does not exist here, for float16 with complex numbers: the tables say complex64 there.
RANKS = """
      u1  u2  u4  u8  i1  i2  i4  i8  f2  f4  f8  c8 c16  b1  bf
 u1:  u1  u1  u1  u1  u1  u1  u1  u1  f2  f4  f8  c8 c16  u1  bf
 u2:  u2  u2  u2  u2  u2  u2  u2  u2  f2  f4  f8  c8 c16  u2  bf
 u4:  u4  u4  u4  u4  u4  u4  u4  u4  f2  f4  f8  c8 c16  u4  bf
 u8:  u8  u8  u8  u8  u8  u8  u8  u8  f2  f4  f8  c8 c16  u8  bf
 i1:  i1  i1  i1  i1  i1  i1  i1  i1  f2  f4  f8  c8 c16  i1  bf
 i2:  i2  i2  i2  i2  i2  i2  i2  i2  f2  f4  f8  c8 c16  i2  bf
 i4:  i4  i4  i4  i4  i4  i4  i4  i4  f2  f4  f8  c8 c16  i4  bf
 i8:  i8  i8  i8  i8  i8  i8  i8  i8  f2  f4  f8  c8 c16  i8  bf
 f2:  f2  f2  f2  f2  f2  f2  f2  f2  f2  f2  f2  c8  c8  f2  f2
 f4:  f4  f4  f4  f4  f4  f4  f4  f4  f4  f4  f4  c8  c8  f4  f4
 f8:  f8  f8  f8  f8  f8  f8  f8  f8  f8  f8  f8 c16 c16  f8  f8
 c8:  c8  c8  c8  c8  c8  c8  c8  c8  c8  c8  c8  c8  c8  c8  c8
c16: c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16
 b1:  u1  --  --  --  i1  i2  i4  i8  f2  f4  f8  c8 c16  b1  bf
 bf:  bf  bf  bf  bf  bf  bf  bf  bf  bf  bf  bf  c8  c8  bf  bf
"""


# What torch.result_type gives for a tensor and True, 1, 1.0, 1j.
NUMBERS = """
 u1:  u1  u1  f4  c8
 u2:  u2  u2  f4  c8
 u4:  u4  u4  f4  c8
 u8:  u8  u8  f4  c8
 i1:  i1  i1  f4  c8
 i2:  i2  i2  f4  c8
 i4:  i4  i4  f4  c8
 i8:  i8  i8  f4  c8
 f2:  f2  f2  f2  c8
 f4:  f4  f4  f4  c8
 f8:  f8  f8  f8 c16
 c8:  c8  c8  c8  c8
c16: c16 c16 c16 c16
 b1:  b1  i8  f4  c8
 bf:  bf  bf  bf  c8
"""


if find_spec("ml_dtypes") is None:  # bfloat16 comes from this package
    del SHORT["bf"]


def rows(table):
    """The rows of a table whose dtypes exist: name and entries."""
    for line in table.strip().splitlines():
        name, colon, rest = line.partition(":")
        if colon and name.strip() in SHORT:
            yield pytest.param(name.strip(), rest.split()[: len(SHORT)], id=name.strip())


def dtype(short):
    return dtypes.by_name(SHORT[short])


def outcome(function, *args):
    try:
        return next(short for short, name in SHORT.items() if name == function(*args).name)
    except RuntimeError as error:
        assert "Promotion for uint16, uint32, uint64 types is not supported" in str(error)
        return "--"


def tensor(short, *shape):
    return wg.tensor(np.ones(shape, dtype(short).numpy))


@pytest.mark.parametrize(("name", "wanted"), list(rows(TYPES)))
def test_promote_types_gives_torchs_table(name, wanted):
    assert [outcome(wg.promote_types, dtype(name), dtype(other)) for other in SHORT] == wanted


@pytest.mark.parametrize(("name", "wanted"), list(rows(RANKS)))
def test_a_0_dim_tensor_decides_only_by_a_higher_category(name, wanted):
    got = [outcome(wg.result_type, tensor(name, 2), tensor(other)) for other in SHORT]
    assert got == wanted


@pytest.mark.parametrize(("name", "wanted"), list(rows(NUMBERS)))
def test_a_number_decides_only_by_a_higher_category(name, wanted):
    for shape in ((2,), ()):
        assert [outcome(wg.result_type, tensor(name, *shape), number) for number in (True, 1, 1.0, 1j)] == wanted


def test_the_default_dtype_is_what_floats_become():
    whole = wg.tensor([1, 2])
    try:
        wg.set_default_dtype(wg.float64)
        assert (whole * 1.5).dtype is wg.float64
        assert (whole * 1j).dtype is wg.complex128
        assert wg.tensor(1.0).dtype is wg.float64
    finally:
        wg.set_default_dtype(wg.float32)
    assert (whole * 1.5).dtype is wg.float32
    with pytest.raises(TypeError, match="only floating-point types are supported as the default type"):
        wg.set_default_dtype(wg.int64)


@pytest.mark.parametrize("name", [each for each in SHORT if each != "bf"])
def test_a_dtype_may_be_written_where_its_category_is_not_lower(name):
    category = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}
    for other in SHORT:
        if other != "bf":
            wanted = name == "b1" or (other != "b1" and category[name[0]] <= category[other[0]])
            assert wg.can_cast(dtype(name), dtype(other)) is wanted


COMMON = st.sampled_from([dtype(short) for short in SHORT if short not in ("u2", "u4", "u8", "bf")])


@given(COMMON, COMMON)
def test_promotion_is_symmetric(one, other):
    assert wg.promote_types(one, other) is wg.promote_types(other, one)


@given(COMMON, COMMON, COMMON)
def test_promotion_of_three_does_not_depend_on_the_order(one, two, three):
    left = wg.promote_types(wg.promote_types(one, two), three)
    assert left is wg.promote_types(one, wg.promote_types(two, three))


@given(COMMON, COMMON, st.sampled_from([(), (2,), (1, 2)]), st.sampled_from([(), (2,), (3, 1)]))
def test_a_sum_has_the_result_type_of_its_operands(one, other, shape, other_shape):
    left, right = wg.tensor(np.ones(shape, one.numpy)), wg.tensor(np.ones(other_shape, other.numpy))
    total = left + right
    assert total.dtype is wg.result_type(left, right)
    assert total.shape == np.broadcast_shapes(shape, other_shape)


@given(COMMON, COMMON, st.sampled_from([(), (3,)]), st.sampled_from([(), (3,)]))
def test_a_gradient_has_the_dtype_of_its_input(one, other, shape, other_shape):
    tensors = [wg.tensor(np.ones(each, kind.numpy)) for kind, each in ((one, shape), (other, other_shape))]
    wanted = [each for each in tensors if each.dtype.is_floating_point or each.dtype.is_complex]
    for each in wanted:
        each.requires_grad = True
    if wanted:
        product = tensors[0] * tensors[1]
        grads = wg.autograd.grad(product, wanted, wg.tensor(np.ones(product.shape, product.dtype.numpy)))
        assert [each.dtype for each in grads] == [each.dtype for each in wanted]
        assert [each.shape for each in grads] == [each.shape for each in wanted]


@pytest.mark.parametrize("scalar", [np.float64(2), np.float32(2)])
def test_scalars_of_numpy_on_the_left_are_numbers(scalar):
    x = wg.tensor([1, 2])
    for made in (scalar + x, scalar - x, scalar * x, scalar / x, scalar**x, scalar // x, scalar % x):
        assert made.dtype is wg.float32
    assert (np.int8(3) & wg.tensor([True, False])).dtype is wg.int64
    assert wg.result_type(wg.tensor([True]), np.int8(3)) is wg.int64
