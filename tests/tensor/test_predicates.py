"""What programs ask of tensors that might be sparse."""

from __future__ import annotations

import pytest

import wengert as wg


def test_a_tensor_is_dense_in_all_dimensions():
    x = wg.ones(2, 3)
    assert (x.sparse_dim(), x.dense_dim(), x.to_dense() is x) == (0, 2, True)
    assert (wg.tensor(1.0).sparse_dim(), wg.tensor(1.0).dense_dim()) == (0, 0)
    assert x.double().dequantize().dtype is wg.float32


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("coalesce", "coalesce expected sparse coordinate tensor layout but got Strided"),
        ("is_coalesced", "is_coalesced expected sparse coordinate tensor layout but got Strided"),
        ("indices", "indices expected sparse coordinate tensor layout but got Strided"),
        ("values", "values expected sparse tensor layout but got Strided"),
        ("crow_indices", "crow_indices expected sparse row compressed tensor layout but got Strided"),
        ("col_indices", "col_indices expected sparse row compressed tensor layout but got Strided"),
        ("ccol_indices", "ccol_indices expected sparse column compressed tensor layout but got Strided"),
        ("row_indices", "row_indices expected sparse column compressed tensor layout but got Strided"),
    ],
)
def test_what_only_sparse_tensors_have_is_refused(name, says):
    with pytest.raises(RuntimeError, match=says):
        getattr(wg.ones(2, 2), name)()
