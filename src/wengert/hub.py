"""`torch.hub`: models defined in the `hubconf.py` of local folders, and weights that are downloaded once."""

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
    """Load the module `hubconf` of a folder, with the folder on the path meanwhile.

    Raises:
        FileNotFoundError: if the folder has no `hubconf.py`.
        RuntimeError: if a package is missing that `hubconf.py` names as a dependency.
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
    """Refuse a source other than local folders.

    Raises:
        ValueError: if `source` is neither "github" nor "local".
        RuntimeError: if `source` is "github".
    """
    if source not in ("github", "local"):
        raise ValueError(f'Unknown source: "{source}". Allowed values: "github" | "local".')
    if source == "github":
        raise RuntimeError(f"torch.hub.{name}: nothing is fetched here; fetch the repository, then use source='local'")


def list(github: str, force_reload: bool = False, skip_validation: bool = False, source: str = "github") -> Any:
    """Return the names of the functions of a folder's `hubconf.py`."""
    _check_source("list", source)
    module = _hubconf(github)
    return [name for name, value in vars(module).items() if callable(value) and not name.startswith("_")]


def _entry(folder: Any, model: str) -> Any:
    """Return one of the functions of a folder's `hubconf.py`.

    Raises:
        RuntimeError: if there is no function of that name.
    """
    function = getattr(_hubconf(folder), model, None)
    if not callable(function):
        raise RuntimeError(f"Cannot find callable {model} in hubconf")
    return function


def help(github: str, model: str, force_reload: bool = False, source: str = "github") -> str | None:
    """Return the docstring of the function `model` of a folder's `hubconf.py`."""
    _check_source("help", source)
    return _entry(github, model).__doc__


def load(repo_or_dir: str, model: str, *args: Any, source: str = "github", **kwargs: Any) -> Any:
    """Call the function `model` of a folder's `hubconf.py`, and return its result.

    Args:
        repo_or_dir: the folder.
        model: a name that its `hubconf.py` defines.
        args, kwargs: arguments of the function.
        source: "local".

    Raises:
        RuntimeError: if `source` is "github", or there is no such function.
        FileNotFoundError: if the folder has no `hubconf.py`.
    """
    _check_source("load", source)
    for option in ("trust_repo", "force_reload", "verbose", "skip_validation"):
        kwargs.pop(option, None)
    return _entry(repo_or_dir, model)(*args, **kwargs)


def _get_torch_home() -> str:
    """Return the cache folder of torch's programs: `$TORCH_HOME`, or `~/.cache/torch`."""
    cache = os.environ.get("XDG_CACHE_HOME", "~/.cache")
    return os.path.expanduser(os.environ.get("TORCH_HOME", os.path.join(cache, "torch")))


def get_dir() -> str:
    """Return the cache folder: `$TORCH_HOME/hub`, or `~/.cache/torch/hub`."""
    return _set.get("folder") or os.path.join(_get_torch_home(), "hub")


def set_dir(d: str | os.PathLike[str]) -> None:
    """Set the cache folder."""
    _set["folder"] = os.path.expanduser(os.fspath(d))


_set: dict[str, str] = {}


def download_url_to_file(url: str, dst: str, hash_prefix: str | None = None, progress: bool = True) -> None:
    """Download a file; an incomplete download leaves no file.

    Args:
        url: address of the file.
        dst: path to write to, in an existing folder.
        hash_prefix: start of its SHA-256 checksum, in hexadecimal digits.
        progress: show the progress on standard error.

    Raises:
        RuntimeError: if the checksum does not begin with `hash_prefix`.
        urllib.error.HTTPError: if the server refuses.
        urllib.error.URLError: if there is no connection; the message says where to put the file.
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
    """Load weights from a file that is downloaded to a local folder at the first call.

    Args:
        url: address of the file.
        model_dir: the folder; `checkpoints` below `get_dir()` if None.
        map_location: as for `load`.
        progress: show the progress on standard error.
        check_hash: check the file against the start of its SHA-256 checksum in its name, `name-<checksum>.ext`.
        file_name: name of the file in the folder, if not that of the URL.
        weights_only: accepted for torch's users: loading never executes code.

    Returns:
        The result of `load` of the file.

    Raises:
        RuntimeError: if the checksum does not begin with that in the file name.
        urllib.error.HTTPError: if the server refuses.
        urllib.error.URLError: if there is no connection; the message says where to put the file.
    """
    folder = os.path.join(get_dir(), "checkpoints") if model_dir is None else os.fspath(model_dir)
    return _fetch_weights(url, folder, map_location, progress, check_hash, file_name)
