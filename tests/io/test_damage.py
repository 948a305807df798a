"""Files of every format with something wrong: one kind of error, which says what it is."""

from __future__ import annotations

import io
import json
import pickle
import random
import struct

import numpy as np
import pytest

import wengert as wg
from tests.io.torch_archives import FLOATS, WHOLE, Call, Part, Stored, archive, code, legacy, tensor
from wengert import nn
from wengert.io import DamagedFileError, load_file

SIX = Stored("torch FloatStorage", "0", 6)


def container(tree, dtype=np.float32):
    """A file of `save` that says anything, and one tensor `x` of six elements."""
    file = io.BytesIO()
    text = json.dumps({"version": 1, "object": tree})
    for piece in wg.io.weights.content_of({"x": np.arange(6, dtype=dtype)}, {"wengert": text}):
        file.write(bytes(piece))
    return file.getvalue()


def saved():
    """A file of `save`."""
    file, x = io.BytesIO(), wg.arange(6.0)
    value = {"x": x, "v": x[2:], "p": nn.Parameter(wg.ones(2)), "b": wg.ones(2, dtype=wg.bool), "n": (1, "a", {2})}
    wg.save({**value, "a": np.arange(3), "s": x.to_sparse(), "u": wg.ones(2).untyped_storage()}, file)
    return file.getvalue()


FILES = {
    "save": saved(),
    "archive": archive({"w": [WHOLE, tensor(SIX, 1, (2, 2), (1, 3), True)], "n": (1, "a")}, {"0": FLOATS}).getvalue(),
    "legacy": legacy(
        [tensor(Part("torch FloatStorage", "0", 6), 0, (6,), (1,)), {"a": 1}], {"0": (6, FLOATS)}
    ).getvalue(),
}


