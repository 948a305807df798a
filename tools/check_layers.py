"""The import rule: layers that point one way, read from the source by its syntax tree.

`python tools/check_layers.py [FOLDER]` checks the package in FOLDER (default: `src/wengert`), prints each breach as
`file:line: message`, and exits with 1 if there is one. `ALLOWED` and `ROOMS` below are the rule, whole.

Only imports that run are counted: what stands under `if TYPE_CHECKING:` serves annotations. The standard library is
free to all. An optional third-party package may be imported inside functions only, so that the package imports
without it. The `cimport`s of `.pxd` files count as imports.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = "wengert"
SOURCE = Path(__file__).resolve().parent.parent / "src" / PACKAGE

_ENGINE = (
    "_kernels",
    "_core",
    "ops",
    "printing",
    "conversions",
    "pickling",
    "indexing",
    "gradients",
    "transformed",
    "tensor",
)
_USERS = (
    "profiler",
    "special",
    "linalg",
    "masked",
    "sparse",
    "quasirandom",
    "fft",
    "signal",
    "func",
    "compat",
    "scipy",
    "distributions",
    "nn",
    "debugging",
    "optim",
    "utils",
    "vision",
    "io",
    "viz",
    "demo",
)  # each on those before it

_MIRRORS = (  # torch's modules for what is not there, and settings that change nothing
    *(
        "accelerator",
        "amp",
        "as_torch",
        "backends",
        "compiler",
        "cpu",
        "cuda",
        "distributed",
        "futures",
        "fx",
        "hub",
        "jit",
    ),
    *(
        "legacy",
        "mps",
        "mtia",
        "multiprocessing",
        "onnx",
        "overrides",
        "placing",
        "random",
        "serialization",
        "settings",
    ),
    *("storage", "types", "version", "xpu"),
)

FOR_ALL = ("_boundary", "_loading", "_tracebacks")
"""Modules that stand below all layers: imports in the middle of a program, and errors that leave the package."""

# Layer -> the layers that it may import, apart from itself. A module of the package that is not listed is a breach.
ALLOWED: dict[str, tuple[str, ...]] = {
    "_build": ("_loading",),
    "_loading": ("_boundary", "missing"),
    "_boundary": ("_tracebacks",),
    "_tracebacks": (),
    "missing": (),
    "__future__": ("nn",),
    "_later": (),
    "_kernels": (),
    "_core": (),
    "ops": ("_core", "_kernels"),
    "printing": ("_core",),
    "conversions": ("_core", "_later", "ops"),
    "transformed": ("_core",),
    "shown": ("_core", "printing", "transformed"),
    "pickling": ("_core", "ops"),
    "indexing": ("_core", "ops"),
    "gradients": ("_core",),
    "tensor": ("_core", "_later", "ops", "shown", "pickling", "indexing", "gradients"),
    "questions": ("_core",),
    "removed": (),
    "eager": ("_core", "ops", "tensor"),
    "foreach": ("tensor", "_later", "linalg"),
    "functional": ("_loading",),
    "return_types": ("ops",),
    "kinds": ("_core", "removed"),
    "settings": ("_core", "ops"),
    "legacy": ("_core", "ops", "tensor"),
    "version": (),
    "torch_version": ("version",),
    "_tensor": ("_core", "tensor"),
    "_tensor_str": ("ops", "printing", "shown", "tensor"),
    "_utils": ("tensor",),
    "_VF": (),
    "_ops": ("ops",),
    "_jit_internal": ("jit",),
    "_linalg_utils": ("tensor", "linalg"),
    "_lobpcg": ("tensor", "ops", "autograd", "linalg"),
    "_lowrank": ("tensor", "ops"),
    "_vmap_internals": ("func",),
    "_functorch": ("func", "functorch", "nn"),
    "absent": (),
    "export": ("absent",),
    "_export": ("export",),
    "_subclasses": ("ops", "tensor", "utils"),
    "_guards": ("_subclasses", "utils"),
    "_prims_common": ("ops", "tensor"),
    "_refs": ("_loading", "ops"),
    "_decomp": ("ops",),
    "_inductor": (),
    "_library": ("library",),
    "fx": ("_core", "absent", "nn", "overrides", "utils"),
    "ao": ("absent", "nn"),
    "quantization": ("ao",),
    "__config__": ("info",),
    "installed": ("version",),
    **dict.fromkeys(("compiler", "futures", "multiprocessing"), ()),
    "jit": ("futures",),
    "hub": ("io",),
    "onnx": ("absent", "ops"),
    "_custom_ops": ("library",),
    "accelerator": ("_core",),
    "cpu": ("_core", "_loading", "amp"),
    **dict.fromkeys(("cuda", "mps", "mtia", "xpu"), ("_loading", "absent", "amp")),
    "amp": ("_core", "tensor"),
    "backends": ("_kernels", "_loading"),
    "overrides": ("_core",),
    "placing": ("_core", "overrides"),
    "types": ("_core",),
    "random": ("ops",),
    "serialization": ("io",),
    "storage": ("ops",),
    "_C": ("_core", "ops", "nn", "amp", "_loading", "absent", "autograd", "func", "tensor", "transformed"),
    "_higher_order_ops": ("eager", "ops", "tensor", "utils"),
    "distributed": ("absent", "autograd", "tensor"),
    "as_torch": ("_loading",),
    "autograd": ("_core", "_loading", "tensor"),
    **{name: ("tensor", "ops", "autograd", *_USERS[:rank]) for rank, name in enumerate(_USERS)},
    "func": ("transformed", "tensor", "ops", "autograd", *_USERS[: _USERS.index("func")]),
    "functorch": ("tensor", "torch_version", "nn", "func"),
    # what calls the package as a program does, loaded when NumPy first asks
    "compat": ("__init__", "_loading", "_core", "tensor", "ops", "autograd", *_USERS[: _USERS.index("compat")]),
    "nn": ("_loading", "absent", "tensor", "ops", "autograd", "distributed", *_USERS[: _USERS.index("nn")]),
    "native_forms": ("nn", "ops", "tensor"),
    "_dynamo": ("compiler", "overrides"),
    "utils": (
        *("_kernels", "_loading", "absent", "amp", "info", "pickling", "placing", "tensor", "ops", "autograd", "hub"),
        *_USERS[: _USERS.index("utils")],
    ),
    "distributions": ("_core", "tensor", "ops", "autograd"),
    "library": ("tensor", "ops", "autograd", "amp"),
    "vision": ("__init__", "library", "hub", "tensor", "ops", "autograd", *_USERS[: _USERS.index("vision")]),
    "io": ("__init__", "_core", "_kernels", "ops", "tensor", "pickling", "amp", "nn", "optim"),  # what files hold
    "demo": ("__init__", "_build", "tensor", "ops", "autograd", *_USERS[:-1]),  # a user's program, in the package
    "testing": (*_ENGINE, "autograd", *_USERS[:-1]),
    "debugging": ("_core", "_program", "tensor", "ops", "autograd", "nn"),  # it tells what the engine notes
    "_program": (),
    "profile": ("_program", "autograd", "viz"),  # the command
    "info": ("__init__", "_build", "_kernels"),
    "__init__": ("_build", "_later", "_loading", *_ENGINE, "questions", "autograd", *_USERS[:-1], *_MIRRORS),
    "explain": ("debugging",),
}
# Layer -> its rooms and the files beside them, each of which may import those before it.
ROOMS: dict[str, tuple[str, ...]] = {
    "_core": (
        *(
            "plain",
            "door",
            "collected",
            "vectorcall",
            "freeing",
            "frames",
            "flags",
            "forks",
            "types",
            "kernel_names",
            "errors",
            "forward_errors",
            "out_errors",
            "batch_errors",
            "sparse_errors",
            "state",
            "graph",
            "tensor",
        ),
        *(
            "profiling",
            "operators",
            "leaves",
            "aliasing",
            "recording",
            "calls",
            "writes",
            "backward",
            "functions",
            "cards",
        ),
    ),
    "ops": (
        *(
            "families",
            "family",
            "axes",
            "differentiated",
            "dtype_checks",
            "aten_names",
            "namespaces",
            "return_types",
            "memory",
            "create",
            "shapes",
            "pointwise",
            "reductions",
            "sparse",
            "indexing",
        ),
        *("linalg", "order", "randomness", "neural", "images", "fourier", "__init__"),
    ),
}
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
        found = re.match(rf"\s*from ({PACKAGE}[\w.]*) cimport (.*)", line)
        if found:
            yield number, named_modules(found[1].split("."), found[2].split(", "))


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


def breach(layer: str, room: str, imported: str, *, inside: bool) -> str | None:
    """What is wrong with a module in `room` of `layer` importing `imported`; `None` if nothing is."""
    top, _, rest = imported.partition(".")
    if top == PACKAGE:
        target = rest.split(".")[0] or "__init__"
        if target.startswith("__"):  # `__version__` and the like: names in the package's own file
            target = "__init__"
        if target == layer:
            return room_breach(layer, room, rest.split(".")[1] if "." in rest else "__init__")
        if target in ALLOWED[layer] or target in FOR_ALL:
            return None
        return f"{layer} may not import {target} (allowed: {', '.join(ALLOWED[layer]) or 'nothing'})"
    if top in sys.stdlib_module_names or top in ALWAYS_THERE or top in DIRECTIVES.get(layer, ()):
        return None
    if top in OPTIONAL:
        return None if inside else f"{top} is optional: import it inside the function that needs it"
    return f"{layer} may not import {top}"


def check_file(path: Path, root: Path) -> list[str]:
    """The breaches in one file."""
    layer = layer_of(path, root)
    if layer not in ALLOWED:
        return [f"{path}:1: {layer} is no layer of the package: give it a line in ALLOWED of tools/check_layers.py"]
    package = [PACKAGE, *path.relative_to(root).parts[:-1]]
    room = (*path.relative_to(root).with_suffix("").parts, "")[1]
    imports: Iterator[tuple[int, list[str], bool]]
    if path.suffix == ".pxd":
        imports = ((line, modules, False) for line, modules in declared_imports(path))
    else:
        statements = running_imports(ast.parse(path.read_text(encoding="utf-8"), str(path)))
        imports = ((each.lineno, imported_modules(each, package), inside) for each, inside in statements)
    found = []
    for line, modules, inside in imports:
        messages = [breach(layer, room, imported, inside=inside) for imported in modules]
        found += [f"{path}:{line}: {message}" for message in messages if message]
    return found


def check_tree(root: Path) -> list[str]:
    """The breaches in all files of the package in `root`."""
    files = sorted([*root.rglob("*.py"), *root.rglob("*.pxd")])
    found = [message for path in files for message in check_file(path, root)]
    return found + [f"{root}: these modules import each other: {', '.join(circle)}" for circle in circles(root)]


def circles(root: Path) -> list[list[str]]:
    """Groups of modules that lead to each other by imports, also by those inside functions; without packages' own."""
    files = {(PACKAGE, *path.relative_to(root).with_suffix("").parts): path for path in root.rglob("*.py")}
    imports = {module: imported_files(module, path, files) for module, path in files.items()}
    while ends := [module for module, targets in imports.items() if not targets]:
        for end in ends:
            del imports[end]
        imports = {module: targets - set(ends) for module, targets in imports.items()}
    found = []
    for module in imports:
        reached = reachable(module, imports)
        if module in reached:
            found.append(sorted(".".join(each) for each in reached if module in reachable(each, imports)))
    return [circle for at, circle in enumerate(found) if circle not in found[:at]]


def imported_files(module: Module, path: Path, files: dict[Module, Path]) -> set[Module]:
    """The modules of the package that a module imports."""
    found: set[Module] = set()
    for statement, _ in running_imports(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        if isinstance(statement, ast.ImportFrom):
            base = module[: len(module) - statement.level] if statement.level else ()
            base += tuple(statement.module.split(".")) if statement.module else ()
            named = [(*base, alias.name) if (*base, alias.name) in files else base for alias in statement.names]
        else:
            named = [tuple(alias.name.split(".")) for alias in statement.names]
        found.update(each for each in named if each in files and each != module)
    return found


def reachable(module: Module, imports: dict[Module, set[Module]]) -> set[Module]:
    """All modules that imports lead to from one."""
    found: set[Module] = set()
    waiting = [module]
    while waiting:
        fresh = imports[waiting.pop()] - found
        found |= fresh
        waiting += fresh
    return found


def main() -> int:
    """Check the package, print what is wrong."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCE
    found = check_tree(root)
    print(*found, sep="\n", end="\n" if found else "")
    print(f"layer rule: {len(found)} breaches" if found else "layer rule: kept")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
