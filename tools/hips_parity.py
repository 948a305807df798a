"""The same programs on HIPS autograd and on `wengert.compat.hips`, every difference reported.

    PYTHONPATH=src python tools/hips_parity.py             needs a Python with autograd and SciPy
    PYTHONPATH=src python tools/hips_parity.py --record    write HIPS autograd's answers to tests/compat/expected.json

Run are the programs of `tests/compat/programs.py`, and the calls of `tests/compat/function_cases.py` with their first
derivatives. What HIPS autograd cannot do is listed, and is no difference.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tests" / "compat"

KNOWN = {
    "sum of a list": "HIPS autograd sums an array of objects, whose boxes it does not see, and gives zeros",
    "norm, infinite": "HIPS autograd gives NaN",
}
"""Calls whose derivatives are to differ, and why."""


def load(name: str) -> ModuleType:
    """A module of the tests."""
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def differences(name: str, result: Any, wanted: Any) -> list[str]:
    """What differs between two results of the same form."""
    if isinstance(wanted, dict) and isinstance(result, dict) and set(result) == set(wanted):
        return [text for key in wanted for text in differences(f"{name}, {key}", result[key], wanted[key])]
    if isinstance(wanted, list) and isinstance(result, list) and len(result) == len(wanted):
        pairs = enumerate(zip(result, wanted))
        return [text for at, (one, other) in pairs for text in differences(f"{name}[{at}]", one, other)]
    if isinstance(wanted, dict):
        return [f"{name}: {result} instead of {wanted}"]
    if numpy.shape(result) == numpy.shape(wanted) and numpy.allclose(result, wanted, rtol=1e-8, atol=1e-10):
        return []
    return [f"{name}: {result} instead of {wanted}"]


def answers(programs: Any, package: Any, arrays: Any) -> dict[str, Any]:
    """What all programs give."""
    return {program.__name__: programs.numbers(program(package, arrays)) for program in programs.PROGRAMS}


def derivative(package: Any, arrays: Any, function: Any, args: Any) -> Any:
    """The gradient of a weighted sum of what a call gives; texts for errors."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            vjp, value = package.make_vjp(lambda args: function(arrays, *args))(package.tuple(args))
            weights = numpy.cos(numpy.arange(numpy.size(value))).reshape(numpy.shape(value))
            return list(vjp(weights.astype(numpy.result_type(value))))
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:90]}"


def compare_calls(hips: Any, ours: Any) -> tuple[list[str], list[str], int]:
    """Differences in the derivatives of single calls, and which of them HIPS autograd has not."""
    texts, lacking = [], []
    cases = load("function_cases").CASES
    for name, (function, make) in cases.items():
        theirs = derivative(hips, hips.numpy, function, make())
        mine = derivative(ours, ours.numpy, function, make())
        if isinstance(theirs, str) or name in KNOWN:
            lacking.append(f"{name}: {KNOWN.get(name, theirs)}")
        elif isinstance(mine, str):
            texts.append(f"{name}: {mine}")
        else:
            for at, (one, other) in enumerate(zip(mine, theirs)):
                texts += differences(f"{name}, argument {at}", one, other)
    return texts, lacking, len(cases)


def main() -> int:
    """Run everything; 1 if there is a difference."""
    hips = importlib.import_module("autograd")
    importlib.import_module("autograd.numpy")  # which the package does not load
    from wengert.compat import hips as ours

    programs = load("programs")
    theirs = answers(programs, hips, hips.numpy)
    if "--record" in sys.argv:
        (FOLDER / "expected.json").write_text(json.dumps(theirs, indent=1) + "\n", encoding="utf-8")
    texts = differences("programs", answers(programs, ours, ours.numpy), theirs)
    calls, lacking, count = compare_calls(hips, ours)
    print(*lacking, sep="\n")
    print(f"-- HIPS autograd lacks these {len(lacking)} of {count} calls")
    print(f"-- differences in the others and in {len(theirs)} programs:")
    print(*texts, *calls, sep="\n")
    return 1 if texts or calls else 0


if __name__ == "__main__":
    sys.exit(main())
