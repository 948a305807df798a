"""Types of sparse tensors of torch's early days."""

from __future__ import annotations

import pytest

import wengert as wg


def test_types_make_sparse_tensors_and_answer_isinstance() -> None:
    kind = wg.sparse.FloatTensor
    made = kind(wg.tensor([[0], [1]]), wg.tensor([2.0]), wg.Size([2, 2]))
    assert made.to_dense().tolist() == [[0, 2], [0, 0]]
    assert kind(wg.tensor([[0], [1]]), wg.tensor([2.0])).shape == (1, 2)
    assert (kind(2, 3).shape, kind(2, 3)._nnz(), kind().shape) == ((2, 3), 0, (0,))
    assert isinstance(made, kind) and not isinstance(made, (wg.sparse.DoubleTensor, wg.FloatTensor))
    assert not isinstance(made.to_dense(), kind) and not isinstance(made.to_sparse_csr(), kind)
    for wanted in (wg.sparse.DoubleTensor, "torch.sparse.DoubleTensor"):
        assert made.type(wanted).type() == "torch.sparse.DoubleTensor"
    with pytest.raises(TypeError, match="expected indices, values and perhaps a size"):
        kind(wg.tensor([[0], [1]]))
    assert repr(kind) == "<class 'torch.sparse.FloatTensor'>"
