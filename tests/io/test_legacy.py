"""Files that torch wrote before it wrote archives, made by hand: read as archives are, and as safely."""

from __future__ import annotations

import io
import pickle
import struct
import tracemalloc
from collections import OrderedDict

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import wengert as wg
from tests.io.torch_archives import FLOATS, MACHINE, MAGIC, STORAGES, Call, Global, Part, code, legacy, tensor
from wengert import nn
from wengert._tensor.attributes import dtypes
from wengert.io import DamagedFileError

SIX = Part("torch FloatStorage", "10", 6)
WHOLE = tensor(SIX, 0, (2, 3), (3, 1))
FLOAT = {"10": (6, FLOATS)}


@pytest.mark.parametrize("name", STORAGES)
def test_every_dtype(name):
    values = np.array([[0, 1, 1], [1, 0, 1]]).astype(dtypes.by_name(name).numpy)
    stored = Part(f"torch {STORAGES[name]}Storage", "0", 6)
    found = wg.load(legacy(tensor(stored, 0, (2, 3), (3, 1)), {"0": (6, values.tobytes())}))
    assert found.dtype.name == name and found.tolist() == [[0, 1, 1], [1, 0, 1]]


def test_bytes_stand_lowest_first_whatever_the_machine_was():
    for machine in (MACHINE, {**MACHINE, "little_endian": False}, {}):
        assert wg.load(legacy(WHOLE, FLOAT, machine=machine)).tolist() == [[0, 1, 2], [3, 4, 5]]


def test_strides_offsets_and_shared_memory():
    file = legacy([WHOLE, tensor(SIX, 1, (2, 2), (1, 3), True), tensor(SIX, 3, (3,), (1,))], FLOAT)
    one, other, row = wg.load(file)
    assert one.tolist() == [[0, 1, 2], [3, 4, 5]] and other.tolist() == [[1, 4], [2, 5]] and other.requires_grad
    one.fill_(7.0)
    assert other.tolist() == [[7, 7], [7, 7]]
    assert row.untyped_storage().nbytes() == 24 and row.storage_offset() == 3


def test_parts_of_storages_that_old_versions_saved_on_their_own():
    part = Part("torch FloatStorage", "10", 6, part=("20", 2, 3))
    one, whole, again = wg.load(legacy([tensor(part, 1, (2,), (1,)), WHOLE, tensor(part, 0, (3,), (1,))], FLOAT))
    assert one.tolist() == [3, 4] and again.tolist() == [2, 3, 4]
    assert one.untyped_storage().nbytes() == 12 and one.storage_offset() == 1
    whole.zero_()
    assert one.tolist() == [0, 0] and again.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ([("20", 4, 3)], "beyond its end"),
        ([("20", -1, 3)], "beyond its end"),
        ([("20", 0, -1)], "beyond its end"),
        ([("20", 0, 2.0)], "has not its key"),
        ([(20, 0, 2)], "has not its key"),
        ([("20", 0)], "has not its key"),
        ([("20", 0, 2), ("20", 0, 3)], "two parts of storages with the key '20'"),
        ([3], "has not its key"),
    ],
)
def test_parts_that_do_not_fit_are_refused(parts, says):
    tensors = [tensor(Part("torch FloatStorage", "10", 6, part=part), 0, (1,), (1,)) for part in parts]
    with pytest.raises(DamagedFileError, match=says):
        wg.load(legacy(tensors, FLOAT))


