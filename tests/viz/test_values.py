"""What is told about tensors: all elements of small ones, limits of large ones."""

import numpy as np

import wengert as wg
from wengert.viz.values import as_text, value_of, value_of_array


def test_a_small_tensor_is_copied_with_all_elements() -> None:
    x = wg.tensor([[1.0, -2.0], [0.5, 1e-9]])
    value = value_of(x)
    x.zero_()
    assert value.head() == "[2, 2] float32"
    assert value.body() == "[[ 1.  -2. ]\n [ 0.5  0. ]]"
    assert value.norm is not None and abs(value.norm - 5.25**0.5) < 1e-6


def test_a_large_tensor_is_described() -> None:
    array = np.zeros(1000)
    array[:4] = [3.0, -1.0, np.nan, np.inf]
    value = value_of_array(array)
    assert value.array is None
    assert value.body() == "1,000 elements; from -1 to 3, mean 0.002004; 996 are zero; 2 are NaN or infinite"
    complexes = value_of_array(np.full(200, 3 + 4j))
    assert complexes.body() == "200 elements; absolute values from 5 to 5, mean 5"
    assert value_of_array(np.full(200, np.nan)).body() == "200 elements; 200 are NaN or infinite"
    assert value_of_array(np.ones(200, bool)).body() == "200 elements; from 1 to 1, mean 1"


def test_tensors_without_elements_have_shapes() -> None:
    assert str(value_of(wg.ones(2, 0))) == "[2, 0] float32 []"
    assert str(value_of(wg.ones(2, device="meta"))) == "[2] float32 without elements, on the device meta"
    assert str(value_of(wg.eye(3).to_sparse_csr())) == "[3, 3] float32 norm 1.732; sparse, with 3 entries"


def test_what_is_not_a_tensor_is_one_line_of_visible_text() -> None:
    assert as_text((2, 3)) == "(2, 3)"
    assert "\n" not in as_text("a\nb\u202e") and "\u202e" not in as_text("a\nb\u202e")
    assert len(as_text(list(range(10_000)))) < 100
