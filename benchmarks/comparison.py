"""The tables of `docs/comparison.md`: wengert beside torch, JAX, HIPS autograd and CasADi.

    python benchmarks/comparison.py [--record] [--rounds N]

prints them, for the libraries that are installed; `--record` writes them into the page. Times are CPU seconds of one
thread, the libraries in turn, the least of all rounds.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import re
import sys
import time
import tomllib
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

THREADS = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false"}
os.environ.update(THREADS)

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # a user's second import reads byte code

import numpy as np  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks import derivatives_beside  # noqa: E402
from benchmarks.derivatives_beside import LIBRARIES, Namespace, namespaces  # noqa: E402

PAGE = ROOT / "docs" / "comparison.md"
NAMES = {
    "wengert": "wengert",
    "torch": "PyTorch",
    "jax": "JAX",
    "jit": "JAX, `jit`",
    "autograd": "autograd",
    "casadi": "CasADi",
}
MODULES = {"autograd": "autograd.numpy"}
"""What a program imports first, where it is not the library itself."""

Gradient = Callable[[np.ndarray], Any]
"""Computes a gradient, or a Hessian, and hands it out as an array."""


# ---- before the first operation --------------------------------------------------------------------------------------


def import_seconds(module: str, rounds: int) -> float:
    """CPU seconds of a process that imports a module, the least of several, without those of NumPy's import."""
    return least_cpu(f"import numpy, {module}", rounds) - least_cpu("import numpy", rounds)


def least_cpu(program: str, rounds: int) -> float:
    """CPU seconds of a process that runs a program, the least of several."""
    times = []
    for _ in range(rounds):
        child = os.posix_spawn(sys.executable, [sys.executable, "-c", program], os.environ)
        _, status, usage = os.wait4(child, 0)
        if status:
            raise RuntimeError(f"{program!r} ended with status {status}")
        times.append(usage.ru_utime + usage.ru_stime)
    return min(times)


def installed_bytes(library: str) -> int:
    """Bytes that a library takes when installed, with what it requires, without NumPy and byte code."""
    if library == "wengert":
        sizes = tomllib.loads((ROOT / "tools" / "wheel_sizes.toml").read_text(encoding="utf-8"))
        return int(sizes["compiled"]["installed"]) + sum(map(size_of, required("ml_dtypes", {"numpy"})))
    return sum(map(size_of, required(library, {"numpy"})))


def megabytes(library: str) -> str:
    """The same in words."""
    size = installed_bytes(library) / 1e6
    return f"{size:.1f} MB" if size < 10 else f"{size:.0f} MB"


def required(name: str, known: set[str]) -> set[str]:
    """The distributions that one needs, itself among them, other than those that are known."""
    name = re.sub(r"[-_.]+", "-", name).lower()
    if name in known:
        return set()
    try:
        requirements = importlib.metadata.requires(name) or []
    except importlib.metadata.PackageNotFoundError:  # of another platform
        return set()
    names = {name}
    for requirement in requirements:
        if "extra ==" not in requirement:
            names |= required(re.split(r"[^\w.-]", requirement)[0], known | names)
    return names


def size_of(name: str) -> int:
    """Bytes of the files of a distribution, without byte code."""
    files = importlib.metadata.files(name) or []
    paths = (Path(str(file.locate())) for file in files if file.suffix != ".pyc")
    return sum(path.stat().st_size for path in paths if path.is_file())


def start_table(libraries: list[str], rounds: int) -> str:
    """The table of sizes and imports."""
    sizes = [megabytes(library) for library in libraries]
    imports = [f"{1e3 * import_seconds(MODULES.get(library, library), rounds):,.0f} ms" for library in libraries]
    head = table_head(["", *(NAMES[library] for library in libraries)])
    return f"{head}{row('installed, without NumPy', sizes)}{row('import, beyond that of NumPy', imports)}"


# ---- speed -----------------------------------------------------------------------------------------------------------


def valley(x: Any) -> Any:
    """Rosenbrock's function."""
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def loop(x: Any) -> Any:
    """A recurrence of a hundred steps."""
    h = x
    for _ in range(100):
        h = h * x + 0.5
    return h.sum()


def network(namespace: Namespace) -> Callable[[Any], Any]:
    """The loss of a perceptron with 20,000 parameters on 64 samples, as a function of all of them."""
    random = np.random.default_rng(0)
    samples = namespace.array(random.standard_normal((64, 100)))
    targets = namespace.array(random.standard_normal((64, 1)))

    def loss(x: Any) -> Any:
        first, second = x[:20_000].reshape(2, 100, 100)
        hidden = namespace.tanh(namespace.tanh(samples @ first) @ second)
        return ((hidden @ x[20_000:].reshape(100, 1) - targets) ** 2).sum()

    return loss