def test_the_error_is_each_of_those_that_torch_raises():
    assert issubclass(DamagedFileError, (ValueError, RuntimeError, pickle.UnpicklingError))
    for content in FILES.values():
        for end in (20, len(content) // 2, len(content) - 1):
            with pytest.raises(DamagedFileError):
                wg.load(io.BytesIO(content[:end]))


@pytest.mark.parametrize(
    "code_of_dtype",
    [
        "<f4,<f4",
        "f4",
        "(2,)f4",
        "<f4, ",
        "O",
        "|O",
        "<M8[",
        "<M8[9999999999Y]",
        "|S99999999999",
        "<f3",
        "=f4",
        "a: 3",
        "",
        "<f4" * 1000,
        "|V4",
        "{'names': []}",
        "float32",
        "<U-1",
        "<c8\n",
        "|b2",
    ],
)
def test_texts_that_are_no_dtypes(code_of_dtype):
    for kind in ("array", "scalar"):
        with pytest.raises(DamagedFileError, match=r"is damaged: .{5,300}$"):
            wg.load(io.BytesIO(container({kind: ["x", code_of_dtype, [6], "C"]})))


@pytest.mark.parametrize(
    "entry",
    [
        {"float": 3},
        {"complex": [{"a": 1}, 2]},
        {"complex": [True, 1]},
        {"complex": ["1", 1]},
        {"letters": [-1]},
        {"letters": [2**70]},
        {"int": "0x"},
        {"bytes": "a"},
        {"part": 0},
        {"dict": [[[], 1]]},
        {"set": [{"dict": []}]},
        {"same": True},
        {"a": 1, "b": 2},
        {},
    ],
)
def test_pieces_of_a_container_that_stand_for_nothing(entry):
    with pytest.raises(DamagedFileError, match="is damaged"):
        wg.load(io.BytesIO(container([entry])))


VALUES = [WHOLE, [1], {"a": 1}, "text", 2.5, None, (1,), SIX, Call("__builtin__ set", [1]), 2, -1, 2**70, ()]


@pytest.mark.parametrize("at", range(7))
def test_a_tensor_of_anything(at):
    arguments = [SIX, 0, (6,), (1,), False, None, {"neg": True}]
    for value in VALUES:
        changed = [*arguments[:at], value, *arguments[at + 1 :]]
        try:
            found = wg.load(archive(Call("torch._utils _rebuild_tensor_v2", *changed), {"0": FLOATS}))
        except DamagedFileError as error:
            assert "is damaged" in str(error)
        else:
            assert found.untyped_storage().nbytes() == 24


def test_a_parameter_whose_requires_grad_is_a_tensor():
    for name in ("_rebuild_parameter", "_rebuild_parameter_with_state"):
        with pytest.raises(DamagedFileError, match=r"requires_grad is a Tensor for torch\.float32"):
            wg.load(archive(Call(f"torch._utils {name}", WHOLE, WHOLE, None), {"0": FLOATS}))
    with pytest.raises(DamagedFileError, match="requires_grad is a Tensor"):
        wg.load(archive(tensor(SIX, 0, (2,), (1,), WHOLE), {"0": FLOATS}))


def test_every_field_of_the_directory_of_an_archive(tmp_path):
    """Sizes and places at the end of a zip file, of which `zipfile` believes most; also in a file on disk."""
    content = FILES["archive"]
    end = content.rindex(b"PK\x05\x06")
    entry = content.index(b"PK\x01\x02")
    places = [*((end + at, size) for at, size in ((4, 2), (6, 2), (8, 2), (10, 2), (12, 4), (16, 4), (20, 2)))]
    places += [(entry + at, 2) for at in range(4, 36, 2)] + [(entry + 42, 4), (entry + 20, 4), (entry + 24, 4)]
    for at, size in places:
        for value in (0, 1, 255, 2 ** (8 * size) - 1, 2 ** (8 * size - 1), len(content)):
            changed = bytearray(content)
            changed[at : at + size] = (value % 2 ** (8 * size)).to_bytes(size, "little")
            (tmp_path / "f").write_bytes(changed)
            for file in (tmp_path / "f", io.BytesIO(changed)):
                try:
                    assert wg.load(file)["n"] == (1, "a")
                except DamagedFileError as error:
                    assert len(str(error)) < 500


def test_large_sizes_of_a_directory_take_no_memory(tmp_path):
    content = FILES["archive"]
    end = content.rindex(b"PK\x05\x06")
    for size, start in ((2**32 - 2, 0), (2**31, 2**31), (0, 2**32 - 2)):
        changed = content[: end + 12] + struct.pack("<II", size, start) + content[end + 20 :]
        (tmp_path / "f").write_bytes(changed)
        with pytest.raises(DamagedFileError):
            wg.load(tmp_path / "f")
    wide = struct.pack("<4sQHHIIQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, 1, 1, 2**62, 2**62)
    locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, end, 1)
    (tmp_path / "f").write_bytes(content[:end] + wide + locator + content[end : end + 8] + b"\xff" * 12 + b"\0\0")
    with pytest.raises(DamagedFileError):
        wg.load(tmp_path / "f")


class Odd:
    """A file object whose `read` gives something else from some call on."""

    def __init__(self, content, gives, calls):
        self.file, self.gives, self.calls = io.BytesIO(content), gives, calls
        self.seek, self.tell = self.file.seek, self.file.tell

    def read(self, count=-1):
        self.calls -= 1
        return self.file.read(count) if self.calls > 0 else self.gives


@pytest.mark.parametrize("gives", [None, "text", 3, b"more than was asked for, whatever that was" * 99, [1, 2]])
@pytest.mark.parametrize("name", FILES)
def test_file_objects_that_give_no_bytes(name, gives):
    for calls in (1, 2, 3, 9):
        with pytest.raises(DamagedFileError, match=r"Odd cannot be read: its read\(\) gave"):
            wg.load(Odd(FILES[name], gives, calls))


@pytest.mark.parametrize("name", FILES)
def test_file_objects_that_end_early(name):
    for calls in (2, 3, 9):
        with pytest.raises(DamagedFileError):
            wg.load(Odd(FILES[name], b"", calls))


@pytest.mark.parametrize("name", FILES)
def test_file_objects_that_give_little_at_once(name):
    class Slow(Odd):
        def read(self, count=-1):
            return bytearray(self.file.read(min(count, 5)))

    wanted, found = wg.load(io.BytesIO(FILES[name])), wg.load(Slow(FILES[name], None, 0))
    assert str(found) == str(wanted)


@pytest.mark.parametrize("name", FILES)
def test_any_part_may_be_damaged(name):
    dice = random.Random(0)
    content = FILES[name]
    refused = 0
    for _ in range(1500):
        changed = bytearray(content)
        for _ in range(dice.choice((1, 1, 2, 4))):
            at, count = dice.randrange(len(changed)), dice.choice((0, 1, 2, 4, 8))
            changed[at : at + count] = bytes(
                dice.choice((0, 1, 127, 255, dice.randrange(256))) for _ in range(dice.choice((count, 1)))
            )
        try:
            wg.load(io.BytesIO(changed))
        except (DamagedFileError, pickle.UnpicklingError, EOFError) as error:
            assert str(error)
            refused += 1
        except RuntimeError as error:
            assert "device" in str(error) or "location" in str(error)
    assert refused > 500


def test_load_file_raises_the_same(tmp_path):
    for content in (
        b"",
        b"short",
        FILES["save"][:-1],
        FILES["archive"],
        code({"a": 1}),
        b"\x08" + bytes(7) + b"{}      x",
    ):
        (tmp_path / "f").write_bytes(content)
        with pytest.raises(DamagedFileError, match=str(tmp_path)):
            load_file(tmp_path / "f")


@pytest.mark.parametrize("error", [ValueError, TypeError, RuntimeError, KeyError, OSError, DamagedFileError])
@pytest.mark.parametrize("name", FILES)
def test_errors_of_the_caller_s_own_function_are_no_damage(name, error):
    raised = error("mine")

    def map_location(storage, location):
        raise raised

    with pytest.raises(error, match="mine") as caught:
        wg.load(io.BytesIO(FILES[name]), map_location=map_location)
    assert caught.value is raised
    with pytest.raises(TypeError, match="map_location must return a storage or None, not int") as caught:
        wg.load(io.BytesIO(FILES[name]), map_location=lambda storage, location: 3)
    assert type(caught.value) is TypeError
