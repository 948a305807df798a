"""How the package is loaded: its modules without a search; what few programs use, when it is first asked for.

Every import of the package pays for this module, hence it imports next to nothing.
"""

from __future__ import annotations

import gc
import os
import sys
from _frozen_importlib_external import MAGIC_NUMBER, cache_from_source  # as of importlib.util, which has more to load
from importlib.machinery import BuiltinImporter, ExtensionFileLoader, ModuleSpec, SourceFileLoader
from io import open_code
from marshal import loads
from types import MethodType, ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import CodeType, FrameType
    from typing import Any, NoReturn

HEADER = MAGIC_NUMBER + bytes(4)
"""How byte code begins that holds for a source of a certain time and length, which follow."""
INSIDE = ("wengert._", "wengert.ops")
"""Modules of which programs ask no names of torch."""


def at_home(home: str, *classes: Any) -> None:
    """Let classes say that they belong to the module where torch has them: programs print them, and pickle them."""
    for each in classes:
        each.__module__ = home


class Loader(SourceFileLoader):
    """Loads a module from its source, or the byte code that Python keeps of it.

    Python's own loader does the same, but spends more time around the reading of a small module than on it. What is
    not plain (there is no byte code, or it was made from another source, in another way or place) is left to it.
    """

    def __init__(self, name: str, path: str, cached: str) -> None:
        self.name, self.path, self.cached = name, path, cached

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The empty module, which knows its files: to find that it does not would cost more than to tell it."""
        made = ModuleType(spec.name)
        vars(made).update(__file__=self.path, __cached__=self.cached)
        if spec.submodule_search_locations is not None:
            made.__path__ = spec.submodule_search_locations
        if not spec.name.startswith(INSIDE):
            vars(made)["__getattr__"] = MethodType(absent, spec.name)
        return made

    def get_code(self, fullname: str) -> CodeType | None:
        """The code of the module."""
        try:
            status = os.stat(self.path)
            with open_code(self.cached) as file:
                data = file.read()
        except OSError:
            return super().get_code(fullname)
        stamp = int(status.st_mtime) & 0xFFFFFFFF | (status.st_size & 0xFFFFFFFF) << 32
        if data[:16] == HEADER + stamp.to_bytes(8, "little"):
            code = loads(memoryview(data)[16:])
            if code.co_filename == self.path:
                return code
        return super().get_code(fullname)


class Finder:
    """Finds the modules of the package.

    Python's own finders know nothing of a library that holds several modules, and where a module lies both compiled
    and as a source, they prefer the former. They also look through all that Python can import, and for five endings;
    this one lists each folder of the package once. What it does not know is left to them.

    Attributes:
        package, root: the name of the package with a dot, and its folder.
        library, held: the file that holds the compiled modules, and which these are.
        refused: modules whose names begin so are found as sources, or not at all.
        hidden: a module that is not to be found.
    """

    def __init__(
        self, package: str, root: str, *, library: str, held: set[str], refused: str | None, hidden: str | None
    ) -> None:
        self.package = f"{package}."
        self.root = root
        self.library = library
        self.held = held
        self.refused = refused
        self.hidden = hidden
        self.listings: dict[str, set[str]] = {}
        self.byte_code: dict[str, tuple[str, str, str]] = {}

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The specification of module `name`; `None` for what is no concern of this finder."""
        if not name.startswith(self.package) or not path or not path[0].startswith(self.root):
            return None
        if name in self.held:
            made = ModuleSpec(name, ExtensionFileLoader(name, self.library), origin=self.library)
            made.has_location = True
            return made
        if name == self.hidden:
            raise ModuleNotFoundError(f"no {name}: WENGERT_PURE=1 asks for the interpreted build", name=name)
        folder, last = path[0], name.rpartition(".")[2]
        below = f"{folder}/{last}"
        if f"{last}.py" in self.listing(folder):
            return self.source(name, folder, last)
        if "__init__.py" in self.listing(below):
            made = self.source(name, below, "__init__")
            made.submodule_search_locations = [below]
            return made
        if self.refused is not None and name.startswith(self.refused):
            raise ImportError(f"no source of {name}, and WENGERT_PURE=1 rules out the compiled module", name=name)
        return None

    def source(self, name: str, folder: str, stem: str) -> ModuleSpec:
        """The specification of a module that is the file `stem` in a folder."""
        if folder not in self.byte_code:
            self.byte_code[folder] = cache_from_source(f"{folder}/MODULE.py").rpartition("MODULE")
        before, _, after = self.byte_code[folder]
        loader = Loader(name, f"{folder}/{stem}.py", f"{before}{stem}{after}")
        made = ModuleSpec(name, loader, origin=loader.path)
        made.cached = loader.cached
        made.has_location = True
        return made

    def listing(self, folder: str) -> set[str]:
        """The names in a folder when it was first looked at; empty where there is no such folder."""
        if folder not in self.listings:
            try:
                self.listings[folder] = set(os.listdir(folder))
            except OSError:
                self.listings[folder] = set()
        return self.listings[folder]

    def invalidate_caches(self) -> None:
        """Forget what is where; see `importlib.invalidate_caches`."""
        self.listings.clear()

    def install(self) -> None:
        """Come before Python's own finders, and after those that the program has put there."""
        others: list[Any] = sys.meta_path
        others.insert(others.index(BuiltinImporter) if BuiltinImporter in others else 0, self)


def absent(module: str, name: str) -> NoReturn:
    """The `__getattr__` of a module, given by its name, that has no such name; a module's own ends with it, too.

    Raises:
        AttributeError: always, or, where a program asks by `from module import name`, an ImportError if torch has it.
    """
    asker: FrameType | None = sys._getframe(1)
    while asker is not None and asker.f_code.co_name == "__getattr__":
        asker = asker.f_back
    if asker is None or name[:2] == "__" or asker.f_code.co_name == "_handle_fromlist":  # as imports of modules do
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    from .missing import refuse

    refuse(module, name, asker)


def on_demand(module: dict[str, Any], homes: dict[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The `__getattr__` and `__dir__` of a module some of whose names are loaded when they are first asked for.

    Args:
        module: its `globals()`.
        homes: for each of these names the module below it that has it; one that is its own home is that module. One
            that begins with a dot lies beside the module.
    """

    def __getattr__(name: str) -> Any:  # noqa: N807 - what it is
        if name not in homes:
            absent(module["__name__"], name)
        from importlib import import_module

        home = homes[name]
        anchor = module["__package__"] if home[0] == "." else module["__name__"]
        found: Any = import_module(f".{home.lstrip('.')}", anchor)
        if home != name:
            found = module[name] = getattr(found, name)
        return found

    def names() -> list[str]:
        return sorted({*module, *homes})

    return __getattr__, names


class Uncollected:
    """While modules are loaded: next to nothing becomes garbage, and looking for it takes a tenth of the time.

    The collector is as it was afterwards, whatever happens in between. What is there then counts as old: the first
    collection, which an object or two later would look through all of it, passes it by, a full one does not.
    """

    SET_ASIDE = 1000
    """Python 3.12 sets 375 objects aside at its start; a program that calls `gc.freeze`, all there are: thousands."""

    def __enter__(self) -> None:
        self.before = gc.isenabled()
        gc.disable()

    def __exit__(self, *error: object) -> None:
        if self.before:
            if (
                gc.get_freeze_count() < self.SET_ASIDE
            ):  # otherwise a program has done so, and its objects are to stay there
                gc.freeze()
                gc.unfreeze()
            gc.enable()
