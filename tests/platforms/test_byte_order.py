"""Arrays of the other byte order: refused where torch refuses them or a tensor shares them, otherwise converted."""

from __future__ import annotations

import numpy as np
import pytest

import wengert as wg

KINDS = ("i2", "i4", "i8", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16")
ORDER = "byte order"


def swapped(array):
    """The same numbers, in the other byte order."""
    return array.astype(array.dtype.newbyteorder())


def written(x, array):
    made = x.clone()
    made[...] = array
    return made


def added(x, array):
    made = x.clone().to(wg.complex128)
    made += array
    return made


CREATED = {
    "from_numpy": lambda x, array: wg.from_numpy(array),
    "as_tensor": lambda x, array: wg.as_tensor(array),
    "as_tensor of a dtype": lambda x, array: wg.as_tensor(array, dtype=wg.complex128),
    "tensor": lambda x, array: wg.tensor(array),
    "tensor of a dtype": lambda x, array: wg.tensor(array, dtype=wg.complex128),
    "asarray": lambda x, array: wg.asarray(array),
    "new_tensor": lambda x, array: x.new_tensor(array),
    "frombuffer": lambda x, array: wg.frombuffer(array, dtype=x.dtype),
    "from_dlpack": lambda x, array: wg.from_dlpack(array),
    "collate": lambda x, array: wg.utils.data.default_collate([array, array]),
}
"""What makes tensors of arrays; refused as by torch."""

TAKEN = {
    "+": lambda x, array: x + array,
    "reflected +": lambda x, array: array + x,
    "-": lambda x, array: array - x,
    "*": lambda x, array: x * array,
    "/": lambda x, array: x / array,
    "//": lambda x, array: x // array,
    "%": lambda x, array: array % x,
    "**": lambda x, array: x**array,
    "==": lambda x, array: x == array,
    "<": lambda x, array: x < array,
    "&": lambda x, array: x & array,
    "<<": lambda x, array: array << x,
    "@": lambda x, array: x @ array,
    "reflected @": lambda x, array: array @ x,
    "+=": added,
    "[...] =": written,
    "where": lambda x, array: wg.where(x > 1, x, array),
    "add": lambda x, array: wg.add(x, array),
    "clamp": lambda x, array: x.clamp(min=array),
    "of its numbers": lambda x, array: x + array[0],
    "tensor of its numbers": lambda x, array: wg.tensor([array[0], array[1]]),
    "tensor of a list": lambda x, array: wg.tensor([array, array]),
    "full": lambda x, array: wg.full((2,), array[1]),
    "fill_": lambda x, array: x.clone().fill_(array[1]),
    "searchsorted": lambda x, array: wg.searchsorted(x, array),
    "np.add": lambda x, array: np.add(x, array),
    "np.multiply": lambda x, array: np.multiply(array, x),
    "np.concatenate": lambda x, array: np.concatenate([x, array]),
    "np.outer": lambda x, array: np.outer(array, x),
    "grad": lambda x, array: graded(x, array),
}
"""What takes arrays beside tensors, or reads their numbers."""

INDEXED = {
    "read": lambda x, index: x[index],
    "read of two": lambda x, index: x.reshape(1, 2)[index * 0, index],
    "write": lambda x, index: assigned(x, index),
    "list": lambda x, index: x[[*index]],
    "sparse": lambda x, index: wg.sparse_coo_tensor(index.reshape(1, 2), x, (3,)).to_dense(),
    "compressed": lambda x, index: wg.sparse_csr_tensor(index * 2, index, x, (1, 2)).to_dense(),
}


def graded(x, array):
    leaf = x.to(wg.complex128).requires_grad_()
    (leaf * array).sum().abs().backward()
    return leaf.grad


def assigned(x, index):
    made = x.clone()
    made[index] = wg.tensor([7, 8]).to(x.dtype)
    return made


def attempted(call, x, array):
    """What a call gives as an array, or the error that it ends with."""
    try:
        made = call(x, array)
    except Exception as error:
        return error
    return made.numpy() if isinstance(made, wg.Tensor) else np.asarray(made)


def check_alike(found, wanted):
    """Check that one call gives what the other gives, in this platform's byte order."""
    if isinstance(wanted, Exception):
        assert isinstance(found, Exception)
        return
    assert not isinstance(found, Exception), found
    assert found.dtype.isnative and found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", CREATED)
def test_a_tensor_is_not_made_of_such_an_array_and_the_error_says_why(name, kind):
    array = np.array([1, 2], kind)
    x = wg.tensor(array)
    assert not isinstance(attempted(CREATED[name], x, array), Exception)
    found = attempted(CREATED[name], x, swapped(array))
    assert isinstance(found, (ValueError, BufferError)) and ORDER in str(found)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", TAKEN)
def test_what_takes_arrays_beside_tensors_reads_their_numbers(name, kind):
    array = np.array([1, 2], kind)
    x = wg.tensor(array)
    with np.errstate(all="ignore"):
        check_alike(attempted(TAKEN[name], x, swapped(array)), attempted(TAKEN[name], x, array))


@pytest.mark.parametrize("dims", [0, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_so_do_others_of_other_dtypes_and_shapes(kind, dims):
    array = np.arange(6).reshape(2, 3).astype(kind).T if dims else np.array(5, kind)
    for dtype in (wg.int64, wg.float32, wg.float16, wg.bool):
        x = wg.ones(3, 2, dtype=dtype)
        for call in (TAKEN["*"], TAKEN["reflected +"], TAKEN["[...] ="]):
            check_alike(attempted(call, x, swapped(array)), attempted(call, x, array))


@pytest.mark.parametrize("kind", ["i2", "i4", "i8"])
@pytest.mark.parametrize("name", INDEXED)
def test_indices_are_read_or_refused(name, kind):
    index, x = np.array([0, 1], kind), wg.tensor([3.0, 4.0])
    found, wanted = attempted(INDEXED[name], x, swapped(index)), attempted(INDEXED[name], x, index)
    if not (isinstance(found, ValueError) and ORDER in str(found)):
        check_alike(found, wanted)


def test_what_numpy_writes_of_a_tensor_has_the_order_of_its_output():
    out = swapped(np.zeros(2, np.float32))
    np.add(wg.tensor([1.5, 2.5]), 1, out=out)
    assert out.tolist() == [2.5, 3.5] and not out.dtype.isnative


def test_bytes_of_such_an_array_can_be_had_as_bytes():
    assert wg.frombuffer(swapped(np.array([1], np.int16)), dtype=wg.uint8).numel() == 2
