"""Whatever stands in a file, loading it gives tensors or a ValueError, and no more memory than it has is taken."""

from __future__ import annotations

import copy
import json
import random
import tracemalloc

import pytest

import wengert as wg
from wengert.io import load_file, load_metadata, save_file

HOSTILE = [
    None,
    True,
    False,
    0,
    1,
    -1,
    2,
    7,
    2.0,
    1e999,
    float("nan"),
    2**31,
    2**62,
    2**63,
    2**64,
    -(2**63),
    10**30,
    10**4000,
    "",
    "F32",
    "f32",
    "BOOL",
    "BF16",
    "F8_E4M3",
    "\0",
    "\ud800",
    [],
    [[]],
    {},
    {"a": 1},
    [0],
    [1],
    [0, 0],
    [0, 16],
    [16, 0],
    [-1, 15],
    [0.0, 16.0],
    [0, 2**64],
    [0, 16, 16],
    [None, 16],
    [2**62, 4],
    [0, 10**30],
    [0, 2**62, 2**62],
    [True, 4],
    [1] * 65,
    [0] * 65,
    [[4]],
    ["4"],
]
"""Values put in place of each value of a header."""

HEADER = {
    "__metadata__": {"made": "today"},
    "a": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]},
    "b": {"dtype": "I64", "shape": [1], "data_offsets": [16, 24]},
    "c": {"dtype": "BOOL", "shape": [3], "data_offsets": [24, 27]},
    "d": {"dtype": "F32", "shape": [0], "data_offsets": [27, 27]},
}
BODY = bytes(24) + b"\0\1\1"


def places(value, path=()):
    """The paths to all values of nested dictionaries and lists."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, (*path, key))


def changed(path, value):
    """The header with another value at a place."""
    if not path:
        return value
    header = copy.deepcopy(HEADER)
    inner = header
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return header


def write(path, text, body=BODY):
    text = text if isinstance(text, bytes) else json.dumps(text).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + body)
    return path


def outcome(path):
    """The bytes of the tensors in a file, or None if it is refused; anything but a ValueError goes on."""
    try:
        load_metadata(path)
        return sum(each.nbytes for each in load_file(path).values())
    except ValueError as error:
        assert str(error), "it says what is wrong"
        return None


@pytest.mark.parametrize("path", list(places(HEADER)), ids=lambda path: ".".join(map(str, path)) or "header")
def test_any_value_anywhere_in_the_header_is_refused_or_fits_the_file(tmp_path, path):
    refused = 0
    for value in HOSTILE:
        found = outcome(write(tmp_path / "w", changed(path, value)))
        assert found is None or found <= len(BODY)
        refused += found is None
    assert refused > len(HOSTILE) / 2


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ({"a": {"dtype": [], "shape": [1], "data_offsets": [0, 4]}}, r"tensor 'a' has the dtype \[\], which is not"),
        ({"a": {"dtype": {}, "shape": [1], "data_offsets": [0, 4]}}, "tensor 'a' has the dtype {}, which is not known"),
        ({"a": {"dtype": "F32", "shape": [0, 10**30], "data_offsets": [0, 0]}}, r"no tensor has the shape \[0, 10000"),
        ({"a": {"dtype": "F32", "shape": [1] * 65, "data_offsets": [0, 4]}}, "65 dimensions, more than a tensor can"),
        (b'{"a": {}, "a": {}}', "its header is not JSON .a name appears twice"),
        (b'{"a": ' + b"9" * 5000 + b"}", "its header is not JSON"),
        (b"[" * 10**5, "its header is not JSON"),
        ({"n" * 10**5: 3}, r"tensor 'nnn.*\.\.\..*nnn' has no entry"),
        ({"a": {"dtype": "F" * 10**5, "shape": [1], "data_offsets": [0, 4]}}, r"has the dtype 'FFF.*\.\.\..*FFF'"),
    ],
)
def test_what_is_wrong_is_said_in_a_few_words(tmp_path, text, says):
    path = write(tmp_path / "w", text, b"")
    with pytest.raises(ValueError, match=says) as caught:
        load_file(path)
    assert len(str(caught.value)) < len(str(path)) + 400


def test_a_bool_that_is_neither_true_nor_false_is_refused(tmp_path):
    header = {"a": {"dtype": "BOOL", "shape": [2], "data_offsets": [0, 2]}}
    with pytest.raises(ValueError, match="a BOOL is 2, neither 0 nor 1"):
        load_file(write(tmp_path / "w", header, b"\1\2"))


def test_any_byte_of_a_file_may_be_wrong(tmp_path):
    tensors = {"a": wg.arange(4.0), "b": wg.ones(2, 3, dtype=wg.int16), "c": wg.ones(3, dtype=wg.bool)}
    whole = save_file(tensors, tmp_path / "w", {"made": "today"}).read_bytes()
    dice = random.Random(0)
    for _ in range(2000):
        content = bytearray(whole)
        for _ in range(dice.choice((1, 1, 2, 5))):
            at = dice.randrange(len(content))
            content[at : at + dice.choice((0, 1, 1, 1, 3))] = dice.choice(
                (
                    b"",
                    bytes([dice.randrange(256)]),
                    b"9",
                    b"[]",
                    b'"',
                    b"-",
                    bytes([content[at] ^ 1 << dice.randrange(8)]),
                )
            )
        (tmp_path / "w").write_bytes(content)
        found = outcome(tmp_path / "w")
        assert found is None or found <= len(content)


def test_no_memory_is_taken_before_sizes_are_held_against_the_file(tmp_path):
    def peak(path):
        tracemalloc.start()
        try:
            outcome(path)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    outcome(write(tmp_path / "w", HEADER))
    usual = peak(write(tmp_path / "w", HEADER))
    large = 10**9
    for text in (
        {"a": {"dtype": "F32", "shape": [large], "data_offsets": [0, 4 * large]}},
        {"a": {"dtype": "U8", "shape": [large], "data_offsets": [0, 27]}},
        {**HEADER, "d": {"dtype": "U8", "shape": [large], "data_offsets": [27, 27 + large]}},
        {**HEADER, "d": {"dtype": "U8", "shape": [large, 0], "data_offsets": [27, 27]}},
    ):
        assert peak(write(tmp_path / "w", text)) < 10 * usual
    (tmp_path / "w").write_bytes((99_000_000).to_bytes(8, "little") + b"{}")
    assert peak(tmp_path / "w") < 10 * usual


def test_what_could_not_be_read_again_is_not_written(tmp_path):
    for metadata in ({"a": 3}, {3: "a"}, {"a": None}):
        with pytest.raises(TypeError, match="metadata must be strings by name"):
            save_file({"a": wg.ones(1)}, tmp_path / "w", metadata)
    assert list(tmp_path.iterdir()) == []
