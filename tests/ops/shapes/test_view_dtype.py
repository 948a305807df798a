"""Memory read as elements of another size: which views there are, and where they say that they begin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import wengert as wg

DTYPES = [wg.bool, wg.uint8, wg.int8, wg.int16, wg.uint16, wg.int32, wg.int64, wg.float16, wg.bfloat16, wg.float32]
DTYPES += [wg.float64, wg.complex64, wg.complex128]
SOURCES = {
    "columns 1:5": lambda z: z[:, 1:5],
    "columns 2:6": lambda z: z[:, 2:6],
    "columns 4:8": lambda z: z[:, 4:8],
    "columns 8:": lambda z: z[:, 8:],
    "every second column": lambda z: z[:, ::2],
    "rows 1:": lambda z: z[1:],
    "transposed": lambda z: z.t(),
    "odd strides": lambda z: z.as_strided((2, 8), (3, 1), 3),
    "one row of an odd stride": lambda z: z.as_strided((1, 8), (3, 1), 16),
    "three dimensions": lambda z: z.as_strided((2, 3, 8), (16, 24, 1), 16),
    "expanded": lambda z: z[:1, :8].expand(3, 8),
    "one column expanded": lambda z: z[:, :1].expand(8, 8),
    "no rows": lambda z: z[:0],
    "no columns": lambda z: z[1:, :0],
    "no dimension": lambda z: z[0, 0],
}


def refusal(x: Any, wanted: Any) -> str | None:
    """What stands in the way of reading `x` as `wanted`, in the order in which torch looks."""
    if wanted.itemsize == x.itemsize:
        return None
    ratio = wanted.itemsize // x.itemsize
    if not x.ndim:
        return "self.dim() cannot be 0"
    if ratio and x.shape[-1] % ratio:
        return f"self.size(-1) must be divisible by {ratio}"
    if ratio and x.storage_offset() % ratio:
        return f"self.storage_offset() must be divisible by {ratio}"
    if x.stride(-1) != 1:
        return "self.stride(-1) must be 1"
    for dim in range(x.ndim - 1):
        if ratio and x.stride(dim) % ratio:
            return f"self.stride({dim}) must be divisible by {ratio}"
    return None


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("have", DTYPES, ids=str)
def test_a_view_of_another_element_size_begins_at_a_whole_element_or_is_refused(have: Any, source: str) -> None:
    whole = wg.from_numpy(np.arange(8 * 16 * have.itemsize, dtype=np.uint8) % 100).view(have).view(8, 16)  # no NaN
    x = SOURCES[source](whole)
    for wanted in DTYPES:
        words = refusal(x, wanted)
        if words is not None:
            with pytest.raises(RuntimeError) as caught:
                x.view(wanted)
            assert str(caught.value).startswith(words), (wanted, str(caught.value))
            continue
        seen = x.view(wanted)
        assert seen.dtype is wanted and seen.untyped_storage().data_ptr() == whole.untyped_storage().data_ptr()
        assert seen.storage_offset() * wanted.itemsize == x.storage_offset() * have.itemsize
        steps = [step * have.itemsize // wanted.itemsize for step in x.stride()]
        if wanted.itemsize != have.itemsize:
            steps[-1] = 1
        assert list(seen.stride()) == steps
        again = seen.as_strided(seen.shape, seen.stride(), seen.storage_offset())
        assert again.data_ptr() == seen.data_ptr()
        assert wg.equal(seen.flatten().clone().view(wg.uint8), x.flatten().clone().view(wg.uint8))


def test_columns_of_bytes_that_begin_within_an_integer_are_refused() -> None:
    with pytest.raises(RuntimeError, match=r"must be divisible by 2 to view Char as Short .*, but got 1"):
        wg.zeros(4, 8, dtype=wg.int8)[:, 1:5].view(wg.int16)


def test_a_copied_view_is_refused_as_the_view_is() -> None:
    with pytest.raises(RuntimeError, match="storage_offset"):
        wg.view_copy(wg.zeros(4, 8, dtype=wg.int8)[:, 1:5], dtype=wg.int16)


def test_members_of_a_batch_are_read_at_whole_elements_of_the_batch() -> None:
    x = wg.arange(24, dtype=wg.float32).view(3, 8)
    assert wg.equal(wg.vmap(lambda row: row[2:].view(wg.float64))(x), x[:, 2:].view(wg.float64))
    with pytest.raises(RuntimeError, match="storage_offset"):
        wg.vmap(lambda row: row[1:5].view(wg.float64))(x)


@pytest.mark.parametrize("dtype", [wg.float32, wg.float64], ids=str)
@pytest.mark.parametrize(
    ("take", "words"),
    [
        (lambda z: z[:, 1:3], "storage_offset divisible by 2"),
        (lambda z: z.flatten()[1:3], "storage_offset divisible by 2"),
        (lambda z: z.as_strided((3, 2), (3, 1), 0), "stride divisible by 2"),
        (lambda z: z.as_strided((0, 2), (3, 1), 0), "stride divisible by 2"),
        (lambda z: z[:, :1].expand(4, 2), "last dimension with stride 1"),
        (lambda z: z.as_strided((1, 2), (3, 1), 2), None),
        (lambda z: z[1:, 2:4], None),
        (lambda z: z[:, 2:4][2:2], None),
        (lambda z: z[2, 4:6], None),
    ],
)
def test_pairs_are_complex_numbers_of_the_storage_or_refused(dtype: Any, take: Any, words: str | None) -> None:
    x = take(wg.arange(32, dtype=dtype).view(4, 8))
    if words is not None:
        with pytest.raises(RuntimeError, match=words):
            wg.view_as_complex(x)
        return
    z = wg.view_as_complex(x)
    assert 2 * z.storage_offset() == x.storage_offset()
    assert z.data_ptr() == x.data_ptr()
    assert wg.equal(wg.view_as_real(z), x)


def test_pairs_of_a_batch_are_refused_where_they_are_none_of_the_storage() -> None:
    x = wg.arange(9.0)[1:].view(4, 2)
    with pytest.raises(RuntimeError, match="storage_offset divisible by 2"):
        wg.vmap(wg.view_as_complex)(x)
    assert wg.equal(wg.vmap(wg.view_as_complex)(x.clone()), wg.view_as_complex(x.clone()))


def test_gradients_and_tangents_may_begin_anywhere() -> None:
    pairs = wg.arange(9.0)[1:].view(4, 2)
    expected = wg.view_as_complex(pairs.clone())
    x = wg.zeros(4, dtype=wg.complex64, requires_grad=True)
    wg.view_as_real(x).backward(pairs)
    assert wg.equal(x.grad, expected) and x.grad.storage_offset() == 0
    at = (wg.zeros(4, 2),)
    assert wg.equal(wg.func.jvp(wg.view_as_complex, at, (pairs,))[1], expected)
    assert wg.equal(wg.func.jvp(lambda y: wg.func.vjp(wg.view_as_complex, y)[0], at, (pairs,))[1], expected)
