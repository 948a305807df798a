"""Memory that the target of a write may share, with itself and with what the write reads: torch's verdicts."""

from __future__ import annotations

import warnings

import pytest

import wengert as wg

ITSELF = "more than one element of the written-to tensor refers to a single memory location"
PARTLY = "some elements of the input tensor and the written-to tensor refer to a single memory location"


def square():
    return wg.arange(1.0, 10.0, dtype=wg.float64).reshape(3, 3)


def rows(*at):
    return wg.tensor(at)


ALLOWED_ON_ITSELF = {
    "zero_": lambda y: y.zero_(),
    "fill_": lambda y: y.fill_(3),
    "masked_fill_": lambda y: y.masked_fill_(y > 1, 3),
    "index_fill_": lambda y: y.index_fill_(0, rows(0), 3),
    "index_put_": lambda y: y.index_put_((rows(0),), wg.tensor(3.0, dtype=wg.float64)),
    "a mask": lambda y: y.__setitem__(y > 1, 3),
    "an index": lambda y: y.__setitem__(rows(0), 3),
    "a row": lambda y: y.__setitem__(0, 3),
    "fill_diagonal_": lambda y: y.fill_diagonal_(3),
}
REFUSED_ON_ITSELF = {
    "add_": lambda y: y.add_(1),
    "fill_ by a tensor": lambda y: y.fill_(wg.tensor(3.0, dtype=wg.float64)),
    "copy_": lambda y: y.copy_(wg.zeros(2, 3, dtype=wg.float64)),
    "exp_": lambda y: y.exp_(),
    "cumsum_": lambda y: y.cumsum_(0),
    "addmm_": lambda y: y.addmm_(wg.ones(2, 2, dtype=wg.float64), wg.ones(2, 3, dtype=wg.float64)),
    "index_add_": lambda y: y.index_add_(0, rows(0), wg.ones(1, 3, dtype=wg.float64)),
    "index_copy_": lambda y: y.index_copy_(0, rows(0), wg.ones(1, 3, dtype=wg.float64)),
    "scatter_": lambda y: y.scatter_(0, wg.zeros(1, 3, dtype=wg.int64), 2.0),
    "masked_scatter_": lambda y: y.masked_scatter_(y > 1, wg.ones(9, dtype=wg.float64)),
    "put_": lambda y: y.put_(rows(0), wg.ones(1, dtype=wg.float64)),
    "everything": lambda y: y.__setitem__(slice(None), 2.0),
    "normal_": lambda y: y.normal_(),
    "out=": lambda y: wg.add(wg.ones(2, 3, dtype=wg.float64), 1, out=y),
    "out= of a product": lambda y: wg.mm(wg.ones(2, 2, dtype=wg.float64), wg.ones(2, 3, dtype=wg.float64), out=y),
}


@pytest.mark.filterwarnings("ignore:Use of .* on expanded tensors is deprecated")
@pytest.mark.parametrize("write", ALLOWED_ON_ITSELF)
def test_some_writes_may_go_to_elements_that_share_memory(write):
    base = square()
    ALLOWED_ON_ITSELF[write](base[1:2].expand(2, 3))
    assert base._version == 1
    assert base.tolist()[0] == [1, 2, 3] and base.tolist()[1] != [4, 5, 6]


@pytest.mark.parametrize("write", REFUSED_ON_ITSELF)
def test_the_others_are_refused_before_anything_is_written(write):
    base = square()
    with pytest.raises(RuntimeError, match=ITSELF):
        REFUSED_ON_ITSELF[write](base[1:2].expand(2, 3))
    assert base.tolist() == square().tolist() and base._version == 0


WARNED = {
    "index_fill_": lambda y: y.index_fill_(0, wg.tensor([0]), 2.0),
    "masked_fill_": lambda y: y.masked_fill_(wg.ones(2, 3) > 0, 2.0),
    "index_put_": lambda y: y.index_put_((wg.tensor([0]),), wg.tensor(2.0, dtype=wg.float64)),
    "y[]": lambda y: y.__setitem__(wg.tensor([0]), 2.0),
}


@pytest.mark.parametrize("write", WARNED)
def test_a_write_of_one_value_into_shared_elements_is_warned_of(write):
    base = square()
    with pytest.warns(UserWarning, match="index_put_ on" if write == "y[]" else f"{write} on expanded tensors is"):
        WARNED[write](base[1:2].expand(2, 3))
    assert base.tolist() == [square().tolist()[0], [2, 2, 2], *square().tolist()[2:]]
    with pytest.raises(UserWarning), warnings.catch_warnings(action="error"):
        WARNED[write](base[:1].expand(2, 3))
    assert base.tolist()[0] == square().tolist()[0] and base._version == 1


@pytest.mark.parametrize("write", WARNED)
def test_nobody_is_warned_of_elements_that_lie_apart(write):
    with warnings.catch_warnings(action="error"):
        WARNED[write](square()[:2])
        WARNED[write](square()[:2].mT.contiguous().mT)


