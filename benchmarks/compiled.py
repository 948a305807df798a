"""Steps of small programs, called as they are, followed, and as lists that `compile(replay=True)` recorded of them.

    python benchmarks/compiled.py [--record] [--rounds N]

prints the table of `docs/compiling.md`, with torch's eager steps if it is installed; `--record` writes it there, and
the ratios into the README. With `--beside torch.compile,jax` it measures compilers instead, whose first calls take
minutes, and `--record` writes the table of compilers.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
if __name__ == "__main__":
    os.environ.update({"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"})
    sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

from benchmarks.cases import draw  # noqa: E402
from benchmarks.timing import flatten  # noqa: E402

PAGE = ROOT / "docs" / "compiling.md"
README = ROOT / "README.md"
SLICE = 0.02
"""About how many CPU seconds a turn lasts."""

Step = Callable[[], Any]


def doubles(*shape: int, seed: int = 0, scale: float = 1.0) -> np.ndarray:
    """Normal numbers in double precision."""
    return draw(*shape, seed=seed, scale=scale).astype(np.float64)


def chain_of(size: int) -> Callable[[Any], Step]:
    """200 products and sums of `size` elements, and the gradient of their sum."""

    def make(adapter: Any) -> Step:
        x, y = adapter.leaf(draw(size, seed=1)), adapter.array(draw(size, seed=2, scale=0.5))

        def step() -> Any:
            h = x
            for _ in range(100):
                h = h * y + x
            return adapter.library.autograd.grad(h.sum(), x)[0]

        return step

    return make


def scalar_perceptron(adapter: Any) -> Step:
    """A perceptron 1-8-1 on one number: loss, gradients, and a step of descent."""
    torch, linear = adapter.library, adapter.functional.linear
    weights = perceptron(adapter, 1, 8, 1)
    x, target = adapter.array(draw(1, 1, seed=5)), adapter.array(draw(1, 1, seed=6))

    def step() -> Any:
        for weight in weights:
            weight.grad = None
        loss = ((linear(linear(x, *weights[:2]).tanh(), *weights[2:]) - target) ** 2).sum()
        loss.backward()
        with torch.no_grad():
            for weight in weights:
                weight -= 1e-4 * weight.grad
        return loss.detach()

    return step


def rosenbrock(adapter: Any) -> Step:
    """A step of gradient descent on Rosenbrock's function of two variables."""
    torch = adapter.library
    x = torch.tensor([-1.2, 1.0], dtype=torch.float64, requires_grad=True)

    def step() -> Any:
        loss = (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2
        (grad,) = torch.autograd.grad(loss, x)
        with torch.no_grad():
            x.sub_(grad, alpha=1e-7)
        return loss.detach()

    return step


def hessian(adapter: Any) -> Step:
    """The Hessian of a function of 50 variables, row by row."""
    torch = adapter.library
    matrix, x = adapter.array(doubles(50, 50, seed=1, scale=0.1)), adapter.leaf(doubles(50, seed=2))

    def step() -> Any:
        value = ((matrix @ x).tanh() * x).sum() + (x**4).sum()
        (grad,) = torch.autograd.grad(value, x, create_graph=True)
        return torch.stack([torch.autograd.grad(grad[at], x, retain_graph=True)[0] for at in range(50)])

    return step


def branches(adapter: Any) -> Step:
    """A loop of 100 branches that depend on values."""
    x = adapter.array(doubles(4, seed=1))

    def step() -> Any:
        h = x
        for _ in range(100):
            h = h * 0.5 + 0.1 if float(h.sum()) > 1 else h * 1.5 - 0.01
        return h

    return step


def neural_ode(adapter: Any) -> Step:
    """20 steps of Runge and Kutta of a network 2-32-2 on 16 states, and its gradients."""
    torch, linear = adapter.library, adapter.functional.linear
    weights = perceptron(adapter, 2, 32, 2)
    start, target = adapter.array(draw(16, 2, seed=5)), adapter.array(draw(16, 2, seed=6))

    def slope(state: Any) -> Any:
        return linear(linear(state, *weights[:2]).tanh(), *weights[2:])

    def step() -> Any:
        state, h = start, 0.05
        for _ in range(20):
            k1 = slope(state)
            k2 = slope(state + h / 2 * k1)
            k3 = slope(state + h / 2 * k2)
            k4 = slope(state + h * k3)
            state = state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return torch.autograd.grad(((state - target) ** 2).mean(), weights)

    return step


def policy_update(adapter: Any) -> Step:
    """An update of a policy and its value by PPO's loss with Adam: networks 4-32-32 on 64 rows."""
    torch, linear = adapter.library, adapter.functional.linear
    body, policy, value = perceptron(adapter, 4, 32, 32), perceptron(adapter, 32, 2), perceptron(adapter, 32, 1)
    states, advantages = adapter.array(draw(64, 4, seed=1)), adapter.array(draw(64, seed=2))
    returns, before = adapter.array(draw(64, seed=3)), adapter.array(-np.abs(draw(64, seed=4)))
    actions = adapter.array(np.random.default_rng(5).integers(0, 2, 64))
    optimiser = torch.optim.Adam([*body, *policy, *value], lr=1e-6)  # thousands of steps leave the networks as they are

    def step() -> Any:
        h = linear(linear(states, *body[:2]).tanh(), *body[2:]).tanh()
        logits = linear(h, *policy).log_softmax(1)
        chosen = logits.gather(1, actions[:, None])[:, 0]
        ratio = (chosen - before).exp()
        clipped = ratio.clamp(0.8, 1.2)
        gain = torch.min(ratio * advantages, clipped * advantages).mean()
        error = ((linear(h, *value)[:, 0] - returns) ** 2).mean()
        entropy = -(logits.exp() * logits).sum(1).mean()
        loss = error * 0.5 - gain - entropy * 0.01
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        return loss.detach()

    return step


def recurrent(adapter: Any) -> Step:
    """A recurrent network of 32 states on 20 steps of 16 rows, and its gradients."""
    x = adapter.array(draw(20, 16, 32, seed=1))
    leaves = [adapter.leaf(draw(*shape, seed=at, scale=0.1)) for at, shape in enumerate([(32, 32), (32, 32), (32,)])]
    first = adapter.array(draw(16, 32, seed=5))

    def step() -> Any:
        inward, onward, bias = leaves
        h = first
        for at in range(20):
            h = (x[at] @ inward + h @ onward + bias).tanh()
        return adapter.library.autograd.grad(h.sum(), leaves)

    return step


def ten_functions(size: int) -> Callable[[Any], Step]:
    """Ten functions of `size` elements, and the gradient of their sum."""

    def make(adapter: Any) -> Step:
        x = adapter.leaf(draw(size, seed=1))

        def step() -> Any:
            h = x * 0.5
            h = h.tanh() * h + x
            h = (h * h + 1).sqrt() - h.sigmoid()
            h = (h * 0.1).exp()
            return adapter.library.autograd.grad(h.sum(), x)[0]

        return step

    return make


def transformer_block(adapter: Any) -> Step:
    """A block of a transformer of width 64 on 32 tokens, and its gradients."""
    torch, functional = adapter.library, adapter.functional
    shapes = [(64,), (64,), (192, 64), (192,), (64, 64), (64,), (64,), (64,), (256, 64), (256,), (64, 256), (64,)]
    leaves = [adapter.leaf(draw(*shape, seed=at, scale=0.1)) for at, shape in enumerate(shapes)]
    x = adapter.array(draw(1, 32, 64, seed=50))

    def step() -> Any:
        w = leaves
        h = functional.layer_norm(x, (64,), w[0], w[1])
        q, k, v = functional.linear(h, w[2], w[3]).view(1, 32, 3, 4, 16).permute(2, 0, 3, 1, 4).unbind(0)
        attended = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        h = x + functional.linear(attended.transpose(1, 2).reshape(1, 32, 64), w[4], w[5])
        inner = functional.gelu(functional.linear(functional.layer_norm(h, (64,), w[6], w[7]), w[8], w[9]))
        return torch.autograd.grad((h + functional.linear(inner, w[10], w[11])).sum(), leaves)

    return step


def image_perceptron(adapter: Any) -> Step:
    """A training step of a perceptron 784-128-10 on 64 rows with SGD."""
    torch, functional = adapter.library, adapter.functional
    weights = perceptron(adapter, 784, 128, 10)
    x, labels = adapter.array(draw(64, 784, seed=5)), adapter.array(np.random.default_rng(6).integers(0, 10, 64))
    optimiser = torch.optim.SGD(weights, lr=1e-3)

    def step() -> Any:
        optimiser.zero_grad()
        loss = functional.cross_entropy(
            functional.linear(functional.linear(x, *weights[:2]).relu(), *weights[2:]), labels
        )
        loss.backward()
        optimiser.step()
        return loss.detach()

    return step


def perceptron(adapter: Any, *sizes: int) -> list[Any]:
    """Weights and biases of a perceptron."""
    arrays = [(draw(b, a, seed=a, scale=a**-0.5), draw(b, seed=b, scale=0.1)) for a, b in pairwise(sizes)]
    return [adapter.leaf(array) for pair in arrays for array in pair]


PROGRAMS: tuple[tuple[str, Callable[[Any], Step], float, float], ...] = (
    ("chain of 200 on 4 elements, with backward", chain_of(4), 25, 12),
    ("perceptron of scalars, training step", scalar_perceptron, 20, 5),
    ("Rosenbrock's function, step of descent", rosenbrock, 20, 5),
    ("Hessian, n = 50", hessian, 40, 10),
    ("control flow on values, 100 branches", branches, 15, 6),
    ("neural ODE, RK4 x 20, with gradients", neural_ode, 12, 3.5),
    ("PPO update with Adam", policy_update, 6, 3),
    ("recurrent network, 20 steps, with gradients", recurrent, 5, 4),
    ("ten functions of 2,000, with gradient", ten_functions(2000), 4, 3),
    ("ten functions of 10^6, with gradient", ten_functions(10**6), 2.2, 2),
    ("transformer block, d = 64, 32 tokens", transformer_block, 1.7, 1.5),
    ("perceptron 784-128-10, batch 64, SGD", image_perceptron, 1.25, 1.15),
)
"""Name, function that prepares a step, and the ratios of times that a replay and a followed step should reach."""


def ratios(ours: Any, torch: Any, make: Callable[[Any], Step], rounds: int) -> tuple[float, float, float, float]:
    """Return seconds of an eager step, and how many times faster are a followed step than it, and a replay than it and
    than torch's eager step.

    Raises:
        RuntimeError: if a compiled step does not return what an eager call returns.
    """
    eager, followed = make(ours), ours.library.compile(make(ours))
    replayed = ours.library.compile(make(ours), replay=True, fullgraph=True)
    for _ in range(6):
        expected = eager()
        check(ours, expected, replayed())
        check(ours, expected, followed())
    steps = {"eager": (ours, eager), "replayed": (ours, replayed), "followed": (ours, followed)}
    if torch is not None:
        steps["torch"] = (torch, make(torch))
    counts = {name: settled(step, rounds) for name, (_, step) in steps.items()}
    times: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(rounds):
        for name, (_, step) in steps.items():
            times[name].append(cpu_seconds(step, counts[name]))

    def over(name: str, compiled: str) -> float:
        return statistics.median([other / own for other, own in zip(times[name], times[compiled])])

    of_torch = float("nan") if torch is None else over("torch", "replayed")
    return statistics.median(times["eager"]), over("eager", "followed"), over("eager", "replayed"), of_torch


def cpu_seconds(step: Step, count: int) -> float:
    """CPU seconds of a step, over several."""
    start = time.process_time()
    for _ in range(count):
        step()
    return (time.process_time() - start) / count


def settled(step: Step, rounds: int) -> int:
    """Return how often a turn calls a step, after as many calls as `rounds` turns have.

    A list is verified by its calls 1, 2, 4, 8, ..., so that no more than one verification is left for as many calls.
    """
    count, seconds = 1, 0.0
    while seconds * count < SLICE / 20:
        count *= 2
        seconds = min([cpu_seconds(step, count) for _ in range(5)])
    count = max(1, int(SLICE / seconds))
    cpu_seconds(step, rounds * count)
    return count


def check(adapter: Any, eager: Any, replayed: Any) -> None:
    """Compare the results of two steps, bit for bit."""
    for one, other in zip(flatten(eager), flatten(replayed), strict=True):
        if adapter.numpy(one).tobytes() != adapter.numpy(other).tobytes():
            raise RuntimeError("a compiled step returned other numbers than an eager one")


def beside_compilers(ours: Any, torch: Any, names: list[str], rounds: int) -> list[str]:
    """Measure compilers, and return the rows of a table: CPU seconds of a first call, and times of a replayed step."""
    from benchmarks.compilers import JaxPrograms, torch_compiled

    jax = JaxPrograms() if "jax" in names else None
    rows = []
    for name, make, *_ in PROGRAMS:
        steps = {"replay": ours.library.compile(make(ours), replay=True, fullgraph=True)}
        if "torch.compile" in names:
            steps["torch.compile"] = torch_compiled(torch, make)
        if jax is not None and (step := jax.step(name)) is not None:
            steps["jax"] = step
        rows.append(compiler_row(name, ours, make, names, steps, rounds))
        print(rows[-1], flush=True)
    head = "".join(f" {name}: first call | times as long |" for name in names)
    return [f"| step | replayed: first two calls |{head}", f"|---|---|{'---|---|' * len(names)}", *rows]


def compiler_row(
    name: str, ours: Any, make: Callable[[Any], Step], names: list[str], steps: dict[str, Step], rounds: int
) -> str:
    """Measure a program, and return its row.

    Raises:
        RuntimeError: if a compiled step returns other values than an eager one.
    """
    from benchmarks.compilers import first_call

    expected = make(ours)()
    firsts: dict[str, float] = {}
    for word, step in [*steps.items()]:
        try:
            result, firsts[word] = first_call(step)
        except Exception as error:
            print(f"{name}: {word}: {type(error).__name__}: {str(error).splitlines()[0]}", file=sys.stderr)
            del steps[word]
            continue
        for one, other in zip(flatten(expected), flatten(result), strict=True):
            if not np.allclose(ours.numpy(one), np.asarray(numbers_of(other)), rtol=1e-3, atol=1e-4):
                raise RuntimeError(f"{name}: {word} returned other values")
    firsts["replay"] += first_call(steps["replay"])[1]
    counts = {word: settled(step, rounds) for word, step in steps.items()}
    times: dict[str, list[float]] = {word: [] for word in steps}
    for _ in range(rounds):
        for word, step in steps.items():
            times[word].append(cpu_seconds(step, counts[word]))
    cells = []
    for word in names:
        if word not in steps:
            cells.append(" – | – |")
            continue
        ratio = statistics.median([other / own for other, own in zip(times[word], times["replay"])])
        cells.append(f" {in_seconds(firsts[word])} | {rounded(ratio) if ratio >= 1 else f'{ratio:.2f}'} |")
    return f"| {name} | {in_seconds(firsts['replay'])} |{''.join(cells)}"


def numbers_of(value: Any) -> Any:
    """Return the values of a tensor of any library."""
    return value.detach() if hasattr(value, "detach") else value


def in_seconds(seconds: float) -> str:
    """A time with two digits."""
    if seconds >= 10:
        return f"{seconds:.0f} s"
    return f"{seconds:.2g} s" if seconds >= 0.1 else f"{seconds * 1e3:.2g} ms"


def report(adapters: list[Any], rounds: int) -> tuple[list[str], dict[str, float]]:
    """Lines for the table of `make bench`, and the ratios of times of eager and replayed steps."""
    libraries = {adapter.name: adapter for adapter in adapters}
    lines, figures = [f"{'step':46s} {'eager':>12s} {'followed':>9s} {'replayed':>9s} {'torch':>9s}"], {}
    for name, make, target, target_followed in PROGRAMS:
        seconds, followed, replayed, of_torch = ratios(libraries["wengert"], libraries.get("torch"), make, rounds)
        figures[f"eager over followed: {name}"] = followed
        figures[f"eager over replayed: {name}"] = replayed
        verdict = " ".join([verdict_of(followed, target_followed), verdict_of(replayed, target)])
        cells = f"{seconds * 1e6:9,.1f} us {followed:7.2f} x {replayed:7.2f} x {of_torch:7.2f} x"
        lines.append(f"{name:46s} {cells}  {verdict}")
    return lines, figures


def verdict_of(ratio: float, target: float) -> str:
    """Return whether a ratio reaches its target, as text."""
    return f"{'pass' if ratio >= target else 'MISS'} (>= {target:g})"


Row = tuple[str, float, float, float, float]
"""Name, and what `ratios` returns."""


def measured(ours: Any, torch: Any, rounds: int) -> list[Row]:
    """Measure all programs, and print the rows."""
    rows = []
    for name, make, *_ in PROGRAMS:
        rows.append((name, *ratios(ours, torch, make, rounds)))
        print(full_row(rows[-1]), flush=True)
    return rows


def full_row(row: Row) -> str:
    """A row of the page."""
    return f"| {row[0]} | {row[1] * 1e6:,.0f} µs | {' | '.join(map(rounded, row[2:]))} |"


def page_table(rows: list[Row]) -> str:
    """The table of the page."""
    head = [
        "| step | eager | followed: times faster | replayed: times faster | than torch's eager step |",
        "|---|---|---|---|---|",
    ]
    return "\n".join([*head, *map(full_row, rows)])


def readme_table(rows: list[Row]) -> str:
    """The table of the README: the same rows, ratios only."""
    lines = [
        f"| {name} | {rounded(own)} / {rounded(eager)} / {rounded(torch)} |" for name, _, own, eager, torch in rows
    ]
    return "\n".join(["| step | followed / replayed / over PyTorch |", "|---|---|", *lines])


def rounded(ratio: float) -> str:
    """A ratio with two digits."""
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}"


