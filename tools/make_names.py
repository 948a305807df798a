"""Write `src/wengert/_start/names.py`, which says where each name lies that is loaded late: `make_names.py [--check]`.

What belongs to a module is said in that module, once:

- an operator by its card, a method by `bind`: the module need only be one that `import wengert` does not load;
- a name of the package that another module has, or a method that is a function of the package, too, by `_IN_PACKAGE`
  of that module; an operator that the package and `nn.functional` share by `_SHARED` of the latter;
- a name of another module that has it late (`on_demand`) by an import for type checkers there, as itself
  (`from .function import Function as Function`), or named in `__all__`;
- a module of the package by its file, unless it is one of `UNNAMED`.

So the tool imports the package without the table, then everything that declares operators or methods, and notes who
registers what.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "wengert"
MIRRORS = PACKAGE / "_torch"
TABLE = PACKAGE / "_start" / "names.py"
UNNAMED = {
    *("demo", "explain", "info", "profile"),  # commands, `python -m wengert.info`
    *("_core", "_kernels", "_start", "_torch", "ops"),  # of no interest to programs
    *("eager", "foreach", "legacy", "native_functions", "settings"),  # their names are the package's, they are not
    *("_custom_ops", "_lobpcg", "as_torch", "functorch", "installed"),  # to be imported: torch has no such attributes
}
"""Modules at the top that are no attributes of the package until something imports them."""
WIDTH = 120
HEAD = '''"""Names that are loaded when they are first asked for, by the module that has them.

Made by tools/make_names.py; do not edit. All names of a module stand in one text: the package is imported often, few
of them are asked for. Modules are named below the package.
"""

'''
LISTS = {
    "OPERATORS": "Operators that are not on Tensor: functions of the package, and what only other modules call.",
    "ON_TENSOR": "Names on Tensor, operators or not.",
    "LATE": "Names of the package (`wengert`) and of modules of it, by who has them; modules are their own homes.",
    "METHODS": "Methods of Tensor that are functions, too, and no operators of their own.",
    "SHARED": "Operators that are the same objects in `nn.functional`; those without a method are so anyway.",
}
DECLARES = re.compile(r"^from \.+_core\.cards(\.card)? import|^bind\(|^    bind\(", re.M)
"""A module that registers something."""
Homes = dict[str, set[str]]


# ---- what the sources say --------------------------------------------------------------------------------------------


def sources() -> Iterator[tuple[str, Path, str]]:
    """The modules of the package, by name below it, with their files and texts."""
    for path in sorted(PACKAGE.rglob("*.py")):
        below = path.relative_to(MIRRORS if path.is_relative_to(MIRRORS) else PACKAGE)
        name = ".".join(below.with_suffix("").parts).removesuffix("__init__").rstrip(".")
        if path != TABLE:
            yield name, path, path.read_text(encoding="utf-8")


def modules_at_top() -> set[str]:
    """The modules that are attributes of the package."""
    names = {entry.stem for folder in (PACKAGE, MIRRORS) for entry in folder.iterdir() if is_module(entry)}
    return names - UNNAMED - {"__init__"}


def is_module(path: Path) -> bool:
    """Whether a file or folder can be imported."""
    return path.suffix == ".py" or (path / "__init__.py").exists()


def imported_late(name: str, path: Path, text: str) -> Iterator[tuple[str, str]]:
    """The names that a module has by an import for type checkers alone, with their modules."""
    body = ast.parse(text).body
    listed = names_in_all(body)
    package = name if path.stem == "__init__" else name.rpartition(".")[0]
    for branch in body:
        if isinstance(branch, ast.If) and ast.unparse(branch.test) == "TYPE_CHECKING":
            for statement in branch.body:
                if isinstance(statement, ast.ImportFrom) and (home := home_of(statement, package)) is not None:
                    is_module_below = (statement.level and not statement.module) or home == name
                    for alias in statement.names:
                        if alias.asname == alias.name or (alias.asname is None and alias.name in listed):
                            yield alias.name, f"{home}.{alias.name}" if is_module_below else home


def home_of(statement: ast.ImportFrom, package: str) -> str | None:
    """The module that a `from ... import` names, below the package; None for another package's.

    Args:
        statement: the import.
        package: the package that it stands in.
    """
    named = statement.module or ""
    if not statement.level:
        return named.removeprefix("wengert.") if named.startswith("wengert.") else None
    above = package.split(".")[: len(package.split(".")) - statement.level + 1]
    return ".".join([*above, *filter(None, [named])])


def names_in_all(body: list[ast.stmt]) -> list[str]:
    """The names in `__all__`; none where there is no such list."""
    for statement in body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "__all__":
            return list(ast.literal_eval(statement.value))
    return []


# ---- what the modules register ---------------------------------------------------------------------------------------


class Registrations(dict[str, Any]):
    """The public operators, with the module that registered each."""

    def __init__(self) -> None:
        self.modules: Homes = defaultdict(set)

    def __setitem__(self, name: str, card: Any) -> None:
        self.modules[running()].add(name)
        super().__setitem__(name, card)


class Watch:
    """Notes what modules register, from the first module on; finds none itself.

    Attributes:
        operators, bound: names of operators and of attributes of Tensor, by module.
    """

    def __init__(self) -> None:
        self.cards = Registrations()
        self.operators: Homes = {}
        self.bound: Homes = defaultdict(set)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        """Take the place of the two doors as soon as they are there."""
        base = sys.modules.get("wengert._core.tensor.base")
        if not self.bound and hasattr(base, "bind"):
            self.watch_methods(base)
        card: Any = sys.modules.get("wengert._core.cards.card")
        if not self.operators and hasattr(card, "CARDS"):
            cards, self.operators = card.CARDS, self.cards.modules
            for module in [vars(module) for name, module in sys.modules.items() if name.startswith("wengert.")]:
                if module.get("CARDS") is cards:
                    module["CARDS"] = self.cards

    def watch_methods(self, base: Any) -> None:
        """Note what is bound to Tensor."""
        bind = base.bind
        self.bound[""] = set()

        def noted(name: str, value: object) -> None:
            self.bound[running()].add(name)
            bind(name, value)

        base.bind = noted


def running() -> str:
    """The module that is being executed, by its name below the package."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code.co_name != "<module>":
        frame = frame.f_back
    return "" if frame is None else str(frame.f_globals["__name__"]).removeprefix("wengert.")


