"""Choice between the two builds, before anything else of the package is imported.

The core exists as plain Python and, where a compiler was found at install time, as extension modules made from the same
files, together in one library. One process runs one of them, never a mixture:

- `WENGERT_PURE=1` in the environment: interpreted, even if compiled libraries are beside the sources;
- no libraries: interpreted;
- every library there, made from the sources as they are now: compiled;
- anything else (a library missing, a source changed since): `ImportError` that says what is wrong and how to repair it.

The finder of `loading.py` carries out the decision.

`setup.py` loads this file by its path for the lists of modules and sources and for the record of a build, so that
the record written at build time and the check at import share one definition. Every import of the package pays for
this module, hence it imports next to nothing.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Literal

    from .loading import Finder

    Read = Callable[[str, list[str]], Any]

PACKAGE = "wengert"
CORE = "_core"
NATIVE = "_kernels/native"
NATIVE_MODULE = "_kernels._native"
CORE_LIBRARY = "_core._compiled"
PRELUDE = "_core/prelude.h"
"""Put before each C file of the core."""
NATIVE_SOURCE_ENDINGS = (".cpp", ".hpp", ".inc")
# Their `.pxd` files hold C constants and C functions that stand in for the Python file: there is nothing to compile.
INTERPRETED_CORE = (
    "_core/capture/direct",
    "_core/collected",
    "_core/door",
    "_core/flags",
    "_core/frames",
    "_core/freeing",
    "_core/operators/sources",
    "_core/profiling/clock",
    "_core/profiling/kinds",
    "_core/shortcuts",
    "_core/vectorcall",
)
STAMPS = "_core.stamps"
"""The compiled module that reads times and sizes of files."""
RECORD_TITLE = "wengert build record 4"
ASKED_FILE = "_core/_build-interpreted.txt"
"""Exists if the interpreted build was requested when the package was installed."""
SLOWER = 17
"""Ratio of the times of a small operation, interpreted to compiled: `benchmarks/builds.py` measures it."""
WITHOUT_COMPILER = ("emscripten", "wasi")
"""Platforms on which nobody can install one."""


# ---- what a tree holds -----------------------------------------------------------------------------------------------


class Tree(str):
    """The folder of a package; each of its folders is listed once."""

    listings: dict[str, set[str]]

    def __new__(cls, root: str) -> Tree:
        tree = super().__new__(cls, root)
        tree.listings = {}
        return tree


def listing(root: str, folder: str) -> set[str]:
    """The names in a `folder` of the package; empty where there is none (inside a zip archive, or not shipped)."""
    known: dict[str, set[str]] = getattr(root, "listings", {})
    if folder not in known:
        try:
            known[folder] = set(os.listdir(f"{root}/{folder}"))
        except OSError:
            known[folder] = set()
    return known[folder]


def rooms(root: str, top: str = CORE) -> list[str]:
    """A folder of the package, the core if none is named, and the folders in it, relative to the package."""
    return [top, *sorted([f"{top}/{name}" for name in listing(root, top) if "." not in name])]


def declared(root: str) -> list[str]:
    """The core's files with a `.pxd` beside them, relative to the package and without ending, in alphabetical order."""
    paths = []
    for room in rooms(root):
        names = listing(root, room)
        paths += [f"{room}/{name[:-4]}" for name in names if name[-4:] == ".pxd" and f"{name[:-4]}.py" in names]
    return sorted(paths)


def core_modules(root: str) -> list[str]:
    """The core modules to be compiled: each `.py` file with a `.pxd` file beside it that declares code of its own.

    Args:
        root: the folder of the package.

    Returns:
        Names relative to the package, such as `_core.backward.engine`, in alphabetical order.
    """
    return [path.replace("/", ".") for path in declared(root) if path not in INTERPRETED_CORE]


def native_sources(root: str) -> list[str]:
    """The C++ files of the native kernels, relative to the package; empty where they are not shipped."""
    paths = []
    for room in rooms(root, NATIVE):
        paths += [f"{room}/{name}" for name in sorted(listing(root, room)) if name[-4:] in NATIVE_SOURCE_ENDINGS]
    return paths


