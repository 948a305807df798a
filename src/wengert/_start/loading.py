"""Loading of the package: its modules without a search, and names that few programs use at their first use.

Every import of the package pays for this module, hence it imports next to nothing.
"""

from __future__ import annotations

import _frozen_importlib as frozen
import gc
import os
import sys
from _frozen_importlib_external import MAGIC_NUMBER, cache_from_source  # as of importlib.util, which has more to load
from _signal import (  # type: ignore[import-not-found]  # `signal` looks for an enumeration in what they return
    NSIG,
    getsignal,
    signal,
)
from _thread import RLock, get_ident
from importlib import import_module
from importlib.machinery import BuiltinImporter, ExtensionFileLoader, ModuleSpec, SourceFileLoader
from io import open_code
from marshal import loads
from time import sleep
from types import MethodType, ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import CodeType, FrameType
    from typing import Any, NoReturn

HEADER = MAGIC_NUMBER + bytes(4)
"""Beginning of byte code that is valid for a source of a certain time and length, which follow."""
INSIDE = ("wengert._", "wengert.ops")
"""Modules that have no names of torch."""
OWN = "wengert."
PAUSE = 0.0005
"""Seconds between two checks of whether another thread has ended its load, or its fork."""


def at_home(home: str, *classes: Any) -> None:
    """Set the module of classes to the one where torch has them: programs print them, and pickle them."""
    for member in classes:
        member.__module__ = home


