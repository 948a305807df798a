"""Streams and events of the CPU, and what programs ask of the device and the build."""

from __future__ import annotations

import pytest

import wengert as wg


def test_streams_and_events_of_the_cpu_have_nothing_to_wait_for():
    with wg.Stream() as stream:
        assert stream.query() and stream.device == wg.device("cpu")
        first = stream.record_event(wg.Event(enable_timing=True))
    second = wg.Event("cpu", enable_timing=True)
    second.record()
    assert second.query() and first.elapsed_time(second) >= 0
    stream.wait_event(second), stream.wait_stream(wg.Stream()), stream.synchronize(), second.synchronize()
    assert repr(stream) == "torch.Stream device_type=cpu, device_index=-1, stream_id=0"
    assert repr(second) == "torch.Event device_type=cpu, device_index=-1, event_flag=0, event_id=0"


def test_events_without_times_tell_none():
    timed, plain = wg.Event(enable_timing=True), wg.Event()
    with pytest.raises(ValueError, match="Both events must be created with argument 'enable_timing=True'"):
        timed.elapsed_time(plain)
    with pytest.raises(ValueError, match="Both events must be recorded"):
        timed.elapsed_time(timed)
    for made in (wg.Stream, wg.Event):
        with pytest.raises(AssertionError, match="is not available"):
            made("cuda")


def test_what_programs_ask_of_the_device_and_the_build():
    assert wg.get_device_module() is wg.get_device_module("cpu") is wg.cpu
    assert (wg.has_lapack, wg.has_spectral) == (True, True)
    assert issubclass(wg.OutOfMemoryError, RuntimeError) and wg.OutOfMemoryError is wg.cuda.OutOfMemoryError
    assert issubclass(wg.AcceleratorError, RuntimeError)
    for call in (wg.Generator().get_offset, lambda: wg.Generator().set_offset(3)):
        with pytest.raises(RuntimeError, match="CPU Generator does not use offset"):
            call()