def test_state_dicts_parameters_and_sparse_tensors():
    none = Call("collections OrderedDict")
    plain = Call("torch._utils _rebuild_parameter", WHOLE, True, none)
    places = tensor(Part("torch LongStorage", "11", 2), 0, (1, 2), (2, 1))
    layout = Call("torch.serialization _get_layout", "torch.sparse_coo")
    values = tensor(SIX, 0, (2,), (1,))
    sparse = Call("torch._utils _rebuild_sparse_tensor", layout, (places, values, Call("torch Size", (4,)), True))
    negative = tensor(SIX, 0, (2,), (1,), False, {"neg": True})
    state = Call("collections OrderedDict", state={"_metadata": {"": {"version": 1}}})
    members = {**FLOAT, "11": (2, np.array([1, 3]).tobytes())}
    found = wg.load(legacy({"p": plain, "s": sparse, "n": negative, "o": state}, members))
    assert type(found["p"]) is nn.Parameter and found["p"].requires_grad
    assert found["s"].to_dense().tolist() == [0, 0, 0, 1] and found["n"].tolist() == [0, -1]
    assert type(found["o"]) is OrderedDict and found["o"]._metadata == {"": {"version": 1}}
    damaged = {**members, "11": (2, np.array([1, 4]).tobytes())}
    with pytest.raises(DamagedFileError, match="size is 4 but found index 4"):
        wg.load(legacy(sparse, damaged))


def test_tensors_and_parameters_of_the_first_versions():
    old = Call("torch FloatTensor", state=(SIX, 1, (2, 2), (1, 3)))
    built = code(old).removesuffix(b"b") + b"b"
    memo = built.replace(b")R" if b")R" in built else b"(tR", b"(tRq\x05", 1)
    one, other, whole = wg.load(legacy(b"\x80\x02](" + memo + b"h\x05" + code(WHOLE) + b"e.", FLOAT))
    assert one.tolist() == [[1, 4], [2, 5]] and other is one
    whole.zero_()
    assert one.tolist() == [[0, 0], [0, 0]]
    created = b"ctorch.nn.parameter\nParameter\n" + code((WHOLE,)) + b"\x81"
    for state, requires_grad in (((False, False, None), False), ((True, False, None), True)):
        found = wg.load(legacy(b"\x80\x02" + created + code(state) + b"b.", FLOAT))
        assert type(found) is nn.Parameter and found.requires_grad is requires_grad and found[1, 2] == 5
    five = (tensor(SIX, 0, (2,), (1,)), None, None, False, False)
    assert wg.load(legacy(b"\x80\x02" + created + code(five) + b"b.", FLOAT)).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (Call("torch FloatTensor", 3), "built from values, not from a state"),
        (Call("torch LongTensor", state=(SIX, 0, (2,), (1,))), "of another dtype, or none"),
        (Call("torch FloatTensor", state=(SIX, 0, (9,), (1,))), "takes 36 bytes, but its memory has 24"),
        (Call("torch FloatTensor", state=(SIX, 0, (2,), (-1,))), "strides are not a list of lengths"),
        (Call("torch FloatTensor", state=(WHOLE, False, None)), "requires_grad is a Tensor"),
        (Call("torch FloatTensor", state=(3, None, None, False, False)), "of another dtype, or none"),
        (Call("torch.nn.parameter Parameter", 3), "a Parameter has no tensor"),
        (Call("torch.nn.parameter Parameter"), "is created of a tensor"),
    ],
)
def test_old_tensors_that_do_not_fit_are_refused(value, says):
    with pytest.raises(DamagedFileError, match=says):
        wg.load(legacy([WHOLE, value], FLOAT))


def test_texts_that_python_2_wrote():
    content = b"\x80\x02}(U\x02\xc3\xa9K\x01T\x02\x00\x00\x00abK\x02u."
    assert wg.load(legacy(content)) == {"é": 1, "ab": 2}
    assert wg.load(legacy(content), encoding="latin1") == {"Ã©": 1, "ab": 2}
    assert wg.load(legacy(content), encoding="bytes") == {b"\xc3\xa9": 1, b"ab": 2}
    with pytest.raises(DamagedFileError, match="can't decode"):
        wg.load(legacy(content), encoding="ascii")


