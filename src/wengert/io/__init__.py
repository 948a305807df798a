"""Files of tensors and containers: safetensors, and torch's formats."""

from __future__ import annotations

from .atomic import write_atomically
from .errors import DamagedFileError
from .objects import save_safetensors
from .weights import load_file, load_metadata, save_file

__all__ = ["DamagedFileError", "load_file", "load_metadata", "save_file", "save_safetensors", "write_atomically"]
