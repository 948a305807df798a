"""Write `src/wengert/_start/missing.txt`, the names of torch that are not here.

`tools/make_missing.py` compares with the torch of this Python. Without torch, or with `--trim`, it only leaves out what
exists by now; with `--check` nothing is written, and the exit status is 1 if that would change the file.
"""

from __future__ import annotations

import importlib.util
import inspect
import pkgutil
import re
import sys
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "src" / "wengert" / "_start" / "missing.txt"
sys.path.insert(0, str(ROOT / "src"))

from wengert._start.missing import REASONS, Table, table as known_names  # noqa: E402

GROUPS = (
    (
        "device",
        r"^(cuda|mps|xpu|mtia|accelerator|backends)\b|cudnn|miopen|mkldnn|cuda|ipu|xla|[vx]pu_|_mps|_hpu_|nvidia",
    ),
    ("device", r"batch_norm_(backward|elemt|gather|stats|update)|nn\.attention\.|privateuse|BackendRegist|backend_reg"),
    (
        "sparse",
        r"sparse|\bnested|jagged|[dh]smm|hspmm|\bspmm|\bsmm|s?addmm$|(indices|values)_copy|[Mm]asked_?[Tt]ensor",
    ),
    ("quantised", r"quant|\bq_|qscheme|QU?Int|int_repr|per_(channel|tensor)_(affine|symmetric)|fbgemm|qparams|\bao\b"),
    ("quantised", r"intrinsic|\bqat\b"),
    ("distributed", r"distributed|multiprocessing\.|Distributed|RRef|thread_safe_generator|\bmonitor\b|parallel\.comm"),
    (
        "pipes",
        r"DataPipe|datapipe|utils\.data\.(argument_val|runtime_val|non_deterministic|guaranteed|graph|DataChunk)",
    ),
    (
        "internal",
        r"collect_env\.|torch_version|get_a_var|is_namedtuple|contrib|numa|utils\.(debug_log|file_baton|hipify)",
    ),
    (
        "dispatcher",
        r"[Dd]ispatch|FunctionSchema|OperatorInfo|\bTag$|Capsule|PRIVATE_OPS|USE_(GLOBAL|RTLD)|library\.get",
    ),
    (
        "dispatcher",
        r"LockingLogger|LoggerBase|NoopLogger|AggregationType|^(AVG|SUM)$|Benchmark(Config|Exec)|FatalError",
    ),
    (
        "dispatcher",
        r"[Tt]hroughput_?[Bb]enchmark|CompleteArgument|DisableTorchFunction|StorageContext|classes|^(nn\.)?cpp$",
    ),
    ("dispatcher", r"cpp_|CPPTimer|[Cc]allgrind|FunctionCount|valgrind|layout_policy|file_path|init_num_threads"),
    (
        "compiler",
        r"^(jit|fx|onnx|compiler|export)\b|[Ss]cript|\.?(import|parse)_ir|^parse_|TracingState|^fork$|nativert",
    ),
    (
        "compiler",
        r"^(AliasDb|Argument|ArgumentSpec|Block|Code|CompilationUnit|ConcreteModule\w*|Graph\w*|Node|Use|Value)$",
    ),
    ("compiler", r"^(\w*Type|ExecutionPlan|ErrorReport|FileCheck|CallStack|Gradient|IODescriptor|StaticModule|wait)$"),
    ("compiler", r"mobile|bundled_inputs|triton|sym_\w+|wrap_numpy|type_comment|unify_type_list|region_activation"),
    ("compiler", r"testing\.FileCheck|cmake|JITException|AwaitType|DeepCopyMemoTable|^(Buffer|Parameter|Module)Dict$"),
    ("internal", r"[A-Z]{2,}[_A-Z0-9]*$|_notes$|_args$|multi_dim_common|prepare_multi|classproperty"),
    ("internal", r"serialization\.|hub\.|profiler\.|profiler_util|flop_counter\.|benchmark\."),
)
"""Words of the file, each with a pattern that is looked for in `namespace.name`; the first that is found counts."""


# ---- beside torch ----------------------------------------------------------------------------------------------------


