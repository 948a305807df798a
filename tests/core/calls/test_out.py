"""What may be given as `out=`."""

from __future__ import annotations

import pytest

import wengert as wg


@pytest.mark.parametrize("given", [5, "a", 1.5, True, (), [3], {}])
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("add", lambda out: wg.add(wg.ones(2), wg.ones(2), out=out)),
        ("sin", lambda out: wg.sin(wg.ones(2), out=out)),
        ("sum", lambda out: wg.sum(wg.ones(2), out=out)),
        ("cat", lambda out: wg.cat([wg.ones(2)], out=out)),
        ("zeros", lambda out: wg.zeros(2, out=out)),
        ("normal", lambda out: wg.normal(wg.ones(2), wg.ones(2), out=out)),
    ],
)
def test_a_single_result_is_written_into_a_tensor_only(name, call, given):
    with pytest.raises(TypeError, match=rf"{name}\(\): argument 'out' must be Tensor, not {type(given).__name__}"):
        call(given)


def test_a_tuple_is_not_taken_for_the_one_tensor_in_it():
    kept = wg.zeros(2)
    with pytest.raises(TypeError, match=r"add\(\): argument 'out' must be Tensor, not tuple"):
        wg.add(wg.ones(2), wg.ones(2), out=(kept,))
    assert kept.tolist() == [0.0, 0.0]


def test_several_results_are_written_into_as_many_tensors():
    x = wg.ones(2)
    with pytest.raises(TypeError, match=r"var_mean\(\): argument 'out' must be tuple of Tensors, not int"):
        wg.var_mean(x, out=5)
    with pytest.raises(TypeError, match="expected Tensor as element 1 in 'out', but got int"):
        wg.var_mean(x, out=(wg.ones(()), 3))
    with pytest.raises(TypeError, match="expected tuple of 2 elements but got 1"):
        wg.var_mean(x, out=(wg.ones(()),))


def test_no_output_at_all_may_be_said_by_none():
    assert wg.add(wg.ones(2), wg.ones(2), out=None).tolist() == [2.0, 2.0]


@pytest.mark.parametrize(
    "call",
    [
        lambda x: wg.take(x, wg.tensor([1, 0]), out=x),
        lambda x: wg.gather(x, 0, wg.tensor([1, 0, 2, 3]), out=x),
        lambda x: wg.index_select(x, 0, wg.tensor([1, 0, 2, 3]), out=x[:4]),
        lambda x: wg.masked_select(x, x > 0, out=x),
        lambda x: wg.kthvalue(x, 2, out=(x, wg.tensor(0))),
        lambda x: wg.cat([x, wg.ones(2)], out=x),
        lambda x: wg.cat([wg.ones(2), wg.ones(1)], out=wg.ones(1).expand(3)),
        lambda x: wg.cumsum(x[:3], 0, out=x[1:]),
        lambda x: wg.scatter(wg.zeros(4), 0, wg.tensor([0, 1, 2, 3]), x, out=x),
    ],
    ids=["take", "gather", "index_select", "masked_select", "kthvalue", "cat", "expanded", "cumsum", "scatter"],
)
def test_what_is_read_while_the_output_is_written_may_not_be_its_memory(call):
    x = wg.arange(1.0, 5.0)
    with pytest.raises(RuntimeError, match="single memory location"):
        call(x)
    assert x.tolist() == [1.0, 2.0, 3.0, 4.0]


def test_an_operand_that_is_also_the_output_keeps_its_shape():
    x, y = wg.ones(3, 1), wg.ones(3)
    with pytest.raises(RuntimeError, match=r"output with shape \[3, 1\] doesn't match the broadcast shape \[3, 3\]"):
        wg.add(x, y, out=x)
    assert wg.add(y, 1, out=y) is y


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda out: wg.gather(wg.ones(3), 0, wg.tensor([0]), out=out), "to have dtype float, but got double instead"),
        (lambda out: wg.mm(wg.ones(2, 2), wg.ones(2, 2), out=out), "to have dtype float, but got double instead"),
        (lambda out: wg.abs(wg.ones(3), out=out), "Found dtype Double but expected Float"),
        (
            lambda out: wg.complex(wg.ones(3), wg.ones(3), out=out),
            "scalar type ComplexFloat but got scalar type Double",
        ),
        (lambda out: wg.multinomial(wg.ones(3), 2, out=out), "multinomial expects Long tensor out, got: Double"),
        (lambda out: wg.amax(wg.ones(3), 0, out=out), "got Float for input's dtype and Double for out's dtype"),
    ],
    ids=["gather", "mm", "abs", "complex", "multinomial", "amax"],
)
def test_an_output_of_another_dtype_is_refused_where_torch_does_not_cast(call, words):
    out = wg.zeros(0, dtype=wg.float64)
    with pytest.raises(RuntimeError, match=words):
        call(out)
    assert out.shape == (0,)


@pytest.mark.parametrize(
    "call",
    [
        lambda out: wg.add(wg.ones(3), 0, out=out),
        lambda out: wg.cat([wg.ones(3)], out=out),
        lambda out: wg.sum(wg.ones(2, 3), 0, out=out),
        lambda out: wg.logical_and(wg.ones(3), wg.ones(3), out=out),
    ],
    ids=["add", "cat", "sum", "logical_and"],
)
def test_an_output_of_another_dtype_is_cast_to_where_torch_casts(call):
    assert call(wg.zeros(3, dtype=wg.float64)).dtype == wg.float64


def test_parts_that_are_written_into_tensors_are_not_returned():
    given = [wg.empty(2), wg.empty(2)]
    assert wg.unbind_copy(wg.ones(2, 2), out=given) is None
    assert given[1].tolist() == [1.0, 1.0]


def test_a_linear_map_is_written_into_a_tensor():
    out = wg.empty(0)
    assert wg.nn.functional.linear(wg.ones(1, 2), wg.ones(3, 2), out=out) is out
    assert out.tolist() == [[2.0, 2.0, 2.0]]
