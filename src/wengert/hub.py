"""`torch.hub`: models that folders of this machine offer in their `hubconf.py`, and weights, which are fetched once."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlparse as urlparse

from .io.fetching import HASH_REGEX as HASH_REGEX, fetch as _fetch, fetch_weights as _fetch_weights, progress_class

tqdm = progress_class()


def _hubconf(folder: Any) -> ModuleType:
    """The module `hubconf` of a folder, with the folder on the path while it is loaded.

    Raises:
        FileNotFoundError: there is none.
        RuntimeError: a package is missing that it names as a dependency.
    """
    path = Path(folder) / "hubconf.py"
    if not path.is_file():
        raise FileNotFoundError(f"torch.hub: no hubconf.py in {folder}")
    spec = importlib.util.spec_from_file_location("hubconf", path)
    assert spec is not None and spec.loader is not None  # a file that ends in .py has both
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(folder))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(folder))
    missing = [name for name in getattr(module, "dependencies", ()) if importlib.util.find_spec(name) is None]
    if missing:
        raise RuntimeError(f"Missing dependencies: {', '.join(missing)}")
    return module


def _check_source(name: str, source: str) -> None:
    """Refuse what is not a folder of this machine.

    Raises:
        ValueError: no such source.
        RuntimeError: it would have to be fetched.
    """
    if source not in ("github", "local"):
        raise ValueError(f'Unknown source: "{source}". Allowed values: "github" | "local".')
    if source == "github":
        raise RuntimeError(f"torch.hub.{name}: nothing is fetched here; fetch the repository, then use source='local'")


def list(github: str, force_reload: bool = False, skip_validation: bool = False, source: str = "github") -> Any:
    """The names of what a folder offers."""
    _check_source("list", source)
    module = _hubconf(github)
    return [name for name, value in vars(module).items() if callable(value) and not name.startswith("_")]


def _entry(folder: Any, model: str) -> Any:
    """One of the functions that a folder offers.

    Raises:
        RuntimeError: there is none of that name.
    """
    found = getattr(_hubconf(folder), model, None)
    if not callable(found):
        raise RuntimeError(f"Cannot find callable {model} in hubconf")
    return found


def help(github: str, model: str, force_reload: bool = False, source: str = "github") -> str | None:
    """The docstring of one of them."""
    _check_source("help", source)
    return _entry(github, model).__doc__  # type: ignore[no-any-return]


def load(repo_or_dir: str, model: str, *args: Any, source: str = "github", **kwargs: Any) -> Any:
    """What the function `model` of a folder returns.

    Args:
        repo_or_dir: the folder.
        model: a name that its `hubconf.py` defines.
        args, kwargs: what the function is called with.
        source: "local".

    Raises:
        RuntimeError: `source` is "github", or there is no such function.
        FileNotFoundError: the folder has no `hubconf.py`.
    """
    _check_source("load", source)
    for option in ("trust_repo", "force_reload", "verbose", "skip_validation"):
        kwargs.pop(option, None)
    return _entry(repo_or_dir, model)(*args, **kwargs)


def _get_torch_home() -> str:
    """Return the folder for what programs of torch keep: `$TORCH_HOME`, or `~/.cache/torch`."""
    cache = os.environ.get("XDG_CACHE_HOME", "~/.cache")
    return os.path.expanduser(os.environ.get("TORCH_HOME", os.path.join(cache, "torch")))


def get_dir() -> str:
    """The folder for what programs keep: `$TORCH_HOME/hub`, or `~/.cache/torch/hub`."""
    return _set.get("folder") or os.path.join(_get_torch_home(), "hub")


def set_dir(d: str | os.PathLike[str]) -> None:
    """Choose another folder for what programs keep."""
    _set["folder"] = os.path.expanduser(os.fspath(d))


_set: dict[str, str] = {}


def download_url_to_file(url: str, dst: str, hash_prefix: str | None = None, progress: bool = True) -> None:
    """Fetch a file, the whole of it or nothing.

    Args:
        url: where it is.
        dst: where it is put, in a folder that is there.
        hash_prefix: the beginning of its SHA-256 checksum, in hexadecimal digits.
        progress: show how much has arrived, on standard error.

    Raises:
        RuntimeError: the checksum begins otherwise.
        urllib.error.HTTPError: the server refuses.
        urllib.error.URLError: there is no connection; the message says where to put the file.
    """
    _fetch(url, dst, hash_prefix, progress)


def load_state_dict_from_url(
    url: str,
    model_dir: str | None = None,
    map_location: Any = None,
    progress: bool = True,
    check_hash: bool = False,
    file_name: str | None = None,
    weights_only: bool = False,
) -> Any:
    """Load weights of a file that is fetched into a folder of this machine when it is first asked for.

    Args:
        url: where the file is.
        model_dir: the folder, `checkpoints` below `get_dir()` if None.
        map_location: as `load` takes it.
        progress: show how much has arrived, on standard error.
        check_hash: the file is named `name-<beginning of its SHA-256 checksum>.ext`, and must have it.
        file_name: its name in the folder, if not that of the URL.
        weights_only: as True: nothing that a file names is ever executed here.

    Returns:
        What the file holds, as `load` gives it.

    Raises:
        RuntimeError: the checksum begins otherwise.
        urllib.error.HTTPError: the server refuses.
        urllib.error.URLError: there is no connection; the message says where to put the file.
    """
    folder = os.path.join(get_dir(), "checkpoints") if model_dir is None else os.fspath(model_dir)
    return _fetch_weights(url, folder, map_location, progress, check_hash, file_name)