def spaces(package: ModuleType) -> dict[str, ModuleType]:
    """The public modules of a package by name within it, the package itself as `""`."""
    modules = {"": package}
    waiting = [package]
    for module in waiting:
        for entry in pkgutil.iter_modules(getattr(module, "__path__", ())):
            name = f"{module.__name__}.{entry.name}"
            if not any(part[:1] == "_" or part == "__main__" for part in name.split(".")):
                try:
                    imported = importlib.import_module(name)
                except Exception:  # what cannot be imported there is no loss here
                    continue
                modules[name.partition(".")[2]] = imported
                waiting.append(imported)
    return modules


def is_public(space: ModuleType, name: str, value: Any) -> bool:
    """Whether programs may ask a module for this name: it is listed, or was defined there or below."""
    if name.startswith("_") or isinstance(value, TypeVar) or name in ("TYPE_CHECKING", "log", "logger"):
        return False
    if name in getattr(space, "__all__", ()):
        return True
    if inspect.ismodule(value):
        return bool(value.__name__.startswith(f"{space.__name__}.")) and "._" not in value.__name__
    home = getattr(value, "__module__", None)
    if space.__name__ == "torch":
        return home is None or str(home).startswith("torch")
    if home is None or not isinstance(home, str):
        return name.isupper()
    return f"{home}.".startswith(f"{space.__name__}.")


def reason(space: str, name: str) -> str:
    """The word for why a name is missing."""
    full = f"{space}.{name}".removeprefix(".")
    return next((word for word, pattern in GROUPS if re.search(pattern, full)), "other")


def compare() -> Table:
    """What torch has and this package has not, in the modules that both have."""
    warnings.simplefilter("ignore")
    table: Table = {}
    theirs, ours = (spaces(importlib.import_module(name)) for name in ("torch", "wengert"))
    for space in sorted(theirs.keys() & ours.keys()):
        torch_module = theirs[space]
        below = {module.rpartition(".")[2] for module in theirs if module and module.rpartition(".")[0] == space}
        names = {
            name for name in dir(torch_module) if is_public(torch_module, name, getattr(torch_module, name, None))
        } | below
        for name in sorted(names):
            if not exists(space, name):
                table.setdefault(space, {}).setdefault(reason(space, name), []).append(name)
    return table


# ---- without it ------------------------------------------------------------------------------------------------------


def exists(space: str, name: str) -> bool:
    """Whether this package has a name."""
    owner = importlib.import_module(f"wengert.{space}".removesuffix("."))
    try:
        return hasattr(owner, name) or importlib.util.find_spec(f"{owner.__name__}.{name}") is not None
    except ModuleNotFoundError:  # the owner is no package
        return False


def trimmed(table: Table) -> Table:
    """A table without the names that exist by now."""
    kept = {
        space: {word: [name for name in names if not exists(space, name)] for word, names in words.items()}
        for space, words in table.items()
    }
    kept = {space: {word: names for word, names in words.items() if names} for space, words in kept.items()}
    return {space: words for space, words in kept.items() if words}


def text_of(table: Table) -> str:
    """The file."""
    lines = [
        "# Names of torch 2.13 that are not here, by module and reason; made by tools/make_missing.py beside torch."
    ]
    for space, words in table.items():
        lines += ["", f"[{f'torch.{space}'.removesuffix('.')}]"]
        lines += [f"{word}: {' '.join(words[word])}" for word in REASONS if word in words]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write the file, or compare it."""
    arguments = sys.argv[1:]
    alone = bool({"--trim", "--check"} & set(arguments)) or importlib.util.find_spec("torch") is None
    text = text_of(trimmed(known_names()) if alone else compare())
    stale = not FILE.exists() or FILE.read_text(encoding="utf-8") != text
    if stale and "--check" in arguments:
        print(f"{FILE.relative_to(ROOT)} is stale: run tools/make_missing.py")
    elif stale:
        FILE.write_text(text, encoding="utf-8")
    return int(stale and "--check" in arguments)


if __name__ == "__main__":
    sys.exit(main())
