"""Compile the core with Cython and the native kernels with the C++ compiler: all of it, or none.

What is compiled follows from the tree: each `src/wengert/_core/*.py` with a `.pxd` beside it, together into one library
that holds all these modules, and the `.cpp` files of `_kernels/native`. Without a working compiler, or with
`WENGERT_PURE=1`, nothing is compiled and the interpreted package is installed, with a warning. With a working compiler,
a file of ours that does not compile is an error. Everything else about the package is said in `pyproject.toml`.
"""

from __future__ import annotations

import functools
import importlib.util
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from importlib.metadata import version
from pathlib import Path

from setuptools import Distribution, Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

from distutils.ccompiler import new_compiler  # isort: skip  (setuptools' own copy, there once setuptools is imported)
from distutils.sysconfig import customize_compiler  # isort: skip

HERE = Path(__file__).resolve().parent
PACKAGE = HERE / "src" / "wengert"
DIRECTIVES = {
    "language_level": 3,
    "annotation_typing": False,
    "nonecheck": True,
    "binding": True,
    "embedsignature": False,
    "auto_pickle": False,
}
# The two last: no errno and no traps, which nothing reads. Values stay as IEEE says. The loops for AVX2 and AVX-512
# switch fused multiply-add on for themselves, by a pragma.
NATIVE_FLAGS = [
    "-std=c++17",
    "-g0",
    "-fvisibility=hidden",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
]
# What GCC does at -O3 takes a third longer to compile and a fifth more room than this, and is no faster: loops of their
# own for a stride or a flag, vectors where they pay, and long functions inlined, without which a loop has no vectors.
# Short loops that must be unrolled say so by a pragma. Measured by benchmarks/two_trees.py.
GCC_LOOPS = [
    "-O2",
    "-fvect-cost-model=dynamic",
    "-funswitch-loops",
    "-fversion-loops-for-strides",
    "--param=max-inline-insns-single=200",
]
# What calls, backward passes, batches and tangents go through. All else in the core is compiled for size.
HOT_MODULES = {
    "aliasing": "views",
    "backward": "arrivals engine passes ready task",
    "calls": "attempts batching dispatch dual_memory forward op unusual",
    "capture": "caching captured following kept list_passes lists matching optimiser_steps outputs predicting "
    "replayable segments signatures",
    "cards": "composed",
    "functions": "function_call",
    "graph": "node",
    "leaves": "accumulate",
    "operators": "batch_rules declaration layouts promotion rules",
    "recording": "recorded saved",
    "state": "modes regions",
    "tensor": "base batches meta reading slots storage tangents tapes",
    "writes": "inplace parts slices tensor_lists",
}
# WENGERT_SANITIZE=1, set by `make sanitize` for a tree of its own: the first access outside of memory, and the first
# operation that C++ does not define, end the process. The loops for AVX-512 are made so that they run without it.
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-fno-omit-frame-pointer"]
WIDE_LOOPS = ["-DWENGERT_WIDE_LOOPS", "-Wno-psabi"]
# Wheels have no symbols, and no pages of zeros between code and data; nor, in the core, which is C, what an exception
# or a debugger would find the calling function by.
LINKED_SMALL = ["-s", "-Wl,-O1", "-Wl,-z,noseparate-code"]
NO_UNWINDING = ["-fno-asynchronous-unwind-tables", "-fno-unwind-tables"]
PROBES = {
    "probe_c.c": "#include <Python.h>\nint probe_c(void) { return PY_MAJOR_VERSION; }\n",
    "probe_cpp.cpp": "#include <Python.h>\n#include <vector>\nstd::vector<int> probe_cpp() { return {1}; }\n",
}
# The sets of loops. A build in place stays on this machine, so it has only the set that the processor chooses; a wheel
# has all sets, as has a build in place with WENGERT_ALL_LOOPS=1.
LOOPS = ("avx512", "avx2", "baseline")
LOOPS_PROBE = """
#include <cstdio>
#include "base/instruction_sets.hpp"
int main() { std::puts(wengert::best_instruction_set()); }
"""
# What nearly all native files include, which takes the compiler longer to read than most of them.
SHARED_HEADER = "binding/common.hpp"
BUILDING = {"build", "build_ext", "bdist_wheel", "bdist_egg", "editable_wheel", "develop", "install"}
NO_COMPILER = """
*** wengert: no C++ compiler that can build a Python extension was found ({reason}).
*** The interpreted package is installed: the same results, but a small operation takes about {slower} times as long.
*** For the compiled build install a C++ compiler and Python's headers, then install wengert again.
"""


