"""The import rule: layers that point one way, read from the source by its syntax tree.

`python tools/check_layers.py [FOLDER]` checks the package in FOLDER (default: `src/wengert`), prints each breach as
`file:line: message`, and exits with 1 if there is one. `FLOORS` and `ROOMS` below are the rule, whole.

Only imports that run are counted: what stands under `if TYPE_CHECKING:` serves annotations. The standard library is
free to all. An optional third-party package may be imported inside functions only, so that the package imports
without it. The `cimport`s of `.pxd` files count as imports. Of the C++ sources of `_kernels/native` the `#include`s are
read: `NATIVE_ROOMS`.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = "wengert"
SOURCE = Path(__file__).resolve().parent.parent / "src" / PACKAGE

FLOORS: tuple[tuple[str, ...], ...] = (
    ("_start",),
    ("_core", "_kernels"),
    ("ops", "overrides"),
    ("_tensor",),
    ("autograd",),
    (
        *("__init__", "amp", "distributed", "distributions", "fft", "func", "linalg", "masked", "profiler"),
        *("quasirandom", "signal", "sparse", "special"),
    ),
    ("info", "library", "compat", "scipy", "nn", "testing"),
    ("debugging", "optim"),
    ("io", "viz"),
    ("hub", "profile", "explain"),
    ("utils", "vision"),
    ("_torch",),
    ("demo",),
)
"""The layers from below: each may import those of the floors below its own, and none of the same floor.

`__init__` is the package's own file, which stands for all that it names. The modules in `_torch` have other names.
"""
AT_THE_TOP = 55
"""How many files and packages may lie in the package's own folder."""
FLOOR_OF = {layer: number for number, floor in enumerate(FLOORS) for layer in floor}
OF_TORCH = {path.stem for path in (SOURCE / "_torch").iterdir()} - {"__init__", "__pycache__"}
"""The modules that lie in `_torch`, and are not called by that name."""
ROOMS: dict[str, list[str]] = {
    "_core": """
        plain door collected vectorcall freeing frames shortcuts stamps flags bits forks types errors forward_errors
        out_errors batch_errors sparse_errors state graph tensor profiling holders operators leaves aliasing recording
        calls writes backward functions cards capture
    """.split(),  # noqa: SIM905 - so that it can be read
    "ops": """
        signs family axes differentiated dtype_checks shape_rules aten_names namespaces return_types memory create
        shapes pointwise reductions sparse indexing linalg order randomness neural images fourier __init__
    """.split(),  # noqa: SIM905 - so that it can be read
}
"""The rooms of a layer and the files beside them, each of which may import those before it."""
NATIVE_ROOMS = {
    "base": "",
    "binding": "base",
    "pointwise": "base binding",
    "reduce": "base binding",
    "norm": "base binding",
    "sort": "base binding",
    "index": "base binding",
    "arrays": "base binding index",
    "linalg": "base binding reduce",
    "conv": "base binding linalg",
    "images": "base binding arrays",
    "fourier": "base binding",
    "replay": "base binding",
    "attention": "base binding linalg",
    "recurrent": "base binding",
    "random": "base binding arrays",
    "loss": "base binding",
    "optim": "base binding",
}
"""The rooms of the C++ sources, each with those that it may include. `ALL_LOOPS` includes the loops of all of them."""
ALL_LOOPS, LOOPS_ENDING = "loops", ".inc"
NATIVE_ENDINGS = (".cpp", ".hpp", LOOPS_ENDING)
# Third-party packages that layers may import as soon as they are imported themselves.
ALWAYS_THERE = {"numpy"}
# `import cython` is what the compiler of the core reads; `_core/plain.py` stands in for it at run time.
DIRECTIVES = {"_core": {"cython"}}
# Packages that are there only with an extra: inside functions.
OPTIONAL = {
    "scipy",
    "safetensors",
    "tqdm",
    "matplotlib",
    "ml_dtypes",
    "PIL",
    "graphviz",
    "opt_einsum",
    "hypothesis",
    "pytest",
    "mpmath",
    "tensorboardX",
}

Module = tuple[str, ...]  # the parts of its name


