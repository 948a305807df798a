"""Safetensors files: tensors by name, with a header in JSON before the bytes. Reading runs no code.

The header is checked against the size of the file first; memory is allocated only for bytes that exist.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import reprlib
import sys
import warnings
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from .._core.tensor.base import wrap
from .._core.tensor.postponed import resolved
from .._tensor import Tensor
from .._tensor.attributes import dtypes
from .atomic import write_atomically
from .errors import DamagedFileError, damage
from .source import Source

CODES = {
    "float64": "F64",
    "float32": "F32",
    "float16": "F16",
    "bfloat16": "BF16",
    "int64": "I64",
    "int32": "I32",
    "int16": "I16",
    "int8": "I8",
    "uint64": "U64",
    "uint32": "U32",
    "uint16": "U16",
    "uint8": "U8",
    "bool": "BOOL",
    "complex64": "C64",
}
NAMES = {code: name for name, code in CODES.items()}
METADATA = "__metadata__"
INTEGER = {int}
FIELDS = {"dtype", "shape", "data_offsets"}
"""Keys of the entry of a tensor."""
LARGEST_HEADER = 100_000_000
MOST_DIMENSIONS = 64
READ_AHEAD = 1 << 16
"""Bytes that are read at once for small tensors; large ones are read directly into their memory."""
PIECE = 1 << 20
"""Bytes that are written at once."""

SUFFIXES_OF_TORCH = (".pt", ".pth", ".ckpt")


def save_file(
    tensors: Mapping[str, Tensor], path: str | os.PathLike[str], metadata: Mapping[str, str] | None = None
) -> Path:
    """Write tensors to a file, atomically.

    Args:
        tensors: the tensors by name, such as a `state_dict()`; histories are not saved.
        path: path of the file; a name as torch's files have (".pt", ".pth", ".ckpt") raises a warning.
        metadata: further texts by name.

    Returns:
        The path.

    Raises:
        TypeError: if a name or text is not a string, a value is not a tensor, or its dtype has no code in the format
            (complex128).
        OSError: if the file cannot be written.
    """
    check_saved(tensors, metadata)
    warn_of_suffix("save_file", path)
    return write_atomically(
        path, content_of({name: resolved(value._array_) for name, value in tensors.items()}, metadata)
    )


def warn_of_suffix(caller: str, path: Any) -> None:
    """Warn if a file of safetensors gets a name by which torch's files are known: `torch.load` does not read it."""
    name = os.fspath(path) if isinstance(path, (str, os.PathLike)) else ""
    if os.fsdecode(name).endswith(SUFFIXES_OF_TORCH):
        warnings.warn(
            f"{caller}: {os.fsdecode(name)!r} is named like torch's files, but gets the format safetensors, which "
            "torch.load does not read; name it .safetensors, or write it with save",
            UserWarning,
            stacklevel=3,
        )


def content_of(
    arrays: Mapping[str, np.ndarray[Any, Any]], metadata: Mapping[str, str] | None
) -> Iterator[bytes | np.ndarray[Any, Any]]:
    """Yield the content of a file in pieces: length of the header, header, bytes of the arrays.

    Raises:
        ValueError: if the header is longer than readers accept.
    """
    header: dict[str, Any] = {METADATA: dict(metadata)} if metadata else {}
    start = 0
    # The widest elements first: so each tensor is aligned to its element size.
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
    """Refuse values that the format cannot store.

    Raises:
        TypeError: if there are such values, see `save_file`.
    """
    for mapping in (tensors, {} if metadata is None else metadata):
        if not isinstance(mapping, Mapping):
            raise TypeError(f"save_file(): tensors and metadata must be mappings, not {type(mapping).__name__}")
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
    """Yield the bytes of an array in the format's byte order, in pieces, without copying the whole."""
    order = array.dtype.newbyteorder("<")
    parts = np.nditer(  # type: ignore[call-overload]
        array,
        ["external_loop", "buffered", "zerosize_ok"],
        [["readonly", "contig"]],
        [order],
        order="C",
        casting="equiv",
        buffersize=PIECE // array.itemsize,
    )
    for part in parts:
        yield part.view(np.uint8)


def load_file(path: str | os.PathLike[str]) -> dict[str, Tensor]:
    """Read the tensors of a file.

    Args:
        path: path of the file.

    Returns:
        New tensors by name.

    Raises:
        OSError: if the file cannot be read.
        DamagedFileError: if it is not a complete safetensors file; this is a ValueError.
    """
    with open(path, "rb", buffering=READ_AHEAD) as file:
        source = Source(file, str(path))
        header, start = read_header(source)
        header.pop(METADATA, None)
        return {name: wrap(read_array(source, start, entry)) for name, entry in header.items()}


