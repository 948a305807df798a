"""`import torch` imports this package, for libraries that cannot be changed.

`python -m wengert.as_torch script.py [args]`, or `-m module [args]`, runs a program in this way.
"""

from __future__ import annotations

import importlib
import runpy
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from wengert._start.loading import absent

_IN_PACKAGE = ("install_as_torch",)

PACKAGE = str(__package__)
OWN = "torch"
ALONE = "functorch"
"""A package that is installed with torch."""
HOLLOW = {
    "distributed.": "distributed",
    "ao.": "ao",
    "quantization.": "ao",
    "nn.quantized": "ao",
    "nn.quantizable": "ao",
    "nn.qat": "ao",
    "nn.intrinsic": "ao",
    "export.": "export",
}
"""Prefixes of modules of placeholders, and the module that creates them."""


class Torch(ModuleType):
    """The module `torch`: every name is this package's, but for the version, which is that of the behaviour."""

    def __init__(self) -> None:
        super().__init__(OWN, importlib.import_module(PACKAGE).__doc__)
        version = importlib.import_module(f"{PACKAGE}.torch_version")
        self.__version__: str = version.__version__
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        package = sys.modules[PACKAGE]
        if name == OWN:
            return self
        try:
            return getattr(package, name)
        except AttributeError:
            pass  # the error shall show the name of this module
        absent(OWN, name)

    def __setattr__(self, name: str, value: object) -> None:
        if not name.startswith("__"):
            setattr(sys.modules[PACKAGE], name, value)
        else:
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return dir(sys.modules[PACKAGE])


class Mirror(Loader):
    """Importer of a module of this package under torch's name: the same module, with the same classes."""

    def __init__(self, name: str) -> None:
        self.name = name

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module."""
        module = importlib.import_module(self.name)
        self.spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """It has run already; the import system has put another specification on it, which goes."""
        module.__spec__ = self.spec


class Finder(MetaPathFinder):
    """Finder of `torch` and `functorch`, and their submodules, in this package."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return the specification of a module of torch; None for other modules.

        Raises:
            ModuleNotFoundError: if this package has no such module.
        """
        if fullname.partition(".")[0] == ALONE:
            name = f"{PACKAGE}.{fullname}"
        elif fullname.startswith(f"{OWN}."):
            name = PACKAGE + fullname.removeprefix(OWN)
        else:
            return None
        for start, module in HOLLOW.items():
            if name.startswith(f"{PACKAGE}.{start}"):
                loader = importlib.import_module(f"{PACKAGE}.{module}").Below()
                return ModuleSpec(fullname, loader, is_package=True)
        try:
            spec = find_spec(name)
        except ModuleNotFoundError:
            spec = None
        if spec is None:
            raise ModuleNotFoundError(f"No module named {fullname!r}: {PACKAGE} has no {name}", name=fullname)
        return ModuleSpec(fullname, Mirror(name), is_package=spec.submodule_search_locations is not None)

    def find_distributions(self, context: Any) -> Iterator[Any]:
        """Return the distribution for `importlib.metadata.version("torch")`; nothing for other names."""
        if context.name == OWN:
            yield importlib.import_module(f"{PACKAGE}.installed").Installed()


def install_as_torch() -> None:
    """Make `import torch` import this package from now on; a second call does nothing.

    Raises:
        RuntimeError: if the real torch has been imported, with which this is never mixed.

    >>> import wengert
    >>> wengert.install_as_torch()
    >>> import torch
    >>> import torch.nn.functional as F
    >>> torch.ones(2).sum(), F is wengert.nn.functional
    (tensor(2.), True)
    """
    known = sys.modules.get(OWN)
    if isinstance(known, Torch):
        return
    if known is not None:
        raise RuntimeError("install_as_torch(): torch itself has been imported; begin before any import of it")
    # Libraries distinguish tensors of different packages by the module of their class.
    importlib.import_module(f"{PACKAGE}._core.tensor.base").bind("__module__", OWN)
    torch = Torch()
    torch.__spec__ = ModuleSpec(OWN, None, is_package=True)
    sys.meta_path.insert(0, Finder())
    sys.modules[OWN] = torch


def main(arguments: Sequence[str]) -> int:
    """Run a program to which `torch` is this package: a file, or `-m` and a module, then its own arguments.

    Options of Python's own before these, such as `-W ignore`, are passed on to another Python that runs the program.
    """
    options = python_options(arguments)
    if options:
        return subprocess.call([sys.executable, *options, "-m", f"{PACKAGE}.as_torch", *arguments[len(options) :]])
    if not arguments or arguments[0] in ("-h", "--help") or arguments == ["-m"]:
        print(f"usage: python -m {PACKAGE}.as_torch [options of Python] script.py|-m module [arguments]")
        return 0 if arguments and arguments[0] in ("-h", "--help") else 2
    install_as_torch()
    if arguments[0] == "-m":
        sys.argv = list(arguments[1:])
        sys.path.insert(0, "")
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = list(arguments)
        script = Path(arguments[0])
        if script.is_file() and not sys.flags.safe_path:
            sys.path[0] = str(script.resolve().parent)  # as Python does: a program finds the modules beside it
        runpy.run_path(arguments[0], run_name="__main__")
    return 0


WITH_VALUE = ("-W", "-X", "--check-hash-based-pycs")
"""Options of Python that are followed by a value."""
ALONE_OPTIONS = frozenset("bBdEiIOPqRsSuvx")
"""Letters of Python's options without a value, possibly combined as in `-uB`."""


def python_options(arguments: Sequence[str]) -> list[str]:
    """The options of Python's own that arguments begin with."""
    taken: list[str] = []
    for argument in arguments:
        value = bool(taken) and taken[-1] in WITH_VALUE
        if not value and not is_python_option(argument):
            break
        taken.append(argument)
    return taken


def is_python_option(argument: str) -> bool:
    """Return whether an argument is an option of Python itself, with its value or without."""
    if argument in WITH_VALUE or argument[:2] in ("-W", "-X"):
        return True
    return argument.startswith("-") and len(argument) > 1 and ALONE_OPTIONS.issuperset(argument[1:])


if __name__ == "__main__":
    # The module under its own name, so that there is only one class `Torch`.
    sys.exit(importlib.import_module(f"{PACKAGE}.as_torch").main(sys.argv[1:]))
