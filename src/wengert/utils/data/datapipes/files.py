"""Pipes of files: their paths, open files, and contents."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatch
from typing import Any

from ._decorator import functional_datapipe
from .datapipe import IterDataPipe


class StreamWrapper:
    """An open file that is closed when it is freed.

    Args:
        file_obj: the file.
    """

    def __init__(self, file_obj: Any) -> None:
        self.file_obj = file_obj

    def __getattr__(self, name: str) -> Any:
        if name == "file_obj":
            raise AttributeError(name)
        return getattr(self.file_obj, name)

    def __iter__(self) -> Iterator[Any]:
        yield from self.file_obj

    def __repr__(self) -> str:
        return f"StreamWrapper<{self.file_obj!r}>"

    def __del__(self) -> None:
        if "file_obj" in vars(self):
            self.file_obj.close()


class OfLength(IterDataPipe[Any]):
    """Base of pipes whose length must be passed as an argument."""

    length: int

    def __len__(self) -> int:
        if self.length < 0:
            raise TypeError(f"{type(self).__name__} instance doesn't have valid length")
        return self.length


@functional_datapipe("list_files")
class FileListerIterDataPipe(OfLength):
    """Paths of the files in one or several folders.

    Args:
        root: the folder, or a sequence or pipe of folders.
        masks: a shell pattern, or a list of patterns of which names must match one; "" for all.
        recursive: include files in subfolders.
        abspath: return absolute paths.
        non_deterministic: use the order of the file system, instead of sorting by name.
        length: the number of files, if known.
    """

    def __init__(
        self,
        root: str | Sequence[str] | IterDataPipe[str] = ".",
        masks: str | list[str] = "",
        *,
        recursive: bool = False,
        abspath: bool = False,
        non_deterministic: bool = False,
        length: int = -1,
    ) -> None:
        self.datapipe: Iterable[str] = [root] if isinstance(root, str) else root
        self.masks, self.recursive, self.abspath = masks, recursive, abspath
        self.non_deterministic, self.length = non_deterministic, length

    def __iter__(self) -> Iterator[str]:
        for root in self.datapipe:
            yield from self.files_in(os.path.abspath(root) if self.abspath else root)

    def files_in(self, root: str) -> Iterator[str]:
        """Yield the paths in one folder."""
        masks = [self.masks] if isinstance(self.masks, str) else self.masks
        for folder, folders, names in os.walk(root, onerror=refuse_folder):
            if not self.non_deterministic:
                folders.sort()
                names.sort()
            for name in names:
                if self.masks in ("", []) or any(fnmatch(name, mask) for mask in masks):
                    yield os.path.join(folder, name)
            if not self.recursive:
                return


def refuse_folder(error: OSError) -> None:
    """Warn of a folder that cannot be read, and raise the error.

    Raises:
        OSError: always; it is `error`.
    """
    warnings.warn(f"{error.filename} : {error.strerror}", stacklevel=4)
    raise error


@functional_datapipe("open_files")
class FileOpenerIterDataPipe(OfLength):
    """Pairs of paths and open files.

    Args:
        datapipe: the paths.
        mode: "r" or "t" for text, "b" or "rb" for bytes.
        encoding: the encoding of text.
        length: the number of files, if known.

    Raises:
        ValueError: if the mode is unknown, or is for bytes and an encoding is given.
    """

    def __init__(self, datapipe: Iterable[str], mode: str = "r", encoding: str | None = None, length: int = -1) -> None:
        if mode not in ("b", "t", "rb", "rt", "r"):
            raise ValueError(f"Invalid mode {mode}")
        if "b" in mode and encoding is not None:
            raise ValueError("binary mode doesn't take an encoding argument")
        self.datapipe, self.encoding, self.length = datapipe, encoding, length
        self.mode = mode if mode.startswith("r") else f"r{mode}"

    def __iter__(self) -> Iterator[tuple[str, StreamWrapper]]:
        for path in self.datapipe:
            if not isinstance(path, str):
                raise TypeError(f"Expected string type for pathname, but got {type(path)}")
            yield path, StreamWrapper(open(path, self.mode, encoding=self.encoding))  # noqa: SIM115 - the wrapper closes it


@functional_datapipe("read_from_stream")
class StreamReaderIterDataPipe(IterDataPipe[Any]):
    """Pairs of paths and the contents of files, whole or in pieces.

    Args:
        datapipe: pairs of paths and open files.
        chunk: the size of pieces; None for whole files.
    """

    def __init__(self, datapipe: Iterable[tuple[str, Any]], chunk: int | None = None) -> None:
        self.datapipe, self.chunk = datapipe, chunk

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        for path, stream in self.datapipe:
            while piece := stream.read(self.chunk):
                yield path, piece
            stream.close()


FileLister, FileOpener, StreamReader = FileListerIterDataPipe, FileOpenerIterDataPipe, StreamReaderIterDataPipe

__all__ = ["FileLister", "FileOpener", "StreamReader", "StreamWrapper"]