def module_name(path: Path, root: Path) -> Module:
    """The name of the module that a file of the package is; that of a package ends with `__init__`."""
    parts = path.relative_to(root).with_suffix("").parts
    return (PACKAGE, *(parts[1:] if parts[0] == "_torch" and len(parts) > 1 else parts))


def layer_of(path: Path, root: Path) -> str:
    """The layer to which a file of the package belongs: the first part of its path."""
    return path.relative_to(root).with_suffix("").parts[0]


def running_imports(node: ast.AST, *, inside: bool = False) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    """The import statements below `node` that run, each with whether it stands inside a function."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, inside
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            for other in child.orelse:
                yield from running_imports(ast.Module([other], []), inside=inside)
        else:
            deeper = inside or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from running_imports(child, inside=deeper)


def imported_modules(statement: ast.Import | ast.ImportFrom, package: list[str]) -> list[str]:
    """The absolute names of what a statement in a module of `package` imports."""
    if isinstance(statement, ast.Import):
        return [alias.name for alias in statement.names]
    base = package[: len(package) - statement.level + 1] if statement.level else []
    parts = base + (statement.module.split(".") if statement.module else [])
    return named_modules(parts, [alias.name for alias in statement.names])


def named_modules(parts: list[str], names: list[str]) -> list[str]:
    """The modules that `from parts import names` names; `from wengert import nn` does so in its second half."""
    if parts == [PACKAGE] or (parts[0] == PACKAGE and len(parts) == 2 and parts[1] in ROOMS):
        return [".".join([*parts, name]) for name in names]
    return [".".join(parts)]


def declared_imports(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The lines of a `.pxd` file that import from the package, each with the modules that it names."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = re.match(rf"\s*from ({PACKAGE}[\w.]*) cimport (.*)", line)
        if match:
            yield number, named_modules(match[1].split("."), match[2].split(", "))


def room_breach(layer: str, room: str, target: str) -> str | None:
    """What is wrong with a module in a room importing from room `target` of the same layer; `None` if nothing is."""
    rooms = ROOMS.get(layer)
    if rooms is None or room == target:
        return None
    for name in (room, target):
        if name not in rooms:
            return f"{layer}/{name} is no room of {layer}: give it its place in ROOMS of tools/check_layers.py"
    if rooms.index(target) < rooms.index(room):
        return None
    return f"{layer}/{room} may not import {layer}/{target}, which stands on it"


def target_of(name: str) -> str:
    """The layer of a module, by its name without the package's; empty for the package itself."""
    first = name.split(".")[0]
    if first in OF_TORCH:
        return "_torch"
    return first if first in FLOOR_OF else "__init__"  # `__version__` and the like: names in the package's own file


def breach(layer: str, room: str, imported: str, *, inside: bool) -> str | None:
    """What is wrong with a module in `room` of `layer` importing `imported`; `None` if nothing is."""
    top, _, rest = imported.partition(".")
    if top == PACKAGE:
        target = target_of(rest)
        if target == "_torch" and rest.startswith(target):
            return f"the modules in {target} are imported by torch's names, as wengert.cuda"
        if target == layer:
            return room_breach(layer, room, rest.split(".")[1] if "." in rest else "__init__")
        if target in FLOOR_OF and FLOOR_OF[target] < FLOOR_OF[layer]:
            return None
        return f"{layer} may not import {target}, which does not stand below it (FLOORS in tools/check_layers.py)"
    if top in sys.stdlib_module_names or top in ALWAYS_THERE or top in DIRECTIVES.get(layer, ()):
        return None
    if top in OPTIONAL:
        return None if inside else f"{top} is optional: import it inside the function that needs it"
    return f"{layer} may not import {top}"


def check_file(path: Path, root: Path) -> list[str]:
    """The breaches in one file."""
    layer = layer_of(path, root)
    if layer not in FLOOR_OF:
        return [f"{path}:1: {layer} is no layer of the package: give it a place in FLOORS of tools/check_layers.py"]
    package = [*module_name(path, root)[:-1]]
    room = (*path.relative_to(root).with_suffix("").parts, "")[1]
    imports: Iterator[tuple[int, list[str], bool]]
    if path.suffix == ".pxd":
        imports = ((line, modules, False) for line, modules in declared_imports(path))
    else:
        statements = running_imports(ast.parse(path.read_text(encoding="utf-8"), str(path)))
        imports = ((statement.lineno, imported_modules(statement, package), inside) for statement, inside in statements)
    breaches = []
    for line, modules, inside in imports:
        messages = [breach(layer, room, imported, inside=inside) for imported in modules]
        breaches += [f"{path}:{line}: {message}" for message in messages if message]
    return breaches