def load_build_module():
    """The package's `_start/build.py`, by path: the package itself cannot be imported before it is built."""
    spec = importlib.util.spec_from_file_location("wengert_build_lists", PACKAGE / "_start" / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


lists = load_build_module()


def compiles(*flags: str) -> str:
    """Try to build a tiny extension from C and C++ with `flags`; return an empty string, or why it failed."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in PROBES.items():
            Path(folder, name).write_text(text, encoding="utf-8")
        try:
            compiler = new_compiler()
            customize_compiler(compiler)
            headers = build_ext(Distribution())
            headers.finalize_options()
            sources = [str(Path(folder, name)) for name in PROBES]
            objects = compiler.compile(
                sources, output_dir=folder, include_dirs=headers.include_dirs, extra_postargs=list(flags)
            )
            compiler.link_shared_object(
                objects, str(Path(folder, "probe.bin")), extra_postargs=list(flags), target_lang="c++"
            )
        except Exception as error:  # each kind of compiler has its own exceptions; all mean that it does not work
            return textwrap.shorten(str(error) or type(error).__name__, 100)
    return ""


@functools.cache
def is_gcc() -> bool:
    """Return whether the C++ compiler is GCC."""
    compiler = new_compiler()
    customize_compiler(compiler)
    command = getattr(compiler, "compiler_so_cxx", None)
    if not command:
        return False
    said = subprocess.run([*command[:1], "--version"], capture_output=True, text=True, check=False).stdout
    return "Free Software Foundation" in said


def is_hot(source: str) -> bool:
    """Return whether a translated module of the core is one of `HOT_MODULES`."""
    path = Path(source)
    return path.stem in HOT_MODULES.get(path.parent.name, "").split()


def check_hot_modules(modules: list[str]) -> None:
    """Refuse a name in `HOT_MODULES` that no compiled module has any more."""
    hot = {f"_core.{folder}.{name}" for folder, names in HOT_MODULES.items() for name in names.split()}
    if not hot.issubset(modules):
        raise SystemExit(f"setup.py: HOT_MODULES names what is not compiled: {', '.join(hot.difference(modules))}")


@functools.cache
def own_loops() -> str:
    """Return which of `LOOPS` this processor chooses; an empty string where that cannot be asked."""
    with tempfile.TemporaryDirectory() as folder:
        probe = Path(folder, "probe.cpp")
        probe.write_text(LOOPS_PROBE, encoding="utf-8")
        try:
            compiler = new_compiler()
            customize_compiler(compiler)
            objects = compiler.compile([str(probe)], output_dir=folder, include_dirs=[str(PACKAGE / lists.NATIVE)])
            compiler.link_executable(objects, "probe", output_dir=folder, target_lang="c++")
            program = Path(folder, compiler.executable_filename("probe"))
            answer = subprocess.run([program], capture_output=True, text=True, check=True, timeout=60).stdout.strip()
        except Exception:  # each kind of compiler has its own; a program for another machine does not run
            return ""
    return answer if answer in LOOPS else ""


@functools.cache
def included(source: Path) -> frozenset[Path]:
    """Return the files of ours that a native source includes, directly or not, and itself."""
    found = {source}
    waiting = [source]
    while waiting:
        text = waiting.pop().read_text(encoding="utf-8")
        for name in re.findall(r'^#include "([^"]+)"', text, re.MULTILINE):
            path = PACKAGE / lists.NATIVE / name
            if path not in found and path.exists():
                found.add(path)
                waiting.append(path)
    return frozenset(found)


def seconds_to_compile(source: str, loops: str) -> float:
    """Return about how long a source takes to compile: in proportion to its text, and to the loops that it includes.

    Args:
        loops: the only one of `LOOPS` that is compiled; an empty string for all.
    """
    path = Path(source)
    if path.suffix == ".c":
        return path.stat().st_size / 300_000
    if loops and path.stem in LOOPS and path.stem != loops:
        return 0.5
    return sum(each.stat().st_size for each in included(path) if each == path or each.suffix == ".inc") / 4_000


class Progress:
    """Tells, every few seconds, how much of a build is done.

    Attributes:
        left: about how many seconds each of the sources takes that are not compiled yet.
        count: how many there were at the beginning.
        begun, told: when that was, and when the last line was printed.
    """

    EVERY = 5.0

    def __init__(self, seconds: dict[str, float]) -> None:
        self.left = dict(seconds)
        self.count, self.all = len(seconds), sum(seconds.values())
        self.begun = self.told = time.monotonic()

    def finish(self, source: str) -> None:
        """Take note that a source is compiled."""
        del self.left[source]
        now = time.monotonic()
        if self.left and now - self.told < self.EVERY:
            return
        self.told = now
        rest = sum(self.left.values())
        seconds = (now - self.begun) * rest / max(self.all - rest, 1e-6)
        left = f", about {seconds:.0f} s left" if self.left else ""
        print(f"-- compiled {self.count - len(self.left)} of {self.count}{left}", flush=True)


def sanitized(flags: list[str]) -> list[str]:
    """Compiler flags, changed for the sanitizers if the environment asks for them."""
    if os.environ.get("WENGERT_SANITIZE") != "1":
        return flags
    return [flag for flag in flags if flag not in ("-O3", "-O2", "-g0")] + ["-O1", "-g", *SANITIZERS, *WIDE_LOOPS]


def extensions() -> list[Extension]:
    """The extension modules to build, the slowest to compile first; empty for the interpreted package."""
    if lists.asked_for_interpreted() or BUILDING.isdisjoint(sys.argv):
        return []
    windows = sys.platform == "win32"
    reason = compiles()
    if reason:
        print(NO_COMPILER.format(reason=reason, slower=lists.SLOWER), file=sys.stderr)
        return []
    import numpy

    # The kernels have threads of their own; OpenMP serves for the `simd` pragmas, without which sums are not
    # vectorised.
    # Not MMX: GCC makes use of its registers where nothing better is there, and the x87 unit, which computes long
    # doubles, is left unusable.
    optional = [flag for flag in ("-fopenmp-simd", "-mno-mmx") if not windows and not compiles(flag)]
    root = str(PACKAGE)
    found = []
    if lists.native_sources(root):
        sources = [f"src/wengert/{source}" for source in lists.native_sources(root)]
        found.append(
            Extension(
                "wengert._kernels._native",
                [source for source in sources if source.endswith(".cpp")],
                include_dirs=[numpy.get_include(), f"src/wengert/{lists.NATIVE}"],
                depends=[source for source in sources if not source.endswith(".cpp")],
                extra_compile_args=["/std:c++17", "/O2"]
                if windows
                else sanitized([*NATIVE_FLAGS, *(GCC_LOOPS if is_gcc() else ["-O3"]), *optional]),
                extra_link_args=[] if windows else [*sanitized([]), "-pthread"],
                language="c++",
            )
        )
    modules = lists.core_modules(root)
    check_hot_modules(modules)
    found.append(
        Extension(
            f"wengert.{lists.CORE_LIBRARY}",
            [f"src/wengert/{module.replace('.', '/')}.py" for module in modules],
            include_dirs=[numpy.get_include()],
            depends=[f"src/wengert/{lists.PRELUDE}"],
            # Strings as they are: to unpack those of 33 modules takes longer than to read them.
            define_macros=[("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION"), ("CYTHON_COMPRESS_STRINGS", "0")],
            extra_compile_args=[f"/FIsrc/wengert/{lists.PRELUDE}"]
            if windows
            else sanitized(["-O2", "-g0", "-Wno-unused-function", "-include", f"src/wengert/{lists.PRELUDE}"]),
            extra_link_args=[] if windows else sanitized([]),
            export_symbols=[f"PyInit_{module.rpartition('.')[2]}" for module in modules],
            language="c",
        )
    )
    return found


class BuildExtensions(build_ext):
    """Compile everything or nothing, and record what it was compiled from."""

    def run(self) -> None:
        """Build what is out of date; leave a record beside the modules when all of it is done."""
        self.loops = self.loops_alone()
        self.build_temp = f"{self.build_temp}-{self.loops or 'all'}{'' if self.inplace else '-wheel'}"
        root = PACKAGE if self.inplace else Path(self.build_lib, "wengert")
        record = root / lists.record_file()
        if not self.extensions:
            self.remove(record, lists.built_libraries(str(root)))
            return
        if self.inplace and self.is_fresh():
            print("wengert: the compiled modules are up to date")
            return
        self.remove(record, lists.built_libraries(str(root)).keys() - lists.wanted_libraries(str(PACKAGE)))
        text = lists.compose_record(str(PACKAGE), self.recipe())  # before compiling: an edit meanwhile makes it stale
        self.force = self.force or self.times_mislead()
        self.write(self.attempt(), text)
        self.parallel = self.parallel or min(os.cpu_count() or 1, 4)  # some 400 MB each
        self.translate()
        super().run()
        self.write(record, text if self.inplace else self.without_times(text))

    @staticmethod
    def without_times(text: str) -> str:
        """Return a record for a wheel: who installs it gives the files other times, and two builds are to be equal."""
        record = lists.Record(text)
        head = (record.title, record.recipe, " ".join(sorted(record.libraries)), " ".join(sorted(record.modules)))
        return "\n".join((*head, "", f"{record.lines}\n", ""))

    def loops_alone(self) -> str:
        """The only one of `LOOPS` that is compiled; an empty string for all."""
        for_all = not self.inplace or "1" in map(os.environ.get, ("WENGERT_ALL_LOOPS", "WENGERT_SANITIZE"))
        return "" if for_all or not self.extensions else own_loops()

    def recipe(self) -> str:
        """The checksum of this script, Cython's version and the loops: others make other modules."""
        return f"{lists.fingerprint(str(HERE / 'setup.py'))} {version('Cython')} {self.loops or 'all'}"

    def attempt(self) -> Path:
        """Where the record of the last attempt lies, finished or not: what the object files come from."""
        return Path(self.build_temp) / Path(lists.record_file()).name

    @staticmethod
    def write(path: Path, text: str) -> None:
        """Write a record."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def is_fresh(self) -> bool:
        """Whether the modules in the source tree are complete and made from the sources, by the script, as they are."""
        root = str(PACKAGE)
        built, record = lists.built_libraries(root), lists.read_record(f"{root}/{lists.record_file()}")
        return (
            bool(built)
            and record is not None
            and record.recipe == self.recipe()
            and not lists.find_problems(root, built, record)
        )

    def times_mislead(self) -> bool:
        """Whether file times may not show what changed: this script, or a source put back with an old time."""
        attempt = self.attempt()
        if not attempt.exists():
            return True
        record = lists.read_record(str(attempt))
        if record is None or record.recipe != self.recipe():
            return True
        written = attempt.stat().st_mtime
        root = str(PACKAGE)
        changed = lists.changed(root, lists.stamps(root, lists.source_files(root)), record)
        return any((PACKAGE / source).stat().st_mtime <= written for source in changed)

    @staticmethod
    def remove(record: Path, libraries) -> None:
        """Remove the record of the last build and the `libraries` that this one will not make."""
        root = record.parent.parent
        built = lists.built_libraries(str(root))
        for path in (record, *(root / built[library] for library in libraries)):
            path.unlink(missing_ok=True)

    @staticmethod
    def older_than_a_declaration(sources: list[str]) -> bool:
        """Whether some `.pxd` file is newer than some C file: Cython does not follow `from package cimport module`."""
        declared = [path.stat().st_mtime for path in (PACKAGE / "_core").rglob("*.pxd")]
        made = [HERE / "build" / "cython" / Path(source).with_suffix(".c") for source in sources]
        translated = [path.stat().st_mtime for path in made if path.exists()]
        return bool(translated) and max(declared) > min(translated)

    def translate(self) -> None:
        """Turn the core modules into C under `build/`, so that nothing lands beside the sources.

        Raises:
            SystemExit: a module does not compile, or Cython is of a version whose modules do not work.
        """
        self.check_cython()
        from Cython.Build import cythonize
        from Cython.Compiler.Errors import CompileError

        core = self.extensions[-1]
        names = [source.removeprefix("src/").removesuffix(".py").replace("/", ".") for source in core.sources]
        if self.inplace:
            print(f"-- translating {len(names)} modules of the core to C, as far as they changed", flush=True)
        # The workers must not run this script again, as they would with any other way to start a process.
        workers = self.parallel if multiprocessing.get_start_method() == "fork" else 0
        try:
            translated = cythonize(
                [Extension(name, [source]) for name, source in zip(names, core.sources)],
                nthreads=workers,
                build_dir="build/cython",
                include_path=["src"],
                compiler_directives=DIRECTIVES,
                force=bool(self.force) or self.older_than_a_declaration(core.sources),
                quiet=not self.verbose,
            )
        except CompileError as error:  # Cython has printed what is wrong; its traceback would bury it
            raise SystemExit(f"wengert: {error} does not compile; see above") from None
        core.sources = [source for module in translated for source in module.sources]

    @staticmethod
    def check_cython() -> None:
        """Refuse versions that `pyproject.toml` excludes: without pip nobody else looks, and what they make crashes."""
        wanted = re.search(r'"(Cython>=([\d.]+),<([\d.]+))"', (HERE / "pyproject.toml").read_text(encoding="utf-8"))
        numbers = [
            [int(part) for part in re.findall(r"\d+", each)[:2]] for each in (wanted[2], version("Cython"), wanted[3])
        ]
        if not numbers[0] <= numbers[1] < numbers[2]:
            raise SystemExit(
                f"wengert: Cython {version('Cython')} makes modules that do not work; install one that does: "
                f"pip install '{wanted[1]}'"
            )

    def build_extensions(self) -> None:
        """Compile all sources, several at a time and only what changed; then link.

        Left to itself, setuptools would compile the sources of one library one after the other, and all of them again.
        """
        self.use_cache()
        places = {source: extension for extension in self.extensions for source in extension.sources}
        objects = {source: self.object_of(source) for source in places}
        for_wheel = not self.inplace and sys.platform.startswith("linux")
        small = LINKED_SMALL if for_wheel and not compiles(*LINKED_SMALL) else []
        for extension in self.extensions:
            extension.extra_link_args += small
            if extension.language == "c" and for_wheel and not compiles(*NO_UNWINDING):
                extension.extra_compile_args += NO_UNWINDING
        stale = [source for source, path in objects.items() if self.is_stale(source, path)]
        seconds = {source: seconds_to_compile(source, self.loops) for source in stale}
        if stale:
            self.prepare_header()
        progress = Progress(seconds)
        with ThreadPoolExecutor(self.parallel) as pool:
            longest_first = sorted(stale, key=seconds.__getitem__, reverse=True)  # none is left alone at the end
            compiling = {pool.submit(self.compile_source, places[source], source): source for source in longest_first}
            try:
                for each in as_completed(compiling):
                    each.result()
                    progress.finish(compiling[each])
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        for extension in self.extensions:
            extension.extra_objects = [str(objects[source]) for source in extension.sources]
            extension.sources = []
        # Link anew in any case: no time of a file tells that a source was removed.
        self.force = self.compiler.force = True
        super().build_extensions()

    def use_cache(self) -> None:
        """Compile by `ccache` or `sccache`, where one is installed and no other is in use."""
        cache = shutil.which("ccache") or shutil.which("sccache")
        for name in ("compiler_so", "compiler_so_cxx"):
            command = getattr(self.compiler, name, None)
            if cache and isinstance(command, list) and "cache" not in command[0]:
                setattr(self.compiler, name, [cache, *command])

    def object_of(self, source: str) -> Path:
        """Return where the object file of a source lies."""
        (path,) = self.compiler.object_filenames([source], output_dir=self.build_temp)
        return Path(path)

    def is_stale(self, source: str, path: Path) -> bool:
        """Whether a source, or what it includes, changed since its object file was made."""
        reads = included(Path(source))
        if source.endswith(".c"):
            reads |= {PACKAGE / lists.PRELUDE}
        newest = max(each.stat().st_mtime for each in reads)
        return bool(self.force) or not path.exists() or path.stat().st_mtime <= newest

    def prepare_header(self) -> None:
        """Let GCC read what nearly all native files include once: no other compiler takes it in this way."""
        shared = PACKAGE / lists.NATIVE / SHARED_HEADER
        extension = next((each for each in self.extensions if each.language == "c++"), None)
        command = getattr(self.compiler, "compiler_so_cxx", None)
        self.header = ""
        if extension is None or command is None or "cache" in command[0] or not is_gcc():
            return
        header = Path(self.build_temp).resolve() / shared.name
        header.parent.mkdir(parents=True, exist_ok=True)
        header.write_text(f'#include "{shared.as_posix()}"\n', encoding="utf-8")
        folders = [f"-I{folder}" for folder in [*extension.include_dirs, *self.compiler.include_dirs]]
        flags = [*folders, *extension.extra_compile_args, "-x", "c++-header"]
        self.spawn([*command, *flags, str(header), "-o", f"{header}.gch"])
        self.header = str(header)

    def compile_source(self, extension: Extension, source: str) -> None:
        """Compile one source of an extension."""
        path = Path(source)
        flags = list(extension.extra_compile_args)
        if path.suffix == ".c":
            flags = ["-Os" if flag == "-O2" and not is_hot(source) else flag for flag in flags]
        if path.suffix == ".cpp" and self.loops:
            flags += [f"-DWENGERT_WITHOUT_{name.upper()}" for name in LOOPS if name != self.loops]
        if self.header and "WENGERT_MODULE_FILE" not in path.read_text(encoding="utf-8"):
            if PACKAGE / lists.NATIVE / SHARED_HEADER in included(path.resolve()):
                flags += ["-include", self.header, "-Winvalid-pch"]
        self.compiler.compile(
            [source],
            output_dir=self.build_temp,
            debug=self.debug,
            macros=extension.define_macros,
            include_dirs=extension.include_dirs,
            extra_postargs=flags,
        )

    def get_export_symbols(self, ext: Extension) -> list[str]:
        """What a library shows, where that must be said: the beginnings of the modules that it holds."""
        return ext.export_symbols or super().get_export_symbols(ext)


class BuildPython(build_py):
    """Copy the Python files; with nothing to compile, take away what an earlier build left in the source tree."""

    def run(self) -> None:
        """Leave an interpreted editable install without extension modules, and a note if that was asked for."""
        super().run()
        if not self.editable_mode:  # what type checkers are to know of the modules in `_torch`
            shutil.copytree(
                HERE / "stubs" / "wengert",
                Path(self.build_lib, "wengert"),
                ignore=shutil.ignore_patterns("py.typed"),
                dirs_exist_ok=True,
            )
        asked = (PACKAGE if self.editable_mode else Path(self.build_lib, "wengert")) / lists.ASKED_FILE
        asked.unlink(missing_ok=True)
        if lists.asked_for_interpreted():
            asked.write_text("WENGERT_PURE was set when this was installed.\n", encoding="utf-8")
        if self.editable_mode and not self.distribution.has_ext_modules():
            BuildExtensions.remove(PACKAGE / lists.record_file(), lists.built_libraries(str(PACKAGE)))


if __name__ == "__main__":
    setup(ext_modules=extensions(), cmdclass={"build_ext": BuildExtensions, "build_py": BuildPython})
