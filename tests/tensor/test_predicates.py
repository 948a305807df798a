"""What programs ask of tensors that might be sparse, quantised or on an accelerator."""

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


def test_dtypes_have_short_names():
    names = "float32 int64 bool bfloat16 complex64 uint8 float16 complex128 uint16"
    wanted = "f32 i64 b8 bf16 c64 u8 f16 c128 u16"
    assert [getattr(wg, name).abbr for name in names.split()] == wanted.split()
    assert wg.float8_e4m3fn.abbr == "f8e4m3fn"


def test_the_older_comparison_takes_more_for_close():
    with pytest.warns(FutureWarning, match="deprecated since 1.12"):
        wg.testing.assert_allclose(wg.ones(2), [1.0, 1.00005])
    with pytest.warns(FutureWarning), pytest.raises(AssertionError, match="not close"):
        wg.testing.assert_allclose(wg.ones(2), wg.tensor([1.0, 1.001], dtype=wg.float64))
    with pytest.warns(FutureWarning):
        wg.testing.assert_allclose(wg.tensor([float("nan")]), wg.tensor([float("nan")]))
    with pytest.warns(FutureWarning), pytest.raises(ValueError, match="Both 'rtol' and 'atol'"):
        wg.testing.assert_allclose(wg.ones(2), wg.ones(2), rtol=0.1)