def check_tree(root: Path) -> list[str]:
    """The breaches in all files of the package in `root`."""
    files = sorted([*root.rglob("*.py"), *root.rglob("*.pxd")])
    breaches = [message for path in files for message in check_file(path, root)]
    breaches += [f"{root}: these modules import each other: {', '.join(circle)}" for circle in circles(root)]
    native = root / "_kernels" / "native"
    sources = sorted(path for path in native.rglob("*") if path.suffix in NATIVE_ENDINGS)
    breaches += [message for path in sources for message in check_includes(path, native)]
    entries = [path for path in root.iterdir() if path.is_file() or (path / "__init__.py").exists()]
    if len(entries) > AT_THE_TOP:
        breaches.append(f"{root}: {len(entries)} files and folders lie side by side, more than {AT_THE_TOP}")
    return breaches


def check_includes(path: Path, native: Path) -> list[str]:
    """The breaches in one C++ file: ours are included by their path in `native`, as `#include "base/threads.hpp"`."""
    room = path.parent.relative_to(native).as_posix()
    if room not in NATIVE_ROOMS and room != ALL_LOOPS:
        return [f"{path}:1: {room} is no room of C++ sources: give it a place in NATIVE_ROOMS of tools/check_layers.py"]
    breaches = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        included = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        if included and not may_include(room, included[1]):
            breaches.append(f"{path}:{number}: native/{room} may not include {included[1]} (NATIVE_ROOMS)")
    return breaches


def may_include(room: str, name: str) -> bool:
    """Whether a file in a room of C++ sources may include another, named by its path."""
    target = name.rpartition("/")[0]
    if room == ALL_LOOPS and target in NATIVE_ROOMS:
        return target == "base" or name.endswith(LOOPS_ENDING)
    return target == room or target in NATIVE_ROOMS.get(room, "").split()


def circles(root: Path) -> list[list[str]]:
    """Groups of modules that lead to each other by imports, also by those inside functions; without packages' own."""
    files = {module_name(path, root): path for path in root.rglob("*.py")}
    imports = {module: imported_files(module, path, files) for module, path in files.items()}
    while ends := [module for module, targets in imports.items() if not targets]:
        for end in ends:
            del imports[end]
        imports = {module: targets - set(ends) for module, targets in imports.items()}
    cycles = []
    for module in imports:
        reached = reachable(module, imports)
        if module in reached:
            cycles.append(sorted(".".join(other) for other in reached if module in reachable(other, imports)))
    return [circle for at, circle in enumerate(cycles) if circle not in cycles[:at]]


def imported_files(module: Module, path: Path, files: dict[Module, Path]) -> set[Module]:
    """The modules of the package that a module imports."""
    modules: set[Module] = set()
    for statement, _ in running_imports(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        if isinstance(statement, ast.ImportFrom):
            base = module[: len(module) - statement.level] if statement.level else ()
            base += tuple(statement.module.split(".")) if statement.module else ()
            named = [(*base, alias.name) if (*base, alias.name) in files else base for alias in statement.names]
        else:
            named = [tuple(alias.name.split(".")) for alias in statement.names]
        modules.update(imported for imported in named if imported in files and imported != module)
    return modules


def reachable(module: Module, imports: dict[Module, set[Module]]) -> set[Module]:
    """All modules that imports lead to from one."""
    reached: set[Module] = set()
    waiting = [module]
    while waiting:
        fresh = imports[waiting.pop()] - reached
        reached |= fresh
        waiting += fresh
    return reached


def main() -> int:
    """Check the package, print what is wrong."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCE
    breaches = check_tree(root)
    print(*breaches, sep="\n", end="\n" if breaches else "")
    print(f"layer rule: {len(breaches)} breaches" if breaches else "layer rule: kept")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