def test_objects_that_stand_one_behind_the_other(tmp_path):
    content = b"".join(legacy([number, WHOLE], FLOAT).getvalue() for number in range(3)) + b"end"
    (tmp_path / "f").write_bytes(content)
    with open(tmp_path / "f", "rb") as file:
        for each in (file, io.BytesIO(content)):
            for number in range(3):
                found = wg.load(each)
                assert found[0] == number and found[1].tolist() == [[0, 1, 2], [3, 4, 5]]
            assert each.read() == b"end"
    assert wg.load(tmp_path / "f")[0] == 0 and wg.load(str(tmp_path / "f"), weights_only=False)[0] == 0


def test_file_objects_that_only_read_seek_and_tell():
    class Plain:
        def __init__(self, content):
            file = io.BytesIO(content)
            self.read = lambda count=-1: file.read(min(count, 7) if count >= 0 else -1)
            self.seek, self.tell = file.seek, file.tell

    assert wg.load(Plain(legacy(WHOLE, FLOAT).getvalue())).tolist() == [[0, 1, 2], [3, 4, 5]]


def test_mmap_is_refused_in_torch_s_words(tmp_path):
    path = tmp_path / "f"
    path.write_bytes(legacy(WHOLE, FLOAT).getvalue())
    for name, shown in ((path, ""), (str(path), f"{path}, ")):
        with pytest.raises(RuntimeError, match=r"mmap can only be used with files saved with `torch.save") as caught:
            wg.load(name, mmap=True)
        assert f"torch.save({shown}_use_new_zipfile_serialization=True)" in str(caught.value)


def test_devices_that_are_not_there():
    there = tensor(Part("torch.cuda FloatStorage", "10", 6, "cuda:0"), 0, (6,), (1,))
    with pytest.raises(RuntimeError, match="Attempting to deserialize object on a CUDA device") as caught:
        wg.load(legacy(there, FLOAT))
    assert not isinstance(caught.value, DamagedFileError)
    for chosen in ("cpu", wg.device("cpu"), {"cuda:0": "cpu"}, lambda storage, location: storage):
        assert wg.load(legacy(there, FLOAT), map_location=chosen).tolist() == [0, 1, 2, 3, 4, 5]


# ---- what is refused -------------------------------------------------------------------------------------------------


class Ran:
    """Whether a file has had something run."""

    happened = False


def run_by_a_file(*arguments):
    """What a malicious file would call."""
    Ran.happened = True
    return Ran


@pytest.mark.parametrize(
    "value",
    [
        Call("os system", "echo"),
        Call(f"{__name__} run_by_a_file"),
        Call("__builtin__ eval", "1"),
        Call("torch.jit Linear"),
        Call("torch._utils _rebuild_qtensor", SIX),
        Global("__builtin__ dict"),
        b"\x80\x02(i__builtin__\neval\n.",
        b"\x80\x02P0\n.",
        b"\x80\x02" + code(("module", Global("torch.nn.parameter Parameter"), None, None)) + b"Q.",
    ],
)
def test_names_and_opcodes_that_are_not_allowed_are_refused(value):
    whole = legacy(value, {} if isinstance(value, Global) else FLOAT).getvalue()
    content = value if isinstance(value, bytes) else b"\x80\x02" + code(value) + b"."
    starts = [content, MAGIC + content, MAGIC + b"\x80\x02M\xe9\x03." + content]
    for file in [whole] if isinstance(value, Global) else [whole, *starts]:
        with pytest.raises(pickle.UnpicklingError, match="Weights only load failed") as caught:
            wg.load(io.BytesIO(file))
        assert not isinstance(caught.value, DamagedFileError)
    assert not Ran.happened


