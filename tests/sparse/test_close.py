"""`testing.assert_close` of sparse tensors, and the parts of these that are copied."""

from __future__ import annotations

import pytest

import wengert as wg

LAYOUTS = {
    "to_sparse": lambda x: x.to_sparse(),
    "to_sparse_csr": lambda x: x.to_sparse_csr(),
    "to_sparse_csc": lambda x: x.to_sparse_csc(),
    "to_sparse_bsr": lambda x: x.to_sparse_bsr(2),
    "to_sparse_bsc": lambda x: x.to_sparse_bsc((2, 2)),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_sparse_tensors_are_compared_entry_by_entry(name):
    make = LAYOUTS[name]
    x = make(wg.eye(4))
    wg.testing.assert_close(x, x.clone().requires_grad_())
    wg.testing.assert_close(x, make(wg.eye(4) * (1 + 1e-7)))
    wg.testing.assert_close(x, wg.eye(4), check_layout=False)
    wg.testing.assert_close(x, x.double(), check_dtype=False)
    with pytest.raises(AssertionError, match="attribute 'layout' do not match"):
        wg.testing.assert_close(x, wg.eye(4))
    with pytest.raises(AssertionError, match="attribute 'dtype' do not match"):
        wg.testing.assert_close(x, x.double())
    with pytest.raises(AssertionError, match=r"Sparse ... values are not close!(.|\n)*The failure occurred for item"):
        wg.testing.assert_close({"a": x}, {"a": x * 2})
    with pytest.raises(AssertionError, match=r"The number of specified values in sparse ... tensors does not match"):
        wg.testing.assert_close(x, make(wg.ones(4, 4)))


def test_places_are_told_by_the_names_of_the_layout():
    x, other = wg.tensor([[1.0, 1.0], [0.0, 0.0]]), wg.eye(2)
    for name, part in (
        ("to_sparse", "COO indices"),
        ("to_sparse_csr", "CSR crow_indices"),
        ("to_sparse_csc", "CSC row"),
    ):
        with pytest.raises(AssertionError, match=f"Sparse {part}(.|\n)*are not equal"):
            wg.testing.assert_close(LAYOUTS[name](x), LAYOUTS[name](other))


def test_parts_are_copied():
    x = wg.eye(3).to_sparse_csr()
    for part in ("crow_indices", "col_indices", "values"):
        made = getattr(wg, f"{part}_copy")(x)
        assert made.equal(getattr(x, part)()) and made.data_ptr() != getattr(x, part)().data_ptr()
    y = wg.eye(3).to_sparse_csc()
    assert wg.ccol_indices_copy(y).tolist() == [0, 1, 2, 3] and wg.row_indices_copy(y).tolist() == [0, 1, 2]
    assert wg.indices_copy(wg.eye(2).to_sparse()).tolist() == [[0, 1], [0, 1]]
    out = wg.zeros(0, dtype=wg.int64)
    assert wg.crow_indices_copy(x, out=out) is out and out.tolist() == [0, 1, 2, 3]
    with pytest.raises(RuntimeError, match="Expected out tensor to have dtype long int, but got float instead"):
        wg.crow_indices_copy(x, out=wg.zeros(0))
    with pytest.raises(
        RuntimeError, match="ccol_indices expected sparse column compressed tensor layout but got Sparse"
    ):
        wg.ccol_indices_copy(x)
    with pytest.raises(
        TypeError, match=r"crow_indices_copy\(\): argument 'input' \(position 1\) must be Tensor, not int"
    ):
        wg.crow_indices_copy(3)
    x.requires_grad_()
    wg.values_copy(x).sum().backward()
    assert x.grad.to_dense().tolist() == wg.eye(3).tolist()


def test_saddmm_is_sspaddmm():
    x = wg.eye(2).to_sparse()
    wanted = wg.sspaddmm(x, x, wg.ones(2, 2), beta=2, alpha=3).to_dense()
    assert wg.saddmm(x, x, wg.ones(2, 2), beta=2, alpha=3).to_dense().equal(wanted)


def test_a_matrix_in_compressed_rows_grows():
    x = wg.eye(2).to_sparse_csr()
    values = x.values()
    assert x.resize_(3, 4) is x and x.shape == (3, 4) and x._version == 1
    assert x.crow_indices().tolist() == [0, 1, 2, 2] and x.values().data_ptr() == values.data_ptr()
    assert x.resize_as_(wg.zeros(4, 4)).to_dense().sum() == 2
    for shape, text in (((4, 2), "Resizing columns"), ((3, 4), "Resizing rows"), ((9,), "Only batched sparse CSR")):
        with pytest.raises(RuntimeError, match=text):
            x.resize_(*shape)
    with pytest.raises(NotImplementedError, match="'aten::resize_' with arguments from the 'SparseCscCPU' backend"):
        wg.eye(2).to_sparse_csc().resize_(3, 3)
    assert x.shape == (4, 4)
