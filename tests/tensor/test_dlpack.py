"""Memory handed to other libraries and taken from them, by the DLPack protocol."""

from __future__ import annotations

import numpy as np
import pytest

import wengert as wg
from wengert.utils import dlpack


def test_memory_is_shared_both_ways():
    x, array = wg.zeros(2, 3), np.zeros(3)
    np.from_dlpack(x)[0, 0] = 1.0
    wg.from_dlpack(array)[1] = 2.0
    assert x[0, 0].item() == 1.0 and array[1] == 2.0
    assert wg.from_dlpack(x).data_ptr() == x.data_ptr()


def test_a_capsule_is_taken_once():
    x = wg.arange(3)
    capsule = dlpack.to_dlpack(x)
    assert dlpack.from_dlpack(capsule).data_ptr() == x.data_ptr()
    with pytest.raises(RuntimeError, match="can be consumed only once"):
        wg.from_dlpack(capsule)
    with pytest.raises(TypeError, match="must be Tensor, not list"):
        wg.to_dlpack([1])


def test_arguments_of_the_protocol():
    x = wg.ones(2)
    assert '"dltensor"' in repr(x.__dlpack__()) and '"dltensor"' in repr(x.__dlpack__(max_version=(0, 8)))
    assert '"dltensor_versioned"' in repr(x.__dlpack__(max_version=(1, 0), dl_device=(1, 0), stream=None))
    copied = wg.from_dlpack(x.__dlpack__(copy=True))
    assert copied.data_ptr() != x.data_ptr() and copied.tolist() == [1.0, 1.0]
    assert wg.from_dlpack(np.ones(2), device="cpu", copy=True).tolist() == [1.0, 1.0]
    assert x.__dlpack_device__() == (dlpack.DLDeviceType.kDLCPU, 0)


def test_refusals():
    with pytest.raises(BufferError, match="require gradient"):
        wg.ones(1, requires_grad=True).__dlpack__()
    with pytest.raises(BufferError, match="device"):
        wg.ones(1).__dlpack__(dl_device=(2, 0))
    with pytest.raises(AssertionError, match="stream should be None"):
        wg.ones(1).__dlpack__(stream=1)
    with pytest.raises(TypeError, match="foo"):
        wg.ones(1).__dlpack__(foo=1)


def test_tensors_without_memory_are_refused():
    x = wg.ones(2, device="meta")
    for act in (dlpack.to_dlpack, wg.Tensor.__dlpack__, lambda x: x.__dlpack__(copy=True)):
        with pytest.raises(BufferError, match="Cannot pack tensors on meta"):
            act(x)
    for act in (wg.Tensor.__dlpack_device__, wg.from_dlpack):
        with pytest.raises(ValueError, match="Unknown device type meta for Dlpack"):
            act(x)


class Other:
    """A tensor of another library."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack__(self, **options):
        return self.tensor.__dlpack__(**options)

    def __dlpack_device__(self):
        return (1, 0)


@pytest.mark.parametrize("versioned", [False, True])
def test_bfloat16_goes_through_capsules(versioned):
    x = wg.arange(6).to(wg.bfloat16).reshape(2, 3)
    options = {"max_version": (1, 0)} if versioned else {}
    for value in (x, x.t(), x[:, ::2], x[1, 1], x[:0], x[:1].expand(4, -1)):
        for take in (wg.from_dlpack, wg.asarray):
            for source in (value.__dlpack__(**options), Other(value), dlpack.to_dlpack(value)):
                found = take(source)
                assert found.dtype is wg.bfloat16 and found.tolist() == value.tolist()
                assert found.numel() == 0 or found.data_ptr() == value.data_ptr()
    wg.from_dlpack(x.__dlpack__(**options))[0, 0] = 7
    assert x[0, 0] == 7
    assert wg.asarray(x.__dlpack__(**options), dtype=wg.float32).tolist() == x.tolist()
    with pytest.raises(RuntimeError, match="Unsupported dtype"):
        np.from_dlpack(x)
    unused = x.__dlpack__(**options)
    del unused


DTYPES = [
    wg.bool,
    wg.uint8,
    wg.int8,
    wg.int16,
    wg.int32,
    wg.int64,
    wg.float16,
    wg.float32,
    wg.float64,
    wg.complex64,
    wg.bfloat16,
    wg.uint16,
    wg.uint32,
    wg.uint64,
    wg.complex128,
]
SHAPES = {
    "rows": lambda x: x,
    "columns": lambda x: x.t(),
    "every second": lambda x: x[:, ::2],
    "expanded": lambda x: x[:1].expand(4, -1),
    "a number": lambda x: x[1, 1],
    "nothing": lambda x: x[:0],
}
TAKE = {
    "from_dlpack": wg.from_dlpack,
    "asarray": wg.asarray,
    "asarray without a copy": lambda capsule: wg.asarray(capsule, copy=False),
}


@pytest.mark.parametrize("take", TAKE.values(), ids=TAKE)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_capsules_become_tensors_that_may_be_written_to(dtype, take):
    for seen in SHAPES.values():
        x = seen((wg.arange(12) % 2 * 3).reshape(3, 4).to(dtype))
        taken = take(dlpack.to_dlpack(x))
        assert taken.dtype is dtype and wg.equal(taken, x)
        if x.numel():
            assert taken.data_ptr() == x.data_ptr() and taken.stride() == x.stride()
            taken[(0,) * x.ndim] = 1
            assert x[(0,) * x.ndim] == 1


def test_a_capsule_is_copied_or_converted_where_that_is_asked_for():
    x = wg.arange(6.0)
    assert wg.asarray(dlpack.to_dlpack(x), copy=True).data_ptr() != x.data_ptr()
    assert wg.equal(wg.asarray(dlpack.to_dlpack(x), dtype=wg.float64), x.double())
    assert wg.asarray(dlpack.to_dlpack(x), requires_grad=True).requires_grad
    assert wg.equal(wg.asarray(np.arange(3.0).__dlpack__()), wg.arange(3.0, dtype=wg.float64))
    with pytest.raises(ValueError, match="can't alias tensor with dtype"):
        wg.asarray(dlpack.to_dlpack(x), dtype=wg.float64, copy=False)
    capsule = dlpack.to_dlpack(x)
    wg.asarray(capsule)
    for take in TAKE.values():
        with pytest.raises(RuntimeError, match="can be consumed only once"):
            take(capsule)


def test_what_says_that_it_may_only_be_read_stays_so():
    array = np.arange(3.0)
    array.flags.writeable = False
    taken = wg.from_dlpack(array.__dlpack__(max_version=(1, 0)))
    with pytest.raises(ValueError, match="read-only"):
        taken.add_(1)