def casadi_valley(x: Any) -> Any:
    """Rosenbrock's function in CasADi's words."""
    import casadi  # type: ignore[import-not-found, unused-ignore]

    return casadi.sum1(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def casadi_loop(x: Any) -> Any:
    """The recurrence in CasADi's words."""
    import casadi

    h = x
    for _ in range(100):
        h = h * x + 0.5
    return casadi.sum1(h)


CASES: tuple[tuple[str, Any, Any, int, float, str], ...] = (
    ("gradient of Rosenbrock's function, 10 variables", valley, casadi_valley, 10, 1.0, "gradient"),
    ("the same, 10,000 variables", valley, casadi_valley, 10_000, 1.0, "gradient"),
    ("its Hessian, 50 variables", valley, casadi_valley, 50, 1.0, "hessian"),
    ("gradient of a recurrence of 100 steps on 4 elements", loop, casadi_loop, 4, 0.5, "gradient"),
    ("gradient of a perceptron, 20,100 parameters, 64 samples", network, None, 20_100, 0.05, "gradient"),
)
"""What is computed, the function, the same for CasADi, the number of variables, their size, and which derivative."""


def gradients(names: list[str], case: Any) -> dict[str, Gradient]:
    """How each library computes the derivative of a case."""
    _, function, symbolic, count, _, kind = case
    spaces = namespaces(names)
    functions: dict[str, Gradient] = {}
    for name, space in spaces.items():
        if name == "casadi":
            if symbolic is not None:
                functions[name] = space.compiled(symbolic, count, kind)
            continue
        chosen = function(space) if function is network else function
        functions[name] = space.gradient(chosen) if kind == "gradient" else space.hessian(chosen)
        if name == "jax":
            functions["jit"] = space.jitted(chosen, kind)
    return functions


def seconds(functions: dict[str, Gradient], x: np.ndarray, rounds: int) -> dict[str, float]:
    """CPU seconds of a call of each, in turn.

    Raises:
        ValueError: if two of them return different numbers.
    """
    expected = np.asarray(functions["wengert"](x))
    calls, least = {}, {}
    for name, function in functions.items():
        result = np.asarray(function(x)).reshape(expected.shape)
        if not np.allclose(result, expected, rtol=1e-6, atol=1e-8):
            raise ValueError(f"{name} returns other numbers than wengert")
        begun = time.process_time()
        function(x)
        calls[name] = max(1, int(0.02 / max(time.process_time() - begun, 1e-6)))
        least[name] = float("inf")
    for _ in range(rounds):
        for name, function in functions.items():
            begun = time.process_time()
            for _ in range(calls[name]):
                function(x)
            least[name] = min(least[name], (time.process_time() - begun) / calls[name])
    return least


def speed_table(libraries: list[str], rounds: int) -> str:
    """The table of times: those of wengert, and how many times as long the others take."""
    columns = [name for library in libraries for name in ([library, "jit"] if library == "jax" else [library])]
    text = table_head(["", *(NAMES[name] for name in columns)])
    for case in CASES:
        x = np.random.default_rng(1).standard_normal(case[3]) * case[4]
        measured = seconds(gradients(libraries, case), x, rounds)
        cells = [seconds_text(measured["wengert"])]
        cells += [times(measured[name] / measured["wengert"]) if name in measured else "–" for name in columns[1:]]
        text += row(case[0], cells)
    return text


def times(ratio: float) -> str:
    """A ratio in words."""
    return f"{ratio:.0f} ×" if ratio >= 10 else f"{ratio:.2g} ×"


def seconds_text(value: float) -> str:
    """A time in words."""
    return f"{1e6 * value:.0f} µs" if value < 1e-3 else f"{1e3 * value:.2g} ms"


# ---- the page --------------------------------------------------------------------------------------------------------


def table_head(cells: list[str]) -> str:
    """The first lines of a table."""
    return f"| {' | '.join(cells)} |\n|{'---|' * len(cells)}\n"


def row(first: str, cells: list[str]) -> str:
    """One line of a table."""
    return f"| {first} | {' | '.join(cells)} |\n"


def answers_table(libraries: list[str], answers: dict[str, dict[str, str]]) -> str:
    """A table of what each library answered."""
    lines = [
        row(about, [by_library.get(library, "–") for library in libraries]) for about, by_library in answers.items()
    ]
    return table_head(["", *(NAMES[library] for library in libraries)]) + "".join(lines)


def versions(libraries: list[str]) -> str:
    """The libraries with their versions, as a sentence."""
    others = [
        f"{NAMES[library]} {importlib.metadata.version(library)}" for library in libraries if library != "wengert"
    ]
    return f"Measured beside {', '.join(others)}, on Python {sys.version.split()[0]}.\n"


def tables(libraries: list[str], rounds: int) -> dict[str, str]:
    """All tables, by the name that the page gives them."""
    return {
        "versions": versions(libraries),
        "start": start_table(libraries, rounds),
        "speed": speed_table(libraries, rounds),
        "coverage": answers_table(libraries, derivatives_beside.coverage(libraries)),
        "derivatives": answers_table(libraries, derivatives_beside.right(libraries)),
    }


def written(page: str, texts: dict[str, str]) -> str:
    """Return the page with new tables between their marks."""
    for name, text in texts.items():
        parts = re.split(rf"(<!-- {name}: .*?-->\n|<!-- end of {name} -->)", page)
        if len(parts) != 5:
            raise ValueError(f"docs/comparison.md has lost the marks of the table {name!r}")
        page = "".join([*parts[:2], f"\n{text}\n", *parts[3:]])
    return page


def main() -> int:
    """Print the tables, or write them into the page."""
    parser = argparse.ArgumentParser(description="wengert beside other libraries for derivatives")
    parser.add_argument("--record", action="store_true", help="write the tables into docs/comparison.md")
    parser.add_argument("--rounds", type=int, default=9, help="how often each library has its turn")
    options = parser.parse_args()
    libraries = [library for library in LIBRARIES if library in namespaces(LIBRARIES)]
    if missing := set(LIBRARIES) - set(libraries):
        print(f"not installed: {', '.join(sorted(missing))}")
        if options.record:
            return 1
    warnings.simplefilter("ignore")
    texts = tables(libraries, options.rounds)
    print("\n".join(texts.values()))
    if options.record:
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), texts), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
