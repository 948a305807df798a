"""Download of files, atomic and with checksums, for `hub` and `utils.model_zoo`."""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlparse
from urllib.request import Request, urlopen

from .atomic import write_atomically

HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")
"""Pattern of the checksum's prefix in the name of a file of weights: `resnet18-5c106cde.pth`."""
CHUNK = 1 << 17


class PlainProgress:
    """Replacement for `tqdm` if that is not installed: prints the share received on standard error.

    Args:
        total: the number of bytes, or None if unknown.
        disable: show nothing.
    """

    def __init__(self, *, total: int | None = None, disable: bool = False, **options: Any) -> None:
        self.total, self.disable, self.n = total, disable, 0

    def update(self, n: int) -> None:
        """Show that `n` more bytes were received."""
        self.n += n
        if not self.disable:
            share = f"{100 * self.n / self.total:.1f}%" if self.total else f"{self.n / 1e6:.1f} MB"
            sys.stderr.write(f"\r{share}")
            sys.stderr.flush()

    def close(self) -> None:
        """End the line."""
        if not self.disable:
            sys.stderr.write("\n")

    def __enter__(self) -> PlainProgress:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def progress_class() -> Any:
    """Return `tqdm`, or its replacement."""
    try:
        from tqdm import tqdm
    except ImportError:
        return PlainProgress
    return tqdm


def name_of(url: str) -> str:
    """Return the last part of a URL's path, the name of the file."""
    return os.path.basename(urlparse(url).path)


def pieces_of(answer: Any, url: str, hash_prefix: str | None, progress: bool) -> Iterator[bytes]:
    """Yield the answer of a server in pieces, and show the progress.

    Raises:
        RuntimeError: if the checksum does not begin with `hash_prefix`.
        URLError: if the answer is incomplete.
    """
    length = answer.headers.get("Content-Length")
    total = int(length) if length and length.isdigit() else None
    checksum, arrived = hashlib.sha256(), 0
    with progress_class()(total=total, disable=not progress, unit="B", unit_scale=True, unit_divisor=1024) as bar:
        while chunk := answer.read(CHUNK):
            checksum.update(chunk)
            arrived += len(chunk)
            bar.update(len(chunk))
            yield chunk
    if total is not None and arrived != total:
        raise URLError(f"only {arrived} of {total} bytes of {url} have arrived")
    digest = checksum.hexdigest()
    if hash_prefix is not None and not digest.startswith(hash_prefix):
        raise RuntimeError(f'invalid hash value (expected "{hash_prefix}", got "{digest}")')


def fetch(url: str, path: str | os.PathLike[str], hash_prefix: str | None = None, progress: bool = True) -> None:
    """Download a file to `path`, which is replaced by the complete file or stays unchanged.

    Args:
        url: the URL of the file.
        path: path of the file; its folder must exist.
        hash_prefix: the prefix of its SHA-256 checksum, in hexadecimal digits.
        progress: show the progress on standard error.

    Raises:
        RuntimeError: if the checksum does not begin with `hash_prefix`.
        HTTPError: if the server refuses.
        URLError: if there is no connection (the message says where to put the file), or the answer is incomplete.
    """
    target = Path(os.path.expanduser(path))
    try:
        answer = urlopen(Request(url, headers={"User-Agent": "torch.hub"}))
    except HTTPError:
        raise
    except URLError as error:
        raise URLError(f"{error.reason}: {url} cannot be fetched; put that file at {target} yourself") from None
    with answer:
        write_atomically(target, pieces_of(answer, url, hash_prefix, progress))


def fetch_weights(
    url: str, folder: str, map_location: Any, progress: bool, check_hash: bool, file_name: str | None
) -> Any:
    """Load the tensors of a file, which is downloaded into `folder` unless it is there.

    Args:
        check_hash: whether to check the prefix of the checksum in the file's name (`HASH_REGEX`) at the download.
        file_name: the name in the folder; by default that of the URL.

    Raises:
        RuntimeError, URLError, HTTPError: if `fetch` raises it.
    """
    from .objects import load

    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, file_name or name_of(url))
    if not os.path.exists(path):
        sys.stderr.write(f'Downloading: "{url}" to {path}\n')
        match = HASH_REGEX.search(os.path.basename(path)) if check_hash else None
        fetch(url, path, match[1] if match else None, progress)
    return load(path, map_location=map_location)