@pytest.mark.parametrize(
    ("index", "value", "names"),
    [
        (wg.tensor([True, False, True]), 0.5, ["index_put_", "masked_fill_"]),
        (wg.tensor([[True, False]] * 3), wg.tensor([0.5]), ["index_put_", "masked_fill_"]),
        ((slice(None), wg.tensor([True, False])), 0.5, ["index_put_", "masked_fill_"]),
        ((None, wg.tensor([True, False, True])), 0.5, ["index_put_", "masked_fill_"]),
        (wg.tensor([True, False, True]), wg.ones(2), ["index_put_"]),
        ((wg.tensor([True, False, False]), wg.tensor([True, False])), 0.5, ["index_put_"]),
        (wg.tensor([0]), 0.5, ["index_put_"]),
    ],
    ids=repr,
)
def test_one_value_under_one_mask_is_warned_of_twice(index, value, names):
    with pytest.warns(UserWarning) as told:
        wg.ones(3, 1).expand(3, 2)[index] = value
    assert [str(each.message).split()[2] for each in told] == names


def test_an_expanded_dimension_of_length_one_is_no_overlap():
    base = square()
    base[:1].expand(1, 3).add_(1)
    assert base.tolist()[0] == [2, 3, 4]


BINARY = {
    "add_": lambda y, z: y.add_(z),
    "copy_": lambda y, z: y.copy_(z),
    "addcmul_": lambda y, z: y.addcmul_(z.clone(), z),
    "lerp_": lambda y, z: y.lerp_(z, 0.5),
    "atan2_": lambda y, z: y.atan2_(z),
    "out=": lambda y, z: wg.exp(z, out=y),
}
WHOLLY = {
    "index_add_": lambda y, z: y.index_add_(0, rows(0, 1), z),
    "index_copy_": lambda y, z: y.index_copy_(0, rows(0, 1), z),
    "index_put_": lambda y, z: y.index_put_((rows(0, 1),), z),
    "scatter_": lambda y, z: y.scatter_(0, wg.zeros(2, 3, dtype=wg.int64), z),
    "scatter_add_": lambda y, z: y.scatter_add_(0, wg.zeros(2, 3, dtype=wg.int64), z),
    "scatter_reduce_": lambda y, z: y.scatter_reduce_(0, wg.zeros(2, 3, dtype=wg.int64), z, "sum"),
    "index_reduce_": lambda y, z: y.index_reduce_(0, rows(0, 1), z, "prod"),
    "put_": lambda y, z: y.put_(wg.arange(6).reshape(2, 3), z),
}
NEVER = {
    "fill_": lambda y, z: y.fill_(z[0, 0]),
    "masked_fill_": lambda y, z: y.masked_fill_(y > 1, z[0, 0]),
    "index_fill_": lambda y, z: y.index_fill_(0, rows(0), z[0, 0]),
    "a mask": lambda y, z: y.__setitem__(y > 1, z[0, 0]),
    "masked_scatter_": lambda y, z: y.masked_scatter_(y > 100, z),
    "addmm_": lambda y, z: y.addmm_(wg.ones(2, 2, dtype=wg.float64), z),
}


@pytest.mark.parametrize("write", BINARY)
def test_another_input_may_share_all_of_the_memory_but_not_a_part(write):
    base = square()
    BINARY[write](base[:2], base[:2])
    assert base._version == 1
    for other in (lambda x: x[1:], lambda x: x.data[1:]):
        base = square()
        with pytest.raises(RuntimeError, match=PARTLY):
            BINARY[write](base[:2], other(base))
        assert base.tolist() == square().tolist() and base._version == 0


@pytest.mark.parametrize("write", WHOLLY)
def test_what_is_written_by_index_may_not_share_any_of_it(write):
    for other in (lambda x: x[:2], lambda x: x[1:]):
        base = square()
        with pytest.raises(RuntimeError, match=PARTLY):
            WHOLLY[write](base[:2], other(base))
        assert base.tolist() == square().tolist() and base._version == 0


@pytest.mark.parametrize("write", NEVER)
def test_some_writes_read_their_inputs_first(write):
    for other in (lambda x: x[:2], lambda x: x[1:]):
        base = square()
        NEVER[write](base[:2], other(base))
        assert base._version == 1


def test_the_transpose_of_the_target_overlaps_it_in_part():
    base = square()
    with pytest.raises(RuntimeError, match=PARTLY):
        base.add_(base.t())
    assert base.tolist() == square().tolist()


def test_a_value_of_another_dtype_may_be_written_where_a_mask_holds():
    base = wg.zeros(2, 2)
    base[wg.tensor([[True, False], [False, True]])] = wg.tensor(2.5, dtype=wg.float64)
    base[wg.tensor([False, True])] = wg.tensor([7])
    assert base.tolist() == [[2.5, 0], [7, 7]]
    with pytest.raises(RuntimeError, match="Index put requires the source and destination dtypes match"):
        base[wg.tensor([0, 1])] = wg.tensor(2.5, dtype=wg.float64)


