"""`PyTorchFileReader`: the records of torch's archives, one by one."""

from __future__ import annotations

import io
import pickle
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import wengert as wg

FLOATS = np.arange(4, dtype=np.float32).tobytes()
CONTENT = {
    "data.pkl": b"N.",
    "byteorder": b"little",
    "data/0": FLOATS,
    "version": b"3\n",
    ".data/serialization_id": b"7",
}


def archive(content=CONTENT, root="archive/", compression=zipfile.ZIP_STORED):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", compression) as file:
        for name, record in content.items():
            file.writestr(root + name, record)
    made.seek(0)
    return made


def test_records():
    made = archive()
    reader = wg.PyTorchFileReader(made)
    assert reader.get_all_records() == list(CONTENT)
    for name, record in CONTENT.items():
        assert reader.has_record(name)
        assert reader.get_record(name) == record
        assert reader.get_record_size(name) == len(record)
        start = reader.get_record_offset(name)
        assert made.getvalue()[start : start + len(record)] == record
        assert made.getvalue()[reader.get_record_header_offset(name) :].startswith(b"PK\x03\x04")
    assert not reader.has_record("data/1")
    assert reader.serialization_id() == "7"
    assert wg.PyTorchFileReader(archive({"version": b"3\n"})).serialization_id() == ""


def test_files_by_name(tmp_path):
    path = tmp_path / "model.pt"
    path.write_bytes(archive().getvalue())
    for name in (path, str(path)):
        assert wg.PyTorchFileReader(name).get_record("version") == b"3\n"
    with pytest.raises(RuntimeError, match="open file failed because of errno 2"):
        wg.PyTorchFileReader(str(tmp_path / "none"))


def test_storages():
    reader = wg.PyTorchFileReader(archive())
    found = reader.get_storage_from_record("data/0", 4, wg.float32)
    assert found.dtype == wg.float32 and found.shape == (0,)
    assert wg.empty(0).set_(found.untyped_storage(), 0, (2, 2), (1, 2)).tolist() == [[0, 2], [1, 3]]
    assert reader.get_storage_from_record("data/0", 2, wg.float64).untyped_storage().nbytes() == 16
    assert reader.get_storage_from_record("data/0", 16, wg.UntypedStorage).dtype == wg.uint8
    other = reader.get_storage_from_record("data/0", 4, wg.float32)
    assert other.untyped_storage().data_ptr() != found.untyped_storage().data_ptr()


def test_refusals():
    reader = wg.PyTorchFileReader(archive())
    for numel in (3, 5, -4, 2**70):
        with pytest.raises(RuntimeError, match=r"record size \(16 bytes\) does not match expected size"):
            reader.get_storage_from_record("data/0", numel, wg.float32)
    with pytest.raises(TypeError, match="expected a dtype"):
        reader.get_storage_from_record("data/0", 4, "float32")
    for method in ("get_record", "get_record_size", "get_record_offset", "get_record_header_offset"):
        with pytest.raises(RuntimeError, match="failed locating file q: file not found"):
            getattr(reader, method)("q")
        with pytest.raises(TypeError, match="must be str"):
            getattr(reader, method)(3)
    with pytest.raises(AttributeError, match="'int' object has no attribute 'tell'"):
        wg.PyTorchFileReader(3)
    with pytest.raises(TypeError, match="cannot pickle"):
        pickle.dumps(reader)


@pytest.mark.parametrize(
    "made",
    [
        io.BytesIO(b"abc"),
        io.BytesIO(),
        archive({"data.pkl": b"N."}),
        archive(root=""),
        archive({**CONTENT, "../../other/version": b"3\n"}, root=""),
        archive({**CONTENT, "data/1": bytes(10**6)}, compression=zipfile.ZIP_DEFLATED),
    ],
    ids=["no zip file", "empty", "no version", "no folder", "several folders", "compressed"],
)
def test_what_is_no_archive(made):
    with pytest.raises(RuntimeError, match="failed reading zip archive"):
        wg.PyTorchFileReader(made)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_damaged_files_are_refused_or_read_as_they_are(data):
    content = bytearray(archive().getvalue())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(content)))
    made = io.BytesIO(bytes(content) if data.draw(st.booleans()) else bytes(content[:cut]))
    try:
        reader = wg.PyTorchFileReader(made)
        for name in reader.get_all_records():
            assert len(reader.get_record(name)) == reader.get_record_size(name)
            reader.get_record_offset(name)
            reader.get_storage_from_record(name, reader.get_record_size(name), wg.uint8)
    except RuntimeError:
        pass