def core_sources(root: str) -> list[str]:
    """The files that the library of the core is made from, relative to the package."""
    sources = [f"{path}{ending}" for path in declared(root) for ending in (".py", ".pxd")]
    return [*sources, PRELUDE] if PRELUDE.rpartition("/")[2] in listing(root, CORE) else sources


def source_files(root: str) -> list[str]:
    """Every file that the extension modules are made from, relative to the package, with forward slashes."""
    return core_sources(root) + native_sources(root)


def wanted_libraries(root: str) -> set[str]:
    """The libraries that the sources in `root` ask for, by names as those of modules."""
    return {CORE_LIBRARY if source.startswith(CORE) else NATIVE_MODULE for source in source_files(root)}


def built_libraries(root: str) -> dict[str, str]:
    """The libraries of this interpreter's kind in the tree: name to file, both relative to the package."""
    from importlib.machinery import EXTENSION_SUFFIXES

    endings = tuple(EXTENSION_SUFFIXES)
    built = {}
    for folder in (*rooms(root), "_kernels"):
        for name in listing(root, folder):
            if name[-3:] != ".py" and name.endswith(endings):
                stem, _, ending = name.partition(".")
                if f".{ending}" in endings:  # not those for another version of Python
                    built[f"{folder.replace('/', '.')}.{stem}"] = f"{folder}/{name}"
    return built


# ---- the record of a build -------------------------------------------------------------------------------------------


class Record:
    """Record of the sources of a build.

    Attributes:
        recipe: a checksum of the build script.
        libraries, modules: the libraries that were built, and the modules in the library of the core.
        stamps: a line for each source, with its size and the time of its last change.
        checksums: of the bytes of each source.
        mark: the `mark` of all sources; empty in records without one.
    """

    def __init__(self, text: str) -> None:
        head, _, rest = text.partition("\n\n")
        checksums, _, self.mark = rest.partition("\n\n")
        self.title, self.recipe, libraries, modules, stamped = (head.split("\n", 4) + [""] * 4)[:5]
        self.libraries, self.modules = set(libraries.split()), set(modules.split())
        self.stamps, self.lines = f"{stamped}\n", checksums

    @property
    def checksums(self) -> dict[str, str]:
        """The checksum of each source."""
        return dict(line.split() for line in self.lines.splitlines())


def record_file() -> str:
    """The file, relative to the package, in which a build for this kind of interpreter records its sources."""
    from importlib.machinery import EXTENSION_SUFFIXES

    tag = EXTENSION_SUFFIXES[0].strip(".").rpartition(".")[0]
    return f"{CORE}/_build-{tag}.txt"


def library_file() -> str:
    """The file, relative to the package, of the compiled core for this kind of interpreter."""
    from importlib.machinery import EXTENSION_SUFFIXES

    return CORE_LIBRARY.replace(".", "/") + EXTENSION_SUFFIXES[0]


def fingerprint(path: str) -> str:
    """A checksum of a file's bytes: enough to notice an edit, and quick."""
    from zlib import crc32

    with open(path, "rb", buffering=0) as file:
        return f"{crc32(file.read()):08x}"


def stamps(root: str, sources: Iterable[str]) -> str:
    """A line for each source with its size and the time of its last change.

    A source whose line is as recorded need not be read.
    """
    lines = []
    for source in sources:
        status = os.stat(f"{root}/{source}")
        lines.append(f"{source} {status.st_size} {status.st_mtime_ns}\n")
    return "".join(lines)


def read_stamps(root: str, names: list[str]) -> tuple[list[int], list[int]]:
    """The times of the last change of files in `root`, in ns, and their sizes."""
    status = [os.stat(f"{root}/{name}") for name in names]
    return [entry.st_mtime_ns for entry in status], [entry.st_size for entry in status]


