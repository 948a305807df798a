"""Weights in files: what is saved comes back, what is damaged is refused before memory is taken."""

import json
import os

import numpy as np
import pytest

import wengert as wg
from wengert import nn
from wengert.io import load_file, load_metadata, save_file, write_atomically


def file_of(header, body=b"", path=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + body)
    return path


@pytest.mark.parametrize(
    "name",
    [
        "float64",
        "float32",
        "float16",
        "int64",
        "int32",
        "int16",
        "int8",
        "uint64",
        "uint32",
        "uint16",
        "uint8",
        "bool",
        "complex64",
    ],
)
def test_every_dtype_comes_back_with_shape_and_values(tmp_path, name):
    array = (np.arange(6).reshape(2, 3) % 2 - (1 if name[0] in "fic" else 0)).astype(name)
    tensors = {"a": wg.from_numpy(array), "scalar": wg.from_numpy(array)[0, 1], "empty": wg.from_numpy(array)[:0]}
    loaded = load_file(save_file(tensors, tmp_path / "w.safetensors"))
    assert sorted(loaded) == sorted(tensors)
    for key, value in tensors.items():
        assert loaded[key].dtype == value.dtype
        assert loaded[key].shape == value.shape
        assert loaded[key].tolist() == value.tolist()


def test_a_model_comes_back(tmp_path):
    one, other = nn.Linear(3, 2), nn.Linear(3, 2)
    save_file(one.state_dict(), tmp_path / "w.safetensors", {"made": "today"})
    other.load_state_dict(load_file(tmp_path / "w.safetensors"))
    assert other.weight.tolist() == one.weight.tolist()
    assert load_metadata(tmp_path / "w.safetensors") == {"made": "today"}


def test_views_are_saved_by_their_values(tmp_path):
    whole = wg.arange(6.0).reshape(2, 3)
    loaded = load_file(save_file({"t": whole.t(), "row": whole[1]}, tmp_path / "w.safetensors"))
    assert loaded["t"].tolist() == [[0, 3], [1, 4], [2, 5]]
    assert loaded["row"].tolist() == [3, 4, 5]


def test_the_package_safetensors_reads_what_is_written_and_the_reverse(tmp_path):
    safetensors = pytest.importorskip("safetensors.numpy")
    values = {"b": np.arange(3, dtype=np.int64), "a": np.ones((2, 2), np.float16), "z": np.array([True])}
    path = save_file({key: wg.from_numpy(value) for key, value in values.items()}, tmp_path / "w.safetensors")
    read = safetensors.load_file(path)
    assert sorted(read) == sorted(values)
    assert all((read[key] == value).all() for key, value in values.items())
    safetensors.save_file(values, tmp_path / "v.safetensors", {"k": "v"})
    loaded = load_file(tmp_path / "v.safetensors")
    assert all((loaded[key].numpy() == value).all() for key, value in values.items())
    assert load_metadata(tmp_path / "v.safetensors") == {"k": "v"}


@pytest.mark.parametrize(
    ("header", "body", "says"),
    [
        ({"a": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}}, b"0" * 15, "take 16 bytes, but there are 15"),
        ({"a": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}}, b"0" * 17, "take 16 bytes, but there are 17"),
        ({"a": {"dtype": "F32", "shape": [10**12], "data_offsets": [0, 16]}}, b"0" * 16, "should take 4000000000000 "),
        ({"a": {"dtype": "F32", "shape": [10**12], "data_offsets": [0, 4 * 10**12]}}, b"", "but there are 0"),
        ({"a": {"dtype": "F32", "shape": [-4], "data_offsets": [0, 16]}}, b"0" * 16, "which is not a list of lengths"),
        ({"a": {"dtype": "F32", "shape": [4.0], "data_offsets": [0, 16]}}, b"0" * 16, "which is not a list of lengths"),
        ({"a": {"dtype": "F9", "shape": [4], "data_offsets": [0, 16]}}, b"0" * 16, "has the dtype 'F9'"),
        ({"a": {"dtype": "F32", "shape": [4], "data_offsets": [16]}}, b"0" * 16, "has no pair of data_offsets"),
        ({"a": {"dtype": "F32", "shape": [4]}}, b"0" * 16, "has no entry of dtype, shape and data_offsets"),
        ({"a": 3}, b"", "has no entry of dtype, shape and data_offsets"),
        (
            {name: {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]} for name in "ab"},
            b"0",
            "do not follow those of the tensor before",
        ),
        ({"a": {"dtype": "U8", "shape": [1], "data_offsets": [1, 2]}}, b"00", "do not follow those of the tensor"),
        ({"__metadata__": {"a": 3}}, b"", "its metadata are not texts by name"),
        ([1], b"", "its header is not a JSON object"),
        (b"{", b"", "its header is not JSON"),
        (b"\xff\xfe", b"", "its header is not JSON"),
    ],
)
def test_damaged_files_are_refused(tmp_path, header, body, says):
    with pytest.raises(ValueError, match=says):
        load_file(file_of(header, body, tmp_path / "w.safetensors"))


@pytest.mark.parametrize("content", [b"", b"1234567", (2**60).to_bytes(8, "little") + b"{}", b"PK\x03\x04zipzip"])
def test_files_of_another_kind_are_refused(tmp_path, content):
    (tmp_path / "w").write_bytes(content)
    with pytest.raises(ValueError, match="is not a safetensors file"):
        load_file(tmp_path / "w")


def test_what_the_format_does_not_know_is_refused(tmp_path):
    for tensors, says in (
        ({"a": wg.ones(1, dtype=wg.complex128)}, "'a' is torch.complex128, which the format does not know"),
        ({"a": np.ones(1)}, "'a' must be a Tensor, not ndarray"),
        ({3: wg.ones(1)}, "names must be strings"),
    ):
        with pytest.raises(TypeError, match=says):
            save_file(tensors, tmp_path / "w")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_replaced_leaves_nothing_behind(tmp_path):
    (tmp_path / "place").mkdir()
    with pytest.raises(OSError):
        write_atomically(tmp_path / "place", b"x")
    assert [each.name for each in tmp_path.iterdir()] == ["place"]


def test_a_written_file_has_the_usual_permissions(tmp_path):
    before = os.umask(0o022)
    try:
        assert write_atomically(tmp_path / "a", "text").read_text() == "text"
        assert (tmp_path / "a").stat().st_mode & 0o777 == 0o644
    finally:
        os.umask(before)


@pytest.mark.parametrize("suffix", [".pt", ".pth", ".ckpt"])
def test_a_name_as_torchs_files_have_raises_a_warning(tmp_path, suffix):
    for write in (wg.io.save_file, wg.io.save_safetensors):
        path = tmp_path / f"w{suffix}"
        with pytest.warns(UserWarning, match="gets the format safetensors, which torch.load does not read"):
            write({"w": wg.ones(2)}, path)
        assert wg.load(path)["w"].tolist() == [1, 1]
        write({"w": wg.ones(2)}, tmp_path / "w.safetensors")
    wg.save({"w": wg.ones(2)}, path)
    assert path.read_bytes()[:2] == b"PK"
