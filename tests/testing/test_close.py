"""`testing.assert_close` of sparse tensors, and its older form."""

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


def test_the_older_comparison_takes_more_for_close():
    with pytest.warns(FutureWarning, match="deprecated since 1.12"):
        wg.testing.assert_allclose(wg.ones(2), [1.0, 1.00005])
    with pytest.warns(FutureWarning), pytest.raises(AssertionError, match="not close"):
        wg.testing.assert_allclose(wg.ones(2), wg.tensor([1.0, 1.001], dtype=wg.float64))
    with pytest.warns(FutureWarning):
        wg.testing.assert_allclose(wg.tensor([float("nan")]), wg.tensor([float("nan")]))
    with pytest.warns(FutureWarning), pytest.raises(ValueError, match="Both 'rtol' and 'atol'"):
        wg.testing.assert_allclose(wg.ones(2), wg.ones(2), rtol=0.1)