# ---- gradients -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "grad", [wg.ones(1).expand(3), wg.ones(4).unfold(0, 2, 1)], ids=["expanded", "overlapping windows"]
)
def test_nothing_is_accumulated_where_elements_share_memory(grad):
    leaf = wg.zeros(grad.shape, requires_grad=True)
    leaf.grad = grad
    with pytest.raises(RuntimeError, match=ITSELF):
        (leaf * leaf).sum().backward()
    assert leaf.grad.tolist() == wg.ones(grad.shape).tolist()
    (leaf * 2).sum().backward(create_graph=True)  # the sum lies in memory of its own
    assert leaf.grad.tolist() == (3 * wg.ones(grad.shape)).tolist()
    leaf.grad = None


OVERLAPPING = {
    "expanded": lambda y: y[1:2].expand(2, 3),
    "windows": lambda y: y.unfold(1, 2, 1),
    "by strides": lambda y: y.as_strided((2, 2), (1, 1)),
}
APART = {
    "windows": lambda y: y.unfold(1, 2, 2),
    "by strides": lambda y: y.as_strided((2, 2), (3, 2)),
    "a diagonal": lambda y: y.diagonal(),
    "turned": lambda y: y.flip(0).t()[::2],
}
WITH_GRADIENTS = {
    "masked_fill_": lambda y, value: y.masked_fill_(y > 1, 3),
    "masked_fill_ by a tensor": lambda y, value: y.masked_fill_(y > 1, value),
    "index_put_": lambda y, value: y.index_put_((rows(0),), value),
    "index_put_ of sums": lambda y, value: y.index_put_((rows(0),), value, accumulate=True),
    "a mask": lambda y, value: y.__setitem__(y > 1, 2 * y[y > 1]),
}


@pytest.mark.filterwarnings("ignore:Use of .* on expanded tensors is deprecated")
@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize("write", WITH_GRADIENTS)
@pytest.mark.parametrize("view", OVERLAPPING)
def test_a_write_to_elements_that_share_memory_has_no_gradient(view, write, recorded):
    x = square().requires_grad_()
    base = x * 1
    WITH_GRADIENTS[write](OVERLAPPING[view](base), x.sum())
    with pytest.raises(RuntimeError, match=ITSELF):
        wg.autograd.grad(base.sum(), x, create_graph=recorded)


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize("view", OVERLAPPING)
def test_zeros_written_to_elements_that_share_memory_have_a_gradient(view, recorded):
    x = square().requires_grad_()
    base = x * 1
    OVERLAPPING[view](base).zero_()
    (grad,) = wg.autograd.grad(base.sum(), x, create_graph=recorded)
    assert grad.tolist() == (base != 0).to(wg.float64).tolist()


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize("write", WITH_GRADIENTS)
@pytest.mark.parametrize("view", APART)
def test_a_write_to_elements_that_lie_apart_has_the_gradient_of_its_tangent(view, write, recorded):
    def f(x):
        base = x * 1
        WITH_GRADIENTS[write](APART[view](base), x.sum())
        return base

    x, way = square(), square().flip(0)
    (grad,) = wg.autograd.grad((f(x.requires_grad_()) * way).sum(), x, create_graph=recorded)
    tangent = wg.func.jvp(f, (x.detach(),), (way,))[1]
    assert wg.allclose((grad * way).sum(), (tangent * way).sum(), rtol=1e-12)


WHOLE = {
    "index_add_": lambda y, other: y.index_add_(0, rows(0, 0, 1), other),
    "index_copy_": lambda y, other: y.index_copy_(0, rows(0, 1, 2), other),
    "index_reduce_": lambda y, other: y.index_reduce_(0, rows(0, 1, 2), other, "prod"),
    "scatter_": lambda y, other: y.scatter_(0, wg.zeros(3, 3, dtype=wg.int64), other),
    "scatter_add_": lambda y, other: y.scatter_add_(0, wg.zeros(3, 3, dtype=wg.int64), other),
    "scatter_reduce_": lambda y, other: y.scatter_reduce_(0, wg.zeros(3, 3, dtype=wg.int64), other, "sum"),
    "put_": lambda y, other: y.put_(wg.arange(9).reshape(3, 3), other),
}
"""Writes that refuse the elements of the target as a source."""


@pytest.mark.parametrize("other", [lambda y: y, lambda y: y.view(3, 3), lambda y: y.detach(), lambda y: y.t()])
@pytest.mark.parametrize("write", WHOLE)
def test_a_target_is_no_source_even_as_itself(write, other):
    y = square()
    with pytest.raises(RuntimeError, match=PARTLY):
        WHOLE[write](y, other(y))
    assert y._version == 0
    assert y.equal(square())