def written(page: str, name: str, text: str) -> str:
    """Return the page with a new table between its marks.

    Raises:
        ValueError: if the marks are gone.
    """
    parts = re.split(rf"(<!-- {name}: .*?-->\n|<!-- end of {name} -->)", page)
    if len(parts) != 5:
        raise ValueError(f"a page has lost the marks of its table {name!r}")
    return "".join([*parts[:2], f"\n{text}\n\n", *parts[3:]])


def main() -> int:
    """Print the table, or write it into the page."""
    parser = argparse.ArgumentParser(description="eager and replayed steps of small programs")
    parser.add_argument("--record", action="store_true", help="write the tables into docs/compiling.md and the README")
    parser.add_argument("--rounds", type=int, default=15, help="how often each has its turn")
    parser.add_argument("--beside", default="", help="compilers to measure instead: torch.compile,jax (takes minutes)")
    options = parser.parse_args()
    from benchmarks.compilers import NAMES, SETTINGS
    from benchmarks.libraries import installed

    beside = [name for name in options.beside.split(",") if name]
    if unknown := set(beside) - set(NAMES):
        parser.error(f"--beside: expected {' or '.join(NAMES)}, but got {', '.join(sorted(unknown))}")
    if beside:
        os.environ.update(SETTINGS)
    warnings.simplefilter("ignore")
    libraries = {adapter.name: adapter for adapter in installed(1)}
    if beside:
        table = beside_compilers(libraries["wengert"], libraries.get("torch"), beside, options.rounds)
        if options.record:
            PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), "compilers", "\n".join(table)), encoding="utf-8")
        return 0
    if options.record and "torch" not in libraries:
        print("torch is not installed")
        return 1
    rows = measured(libraries["wengert"], libraries.get("torch"), options.rounds)
    for path, name, text in ((PAGE, "times", page_table(rows)), (README, "replays", readme_table(rows))):
        if options.record:
            path.write_text(written(path.read_text(encoding="utf-8"), name, text), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