def collect() -> dict[str, Any]:
    """The lists, from the sources and from what the modules do when they are imported; in a process of its own."""
    late, watch = static(), Watch()
    texts = {name: text for name, _, text in sources()}
    table = ModuleType("wengert._start.names")
    vars(table).update(OPERATORS={}, ON_TENSOR={}, LATE=joined(late), METHODS="", SHARED="")
    sys.modules[table.__name__] = table
    sys.meta_path.insert(0, watch)
    import_module("wengert")
    early = {name.removeprefix("wengert.") for name in sys.modules if name.startswith("wengert.")}
    late["wengert"] = {name: names for name, names in late["wengert"].items() if name not in early}
    for name in sorted(texts, key=lambda name: not name.startswith("ops.")):  # whose methods others use
        if DECLARES.search(texts[name]):
            import_module(f"wengert.{name}")
    methods = set()
    for name in texts:
        for method in vars(import_module(f"wengert.{name}"))["_IN_PACKAGE"] if "_IN_PACKAGE" in texts[name] else ():
            if method in watch.bound[name]:
                methods.add(method)
            else:
                late["wengert"].setdefault(name, set()).add(method)
    operators = {name: names - watch.bound[name] for name, names in tuple(watch.operators.items())}
    return {
        "OPERATORS": {name: names for name, names in operators.items() if names and name not in early},
        "ON_TENSOR": {name: names for name, names in watch.bound.items() if names and name not in early},
        "LATE": late,
        "METHODS": methods,
        "SHARED": vars(import_module("wengert.nn.functional"))["_SHARED"],
    }


def static() -> dict[str, Homes]:
    """What follows from the files alone, by module: its modules, and what is imported for type checkers."""
    late: dict[str, Homes] = {"wengert": {name: {name} for name in modules_at_top()}}
    for name, path, text in sources():
        if "on_demand(globals())" in text and name:
            for alias, home in imported_late(name, path, text):
                late.setdefault(f"wengert.{name}", {}).setdefault(home, set()).add(alias)
    return late


def joined(late: dict[str, Homes]) -> dict[str, dict[str, str]]:
    """The same as the table has it."""
    return {name: {home: " ".join(sorted(names)) for home, names in homes.items()} for name, homes in late.items()}


# ---- the file --------------------------------------------------------------------------------------------------------


def text_of(lists: dict[str, Any]) -> str:
    """The text of the generated module."""
    parts = [HEAD]
    for name, comment in LISTS.items():
        parts += [f"{name} = {written(lists[name])}\n", f'"""{comment}"""\n']
    return "".join(parts)


def written(value: Any, depth: int = 0, before: int = 0) -> str:
    """A list of names, or a dictionary of such, as `ruff format` has it.

    Args:
        value: what is to be written.
        depth: how deep it stands.
        before: how many characters come before it in its line, and a comma after it.
    """
    indent = "    " * depth
    if isinstance(value, dict):
        rows = "".join(
            f'{indent}    "{key}": {written(value[key], depth + 1, len(indent) + len(key) + 9)},\n'
            for key in sorted(value)
        )
        return f"{{\n{rows}{indent}}}"
    if len(" ".join(value)) + 2 + before <= WIDTH:
        return f'"{" ".join(sorted(value))}"'
    lines = list(wrapped(sorted(value), WIDTH - len(indent) - 7))
    rows = "".join(f'{indent}    "{line}{" " if line is not lines[-1] else ""}"\n' for line in lines)
    return f"(\n{rows}{indent})"


def wrapped(names: Iterable[str], width: int) -> Iterator[str]:
    """Names in lines."""
    line = ""
    for name in names:
        if line and len(line) + 1 + len(name) > width:
            yield line
            line = ""
        line = f"{line} {name}".lstrip()
    yield line


def fresh() -> str:
    """The text as it is to be, by a process that has imported nothing of the package and runs the interpreted build."""
    path = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, __file__, "--print"],
        env={**os.environ, "PYTHONPATH": path, "WENGERT_PURE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout


def main() -> int:
    """Write the table, check that it is fresh, or print it."""
    if "--print" in sys.argv[1:]:
        print(end=text_of(collect()))
        return 0
    text = fresh()
    if "--check" not in sys.argv[1:]:
        TABLE.write_text(text, encoding="utf-8")
    elif not TABLE.exists() or TABLE.read_text(encoding="utf-8") != text:
        print(f"{TABLE.relative_to(ROOT)} is stale: run tools/make_names.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