def compiled_stamps(root: str, record: Record | None) -> Read:
    """The compiled form of `read_stamps`, a tenth of whose instructions it takes; the latter where there is none.

    It is taken from the library of the core that is still to be checked: what it does depends on no other source.
    """
    if record is None or STAMPS not in record.modules:
        return read_stamps
    import _imp
    from importlib.machinery import ModuleSpec

    name = f"{PACKAGE}.{STAMPS}"
    try:
        if name not in sys.modules:
            _imp.exec_dynamic(_imp.create_dynamic(ModuleSpec(name, None, origin=f"{root}/{library_file()}")))
        return sys.modules[name].of_files
    except (ImportError, KeyError, AttributeError):  # its modules say what is wrong when they are imported
        return read_stamps


def mark(root: str, core: list[str], native: list[str], folders: list[str], read: Read = read_stamps) -> str:
    """A text that stays the same while no source changes; quicker to compare than `stamps`.

    A line each for a number from the sizes and times of all sources and the times of the `folders` of the native ones,
    which change with each file that comes or goes; for those folders; and for the sources of the two libraries.
    """
    names = folders + core + native
    times, sizes = read(str(root), names) or read_stamps(root, names)
    number = hash(tuple(times + sizes[len(folders) :]))
    return "\n".join((str(number), " ".join(folders), " ".join(core), " ".join(native)))


def compose_mark(root: str) -> str:
    """The `mark` of the tree at `root`."""
    native = native_sources(root)
    return mark(root, core_sources(root), native, rooms(root, NATIVE) if native else [])


def is_marked(root: str, text: str, read: Read = read_stamps) -> bool:
    """Return whether `text` is the mark of the tree at `root`, without listing the folders of native sources."""
    _, folders, _, native = text.split("\n")
    try:
        return mark(root, core_sources(root), native.split(), folders.split(), read) == text
    except OSError:  # a source is gone
        return False


def changed(root: str, stamped: str, record: Record) -> list[str]:
    """Sources among the `stamps` whose bytes differ from those recorded, or that are not recorded."""
    before, checksums = set(record.stamps.splitlines()), record.checksums
    doubtful = [line.partition(" ")[0] for line in stamped.splitlines() if line not in before]
    return [source for source in doubtful if fingerprint(f"{root}/{source}") != checksums.get(source)]


def compose_record(root: str, recipe: str) -> str:
    """The text of the record for the tree at `root`; `recipe` is a checksum of the build script.

    A line each for the form, the recipe, the libraries and the modules, then the stamps, the checksums and the mark, an
    empty line between them.
    """
    sources = source_files(root)
    head = (RECORD_TITLE, recipe, " ".join(sorted(wanted_libraries(root))), " ".join(core_modules(root)))
    checksums = [f"{source} {fingerprint(f'{root}/{source}')}\n" for source in sources]
    return "\n".join((*head, stamps(root, sources), "".join(checksums), compose_mark(root)))


def read_record(path: str) -> Record | None:
    """The record in a file; `None` if there is none of this form."""
    try:
        with open(path, encoding="utf-8") as file:
            record = Record(file.read())
    except OSError:
        return None
    return record if record.title == RECORD_TITLE else None


def find_problems(root: str, built: Iterable[str], record: Record | None, read: Read = read_stamps) -> list[str]:
    """Reasons why the libraries `built` are not the compiled form of the sources in `root`; empty if they are.

    Args:
        read: `read_stamps`, or a quicker form.
    """
    if record is None:
        return ["the compiled modules carry no record of what they were made from (was a build interrupted?)"]
    built, wanted = set(built), record.libraries
    if built == wanted and record.mark and is_marked(root, record.mark, read):
        return []
    present = source_files(root)
    if not present:
        return []  # libraries alone, as some packagers ship them: nothing to compare with
    stamped = stamps(root, present)
    if built == wanted and stamped == record.stamps:
        return []
    recorded = set(record.checksums)
    if not any(source.startswith(NATIVE) for source in present):  # an installed wheel: the C++ files stayed behind
        recorded = {source for source in recorded if not source.startswith(NATIVE)}
    gone = recorded - set(present)
    added = [source for source in present if source not in recorded]
    stale = [source for source in changed(root, stamped, record) if source in recorded]
    return (
        [f"{library} is not compiled" for library in sorted(wanted - built)]
        + [f"{library} is compiled but has no source" for library in sorted(built - wanted)]
        + [f"{source} was removed after it was compiled" for source in sorted(gone)]
        + [f"{source} was added after the build" for source in added]
        + [f"{source} changed after it was compiled" for source in stale]
    )


