"""Tensors by name in a file, in the safetensors format: a header in JSON, then the bytes. Reading runs no code.

The header is read and held against the size of the file first; memory is taken only for what is really there.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import reprlib
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ..ops.create.interchange import from_numpy
from ..tensor import Tensor, dtypes
from .atomic import write_atomically

CODES = {
    "float64": "F64", "float32": "F32", "float16": "F16", "bfloat16": "BF16", "int64": "I64", "int32": "I32",
    "int16": "I16", "int8": "I8", "uint64": "U64", "uint32": "U32", "uint16": "U16", "uint8": "U8",
    "bool": "BOOL", "complex64": "C64",
}  # fmt: skip
NAMES = {code: name for name, code in CODES.items()}
METADATA = "__metadata__"
LARGEST_HEADER = 100_000_000
MOST_DIMENSIONS = 64
PIECE = 1 << 20
"""Bytes that are written at once."""
READ_AT_ONCE = 1 << 23


def save_file(
    tensors: Mapping[str, Tensor], path: str | os.PathLike[str], metadata: Mapping[str, str] | None = None
) -> Path:
    """Write tensors into a file, which is there whole or not at all.

    Args:
        tensors: by name, such as a `state_dict()`; histories are not kept.
        path: name of the file.
        metadata: further texts by name.

    Returns:
        The path.

    Raises:
        TypeError: a name or a text is no string, a value no tensor, or its dtype has no code in the format
            (complex128).
        OSError: the file cannot be written.
    """
    check_saved(tensors, metadata)
    return write_atomically(path, content_of({name: value._array_ for name, value in tensors.items()}, metadata))


def content_of(
    arrays: Mapping[str, np.ndarray[Any, Any]], metadata: Mapping[str, str] | None
) -> Iterator[bytes | np.ndarray[Any, Any]]:
    """What stands in a file, piece by piece: length of the header, header, the bytes of the arrays.

    Raises:
        ValueError: the header would be longer than a reader accepts.
    """
    header: dict[str, Any] = {METADATA: dict(metadata)} if metadata else {}
    start = 0
    # The widest elements first: then every tensor lies at a multiple of its element size.
    order = sorted(arrays, key=lambda name: (-arrays[name].itemsize, name))
    for name in order:
        array = arrays[name]
        end = start + array.nbytes
        code = CODES[dtypes.from_numpy(array.dtype).name]
        header[name] = {"dtype": code, "shape": list(array.shape), "data_offsets": [start, end]}
        start = end
    text = json.dumps(header, separators=(",", ":")).encode("utf-8")
    text += b" " * (-len(text) % 8)
    if len(text) > LARGEST_HEADER:
        raise ValueError(f"the header would have {len(text)} bytes, more than the {LARGEST_HEADER} that are read")
    return itertools.chain([len(text).to_bytes(8, "little"), text], *(pieces_of(arrays[name]) for name in order))


def check_saved(tensors: Mapping[str, Tensor], metadata: Mapping[str, str] | None) -> None:
    """Refuse what the format cannot hold.

    Raises:
        TypeError: see `save_file`.
    """
    for given in (tensors, {} if metadata is None else metadata):
        if not isinstance(given, Mapping):
            raise TypeError(f"save_file(): tensors and metadata must be mappings, not {type(given).__name__}")
    for name, value in tensors.items():
        if not isinstance(name, str) or name == METADATA:
            raise TypeError(f"save_file(): names must be strings other than {METADATA!r}, not {name!r}")
        if not isinstance(value, Tensor):
            raise TypeError(f"save_file(): {name!r} must be a Tensor, not {type(value).__name__}")
        if value.dtype.name not in CODES:
            raise TypeError(f"save_file(): {name!r} is {value.dtype}, which the format does not know")
    for key, text in (metadata or {}).items():
        if not isinstance(key, str) or not isinstance(text, str):
            raise TypeError(f"save_file(): metadata must be strings by name, not {key!r}: {text!r}")


def pieces_of(array: np.ndarray[Any, Any]) -> Iterator[np.ndarray[Any, Any]]:
    """The bytes of an array in the order of the format, a part at a time: the whole is never copied."""
    order = array.dtype.newbyteorder("<")
    parts = np.nditer(  # type: ignore[call-overload]
        array, ["external_loop", "buffered", "zerosize_ok"], [["readonly", "contig"]], [order], order="C",
        casting="equiv", buffersize=PIECE // array.itemsize,
    )  # fmt: skip
    for part in parts:
        yield part.view(np.uint8)


def load_file(path: str | os.PathLike[str]) -> dict[str, Tensor]:
    """Read the tensors of a file.

    Args:
        path: name of the file.

    Returns:
        New tensors by name.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no whole safetensors file.
    """
    with open(path, "rb") as file:
        header, start = read_header(file, str(path))
        header.pop(METADATA, None)
        return {name: from_numpy(read_array(file, start, entry, str(path))) for name, entry in header.items()}


def load_metadata(path: str | os.PathLike[str]) -> dict[str, str]:
    """Read the texts that were saved with the tensors of a file; raises as `load_file`."""
    with open(path, "rb") as file:
        return dict(read_header(file, str(path))[0].get(METADATA, {}))


def read_array(file: BinaryIO, start: int, entry: Mapping[str, Any], path: str) -> np.ndarray[Any, Any]:
    """The values of one tensor, whose entry has been checked."""
    begin = entry["data_offsets"][0]
    try:
        array = np.empty(entry["shape"], dtypes.by_name(NAMES[entry["dtype"]]).numpy)
    except (ValueError, OverflowError) as error:  # without elements, but with lengths that no array can have
        raise ValueError(f"{path} is damaged: no tensor has the shape {entry['shape']}") from error
    raw = array.reshape(-1).view(np.uint8)
    file.seek(start + begin)
    read_into(file, raw, path)
    if entry["dtype"] == "BOOL" and raw.max(initial=0) > 1:
        raise ValueError(f"{path} is damaged: a BOOL is {raw.max()}, neither 0 nor 1")
    return array.byteswap(inplace=True) if sys.byteorder == "big" else array


def read_into(file: BinaryIO, raw: np.ndarray[Any, Any], path: str) -> None:
    """Fill an array of bytes from where a file stands.

    Raises:
        ValueError: the file ends before.
    """
    at = 0
    while at < raw.size:
        piece = file.read(min(raw.size - at, READ_AT_ONCE))
        if not piece or len(piece) > raw.size - at:
            raise ValueError(f"{path}: the file became shorter while it was read")
        raw[at : at + len(piece)] = np.frombuffer(piece, np.uint8)
        at += len(piece)


def read_header(file: BinaryIO, path: str) -> tuple[dict[str, Any], int]:
    """The header of what follows in a file, checked against its size, and where the bytes of the tensors start.

    Raises:
        ValueError: something does not fit.
    """
    begin = file.tell()
    size = file.seek(0, os.SEEK_END) - begin
    file.seek(begin)
    length = int.from_bytes(file.read(8), "little")
    if size < 8 or length > min(size - 8, LARGEST_HEADER):
        raise ValueError(f"{path} is no safetensors file: it has {size} bytes, too few for its header")
    try:
        header = json.loads(file.read(length).decode("utf-8"), object_pairs_hook=unique)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is no safetensors file: its header is not JSON ({error})") from error
    if not isinstance(header, dict):
        raise ValueError(f"{path} is no safetensors file: its header is no JSON object")
    metadata = header.get(METADATA, {})
    if not isinstance(metadata, dict) or not all(isinstance(text, str) for text in metadata.values()):
        raise ValueError(f"{path} is damaged: its metadata are no texts by name")
    room, end = size - 8 - length, 0
    entries = [(name, entry) for name, entry in header.items() if name != METADATA]
    for name, entry in entries:
        problem = find_problem(entry)
        if problem:
            raise ValueError(f"{path} is damaged: tensor {reprlib.repr(name)} {problem}")
    for name, entry in sorted(entries, key=lambda item: item[1]["data_offsets"]):
        if entry["data_offsets"][0] != end:
            raise ValueError(
                f"{path} is damaged: the bytes of {reprlib.repr(name)} do not follow those of the tensor before"
            )
        end = entry["data_offsets"][1]
    if end != room:
        raise ValueError(f"{path} is damaged: its tensors take {end} bytes, but there are {room}")
    return header, begin + 8 + length


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON as a dictionary.

    Raises:
        ValueError: a name appears twice.
    """
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a name appears twice")
    return made


def find_problem(entry: Any) -> str:
    """What is wrong with a tensor's entry in itself; an empty text if nothing is."""
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        return "has no entry of dtype, shape and data_offsets"
    if not isinstance(entry["dtype"], str) or entry["dtype"] not in NAMES:
        return f"has the dtype {reprlib.repr(entry['dtype'])}, which is not known here"
    for key in ("shape", "data_offsets"):
        if not isinstance(entry[key], list) or not all(type(each) is int and each >= 0 for each in entry[key]):
            return f"has the {key} {reprlib.repr(entry[key])}, which is no list of lengths"
    if len(entry["data_offsets"]) != 2:
        return "has no pair of data_offsets"
    if len(entry["shape"]) > MOST_DIMENSIONS:
        return f"has {len(entry['shape'])} dimensions, more than a tensor can have"
    begin, end = entry["data_offsets"]
    needed = math.prod(entry["shape"]) * dtypes.by_name(NAMES[entry["dtype"]]).itemsize
    if end - begin != needed:
        return f"should take {needed} bytes by its shape and dtype, but has {end - begin}"
    return ""
