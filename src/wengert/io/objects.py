"""`save` and `load`: nested containers of tensors and plain values in safetensors files."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pickle import UnpicklingError
from typing import Any, BinaryIO, NoReturn

from .._core.tensor.storage import Storage
from .._core.types.devices import device
from .._kernels.layout import row_major
from ..tensor import Tensor, dtypes
from . import archive
from .atomic import write_atomically
from .decoding import decode
from .encoding import pieces
from .placing import MapLocation, memory_of, place, relocated
from .weights import METADATA, NAMES, content_of, read_array, read_header

ENTRY = "wengert"
"""Of the metadata: the container."""
VERSION = 1
OLD = b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19."
"""How files begin that torch wrote before it wrote zip archives."""


def save(
    obj: object,
    f: str | os.PathLike[str] | BinaryIO,
    pickle_module: Any = None,
    pickle_protocol: int = 2,
    _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
) -> None:
    """Write tensors and what holds them into a file, in the safetensors format, never by pickle.

    The memory of a tensor is written whole, once for all tensors that share it, and is shared again after `load`. A
    `state_dict()` becomes a file whose tensors other readers of safetensors find under their names.

    Args:
        obj: a tensor, a `state_dict()`, or dictionaries (also OrderedDict, defaultdict, Counter), lists, tuples and
            sets, nested as they like, of tensors, Parameters, storages, numbers, texts, bytes, bools, None, sizes,
            dtypes, devices, and NumPy's numbers and arrays. Histories and hooks are not kept.
        f: name of a file, which is there whole or not at all; or a file object that is open for writing bytes.
        pickle_module, pickle_protocol: not used.

    Raises:
        TypeError: something cannot be saved; the error says where it is, and what to do.
        AttributeError: `f` is neither.
        RuntimeError: the folder is not there, or a folder lies where the file shall be.
        OSError: the file cannot be written.

    >>> import io, wengert as wg
    >>> file = io.BytesIO()
    >>> wg.save({"weight": wg.ones(2), "steps": 3}, file)
    >>> _ = file.seek(0)
    >>> wg.load(file)
    {'weight': tensor([1., 1.]), 'steps': 3}
    """
    tree, arrays = pieces(obj)
    text = json.dumps({"version": VERSION, "object": tree}, separators=(",", ":"), allow_nan=False)
    content = content_of(arrays, {ENTRY: text})
    if isinstance(f, (str, os.PathLike)):
        check_folder(os.fspath(f))
        write_atomically(f, content)
    elif not hasattr(f, "write"):
        raise AttributeError(
            f"save(): expected 'f' to be string, path, or a file-like object with a 'write' attribute, not a "
            f"{type(f).__name__}"
        )
    else:
        for piece in content:
            f.write(piece if isinstance(piece, bytes) else piece.tobytes())


def check_folder(path: str) -> None:
    """Refuse a place where no file can be.

    Raises:
        RuntimeError: see there.
    """
    folder = os.path.dirname(path)
    if folder and not os.path.isdir(folder):
        raise RuntimeError(f"Parent directory {folder} does not exist.")
    if os.path.isdir(path):
        raise RuntimeError(f"save(): open file failed with strerror: Is a directory: {path!r}")


def load(
    f: str | os.PathLike[str] | BinaryIO,
    map_location: MapLocation = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """Read what `save` has written, another file of safetensors (its tensors by name), or a zip archive of torch's.

    Nothing in a file is ever run, and no more memory is taken than the file has bytes. Of torch's archives, which hold
    pickles, an interpreter with a list of what is allowed reads tensors and plain containers; see
    `docs/saving_and_loading.md`.

    Args:
        f: name of a file, or a file object that is open for reading bytes and can be sought.
        map_location: where the tensors shall be, as in torch: there is but the CPU, so "cpu" reads files that were
            saved from other devices; a dictionary of names of devices, or a function of a storage and the name of its
            device, which returns a storage or None.
        pickle_module: Python's `pickle`, or None; not used.
        weights_only: what is read is the same for True and False: there is no other way here.
        mmap: for names of files only; the memory is taken all the same.

    Returns:
        The object, in new memory.

    Raises:
        OSError: the file cannot be read.
        EOFError: it is empty.
        ValueError: it is damaged, or of torch's old format.
        pickle.UnpicklingError: it is of no format that is known, or torch's and holds more than tensors and plain
            containers.
        TypeError: `map_location` is none.
        RuntimeError: it begins as an archive, and is none of torch's; or the tensors are wanted on, or come from, a
            device that is not there.
    """
    check_options(f, map_location, pickle_module, weights_only, mmap)
    with opened(f) as (file, name):
        begin = file.tell()
        start = file.read(16)
        file.seek(begin)
        if start[8:9] == b"{":  # a header of safetensors, behind its length
            return load_object(file, name, map_location)
        if start[:4] == b"PK\x03\x04":
            return archive.load(file, name, map_location)
        refuse(start, name)


def refuse(start: bytes, name: str) -> NoReturn:
    """Refuse a file by what it begins with.

    Raises:
        EOFError, ValueError, UnpicklingError: it is empty, of torch's old format, or of no kind that is known.
    """
    if not start:
        raise EOFError(f"Ran out of input: {name} is empty")
    if start[:15] == OLD:
        raise ValueError(
            f"{name} is in the format that torch wrote before version 1.6, without a zip archive, which is not "
            "read here. Load it with torch, and save it again with torch.save"
        )
    raise UnpicklingError(
        f"Weights only load failed: {name} is no file that save writes, and none of safetensors: Unsupported operand "
        f"{start[0]}, it begins with {start!r}"
    )


def check_options(f: Any, map_location: Any, pickle_module: Any, weights_only: bool | None, mmap: bool | None) -> None:
    """Refuse what cannot be done.

    Raises:
        TypeError, RuntimeError, ValueError: as torch.
    """
    if not (map_location is None or isinstance(map_location, (str, dict, device)) or callable(map_location)):
        raise TypeError(
            "load(): map_location must be a device, its name, a dictionary of names or a function, not "
            f"{type(map_location).__name__}"
        )
    if pickle_module is not None:
        if weights_only:
            raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
        if getattr(pickle_module, "__name__", "") != "pickle":
            raise ValueError(f"load(): no pickle is ever run here, and so none by {pickle_module!r}; leave it out")
    if mmap and not isinstance(f, (str, os.PathLike)):
        raise ValueError("f must be a file path in order to use the mmap argument")


@contextmanager
def opened(f: Any) -> Iterator[tuple[BinaryIO, str]]:
    """A file object for what `load` was given, and what to call it."""
    if isinstance(f, (str, os.PathLike)):
        with open(f, "rb") as file:
            yield file, os.fspath(f)
        return
    if not all(hasattr(f, name) for name in ("read", "seek", "tell")):
        raise AttributeError(
            f"load(): f must be the name of a file, or a file object with read, seek and tell, not {type(f).__name__}. "
            "You can only torch.load from a file that is seekable. Please pre-load the data into a buffer like "
            "io.BytesIO and try to load from it instead."
        )
    yield f, str(getattr(f, "name", type(f).__name__))


def load_object(file: BinaryIO, name: str, map_location: MapLocation) -> Any:
    """What a safetensors file holds: the object, or tensors by name where another program wrote it."""
    header, start = read_header(file, name)
    text = header.pop(METADATA, {}).get(ENTRY)
    memories: dict[str, Storage] = {}

    def memory(entry: str) -> Storage:
        if entry not in memories:
            if not isinstance(entry, str) or entry not in header:
                raise ValueError(f"there is no tensor {entry!r} in the file")
            found = memory_of(read_array(file, start, header[entry], name))
            memories[entry] = relocated(found, "cpu", map_location)
        return memories[entry]

    if text is None:
        return {each: whole_of(header[each], memory(each)) for each in header}
    try:
        tree = json.loads(text)
        if not isinstance(tree, dict) or tree.get("version") != VERSION or "object" not in tree:
            raise ValueError(f"its container is not of version {VERSION}, the only one that is known here")
        return decode(tree["object"], memory)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{name} is damaged: {error}") from error


def whole_of(entry: dict[str, Any], storage: Storage) -> Tensor:
    """The tensor that an entry of a header stands for."""
    dtype = dtypes.by_name(NAMES[entry["dtype"]])
    return place(Tensor, storage, dtype, 0, entry["shape"], row_major(entry["shape"], 1), False)
