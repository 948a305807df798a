"""What has no sparse form is refused: nothing reads the array that stands in for the elements."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import wengert as wg
from wengert._core.tensor.base import Tensor
from wengert.testing import Case

REFUSALS = (NotImplementedError, RuntimeError, TypeError, ValueError, IndexError, BufferError, AttributeError)


def sparse_form(value: Tensor) -> Tensor:
    return value.detach().to_sparse()


def dense_form(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.to_dense().detach().numpy()
    if isinstance(value, (tuple, list)):
        return [dense_form(each) for each in value]
    return value


def same(made: Any, wanted: Any) -> bool:
    if isinstance(wanted, list):
        return all(same(a, b) for a, b in zip(made, wanted, strict=True))
    if isinstance(wanted, np.ndarray) and wanted.dtype.kind in "fciub":
        return np.allclose(made, wanted, rtol=1e-4, atol=1e-5, equal_nan=True)
    return True


UNLIKE = (
    "empty",
    "rand",
    "_new",
    "new_empty",
    "normal",
    "dropout",
    "bernoulli",
    "poisson",
    "multinomial",
    "lowrank",
    "signbit",
)
"""Drawn, or not initialised, or asking for the sign of zeros, which have no entries."""


@pytest.mark.cases(
    together=True, wanted=lambda operator, dtype: dtype is wg.float32 and not getattr(operator, "random", False)
)
def test_an_operator_refuses_sparse_tensors_or_gives_what_it_gives_of_dense_ones(case: Case) -> None:
    if any(each in case.name for each in UNLIKE):
        pytest.skip("its elements are not those of a dense tensor")
    call = case.call(False)
    sparse, dense = call.exchanged(sparse_form), call.exchanged(lambda each: each.clone())
    if not call.tensors():
        pytest.skip("takes no tensors")
    function = case.operator.public
    with warnings.catch_warnings(), wg.no_grad():
        warnings.simplefilter("ignore")
        try:
            made = function(*sparse.args, **sparse.kwargs)
        except REFUSALS:
            return
        assert same(dense_form(made), dense_form(function(*dense.args, **dense.kwargs)))


READERS = {
    "bool": bool,
    "contains": lambda s: 1.0 in s,
    "array": np.asarray,
    "float": float,
    "numpy": lambda s: s.numpy(),
    "tolist": lambda s: s.tolist(),
    "item": lambda s: s.item(),
    "storage": lambda s: s.untyped_storage(),
    "data_ptr": lambda s: s.data_ptr(),
    "contiguous": lambda s: s.contiguous(),
    "dlpack": lambda s: wg.to_dlpack(s),
    "as_strided": lambda s: s.as_strided((2,), (1,)),
    "slice": lambda s: s[:, 1:],
    "view": lambda s: s.view(6),
    "reshape": lambda s: s.reshape(6),
    "write": lambda s: s.__setitem__(0, 1.0),
    "fill": lambda s: s.fill_(1.0),
    "equal": lambda s: s == s,
    "exp": lambda s: s.exp(),
    "dense result": lambda s: wg.zeros(2, 3).copy_(s) and s.exp(),
    "assigned data": lambda s: setattr(wg.zeros(2, 3), "data", s),
    "vmap": lambda s: wg.vmap(lambda row: row * 2)(s),
    "ones_like": wg.ones_like,
}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_nothing_reads_the_elements_of_a_sparse_tensor(read: Any) -> None:
    with pytest.raises(REFUSALS):
        read(wg.tensor([[0.0, 1.0, 0.0], [2.0, 0.0, 3.0]]).to_sparse())


def test_the_error_has_the_words_of_torch() -> None:
    with pytest.raises(NotImplementedError, match="Could not run 'aten::exp' with arguments from the 'SparseCPU' back"):
        wg.ones(2).to_sparse().exp()
    with pytest.raises(RuntimeError, match=r"Cannot get values on an uncoalesced tensor, please call .coalesce"):
        wg.sparse_coo_tensor([[0, 0]], [1.0, 2.0], (2,)).values()
    with pytest.raises(RuntimeError, match="Use add\\(dense, sparse\\) instead"):
        wg.ones(2).to_sparse() + wg.ones(2)
    with pytest.raises(RuntimeError, match="coalesce expected sparse coordinate tensor layout but got Strided"):
        wg.ones(2).coalesce()


def test_places_outside_of_the_shape_are_refused() -> None:
    with pytest.raises(RuntimeError, match="for dim 0, size is 2 but found index 2"):
        wg.sparse_coo_tensor([[0, 2]], [1.0, 2.0], (2,))
    with pytest.raises(RuntimeError, match="found negative index -1 for dim 0"):
        wg.sparse_coo_tensor([[0, -1]], [1.0, 2.0], (2,))


def test_a_sparse_parameter_and_an_alias_know_that_they_are_sparse() -> None:
    sparse = wg.tensor([0.0, 2.0]).to_sparse()
    for each in (wg.nn.Parameter(sparse), sparse.detach(), sparse.data, sparse.clone()):
        assert each.is_sparse
        assert each.layout is wg.sparse_coo
        assert each.to_dense().tolist() == [0.0, 2.0]
    assert not wg.ones(2).is_sparse


def test_patterns_of_derivatives_are_not_followed_through_sparse_tensors() -> None:
    sparse = wg.eye(3).to_sparse()
    for function in (lambda x: sparse @ x, lambda x: x.to_sparse().to_dense()):
        with pytest.raises(NotImplementedError, match="patterns are not followed through sparse tensors"):
            wg.func.jacobian_sparsity(function, wg.ones(3))


def test_a_batch_is_not_taken_beside_sparse_tensors_but_in_products() -> None:
    with pytest.raises(RuntimeError, match="vmap: sparse tensors cannot be used together"):
        wg.vmap(lambda row: wg.eye(3).to_sparse() * row)(wg.ones(2, 3))


def test_bad_values_of_a_sparse_gradient_are_found() -> None:
    leaf = wg.tensor([1.0, 0.0]).to_sparse().requires_grad_()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with wg.autograd.detect_anomaly(), pytest.raises(RuntimeError, match="returned nan values in"):
            wg.sparse.sum(leaf * float("nan")).backward()


REFUSED = {
    "mm of a number": (lambda s: wg.mm(s, 3), TypeError, "must be Tensor, not int"),
    "mm of a list": (lambda s: wg.mm(s, [1, 2]), TypeError, "must be Tensor, not list"),
    "mv of a list": (lambda s: wg.mv(s, [1, 2, 3]), TypeError, "must be Tensor, not list"),
    "index_select of a size": (lambda s: s.index_select(1, wg.Size([2])), TypeError, "must be Tensor, not Size"),
    "copy_ of a tuple": (lambda s: s.copy_((1, 2)), TypeError, "must be Tensor, not tuple"),
    "cat with None": (lambda s: wg.cat([s, None]), TypeError, "expected Tensor as element 1"),
    "unbind along no dimension": (lambda s: s.unbind(5), IndexError, "Dimension out of range"),
    "sparse.mm of a number": (lambda s: wg.sparse.mm(s, 1j), TypeError, "must be Tensor, not complex"),
    "sparse.sum of an array": (
        lambda s: wg.sparse.sum(np.ones(3), (0,)),
        TypeError,
        "must be Tensor, not numpy.ndarray",
    ),
    "to_dense to a number": (lambda s: s.to_dense(-0.0), TypeError, "must be torch.dtype, not float"),
    "_coalesced_ by a number": (lambda s: s._coalesced_(0.0), TypeError, "must be bool, not float"),
    "_coalesced_ of dense": (lambda s: s.to_dense()._coalesced_(True), NotImplementedError, "from the 'CPU' backend"),
}


@pytest.mark.parametrize("call, error, words", REFUSED.values(), ids=REFUSED)
def test_what_is_no_operand_is_refused(call: Any, error: type[Exception], words: str) -> None:
    sparse = wg.tensor([[1.0, 0.0, 3.0], [0.0, 5.0, 0.0]]).to_sparse()
    with pytest.raises(error, match=words):
        call(sparse)
    assert sparse.is_coalesced()
    assert sparse._version == 0


PLACES = {
    "add": lambda x, out: wg.add(x, x, out=out),
    "mul": lambda x, out: wg.mul(x, 2, out=out),
    "sin": lambda x, out: wg.sin(x, out=out),
    "neg": lambda x, out: wg.neg(x, out=out),
    "mm": lambda x, out: wg.mm(x, x, out=out),
    "matmul": lambda x, out: wg.matmul(x, x, out=out),
}


@pytest.mark.parametrize("kind", ["to_sparse", "to_sparse_csr"])
@pytest.mark.parametrize("name", PLACES)
def test_a_sparse_result_is_written_into_a_tensor_that_is_sparse_as_it_is(name, kind):
    dense = wg.tensor([[0.5, 0.0], [0.0, 2.0]])
    x, out = getattr(dense, kind)(), getattr(wg.zeros(2, 2), kind)()
    before = out._version
    assert PLACES[name](x, out) is out and out._version == before + 1
    assert out.layout is x.layout and out.to_dense().equal(PLACES[name](dense, None))
    strided = wg.ones(2, 2)
    for given, target in ((x, strided), (dense, out), (x, strided.to_sparse_csc())):
        kept = target.to_dense().clone()
        with pytest.raises(RuntimeError, match=rf"{name}: the result is of layout .* cannot be written"):
            PLACES[name](given, target)
        assert target.to_dense().equal(kept)


def test_a_sampled_product_is_written_into_a_matrix_of_compressed_rows():
    x, out = wg.eye(2).to_sparse_csr(), wg.zeros(2, 2).to_sparse_csr()
    assert wg.sparse.sampled_addmm(x, wg.ones(2, 2), wg.ones(2, 2), out=out) is out
    assert out.to_dense().tolist() == [[3, 0], [0, 3]]
    with pytest.raises(RuntimeError, match=r"cannot be written into a tensor of layout torch\.sparse_coo"):
        wg.ones(2, 2, out=wg.eye(2).to_sparse())


def test_factories_of_zeros_write_into_sparse_outputs():
    out = wg.eye(2).to_sparse()
    assert wg.zeros(2, 2, out=out) is out and out._nnz() == 0 and out.shape == (2, 2)
    wg.zeros(3, out=out)
    assert out.shape == (3,) and out.is_sparse
    with pytest.raises(RuntimeError, match="cannot be written into"):
        wg.ones(3, out=out)
