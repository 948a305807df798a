"""Metadata of `torch` for `importlib.metadata` while this package stands in for it."""

from __future__ import annotations

import os
from importlib.metadata import Distribution
from pathlib import Path

from .version import __version__


class Installed(Distribution):
    """An installation of the version of torch whose behaviour this is, without files.

    >>> Installed().version
    '2.13.0'
    """

    def read_text(self, filename: str) -> str | None:
        """The file that names the package; None for all others."""
        return f"Metadata-Version: 2.1\nName: torch\nVersion: {__version__}\n" if filename == "METADATA" else None

    def locate_file(self, path: str | os.PathLike[str]) -> Path:
        """Return the path that a file of the distribution would have."""
        return Path(__file__).parent / path
