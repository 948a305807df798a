"""Sparse tensors in torch's zip archives, made by hand: their parts are checked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import wengert as wg
from tests.io.torch_archives import Call, Stored, archive, tensor

PLACES = np.array([[0, 0, 2], [0, 2, 1]])
VALUES = np.array([1, 2, 3], np.float32)
BOUNDS = np.array([0, 2, 2, 3])


def part(key: str, array: Any) -> Any:
    kind = {"i": "torch LongStorage", "f": "torch FloatStorage"}[array.dtype.kind]
    strides = tuple(step // array.itemsize for step in array.strides)
    return tensor(Stored(kind, key, array.size), 0, array.shape, strides)


def file_of(layout: Any, arrays: Any, *rest: Any) -> Any:
    name = Call("torch.serialization _get_layout", layout)
    parts = tuple(part(str(key), each) for key, each in enumerate(arrays))
    made = Call("torch._utils _rebuild_sparse_tensor", name, (*parts, *rest))
    return archive(made, {str(key): each.tobytes() for key, each in enumerate(arrays)})


def size(*lengths: int) -> Any:
    return Call("torch Size", lengths)


@pytest.mark.parametrize("coalesced", [True, False, None])
def test_a_tensor_in_coordinates_is_read(coalesced: Any) -> None:
    rest = () if coalesced is None else (coalesced,)
    made = wg.load(file_of("torch.sparse_coo", (PLACES, VALUES), size(3, 3), *rest))
    assert (made.layout, made.is_coalesced()) == (wg.sparse_coo, bool(coalesced))
    assert made.to_dense().tolist() == [[1, 0, 2], [0, 0, 0], [0, 3, 0]]


def test_a_compressed_tensor_is_read() -> None:
    made = wg.load(file_of("torch.sparse_csr", (BOUNDS, PLACES[1].copy(), VALUES), size(3, 3)))
    assert made.layout is wg.sparse_csr
    assert made.to_dense().tolist() == [[1, 0, 2], [0, 0, 0], [0, 3, 0]]


COO, CSR = "torch.sparse_coo", "torch.sparse_csr"
PLAIN = PLACES[1].copy()
DAMAGED = {
    "place outside": (lambda: file_of(COO, (PLACES, VALUES), size(3, 2), True), "size is 2 but found index 2"),
    "negative place": (lambda: file_of(COO, (-PLACES, VALUES), size(3, 3), True), "found negative index"),
    "disorder": (lambda: file_of(COO, (PLACES[:, ::-1].copy(), VALUES), size(3, 3), True), "cannot set is_coalesced"),
    "few entries": (lambda: file_of(COO, (PLACES, VALUES[:2]), size(3, 3), True), "must have same nnz"),
    "places of float": (lambda: file_of(COO, (PLACES.astype(np.float32), VALUES), size(3, 3)), "are not of int64"),
    "no size": (lambda: file_of(COO, (PLACES, VALUES), None), "not lengths"),
    "no parts": (lambda: file_of(COO, (PLACES,)), "does not have the parts"),
    "no truth": (lambda: file_of(COO, (PLACES, VALUES), size(3, 3), "yes"), "does not have the parts"),
    "huge": (lambda: file_of(COO, (PLACES, VALUES), size(1 << 62, 1 << 62), True), "more elements than can be"),
    "negative size": (lambda: file_of(CSR, (BOUNDS, PLAIN, VALUES), size(-1, 3)), "no negative lengths"),
    "column outside": (lambda: file_of(CSR, (BOUNDS, PLAIN, VALUES), size(3, 2)), "0 <= col_indices < ncols"),
    "rows": (lambda: file_of(CSR, (BOUNDS, PLAIN, VALUES), size(4, 3)), "number of rows . 1 .=5., but got 4"),
    "bounds": (lambda: file_of(CSR, (BOUNDS[::-1].copy(), PLAIN, VALUES), size(3, 3)), "== 0. is not satisfied"),
    "dense": (lambda: file_of("torch.strided", (PLACES, VALUES), size(3, 3), True), "has no sparse layout"),
    "no layout": (lambda: file_of("torch.jagged", (PLACES, VALUES), size(3, 3), True), "there is no layout"),
}


@pytest.mark.parametrize("make, words", DAMAGED.values(), ids=DAMAGED)
def test_parts_that_do_not_fit_are_refused(make: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        wg.load(make())
