"""Check the type stubs with mypy: `python tools/check_stub.py`.

Three things, with the settings of a strict program that uses the package: the programs of
`tests/project/typed_programs.py` pass, `assert_type` included; each line of `tests/project/typed_mistakes.py` that says
`# error: <code>` is an error of that code, and no other line is; and every call that a sample of a card makes is
allowed, as a function, as a method and in place, with the result that it has when it is run.

Where pyright is installed (`npm install --global pyright`), it reads the same programs beside the package as a wheel
installs it.
"""

from __future__ import annotations

import inspect
import json
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

import numpy as np  # noqa: E402

import wengert as wg  # noqa: E402
from wengert._core.cards.card import REGISTRY, Bad, Card, Sample  # noqa: E402
from wengert.nn import functional  # noqa: E402
from wengert.testing.calls import Call, one_dtype, samples_of  # noqa: E402

PROGRAMS = ROOT / "tests" / "project" / "typed_programs.py"
MISTAKES = ROOT / "tests" / "project" / "typed_mistakes.py"
SETTINGS = "[mypy]\nstrict = true\nfollow_imports = silent\n"
HEAD = """import typing
import numpy as np
import wengert as wg
import wengert.nn.functional as F
T: wg.Tensor
A: np.ndarray[typing.Any, typing.Any]
U: typing.Any
"""
FUNCTIONAL: dict[Any, list[str]] = {}
"""Names in `nn.functional`, by the body of the operator."""
for _name in functional.__all__:
    _function = vars(functional)[_name]
    FUNCTIONAL.setdefault(getattr(_function, "body", None) or inspect.unwrap(_function), []).append(_name)
FOUND = re.compile(r"^(?P<path>[^:]+):(?P<line>\d+): error: (?P<text>.*?)(?:  \[(?P<code>[\w-]+)\])?$", re.M)


def errors_in(paths: list[Path]) -> dict[tuple[str, int], list[tuple[str, str]]]:
    """What mypy finds in files: code and text, by file name and line.

    Raises:
        RuntimeError: mypy says something else.
    """
    from mypy import api

    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder, "mypy.ini")
        settings.write_text(SETTINGS + f"mypy_path = {ROOT / 'src'}:{ROOT / 'stubs'}\n", encoding="utf-8")
        cache = ROOT / ".mypy_cache" / "programs"
        out, trouble, status = api.run([f"--config-file={settings}", f"--cache-dir={cache}", *map(str, paths)])
    errors: dict[tuple[str, int], list[tuple[str, str]]] = {}
    for match in FOUND.finditer(out):
        place = Path(match["path"]).name, int(match["line"])
        errors.setdefault(place, []).append((match["code"] or "", match["text"]))
    if trouble or status not in (0, 1) or (status == 1 and not errors):
        raise RuntimeError(f"mypy failed: {trouble}{out}")
    return errors


def expected_in(path: Path) -> dict[tuple[str, int], str]:
    """The errors that a file expects: codes by file name and line."""
    lines = path.read_text(encoding="utf-8").splitlines()
    marked = ((at, re.search(r"# error: ([\w-]+)$", line)) for at, line in enumerate(lines, 1))
    return {(path.name, at): mark[1] for at, mark in marked if mark}


def text_of(value: Any) -> str:
    """An argument as a program would write it; `T` is a tensor, `A` an array, `U` what has no literal."""
    if isinstance(value, wg.Tensor):
        return "T"
    if isinstance(value, wg.Size):
        return "T.shape"
    if type(value) in (list, tuple):
        inner = ", ".join(map(text_of, value))
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' * (len(value) == 1)})"
    if type(value) is float and not np.isfinite(value):
        return "wg.nan" if value != value else "-wg.inf" if value < 0 else "wg.inf"
    if value is None or type(value) in (bool, int, float, complex, str):
        return repr(value)
    if isinstance(value, wg.dtype):
        return f"wg.{value.name}"
    if isinstance(value, wg.Generator):
        return "wg.Generator()"
    if isinstance(value, wg.memory_format):
        return "wg.channels_last"
    if isinstance(value, np.ndarray):
        return "A"
    return "U"


def result_text(value: Any) -> str:
    """The type of a result, as programs write it."""
    if isinstance(value, (tuple, list)) and all(isinstance(element, wg.Tensor) for element in value):
        return "tuple[wg.Tensor, ...]" if isinstance(value, tuple) else "list[wg.Tensor]"
    if isinstance(value, tuple) and hasattr(value, "__match_args__"):
        return "tuple[object, object]"
    return (
        f"wg.{type(value).__name__}"
        if isinstance(value, (wg.Tensor, wg.Size, wg.Generator))
        else ("None" if value is None else type(value).__name__)
    )