def load_metadata(path: str | os.PathLike[str]) -> dict[str, str]:
    """Return the metadata of a file; raises as `load_file`."""
    with open(path, "rb", buffering=0) as file:
        return dict(read_header(Source(file, str(path)))[0].get(METADATA, {}))


def read_array(source: Source, start: int, entry: Mapping[str, Any]) -> np.ndarray[Any, Any]:
    """Read the values of a tensor, whose entry has been checked."""
    dtype = type_of(entry["dtype"])
    try:
        array = np.empty(entry["shape"], dtype)
    except (ValueError, OverflowError) as error:  # no elements, but lengths that no array can have
        raise DamagedFileError(f"{source.name} is damaged: no tensor has the shape {entry['shape']}") from error
    source.seek(start + entry["data_offsets"][0])
    if dtype.kind in "fiuc":
        source.readinto(array)
    else:
        raw = array.reshape(-1).view(np.uint8)
        source.readinto(raw)
        if dtype.kind == "b" and raw.max(initial=0) > 1:
            raise DamagedFileError(f"{source.name} is damaged: a BOOL is {raw.max()}, neither 0 nor 1")
    return array.byteswap(inplace=True) if sys.byteorder == "big" else array


@cache
def type_of(code: str) -> np.dtype[Any]:
    """Return NumPy's dtype for a code of the format."""
    return dtypes.by_name(NAMES[code]).numpy


def read_header(source: Source) -> tuple[dict[str, Any], int]:
    """Return the header of a file, checked against its size, and the offset of the bytes of the tensors.

    Raises:
        DamagedFileError: if something does not fit.
    """
    length = int.from_bytes(source.read(8), "little")
    if source.size < 8 or length > min(source.size - 8, LARGEST_HEADER):
        raise DamagedFileError(
            f"{source.name} is not a safetensors file: it has {source.size} bytes, too few for its header"
        )
    with damage(f"{source.name} is not a safetensors file: its header is not JSON (", ")"):
        header = json.loads(source.read(length).decode("utf-8"), object_pairs_hook=unique)
    with damage(f"{source.name} is damaged: "):
        check_header(header, source.size - 8 - length)
    return header, source.begin + 8 + length


def check_header(header: Any, room: int) -> None:
    """Check a header against the number of bytes that follow it.

    Raises:
        ValueError: if something does not fit.
    """
    if not isinstance(header, dict):
        raise ValueError("its header is not a JSON object")
    metadata = header.get(METADATA, {})
    if not isinstance(metadata, dict) or not all(isinstance(text, str) for text in metadata.values()):
        raise ValueError("its metadata are not texts by name")
    entries = [(name, entry) for name, entry in header.items() if name != METADATA]
    for name, entry in entries:
        problem = find_problem(entry)
        if problem:
            raise ValueError(f"tensor {reprlib.repr(name)} {problem}")
    end = 0
    for begin, stop in sorted([entry["data_offsets"] for _, entry in entries]):
        if begin != end:
            name = next(name for name, entry in entries if entry["data_offsets"] == [begin, stop])
            raise ValueError(f"the bytes of {reprlib.repr(name)} do not follow those of the tensor before")
        end = stop
    if end != room:
        raise ValueError(f"its tensors take {end} bytes, but there are {room}")


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object as a dictionary.

    Raises:
        ValueError: if a name occurs twice.
    """
    table = dict(pairs)
    if len(table) != len(pairs):
        raise ValueError("a name appears twice")
    return table


def find_problem(entry: Any) -> str:
    """Return what is wrong with a tensor's entry by itself; "" if nothing is."""
    if not isinstance(entry, dict) or entry.keys() != FIELDS:
        return "has no entry of dtype, shape and data_offsets"
    code, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(code, str) or code not in NAMES:
        return f"has the dtype {reprlib.repr(code)}, which is not known here"
    for key, lengths in (("shape", shape), ("data_offsets", offsets)):
        if type(lengths) is not list or not INTEGER.issuperset(map(type, lengths)) or (lengths and min(lengths) < 0):
            return f"has the {key} {reprlib.repr(lengths)}, which is not a list of lengths"
    if len(offsets) != 2:
        return "has no pair of data_offsets"
    if len(shape) > MOST_DIMENSIONS:
        return f"has {len(shape)} dimensions, more than a tensor can have"
    needed = math.prod(shape) * type_of(code).itemsize
    if offsets[1] - offsets[0] != needed:
        return f"should take {needed} bytes by its shape and dtype, but has {offsets[1] - offsets[0]}"
    return ""