@pytest.mark.parametrize(
    ("file", "says"),
    [
        (legacy(WHOLE, FLOAT, start=b"\x80\x02K\x01."), "Invalid magic number; corrupt file?"),
        (legacy(WHOLE, FLOAT, start=b"\x80\x02]K\x01a."), "Invalid magic number"),
        (legacy(WHOLE, FLOAT, version=1002), "Invalid protocol version: 1002"),
        (legacy(WHOLE, FLOAT, version=[1001]), "Invalid protocol version: a list"),
        (legacy(WHOLE, FLOAT, keys=["9"]), "keys of its storages are not those"),
        (legacy(WHOLE, FLOAT, keys=["10", "10"]), "keys of its storages are not those"),
        (legacy(WHOLE, FLOAT, keys=[10]), "keys of its storages are not texts"),
        (legacy(WHOLE, FLOAT, keys={"10": 1}), "keys of its storages are not texts"),
        (legacy(WHOLE), "keys of its storages are not those"),
        (legacy([1], FLOAT), "keys of its storages are not those"),
        (legacy(WHOLE, {"10": (5, FLOATS)}), "storage has wrong byte size: '10' has 5 elements, not 6"),
        (legacy(WHOLE, {"10": (-1, FLOATS)}), "storage has wrong byte size"),
        (legacy(WHOLE, {"10": (6, FLOATS[:-1])}), "its storages take 32 bytes, but 31 are left"),
        (legacy(tensor(Part("torch FloatStorage", "10", 2**60), 0, (2,), (1,)), FLOAT), "its storages take"),
        (legacy(tensor(Part("torch FloatStorage", "10", -6), 0, (2,), (1,)), FLOAT), "the number of its elements"),
        (legacy([WHOLE, tensor(Part("torch IntStorage", "10", 6), 0, (2,), (1,))], FLOAT), "two types, devices, or"),
        (legacy([WHOLE, tensor(Part("torch FloatStorage", "10", 5), 0, (2,), (1,))], FLOAT), "two types, devices, or"),
        (legacy(tensor(SIX, 5, (2,), (1,)), FLOAT), "takes 28 bytes, but its memory has 24"),
        (legacy(tensor(Part("torch BoolStorage", "10", 24), 0, (24,), (1,)), {"10": (24, FLOATS)}), "neither 0 nor 1"),
    ],
)
def test_what_does_not_fit_is_damage(file, says):
    with pytest.raises(DamagedFileError, match=says):
        wg.load(file)


SAMPLE = legacy(
    {
        "w": [WHOLE, tensor(SIX, 1, (2, 2), (1, 3), True)],
        "n": (1, 2.5, "a", Call("torch Size", (1,))),
        "b": tensor(Part("torch BoolStorage", "11", 2), 0, (2,), (1,)),
        "v": tensor(Part("torch FloatStorage", "10", 6, part=("20", 2, 3)), 1, (2,), (1,)),
    },
    {**FLOAT, "11": (2, b"\0\1")},
).getvalue()


def outcome(content):
    """What comes out of bytes, or None if they are refused."""
    try:
        return wg.load(io.BytesIO(content))
    except (pickle.UnpicklingError, EOFError) as error:
        assert str(error)
        return None


def test_a_file_may_end_anywhere():
    assert outcome(SAMPLE)["v"].tolist() == [3, 4]
    for end in range(len(SAMPLE)):
        assert outcome(SAMPLE[:end]) is None


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.data())
def test_any_byte_may_be_wrong(data):
    content = bytearray(SAMPLE)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=4))
    try:
        outcome(bytes(content))
    except RuntimeError as error:  # another device
        assert "device" in str(error) or "location" in str(error)
    assert not Ran.happened


def test_no_memory_is_taken_beyond_the_file():
    large = 2**33
    files = [
        legacy(tensor(Part("torch FloatStorage", "10", large), 0, (large,), (1,)), {"10": (large, FLOATS)}),
        legacy(b"\x8e" + struct.pack("<Q", 2**40) + b"."),
        legacy(b"\x8b" + struct.pack("<i", 2**31 - 1) + b"."),
        legacy(Call("__builtin__ bytearray", large)),
        legacy(1, keys=Call("__builtin__ bytearray", large)),
    ]
    outcome(SAMPLE)
    tracemalloc.start()
    try:
        for file in files:
            outcome(file.getvalue())
        assert tracemalloc.get_traced_memory()[1] < 10**6
    finally:
        tracemalloc.stop()
