"""The hand-written programs of `tests/parity/programs`, the behaviour table of `tests/mechanics`, the record of torch's
answers, the known differences.
"""

from __future__ import annotations

import importlib.util
import json
import re
import sys
import tomllib
from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "tests" / "parity" / "programs"
BEHAVIOUR = ROOT / "tests" / "mechanics"
EXPECTED = ROOT / "tests" / "parity" / "expected.json"
KNOWN = ROOT / "tools" / "parity_known.toml"


def collect(folder: Path = PROGRAMS) -> dict[str, Callable[[Any], Any]]:
    """All programs by name (`file.function`): the public functions whose only parameter is `torch`."""
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    programs: dict[str, Callable[[Any], Any]] = {}
    for path in sorted(folder.glob("*.py")):
        spec = importlib.util.spec_from_file_location(f"parity_programs_{path.stem}", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for name, value in vars(module).items():
            code = getattr(value, "__code__", None)
            if code and not name.startswith("_") and code.co_varnames[: code.co_argcount] == ("torch",):
                programs[f"{path.stem}.{name}"] = value
    return programs


def behaviour() -> dict[str, Callable[[Any], Any]]:
    """The tests of the behaviour table, by name: they assert what the notes on autograd mechanics say."""
    return {name: program for name, program in collect(BEHAVIOUR).items() if ".test_" in name}


def read_expected() -> dict[str, Any]:
    """What torch answered when it was last asked, by program."""
    return json.loads(EXPECTED.read_text(encoding="utf-8"))["programs"]


def write_expected(version: str, answers: dict[str, Any]) -> None:
    """Keep torch's answers, one program a line."""
    lines = [f"{json.dumps(name)}: {json.dumps(answer)}" for name, answer in sorted(answers.items())]
    text = f'{{"torch": {json.dumps(version)}, "programs": {{\n' + ",\n".join(lines) + "\n}}\n"
    EXPECTED.write_text(text, encoding="utf-8")


class Known:
    """The differences that are wanted: patterns of program names with a reason each.

    Args:
        path: a TOML file of tables `["pattern"]` (`[["pattern"]]` where there are several) with `reason`; with `only`,
            a text that the difference must hold (or several, one of which it must), or `matches`, a regular expression
            for it; with `program`, one that a generated program's text must match; with `whole = true` where such a
            difference explains all others of the program; and with `sometimes = true` where a run may show no such
            difference, as where it depends on the machine.
    """

    def __init__(self, path: Path = KNOWN) -> None:
        tables = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        self.entries: dict[str, dict[str, Any]] = {
            pattern if isinstance(entries, dict) else f"{pattern}: {entry.get('reason')}": {"pattern": pattern, **entry}
            for pattern, entries in tables.items()
            for entry in (entries if isinstance(entries, list) else [entries])
        }
        self.used = {name for name, entry in self.entries.items() if entry.get("sometimes")}
        for entry in self.entries.values():
            if not entry.get("reason"):
                raise ValueError(f"{path.name}: {entry['pattern']} has no reason")

    def unexplained(self, program: str, lines: list[str], text: str = "") -> list[str]:
        """The differences of a program that no entry explains; `text` is that of a generated one."""
        for name, entry in self.entries.items():
            if fnmatch(program, entry["pattern"]) and re.search(entry.get("program", ""), text):
                only = entry.get("only", "")
                texts = [only] if isinstance(only, str) else only
                form = entry.get("matches", "")
                explained = [line for line in lines if any(text in line for text in texts) and re.search(form, line)]
                if explained:
                    self.used.add(name)
                    lines = [] if entry.get("whole") else [line for line in lines if line not in explained]
        return lines
