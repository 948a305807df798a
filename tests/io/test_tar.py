"""Files of torch's first format, tar archives, made by hand: read as others are, and as safely."""

from __future__ import annotations

import io
import pickle
import random
import struct

import numpy as np
import pytest

import wengert as wg
from tests.io.torch_archives import FLOATS, Call, code, oldest, tar
from wengert.io import DamagedFileError

FLOAT = (5, "cpu", "torch FloatStorage", 6, FLOATS)
LONG = (6, "cpu", "torch LongStorage", 2, np.array([7, 8]).tobytes())
PART = (9, 5, 2, 3)
TENSORS = [(20, 5, (2, 3), (3, 1), 0), (21, 6, (2,), (1,), 0), (22, 9, (2,), (1,), 1), (23, 5, (2, 2), (1, 3), 1)]
NAMES = b"](" + b"".join(code(name) + b"Q" for name in ("20", "21", 22, "23", "5", "20")) + b"e"


def sample(content=NAMES, **more):
    return oldest(content, **{"storages": [FLOAT, LONG], "parts": [PART], "tensors": TENSORS, **more})


def test_tensors_storages_and_what_they_share(tmp_path):
    (tmp_path / "f").write_bytes(sample().getvalue())
    for file in (tmp_path / "f", sample()):
        whole, long, part, turned, storage, again = wg.load(file)
        assert whole.tolist() == [[0, 1, 2], [3, 4, 5]] and again is whole and storage.tolist() == [0, 1, 2, 3, 4, 5]
        assert long.tolist() == [7, 8] and long.dtype is wg.int64
        assert part.tolist() == [3, 4] and turned.tolist() == [[1, 4], [2, 5]] and turned.stride() == (1, 3)
        whole.zero_()
        assert part.tolist() == [0, 0] and storage.tolist() == [0] * 6


def test_containers_and_the_rules_of_other_formats(tmp_path):
    state = code(Call("collections OrderedDict", state={"_metadata": {}}))
    found = wg.load(sample(state), weights_only=False)
    assert found == {} and found._metadata == {}
    there = sample(b"U\x0220Q", storages=[(5, "cuda:0", *FLOAT[2:]), LONG])
    with pytest.raises(RuntimeError, match="Attempting to deserialize object on a CUDA device"):
        wg.load(there)
    there.seek(0)
    assert wg.load(there, map_location="cpu").tolist() == [[0, 1, 2], [3, 4, 5]]
    (tmp_path / "f").write_bytes(sample().getvalue())
    with pytest.raises(RuntimeError, match="mmap can only be used with files saved with"):
        wg.load(tmp_path / "f", mmap=True)


@pytest.mark.parametrize(
    "content",
    [code(Call("os system", "echo")), code(("a", "b")) + b"Q", b"(i__builtin__\neval\n", code(Call("torch load"))],
)
def test_names_that_are_not_allowed_are_refused(content):
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed") as caught:
        wg.load(sample(content))
    assert not isinstance(caught.value, DamagedFileError)


@pytest.mark.parametrize(
    ("file", "says"),
    [
        (sample(storages=[(*FLOAT[:3], -1, FLOATS), LONG]), "a storage takes -4 bytes"),
        (sample(storages=[(*FLOAT[:3], 2**60, FLOATS), LONG]), "bytes, but .* are left"),
        (sample(storages=[("5", *FLOAT[1:])]), "the description of a storage or a tensor is none"),
        (sample(storages=[(5, "cpu", "torch FloatTensor", 6, FLOATS)]), "is of no type of storages"),
        (sample(parts=[(9, 5, 4, 3)]), "beyond its end"),
        (sample(parts=[(9, 5, -1, 3)]), "beyond its end"),
        (sample(parts=[(9, 7, 0, 3)]), "there is no storage number 7"),
        (sample(parts=[(9, 5, 0)]), "not described by four numbers"),
        (sample(tensors=[(20, 5, (7,), (1,), 0)]), "takes 28 bytes, but its memory has 24"),
        (sample(tensors=[(20, 5, (2,), (-1,), 0)]), "not a list of lengths"),
        (sample(tensors=[(20, 5, (2,), (1,), -1)]), "offset is not a length"),
        (sample(tensors=[(20, 8, (2,), (1,), 0)]), "there is no storage number 8"),
        (sample(tensors=[(20, 5, (1,) * 65, (1,) * 65, 0)]), "65 dimensions"),
        (sample(b"U\x0224Q"), "there is no storage number 24"),
        (sample(b"U\x01xQ"), "invalid literal"),
        (sample(code("9" * 5000) + b"Q"), "something other than a number"),
        (sample(pickle=None), "it has no member 'pickle'"),
        (tar({"storages": b"", "pickle": b""}), "no member 'tensors'"),
        (tar({"storages": b"", "tensors": b"", "pickle": b""}), "the opcodes have no end"),
    ],
)
def test_what_does_not_fit_is_damage(file, says):
    with pytest.raises(DamagedFileError, match=says):
        wg.load(file)


def test_sizes_of_members_are_held_against_the_file():
    content = sample().getvalue()
    for size in (
        b"77777777777\0",
        b"-0000000001\0",
        b"\x80" + struct.pack(">Q", 2**62).rjust(11, b"\0"),
        b"            ",
    ):
        changed = bytearray(content)
        changed[124:136] = size
        total = sum(changed[:512]) - sum(changed[148:156]) + 8 * 32
        changed[148:156] = b"%06o\0 " % total
        with pytest.raises(DamagedFileError, match=r"not a tar archive as torch wrote it|bytes, but .* are left"):
            wg.load(io.BytesIO(changed))
    changed = bytearray(content)
    changed[0] ^= 1
    with pytest.raises(DamagedFileError, match="check sum"):
        wg.load(io.BytesIO(changed))


def test_any_byte_may_be_wrong_and_a_file_may_end_anywhere():
    content, dice = sample().getvalue(), random.Random(0)
    places = [at for at, byte in enumerate(content) if byte]
    for number in range(2000):
        changed = bytearray(content)
        for _ in range(dice.choice((1, 1, 2))):
            changed[dice.choice(places)] = dice.randrange(256)
        if number % 4 == 0:
            del changed[dice.randrange(len(changed)) :]
        try:
            wg.load(io.BytesIO(changed))
        except (DamagedFileError, pickle.UnpicklingError, EOFError) as error:
            assert str(error)
        except RuntimeError as error:
            assert "device" in str(error) or "location" in str(error)
