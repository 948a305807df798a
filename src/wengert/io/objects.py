"""`save` and `load`: objects in torch's archives, and containers of tensors in safetensors files."""

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
from .._start.boundary import boundary
from .._tensor import Tensor
from .._tensor.attributes import dtypes
from . import archive, legacy, tar
from .atomic import write_atomically
from .budget import Budget
from .decoding import Decoder
from .encoding import pieces
from .errors import CallerError, DamagedFileError, damage, shown
from .opcodes import ENCODING
from .packing import packed
from .pickles import opcodes_of
from .placing import MapLocation, Placer, memory_of, relocated
from .source import Source
from .surveys import NameSurvey
from .weights import METADATA, NAMES, content_of, read_array, read_header, warn_of_suffix

_IN_PACKAGE = ("load", "save")

ENTRY = "wengert"
"""Key of the container in the metadata."""
VERSION = 1
UNCHANGED = "weights_only=False allows nothing more here: no file runs code that the program has not named"
MMAP = (
    "mmap can only be used with files saved with `torch.save({}_use_new_zipfile_serialization=True), please torch.save "
    "your checkpoint with this option in order to use mmap."
)


@boundary
def save(
    obj: object,
    f: str | os.PathLike[str] | BinaryIO,
    pickle_module: Any = None,
    pickle_protocol: int = 2,
    _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
) -> None:
    """Write an object to a file in torch's format, a zip archive.

    torch reads the file, and tensors and containers also with `weights_only=True`. Classes and functions are written by
    name, those of this package by torch's names. The whole memory of a tensor is written, once for all tensors that
    share it, and is shared again after `load`.

    Args:
        obj: a tensor, a `state_dict()`, or dictionaries (also OrderedDict, defaultdict, Counter), lists, tuples and
            sets, nested to any depth, of tensors, Parameters, storages, numbers, texts, bytes, bools, None, sizes,
            dtypes, devices, NumPy's numbers and arrays; modules, optimisers, and other objects that Python can pickle.
            Histories and hooks of tensors are not saved.
        f: path of a file, which is written atomically; or a file object open for writing bytes.
        pickle_module, pickle_protocol: not used.

    Raises:
        TypeError: if something cannot be saved, such as a function without a name.
        AttributeError: if `f` is neither a path nor a file object.
        RuntimeError: if the folder does not exist, the path is a folder, or tensors of several dtypes share memory.
        RecursionError: if containers are nested more deeply than Python's recursion limit; use `io.save_safetensors`.
        OSError: if the file cannot be written.

    >>> import io, wengert as wg
    >>> file = io.BytesIO()
    >>> wg.save({"weight": wg.ones(2), "steps": 3}, file)
    >>> _ = file.seek(0)
    >>> wg.load(file)
    {'weight': tensor([1., 1.]), 'steps': 3}
    """
    opcodes, memories = opcodes_of(obj)
    write_to(f, packed(opcodes, memories, root_of(f)))


def save_safetensors(obj: object, f: str | os.PathLike[str] | BinaryIO) -> None:
    """Write tensors, plain values and containers of them to a safetensors file, which `load` reads.

    Other readers of the format see the tensors of a `state_dict()` under their names. Containers, nested to any depth,
    are stored as JSON in the metadata. Tensors of several dtypes may share memory.

    Args:
        obj: as for `save`, without modules, optimisers and other objects.
        f: as for `save`; a name as torch's files have (".pt", ".pth", ".ckpt") raises a warning.

    Raises:
        TypeError: if there is more than tensors, plain values and containers.
        ValueError: if `load` would not read it.
        AttributeError, RuntimeError, OSError: if `save` raises it.
    """
    tree, arrays = pieces(obj)
    text = json.dumps({"version": VERSION, **tree}, separators=(",", ":"), allow_nan=False)
    warn_of_suffix("save_safetensors", f)
    write_to(f, content_of(arrays, {ENTRY: text}))


def write_to(f: Any, content: Iterator[Any]) -> None:
    """Write the pieces of a file, atomically to a path or to a file object.

    Raises:
        AttributeError, RuntimeError, OSError: if `save` raises it.
    """
    if isinstance(f, (str, os.PathLike)):
        check_folder(os.fspath(f))
        write_atomically(f, content)
        return
    if not hasattr(f, "write"):
        raise AttributeError(
            f"save(): expected 'f' to be string, path, or a file-like object with a 'write' attribute, not a "
            f"{type(f).__name__}"
        )
    for piece in content:
        f.write(piece if isinstance(piece, bytes) else memoryview(piece))


def root_of(f: Any) -> str:
    """Return the name of the folder in an archive, as in torch: that of the file without its ending."""
    if not isinstance(f, (str, os.PathLike)):
        return "archive"
    return os.path.splitext(os.path.basename(os.fspath(f)))[0] or "archive"


def check_folder(path: str) -> None:
    """Refuse an impossible path.

    Raises:
        RuntimeError: if the folder does not exist, or the path is a folder.
    """
    folder = os.path.dirname(path)
    if folder and not os.path.isdir(folder):
        raise RuntimeError(f"Parent directory {folder} does not exist.")
    if os.path.isdir(path):
        raise RuntimeError(f"save(): open file failed with strerror: Is a directory: {path!r}")


