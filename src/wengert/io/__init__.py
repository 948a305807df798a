"""Weights, and containers of them, in files: safetensors, never pickle."""

from __future__ import annotations

from .atomic import write_atomically
from .errors import DamagedFileError
from .weights import load_file, load_metadata, save_file

__all__ = ["DamagedFileError", "load_file", "load_metadata", "save_file", "write_atomically"]
