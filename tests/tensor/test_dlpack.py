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
