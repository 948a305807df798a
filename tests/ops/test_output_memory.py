"""What `out=` refuses because of memory, beyond what the cards' samples say."""

from __future__ import annotations

import pytest

import wengert as wg


@pytest.mark.filterwarnings("ignore:An output with one or more elements was resized")
def test_an_output_that_would_grow_over_what_is_read_is_refused() -> None:
    index = wg.tensor([2, 1, 0])
    with pytest.raises(RuntimeError, match="unsupported operation"):
        wg.gather(index.clone(), 0, index[1:], out=index[:1])
    assert index.tolist() == [2, 1, 0]


@pytest.mark.filterwarnings("ignore:An output with one or more elements was resized")
def test_an_output_that_grows_beside_what_is_read_is_written() -> None:
    memory = wg.zeros(8, dtype=wg.int64)
    wg.gather(wg.tensor([5, 6, 7]), 0, wg.tensor([2, 0]), out=memory[3:4])
    assert memory.tolist() == [0, 0, 0, 7, 5, 0, 0, 0]


def memory(*lengths: int) -> wg.Tensor:
    """Numbers in memory that has room for more."""
    return wg.arange(64.0).view(-1)[: wg.Size(lengths).numel()].view(lengths)


def whole(x: wg.Tensor) -> wg.Tensor:
    """All the memory that a tensor lies in."""
    return x._base if x._base is not None else x


SHARED = {
    "outer": lambda x, out: wg.outer(x, wg.ones(2), out=out[1:13].view(6, 2)),
    "kron": lambda x, out: wg.kron(x, wg.ones(2), out=out[1:13]),
    "diff": lambda x, out: wg.diff(x, out=out[1:6]),
    "take_along_dim": lambda x, out: wg.take_along_dim(x, wg.tensor([2, 1]), 0, out=out[1:3]),
    "conj_physical": lambda x, out: wg.conj_physical(x, out=out[1:7]),
    "cross": lambda x, out: wg.cross(x[:3], wg.ones(3), 0, out=out[:3]),
    "max": lambda x, out: wg.max(x, wg.ones(6), out=out[1:7]),
    "hstack": lambda x, out: wg.hstack((x, x), out=out[:12]),
    "column_stack": lambda x, out: wg.column_stack((x, x), out=out[:12].view(6, 2)),
    "stack": lambda x, out: wg.stack((x, x), out=out[:12].view(2, 6)),
    "aminmax": lambda x, out: wg.aminmax(x.view(2, 3), dim=0, out=(out[1:4], wg.zeros(3))),
    "sort": lambda x, out: wg.sort(x, out=(out[1:7], wg.zeros(6, dtype=wg.int64))),
    "mode": lambda x, out: wg.mode(x.view(2, 3), 0, out=(out[1:4], wg.zeros(3, dtype=wg.int64))),
    "ldexp": lambda x, out: wg.ldexp(x, wg.ones(6), out=out[1:7]),
    "renorm": lambda x, out: wg.renorm(x.view(2, 3), 2, 0, 1.0, out=out[1:7].view(2, 3)),
}


@pytest.mark.parametrize("name", SHARED)
def test_an_output_over_a_part_of_an_operand_is_refused(name: str) -> None:
    x = memory(6)
    before = whole(x).tolist()
    with pytest.raises(RuntimeError, match="unsupported operation"):
        SHARED[name](x, whole(x))
    assert whole(x).tolist() == before
    apart = wg.zeros(64)
    SHARED[name](x, apart)  # the same call beside the operand is none
    assert whole(x).tolist() == before and apart.any()


EXACT = {
    "diag": (lambda x, out: wg.diag(x, out=out), (6, 6), "Expected out tensor to have dtype float, but got double"),
    "diff": (lambda x, out: wg.diff(x, 0, out=out), (6,), "expected scalar_type Float but found Double"),
    "quantile": (lambda x, out: wg.quantile(x, 0.5, out=out), (), "out tensor must be same dtype as the input"),
    "histc": (lambda x, out: wg.histc(x, 4, out=out), (4,), "hist tensor should have the same dtype"),
    "matmul": (lambda x, out: wg.matmul(x.view(2, 3), x.view(3, 2), out=out), (2, 2), "to have dtype float"),
    "linear": (
        lambda x, out: wg.nn.functional.linear(x.view(2, 3), x.view(2, 3), out=out),
        (2, 2),
        "to have dtype float, but got double",
    ),
    "inv": (lambda x, out: wg.linalg.inv(wg.eye(2), out=out), (2, 2), "to have dtype float, but got double"),
    "norm": (lambda x, out: wg.norm(x, out=out), (), "to have dtype float, but got double"),
    "inner": (lambda x, out: wg.inner(x, x, out=out), (), "tensordot: Expected the output tensor to have dtype Float"),
    "vecdot": (lambda x, out: wg.linalg.vecdot(x, x, out=out), (), "Expected out of dtypeFloat but found Double"),
    "hardshrink": (lambda x, out: wg.hardshrink(x, out=out), (6,), "Found dtype Double but expected Float"),
}


@pytest.mark.parametrize("name", EXACT)
def test_an_output_of_another_dtype_is_refused_where_torch_does_not_cast(name: str) -> None:
    call, shape, says = EXACT[name]
    with pytest.raises(RuntimeError, match=says):
        call(memory(6), wg.zeros(shape, dtype=wg.float64))
    out = wg.zeros(shape)
    assert call(memory(6), out) is out


def test_places_are_written_into_integers_only() -> None:
    with pytest.raises(RuntimeError, match="Expected out tensor to have scalar type Long"):
        wg.nonzero(wg.ones(2), out=wg.zeros(2, 1))
    out = wg.zeros(2, 1, dtype=wg.int64)
    assert wg.nonzero(wg.ones(2), out=out) is out and out.tolist() == [[0], [1]]


def test_tensors_that_are_stacked_are_cast_to_the_output() -> None:
    out = wg.zeros(2, 3, dtype=wg.float64)
    assert wg.stack((wg.ones(3), wg.zeros(3)), out=out) is out
    assert out.tolist() == [[1, 1, 1], [0, 0, 0]]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "function", [lambda x, **out: wg.pow(x, 9, **out), lambda x, **out: wg.polygamma(4, 1 / x, **out), wg.special.erfcx]
)
def test_what_exceeds_the_dtype_of_an_output_becomes_infinite_without_a_warning(function):
    out = wg.zeros(1, dtype=wg.float16)
    assert function(wg.tensor([-90.0]) if function is wg.special.erfcx else wg.tensor([90.0]), out=out) is out
    assert out.isinf().all()
