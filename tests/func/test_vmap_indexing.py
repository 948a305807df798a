"""Python's brackets, and operators at indices, for all members of a batch at once: as for one after the other."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st

import wengert as wg
from wengert._core.operators import batch_rules

SIZE = 3
SHAPE = (3, 2, 4)
KINDS = {"single": (), "vector": (2,), "matrix": (3, 2)}


class Place:
    """A part of an index that is a tensor: `wholes[number]`, different for each member or not."""

    def __init__(self, number):
        self.number = number


@st.composite
def indices(draw):
    """An index, with `Place` where index tensors stand; these tensors; and which of them differ within the batch."""
    parts, wholes, dims = [], [], []
    random = np.random.default_rng(draw(st.integers(0, 1000)))
    trailing, count = draw(st.booleans()), draw(st.integers(1, 3))
    for length in SHAPE[-count:] if trailing else SHAPE[:count]:
        if draw(st.integers(0, 5)) == 0:
            parts.append(None)
        kind = draw(st.sampled_from(("int", "slice", "part", "mask", *KINDS)))
        if kind not in KINDS and kind != "mask":
            parts.append({"int": -1, "slice": slice(None), "part": slice(1, None)}[kind])
            continue
        parts.append(Place(len(wholes)))
        dims.append(None if kind == "mask" else draw(st.sampled_from((0, None))))
        if kind == "mask":  # of two places, so that it goes with the other index tensors
            wholes.append(wg.tensor(np.isin(np.arange(length), (0, 1 if length == 2 else 2))))
        else:
            shape = KINDS[kind] if dims[-1] is None else (SIZE, *KINDS[kind])
            wholes.append(wg.tensor(random.integers(-length, length, shape)))
    return [Ellipsis, *parts] if trailing else parts, wholes, dims


def index_of(parts, tensors):
    """The index itself."""
    return tuple([tensors[each.number] if isinstance(each, Place) else each for each in parts])


def member(whole, dim, nr):
    return whole if dim is None else whole.select(dim, nr)


def agree(function, wholes, dims):
    """Compare `vmap` with one call for each member: values, and gradients of what requires them."""
    expected = wg.stack([function(*[member(*each, nr) for each in zip(wholes, dims)]) for nr in range(SIZE)])
    found = wg.vmap(function, tuple(dims))(*wholes)
    assert found.shape == expected.shape and found.dtype is expected.dtype
    np.testing.assert_allclose(found.detach().numpy(), expected.detach().numpy())
    inputs = [each for each in wholes if each.requires_grad]
    if inputs and expected.requires_grad:
        cotangent = wg.arange(float(expected.numel()), dtype=expected.dtype).reshape(expected.shape)
        found, expected = (
            wg.autograd.grad(each, inputs, cotangent, materialize_grads=True) for each in (found, expected)
        )
        for one, other in zip(found, expected):
            np.testing.assert_allclose(one.numpy(), other.numpy())


def values(*shape, seed=0):
    return wg.tensor(np.random.default_rng(seed).standard_normal(shape), requires_grad=True)


@given(indices(), st.booleans())
def test_reading_is_that_of_the_members(index, differs):
    parts, wholes, dims = index
    if not differs and not any(dim == 0 for dim in dims):
        differs = True
    x = values(*([SIZE] if differs else []), *SHAPE)
    batch_rules.LOOPED.clear()
    agree(lambda x, *tensors: x[index_of(parts, tensors)], (x, *wholes), (0 if differs else None, *dims))
    assert not batch_rules.LOOPED


@given(indices(), st.booleans(), st.sampled_from(("part", "dropped", "number", "scalar")))
def test_writing_is_that_to_the_members(index, differs, kind):
    parts, wholes, dims = index
    for nr, each in enumerate(wholes):  # a place that is named twice keeps one value, which of them nobody promises
        if each.dtype is not wg.bool and each.ndim - (dims[nr] == 0) > 0:
            wholes[nr] = wg.tensor(np.broadcast_to(np.arange(2), each.shape).copy())
            if each.ndim - (dims[nr] == 0) > 1:
                kind = "scalar"
    x = values(SIZE, *SHAPE)
    part = x[0][index_of(parts, [member(*each, 0) for each in zip(wholes, dims)])].shape
    shape = {"part": part, "dropped": part[1:], "number": (), "scalar": ()}[kind]
    value = 2.5 if kind == "number" else values(*([SIZE] if differs else []), *shape, seed=1)

    def write(x, value, *tensors):
        made = x.clone()
        made[index_of(parts, tensors)] = value
        return made

    if kind == "number":
        agree(lambda x, *tensors: write(x, value, *tensors), (x, *wholes), (0, *dims))
    else:
        agree(write, (x, value, *wholes), (0, 0 if differs else None, *dims))


@pytest.mark.parametrize(
    ("dims", "shape"),
    [((0, 1, 2), ()), ((0,), ()), ((0,), (2, 4)), ((0, 1), (1, 4)), ((0,), (1, 2, 4)), ((1, 2), (3, 1))],
)
@pytest.mark.parametrize("differs", list(itertools.product((0, None), repeat=2)))
def test_a_mask_that_differs_can_be_written_through(dims, shape, differs):
    x = values(SIZE, *SHAPE)
    mask = x.detach() > 0
    for at in sorted({0, 1, 2} - set(dims), reverse=True):
        mask = mask.select(1 + at, 0)
    value = values(*([SIZE] if differs[1] == 0 else []), *shape, seed=1)
    mask = mask if differs[0] == 0 else mask[0]

    def write(x, mask, value):
        made = x * 1
        made[(slice(None),) * dims[0] + (mask,)] = value
        return made

    agree(write, (x, mask, value), (0, *differs))
    agree(
        lambda x, mask: x.index_put((None,) * dims[0] + (mask,), wg.ones(()).double(), True), (x, mask), (0, differs[0])
    )


def test_what_has_a_shape_by_values_is_refused():
    x = values(SIZE, 4)
    mask = wg.tensor([[True, False, True, False], [True, True, True, False], [False, True, False, True]])
    counts = wg.ones(SIZE, 4, dtype=wg.int64)

    def counted(x, mask):
        made = x.clone()
        made[mask] = wg.ones(2).double()
        return made

    for function in (
        lambda x, mask: x[mask],
        lambda x, mask: x.masked_select(mask),
        counted,
        lambda x, mask: x.nonzero(),
        lambda x, mask: mask.argwhere(),
    ):
        with pytest.raises(RuntimeError, match="dynamic shape"):
            wg.vmap(function)(x, mask)
    with pytest.raises(RuntimeError, match="shape that depends on the values"):
        wg.vmap(lambda x, counts: x.repeat_interleave(counts))(x, counts)
    with pytest.raises(RuntimeError, match="item"):
        wg.vmap(lambda x, bound: x[:bound])(x, counts[:, 0])


def test_numpy_does_not_read_one_member_for_all():
    for function in (np.asarray, np.array, lambda x: x.numpy(), lambda x: x.detach().numpy(force=True)):
        with pytest.raises(RuntimeError, match="asks for the values"):
            wg.vmap(function)(wg.ones(SIZE, 2))


def test_what_is_the_same_for_all_members_has_one_shape():
    x = values(SIZE, 2, 4)
    mask = wg.tensor([True, False, True, True])
    agree(lambda x: x.masked_select(mask), (x,), (0,))
    agree(lambda x: x[:, mask], (x,), (0,))
    agree(lambda x: x.masked_select(wg.tensor(True)), (values(SIZE),), (0,))
    agree(lambda x: x.repeat_interleave(wg.tensor([2, 0]), 0), (x,), (0,))


def test_what_is_the_same_for_all_members_is_not_written_to_with_what_differs():
    x, index, value = wg.zeros(4), wg.tensor([0, 1, 2]), wg.ones(3)

    def write(index, value):
        x[index] = value
        return x.sum()

    for dims in ((0, None), (None, 0), (0, 0)):
        with pytest.raises(RuntimeError, match="not possible because there exists a Tensor `other`"):
            wg.vmap(write, dims)(index if dims[0] == 0 else index[0], value if dims[1] == 0 else value[0])
    assert not x.any()


def test_an_index_beyond_a_member_is_refused_even_if_there_is_a_next_one():
    x = values(SIZE, 4)
    for bad in (4, -5):
        index = wg.tensor([0, 1, bad])
        for function in (
            lambda x, at: x[at],
            lambda x, at: x.index_select(0, at),
            lambda x, at: x.take(at),
            lambda x, at: x.gather(0, at),
            lambda x, at: x.scatter(0, at, 1.0),
            lambda x, at: x.index_fill(0, at, 1.0),
            lambda x, at: x.index_add(0, at.reshape(1), x[:1]),
            lambda x, at: x.index_copy(0, at.reshape(1), x[:1]),
            lambda x, at: x.put(at, x[0]),
        ):
            with pytest.raises((IndexError, RuntimeError), match=r"out of (bounds|range)"):
                wg.vmap(function)(x, index)


OPERATORS = {
    "gather": lambda x, at, v: x.gather(1, at),
    "take_along_dim": lambda x, at, v: wg.take_along_dim(x, at, 1),
    "take": lambda x, at, v: x.take(at),
    "index_select": lambda x, at, v: x.index_select(1, at[0]),
    "scatter": lambda x, at, v: x.scatter(1, at, v),
    "scatter_": lambda x, at, v: (x + 0 * v.sum() + at.sum() * 0).scatter_(1, at, v),
    "scatter_add": lambda x, at, v: x.scatter_add(1, at, v),
    "scatter_reduce": lambda x, at, v: x.scatter_reduce(1, at, v, "mean", include_self=False),
    "index_add": lambda x, at, v: x.index_add(1, at[0], v, alpha=2),
    "index_copy": lambda x, at, v: x.index_copy(1, at[0], v),
    "index_fill": lambda x, at, v: x.index_fill(-1, at[0], v.sum()),
    "index_reduce": lambda x, at, v: x.index_reduce(1, at[0], v, "amax"),
    "put": lambda x, at, v: x.put(at, v),
    "index_put": lambda x, at, v: x.index_put((at, at), v, True),
    "masked_fill": lambda x, at, v: x.masked_fill(at[:, :1] > 0, v.sum()),
    "masked_scatter": lambda x, at, v: x.masked_scatter(at.repeat(1, 2)[:, 1:] > 0, v),
}


@pytest.mark.parametrize("dims", [each for each in itertools.product((0, None), repeat=3) if any(d == 0 for d in each)])
@pytest.mark.parametrize("name", OPERATORS)
def test_operators_in_every_combination_of_arguments_that_differ(name, dims):
    at = wg.tensor([[[0, 1], [1, 0]], [[1, 0], [0, 1]], [[0, 1], [0, 1]]])
    wholes = [values(SIZE, 2, 3), at, values(SIZE, 2, 2, seed=1)]
    wholes = [
        each if dim == 0 else each[0].detach().requires_grad_(each.requires_grad) for each, dim in zip(wholes, dims)
    ]
    agree(OPERATORS[name], wholes, dims)


@given(indices())
def test_batches_nest(index):
    parts, wholes, dims = index
    x = values(SIZE, 2, *SHAPE)
    inner = (0, *[None] * len(wholes))

    def read(x, *tensors):
        return x[index_of(parts, tensors)]

    agree(lambda x, *tensors: wg.vmap(read, inner)(x, *tensors), (x, *wholes), (0, *dims))


def test_what_differs_in_an_inner_batch_is_read_of_what_differs_in_an_outer_one():
    x, rows, columns = values(SIZE, 4, 5), wg.tensor([3, 0]), wg.tensor([[1, 2], [0, 4], [4, 4]])

    def read(x, columns):
        return wg.vmap(lambda row, column: x[row, column])(rows, columns)

    agree(read, (x, columns), (0, 0))
    agree(read, (x, columns[0]), (0, None))
    agree(read, (x[0].detach().requires_grad_(), columns), (None, 0))
