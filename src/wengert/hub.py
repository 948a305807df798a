"""`torch.hub` for folders of this machine: `hubconf.py` says what they offer. Nothing is fetched from elsewhere."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")
"""Where the name of a file of weights has the beginning of its checksum: `resnet18-5c106cde.pth`."""


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


def get_dir() -> str:
    """The folder for what programs keep: `$TORCH_HOME/hub`, or `~/.cache/torch/hub`."""
    cache = os.environ.get("XDG_CACHE_HOME", "~/.cache")
    home = os.environ.get("TORCH_HOME", os.path.join(cache, "torch"))
    return _set.get("folder") or os.path.join(os.path.expanduser(home), "hub")


def set_dir(d: str | os.PathLike[str]) -> None:
    """Choose another folder for what programs keep."""
    _set["folder"] = os.path.expanduser(os.fspath(d))


_set: dict[str, str] = {}


def _refuse(*args: Any, **kwargs: Any) -> NoReturn:
    """What fetches files.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError("torch.hub: nothing is fetched here; fetch the file yourself, then load it from its path")


download_url_to_file = load_state_dict_from_url = _refuse