# ---- the decision ----------------------------------------------------------------------------------------------------


def asked_for_interpreted() -> bool:
    """Return whether the environment asks for the interpreted build."""
    return os.environ.get("WENGERT_PURE", "") not in ("", "0")


def settle(root: str, package: str = PACKAGE) -> set[str]:
    """Choose the build of the package in the folder `root`.

    `WENGERT_KERNELS=native` beside `WENGERT_PURE=1` keeps the native kernels, to step through the core only.

    Returns:
        The modules that come from the library of the core, relative to the package; empty in the interpreted build.

    Raises:
        ImportError: if the libraries are incomplete, or not built from the present sources.
    """
    if asked_for_interpreted():
        return set()
    root = Tree(root)
    built = built_libraries(root)
    if not built:
        return set()
    record = read_record(f"{root}/{record_file()}")
    problems = find_problems(root, built, record, compiled_stamps(root, record))
    if record is not None and not problems:
        return record.modules
    shown = problems[:8] + [f"... and {len(problems) - 8} more"] * (len(problems) > 8)
    raise ImportError(
        f"{package} would run half compiled, half interpreted, or compiled from other sources than those beside it:\n  "
        + "\n  ".join(shown)
        + f"\nRepair the build with `make build` in the source tree (an installed {package}: reinstall it), "
        "or set WENGERT_PURE=1 to run the interpreted build.",
        name=package,
    )


def finder(root: str, held: set[str], package: str = PACKAGE) -> Finder:
    """Return the finder of the chosen build: of the modules in `held` in the library, of all others as files."""
    from .loading import Finder

    pure = asked_for_interpreted()
    native = not pure or os.environ.get("WENGERT_KERNELS") == "native"
    return Finder(
        package,
        root,
        library=f"{root}/{library_file()}",
        held={f"{package}.{module}" for module in held},
        refused=f"{package}.{CORE}." if pure else None,
        hidden=None if native else f"{package}.{NATIVE_MODULE}",
    )


def is_for_want_of_compiler(root: str) -> bool:
    """Return whether nobody requested the running interpreted build in `root`, and a compiler could be installed."""
    requested = asked_for_interpreted() or ASKED_FILE.rpartition("/")[2] in listing(root, CORE)
    return not requested and sys.platform not in WITHOUT_COMPILER


def how_to_compile() -> str:
    """Text on how much slower the interpreted build is, and how to install the compiled one."""
    return (
        f"a small operation takes about {SLOWER} times as long as compiled; install a C++ compiler and Python's "
        "headers, then wengert again: pip install --force-reinstall --no-cache-dir wengert"
    )


def tell_of_interpreted(root: str) -> None:
    """Write one line to stderr if the interpreted build runs without having been requested.

    Not a warning, which would be two lines, and an ImportError for programs that turn warnings into errors.
    """
    if not is_for_want_of_compiler(root):
        return
    try:
        sys.stderr.write(f"wengert: the interpreted build runs: {how_to_compile()} (WENGERT_PURE=1 silences this)\n")
    except (AttributeError, OSError, ValueError):  # there is no stream, or it is closed
        return


def warn_without_lock() -> None:
    """Warn if the interpreted core runs without the interpreter's lock, which it relies on.

    The compiled library need not: it does not declare itself safe without the lock, so Python switches it on.
    """
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        import warnings

        warnings.warn(
            "wengert's interpreted build runs without the interpreter's lock: threads that share tensors or graphs may "
            "lose writes and gradients; set PYTHON_GIL=1 (docs/threads.md)",
            RuntimeWarning,
            stacklevel=2,
        )


# Loaded by `setup.py` under another name, this module decides nothing.
BUILD: Literal["compiled", "interpreted"] = "interpreted"
if __name__ == f"{PACKAGE}._start.build":
    ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    TORCH = f"{ROOT}/_torch"
    COMPILED = settle(ROOT)
    if COMPILED:
        BUILD = "compiled"
    else:
        tell_of_interpreted(ROOT)
        warn_without_lock()
    finder(ROOT, COMPILED).install()