class Loads:
    """The loads of modules that are in progress: signals, forks and collections wait for them.

    A module that is seen or left half executed stays so. So the load of a module, or of a family with all that it
    needs, is one step for all threads:

    - Signal handlers are called afterwards. Python calls them between any two instructions of the main thread,
      whichever thread took the signal, so no mask of signals keeps them out: another handler notes the signals.
    - A fork waits until no other thread loads. Its child would wait for that thread forever.
    - No collection runs: a finaliser could need the module.

    Attributes:
        lock: lock held by the thread that loads a family, and while a process forks.
        threads: the threads that load.
        forking: the thread that forks.
        handlers: the handlers that `note` has replaced, by number of the signal.
        came: the signals that wait.
        orphans: names of modules that failed loads have left.
        complete: modules that were executed, by name; an interrupt may have come before `import` had entered them.
    """

    def __init__(self) -> None:
        self.lock = RLock()
        self.threads: set[int] = set()
        self.forking: int | None = None
        self.handlers: dict[int, Any] = {}
        self.came: dict[int, None] = {}
        self.orphans: set[str] = set()
        self.complete: dict[str, ModuleType] = {}
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(
                before=self.before_fork, after_in_parent=self.after_fork, after_in_child=self.after_fork_in_child
            )

    def exclusively(self, load: Callable[..., Any], *args: Any) -> Any:
        """Call `load(*args)`, which loads modules, while no other thread does the same.

        A thread that executes a module holds the module's lock: it does not wait for others, which may wait for it.
        """
        if get_ident() in self.threads:
            return load(*args)
        with self.lock:
            return self.undisturbed(load, *args)

    def undisturbed(self, load: Callable[..., Any], *args: Any) -> Any:
        """Call `load(*args)`, which loads modules; signals, forks and collections wait."""
        here = get_ident()
        if here in self.threads:
            return load(*args)
        collects = gc.isenabled()
        try:
            self.begin(here)
            return self.outermost(load, *args)
        finally:
            if collects:
                gc.enable()
            self.end(here)

    def outermost(self, load: Callable[..., Any], *args: Any) -> Any:
        """Call `load(*args)`; set modules that a failed load has left as attributes of their packages.

        Python removes a package whose load fails from `sys.modules`, but not its modules that are complete; loaded
        again, the package is another object, and does not get these as attributes.
        """
        before = set(sys.modules)
        try:
            loaded = load(*args)
        except BaseException:
            self.orphans |= set(sys.modules) - before
            raise
        while self.orphans:
            name = self.orphans.pop()
            above, _, last = name.rpartition(".")
            if above in sys.modules and name in sys.modules and last not in vars(sys.modules[above]):
                setattr(sys.modules[above], last, sys.modules[name])
        return loaded

    def begin(self, here: int) -> None:
        """Enter this thread among those that load modules."""
        if is_main(here):
            self.hold()
        self.threads.add(here)
        while self.forking is not None and self.forking != here:
            self.threads.discard(here)
            sleep(PAUSE)
            self.threads.add(here)
        gc.disable()

    def end(self, here: int) -> None:
        """Remove this thread from those that load modules, and call the handlers of the signals that came."""
        self.threads.discard(here)  # first: until then no handler raises here
        if (self.handlers or self.came) and is_main(here):
            self.restore()
            self.deliver()

    # ---- signals -----------------------------------------------------------------------------------------------------
    def hold(self) -> None:
        """Replace all handlers that are written in Python by `note`."""
        for number in range(1, NSIG):
            handler = getsignal(number)
            if callable(handler) and handler != self.note:
                self.handlers[number] = handler  # first, so that `note` knows it whenever it is called
                try:
                    signal(number, self.note)
                except ValueError:  # an interpreter beside the main one: it calls no handlers
                    self.handlers.clear()
                    return

    def note(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal during a load: note it; before or after a load, call the real handler."""
        if get_ident() in self.threads:
            self.came[number] = None
            return
        handler = self.handlers.get(number)
        self.restore()
        if handler is not None:
            handler(number, frame)

    def restore(self) -> None:
        """Restore the handlers, except those that the program has changed meanwhile."""
        for number, handler in tuple(self.handlers.items()):
            if getsignal(number) == self.note:
                signal(number, handler)
            self.handlers.pop(number, None)

    def deliver(self) -> None:
        """Call the handlers of the signals that came; the others are called even if one raises."""
        for number in tuple(self.came):
            if self.came.pop(number, number) is None and callable(handler := getsignal(number)):
                try:
                    handler(number, sys._getframe(1))
                finally:
                    self.deliver()

    # ---- forks -------------------------------------------------------------------------------------------------------
    def before_fork(self) -> None:
        """Wait until no other thread loads, and let none begin."""
        here = get_ident()
        self.lock.acquire()
        self.forking = here
        while not self.threads <= {here}:
            sleep(PAUSE)

    def after_fork(self) -> None:
        """In the parent: let the others go on."""
        if self.forking == get_ident():
            self.forking = None
            self.lock.release()

    def after_fork_in_child(self) -> None:
        """In the child: forget the other threads. One may have been about to load a module, and hold its lock."""
        here = get_ident()
        self.lock, self.forking = RLock(), None
        self.threads &= {here}
        locks: dict[str, Any] = getattr(frozen, "_module_locks", {})
        for name, reference in tuple(locks.items()):
            lock = reference()
            if name.startswith(OWN) and lock is not None and lock.owner not in (None, here):
                locks.pop(name, None)
                if is_loading(sys.modules.get(name)):
                    del sys.modules[name]


def is_main(here: int) -> bool:
    """Return whether a thread is the main one, in which Python calls signal handlers."""
    threading = sys.modules.get("threading")  # without it there is one thread
    return threading is None or threading.main_thread().ident == here


def is_loading(module: ModuleType | None) -> bool:
    """Return whether a module is being executed, by this thread or another one."""
    return bool(getattr(getattr(module, "__spec__", None), "_initializing", False))


LOADS = Loads()


def load(name: str) -> ModuleType:
    """Import a module in the middle of a program: wholly or not at all. Return the module of that name."""
    module, above = sys.modules.get(name), name.rpartition(".")[0]
    if module is not None and not is_loading(module) and (not above or above in sys.modules):
        return module
    return LOADS.exclusively(import_below, name)


def load_scipy(name: str, caller: str, purpose: str = "") -> Any:
    """Import a module of SciPy, as `load` does.

    Args:
        name: "linalg", "sparse", ...
        caller: the function of the program, for the error.
        purpose: why it needs SciPy, for the error.

    Raises:
        ImportError: if SciPy is not installed.
    """
    try:
        return load(f"scipy.{name}")
    except ImportError as error:
        raise ImportError(f"{caller} needs SciPy{purpose}: pip install 'wengert[full]'") from error


def import_below(name: str) -> ModuleType:
    """Import a module and its package.

    Python does not import the package of a module that it knows; the import of the package may have failed after it.
    """
    above = name.rpartition(".")[0]
    if above and above not in sys.modules:
        import_module(above)
    return import_module(name)


class Undisturbed:
    """Base of the package's loaders: signals and forks wait for the end of a module."""

    name: str
    executed = False

    def exec_module(self, module: ModuleType) -> None:
        """Execute the module."""
        if get_ident() in LOADS.threads:
            super().exec_module(module)  # type: ignore[misc]
        else:
            LOADS.undisturbed(self.execute, module)

    def execute(self, module: ModuleType) -> None:
        """Execute the module, unless that was done, and keep it until it is entered in `sys.modules`."""
        if not self.executed:
            super().exec_module(module)  # type: ignore[misc]
        LOADS.complete[self.name] = module

    def interrupted(self) -> ModuleType | None:
        """Return the module if it was executed but not entered: a handler raised at the end of its import."""
        module = LOADS.complete.pop(self.name, None)
        above, _, last = self.name.rpartition(".")
        self.executed = module is not None and vars(sys.modules[above]).get(last) is not module
        return module if self.executed else None


class Library(Undisturbed, ExtensionFileLoader):
    """Loads a module from the library that holds several."""


class Loader(Undisturbed, SourceFileLoader):  # type: ignore[misc]
    """Loads a module from its source, or the byte code that Python keeps of it.

    Python's own loader does the same, but spends more time around the reading of a small module than on it. All other
    cases (no byte code, or byte code of another source, form or place) are left to it.
    """

    def __init__(self, name: str, path: str, cached: str) -> None:
        self.name, self.path, self.cached = name, path, cached

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Create the empty module with the names of its files: cheaper than the import system's own way."""
        if self.name in LOADS.complete and (known := self.interrupted()) is not None:
            return known
        module = ModuleType(spec.name)
        vars(module).update(__file__=self.path, __cached__=self.cached)
        if spec.submodule_search_locations is not None:
            module.__path__ = spec.submodule_search_locations
        if not spec.name.startswith(INSIDE):
            vars(module).update(__getattr__=MethodType(absent, spec.name), __dir__=MethodType(listed, spec.name))
        return module

    def get_code(self, fullname: str) -> CodeType | None:
        """Return the code of the module."""
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

    Python's own finders do not know libraries that hold several modules, and prefer a compiled module to a source of
    the same name. They also search all folders of `sys.path` for five endings; this finder lists each folder of the
    package once. Modules that it does not know are left to them.

    Attributes:
        package, root: the name of the package with a dot, and its folder.
        library, held: the file that holds the compiled modules, and their names.
        refused: beginning of the names of modules that are found as sources, or not at all.
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
        """Return the specification of module `name`; `None` for modules that this finder does not know."""
        if not name.startswith(self.package) or not path or not path[0].startswith(self.root):
            return None
        if name in self.held:
            spec = ModuleSpec(name, Library(name, self.library), origin=self.library)
            spec.has_location = True
            return spec
        if name == self.hidden:
            raise ModuleNotFoundError(f"no {name}: WENGERT_PURE=1 asks for the interpreted build", name=name)
        last = name.rpartition(".")[2]
        for folder in path:  # the package has two
            below = f"{folder}/{last}"
            if f"{last}.py" in self.listing(folder):
                return self.source(name, folder, last)
            if last in self.listing(folder) and "__init__.py" in self.listing(below):
                spec = self.source(name, below, "__init__")
                spec.submodule_search_locations = [below]
                return spec
        if self.refused is not None and name.startswith(self.refused):
            raise ImportError(f"no source of {name}, and WENGERT_PURE=1 rules out the compiled module", name=name)
        return None

    def source(self, name: str, folder: str, stem: str) -> ModuleSpec:
        """Return the specification of a module whose file is `stem` in a folder."""
        if folder not in self.byte_code:
            self.byte_code[folder] = cache_from_source(f"{folder}/MODULE.py").rpartition("MODULE")
        before, _, after = self.byte_code[folder]
        loader = Loader(name, f"{folder}/{stem}.py", f"{before}{stem}{after}")
        spec = ModuleSpec(name, loader, origin=loader.path)
        spec.cached = loader.cached
        spec.has_location = True
        return spec

    def listing(self, folder: str) -> set[str]:
        """Names in a folder at its first listing; empty if there is no such folder."""
        if folder not in self.listings:
            try:
                self.listings[folder] = set(os.listdir(folder))
            except (
                FileNotFoundError,
                NotADirectoryError,
            ):  # other errors, as of too many open files, say nothing of the folder
                self.listings[folder] = set()
        return self.listings[folder]

    def invalidate_caches(self) -> None:
        """Forget the listings of folders; see `importlib.invalidate_caches`."""
        self.listings.clear()

    def install(self) -> None:
        """Enter the finder before Python's own, and after those that the program has added."""
        others: list[Any] = sys.meta_path
        others.insert(others.index(BuiltinImporter) if BuiltinImporter in others else 0, self)


def absent(module: str, name: str) -> NoReturn:
    """Refuse a name that a module does not have; the `__getattr__` of modules, or the end of their own.

    Raises:
        AttributeError: if the name is not imported, or torch does not have it either.
        ImportError: if the program asks by `from module import name`, and torch has the name.
    """
    asker: FrameType | None = sys._getframe(1)
    while asker is not None and asker.f_code.co_name == "__getattr__":
        asker = asker.f_back
    if asker is None or name[:2] == "__" or asker.f_code.co_name == "_handle_fromlist":  # as imports of modules do
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    from .missing import refuse

    refuse(module, name, asker)


def listed(module: str) -> list[str]:
    """Return the names that `dir` lists of a module; the `__dir__` of modules."""
    from .listing import public  # imported here: the finder of modules depends on no module

    return public(module, homes(module))


HOMES: dict[str, dict[str, str]] = {}
"""Names that are loaded late, by module; see `homes`."""


def homes(module: str) -> dict[str, str]:
    """Names of a module that are loaded late, with the modules that define them; a module is its own home."""
    if module not in HOMES:
        from .names import LATE  # imported here: the finder of modules depends on no module

        listed = LATE.get(module, {})
        HOMES[module] = {name: f"{OWN}{home}" for home, names in listed.items() for name in names.split()}
    return HOMES[module]


def on_demand(module: dict[str, Any]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the `__getattr__` and `__dir__` of a module some of whose names are loaded at their first use.

    `tools/make_names.py` collects these names: those that the module imports, as themselves, for type checkers only.

    Args:
        module: its `globals()`.
    """

    def __getattr__(name: str) -> Any:  # noqa: N807 - it is the module's
        here = module["__name__"]
        home = homes(here).get(name)
        if home is None:
            try:
                absent(here, name)
            except Exception as error:
                from .boundary import shorten

                shorten(error)
                raise
        value: Any = load(home)
        if home != f"{here}.{name}":
            value = module[name] = getattr(value, name)
        return value

    def names() -> list[str]:
        return listed(module["__name__"])

    return __getattr__, names


class Uncollected:
    """Context of the package's import, without collections: little becomes garbage, and they take a tenth of the time.

    Signals and forks wait (`Loads`).

    The collector is restored afterwards, whatever happens in between. Objects that exist then count as old: the first
    collection, which would soon look through all of them, skips them; a full one does not.
    """

    SET_ASIDE = 1000
    """Python 3.12 sets 375 objects aside at its start; a program that calls `gc.freeze`, all there are: thousands."""

    def __enter__(self) -> None:
        self.before = gc.isenabled()
        LOADS.begin(get_ident())

    def __exit__(self, *error: object) -> None:
        if self.before:
            if (
                gc.get_freeze_count() < self.SET_ASIDE
            ):  # otherwise a program has done so, and its objects are to stay there
                gc.freeze()
                gc.unfreeze()
            gc.enable()
        LOADS.end(get_ident())