@boundary
def load(
    f: str | os.PathLike[str] | BinaryIO,
    map_location: MapLocation = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """Read a file written by `save` or `torch.save`, or a safetensors file (its tensors by name).

    A file cannot run code that the program has not allowed, and memory and steps are in proportion to its size. The
    pickles in archives are read by an interpreter with a list of what is allowed: tensors, containers, this package's
    layers and optimisers, and the classes and functions of `serialization.add_safe_globals`; see
    `docs/saving_and_loading.md`. If a file in torch's older format contains several objects, each call reads the next
    one.

    Args:
        f: path of a file, or a seekable file object open for reading bytes.
        map_location: the device of the tensors, as in torch: "cpu", the only device, to read files saved from other
            devices; a dictionary of names of devices; or a function of a storage and the name of its device that
            returns a storage or None.
        pickle_module: Python's `pickle`, or None; not used.
        weights_only: no effect: a file never runs code that the program has not allowed.
        mmap: allowed for paths only; the file is read into memory all the same.
        pickle_load_args: `encoding` of texts written by Python 2 (by default "utf-8"; "bytes" leaves them as bytes);
            others are not used.

    Returns:
        The object, in new memory.

    Raises:
        OSError: if the file cannot be read.
        EOFError: if it is empty.
        wengert.io.DamagedFileError: if it is damaged, or of an unknown format; this is a ValueError, a RuntimeError and
            a `pickle.UnpicklingError`.
        pickle.UnpicklingError: if it is an archive that names something that is not allowed; the text has the line by
            which the program can allow it.
        TypeError: if `map_location` is invalid.
        RuntimeError: if the tensors come from, or are mapped to, an unavailable device; or if `mmap` is set for a torch
            file that is not a zip archive.
    """
    check_options(f, map_location, pickle_module, weights_only, mmap)
    with opened(f) as source:
        try:
            return load_any(source, f, map_location, pickle_load_args.get("encoding", ENCODING), mmap)
        except CallerError as error:
            raise error.error from None
        except DamagedFileError:
            raise
        except UnpicklingError as error:
            if weights_only is not False:
                raise
            raise UnpicklingError(f"{error}. {UNCHANGED}") from error


def load_any(source: Source, f: Any, map_location: MapLocation, encoding: str, mmap: bool | None) -> Any:
    """Return the object in a file of any format; see `load`."""
    start = source.read(tar.BLOCK)
    source.seek(source.begin)
    if start[8:9] == b"{":  # a safetensors header, after its length
        return load_object(source, map_location)
    if start[:4] == b"PK\x03\x04":
        return archive.load(source, map_location, encoding)
    old = legacy.load if start[:1] == b"\x80" else tar.load if tar.is_tar(start) else None  # the start of a pickle
    if old is None:
        refuse(start, source.name)
    if mmap:
        raise RuntimeError(MMAP.format(f"{f}, " if isinstance(f, str) else ""))
    return old(source, map_location, encoding)


def refused_in(f: Any) -> list[str]:
    """Return the names in a torch archive that `load` would refuse."""
    with opened(f) as source, damage(f"{source.name}: "):
        return NameSurvey().names_in(archive.Archive(source, "cpu").read("data.pkl"))


def refuse(start: bytes, name: str) -> NoReturn:
    """Refuse a file by its first bytes.

    Raises:
        EOFError: if it is empty.
        UnpicklingError: if its format is unknown.
    """
    if not start:
        raise EOFError(f"Ran out of input: {name} is empty")
    raise DamagedFileError(
        f"Weights only load failed: {name} is neither a file of save nor of safetensors: Unsupported operand "
        f"{start[0]}, it begins with {start[:16]!r}"
    )


def check_options(f: Any, map_location: Any, pickle_module: Any, weights_only: bool | None, mmap: bool | None) -> None:
    """Refuse invalid options of `load`.

    Raises:
        TypeError, RuntimeError, ValueError: if torch raises it for these options.
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
def opened(f: Any) -> Iterator[Source]:
    """Context of the open file for `load`; a file object is positioned at the end of the object afterwards."""
    if isinstance(f, (str, os.PathLike)):
        with open(f, "rb") as file:
            yield Source(file, os.fspath(f))
        return
    if not all(hasattr(f, name) for name in ("read", "seek", "tell")):
        raise AttributeError(
            f"load(): f must be the name of a file, or a file object with read, seek and tell, not {type(f).__name__}. "
            "You can only torch.load from a file that is seekable. Please pre-load the data into a buffer like "
            "io.BytesIO and try to load from it instead."
        )
    yield Source(f, str(getattr(f, "name", type(f).__name__)))


def load_object(source: Source, map_location: MapLocation) -> Any:
    """Return the object in a safetensors file, or tensors by name if another program wrote it."""
    header, start = read_header(source)
    text = header.pop(METADATA, {}).get(ENTRY)
    memories: dict[str, Storage] = {}

    def memory(entry: Any) -> Storage:
        if not isinstance(entry, str) or entry not in header:
            raise ValueError(f"there is no tensor {shown(entry)} in the file")
        if entry not in memories:
            memories[entry] = relocated(memory_of(read_array(source, start, header[entry])), "cpu", map_location)
        return memories[entry]

    space = Budget(source.size)
    with damage(f"{source.name} is damaged: "):
        if text is None:
            placer = Placer(space)
            return {name: tensor_of(placer, header[name], memory(name)) for name in header}
        tree = json.loads(text)
        if not isinstance(tree, dict) or tree.get("version") != VERSION or "object" not in tree:
            raise ValueError(f"its container is not of version {VERSION}, the only one that is known here")
        parts = tree.get("parts", [])
        if not isinstance(parts, list):
            raise ValueError("its parts are not a list")
        return Decoder(memory, parts, Budget(len(text)), space).decode(tree["object"])


def tensor_of(placer: Placer, entry: dict[str, Any], storage: Storage) -> Tensor:
    """Return the tensor of an entry of a header."""
    dtype = dtypes.by_name(NAMES[entry["dtype"]])
    return placer.place(Tensor, storage, dtype, 0, entry["shape"], row_major(entry["shape"], 1), False)