def calls_of(name: str, operator: Any, sample: Sample) -> Iterator[str]:
    """What a program may write for a sample: functions, the method, the in-place form; stubs tell no private ones."""
    words = [text_of(argument) for argument in sample.args]
    named = [f"{key}={text_of(value)}" for key, value in sample.kwargs.items()]
    everything, rest = ", ".join([*words, *named]), ", ".join([*words[1:], *named])
    apart = hasattr(operator, "as_function") or getattr(operator, "function_of", None)
    one_by_one = apart and len(words) > 2  # integers, which only the method gathers
    if operator.function and not name.startswith("_") and not one_by_one:
        yield f"wg.{name}({everything})"
    for known in FUNCTIONAL.get(operator.body, ()):
        yield f"F.{known}({everything})"
    if words[:1] == ["T"]:
        if operator.method and not name.startswith("_"):
            yield f"T.{name}({rest})"
        if isinstance(operator, Card) and operator.in_place is not None:
            yield f"T.{operator.in_place.name}({rest})"


def result_of(operator: Any, sample: Sample) -> Any:
    """What an operator returns for a sample, whatever is checked of that."""
    results = []

    def noted(*args: Any, **kwargs: Any) -> Any:
        results.append(Call(operator, args, kwargs).run())
        return results[-1]

    Call(noted, sample.args, sample.kwargs, through=sample.through).run()
    return results[0]


def sampled_of(name: str) -> Iterator[tuple[str, str]]:
    """All calls of the samples of an operator, with the types of their results."""
    operator = REGISTRY[name]
    for sample in () if operator.sampler is None else samples_of(operator, one_dtype(operator)):
        if not isinstance(sample, Bad):
            result = result_text(result_of(operator, sample))
            for call in calls_of(name, operator, sample):
                yield call, result


def problems(folder: Path) -> list[str]:
    """What is wrong with the stubs."""
    calls = sorted({call for name in REGISTRY for call in sampled_of(name)})
    program = folder / "samples.py"
    lines = [call if result == "None" else f"r{at}: {result} = {call}" for at, (call, result) in enumerate(calls)]
    program.write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")
    errors = errors_in([PROGRAMS, MISTAKES, program])
    expected = {**expected_in(PROGRAMS), **expected_in(MISTAKES)}
    wrong = compare(errors, expected)
    print(f"{len(calls)} calls of samples, {len(expected)} mistakes: {len(wrong)} problems")
    first = HEAD.count("\n") + 1
    return [
        f"{name}:{at}: {text}" + (f": {lines[at - first]}" if name == program.name else "")
        for (name, at), text in wrong.items()
    ]


def compare(
    errors: dict[tuple[str, int], list[tuple[str, str]]], expected: dict[tuple[str, int], str]
) -> dict[tuple[str, int], str]:
    """Where errors were found that nobody expected, or not found where one was expected; and which."""
    wrong = {}
    for place in sorted({*errors, *expected}):
        codes = [code for code, _ in errors.get(place, [])]
        wanted = [expected[place]] if place in expected else []
        if codes != wanted:
            texts = "; ".join(f"{text} [{code}]" for code, text in errors.get(place, []))
            wrong[place] = texts or f"no error, expected {expected[place]}"
    return wrong


def problems_of_pyright(command: str, folder: Path, programs: Path = PROGRAMS) -> list[str]:
    """What pyright finds in programs that use the package as a wheel installs it.

    Args:
        command: pyright.
        folder: an empty one.
        programs: the file to check.
    """
    package = folder / "site" / "wengert"
    shutil.copytree(ROOT / "src" / "wengert", package, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    shutil.copytree(ROOT / "stubs" / "wengert", package, ignore=shutil.ignore_patterns("py.typed"), dirs_exist_ok=True)
    project = folder / "project"
    project.mkdir()
    shutil.copy(programs, project)
    settings = project / "pyrightconfig.json"
    settings.write_text(json.dumps({"extraPaths": [str(package.parent)]}), encoding="utf-8")
    arguments = [command, "--outputjson", "--pythonpath", sys.executable, "--project", str(settings)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    diagnostics = json.loads(done.stdout)["generalDiagnostics"]
    errors = [entry for entry in diagnostics if entry["severity"] == "error"]
    return [f"pyright: {programs.name}:{entry['range']['start']['line'] + 1}: {entry['message']}" for entry in errors]


def main() -> int:
    """Print what is wrong; the exit status says whether anything is."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of operators, about arguments of samples
        wrong = problems(Path(folder))
    command = shutil.which("pyright")
    if command is None:
        print("pyright is not installed: left out")
    else:
        with tempfile.TemporaryDirectory() as folder:
            wrong += problems_of_pyright(command, Path(folder))
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
