"""Failed allocations: one of Python's own fails, or large arrays find no room; after the MemoryError all is at rest.

`fails("training", 120)` lets the 120th allocation of a program fail, where this Python can do that (`_testcapi`);
`short("training", 3 << 20)` lets it have that much memory beyond what there is.
"""

from __future__ import annotations

import gc
import importlib
import random
import resource
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import wengert as wg
from tools.hunt import forked

nn: Any = importlib.import_module("wengert.nn")

NAME = "allocations"
LIMITS = forked.Limits(seconds=20.0, tries=150)
LARGE = 1 << 16
"""Elements of 8 bytes: more than what is taken from memory already held."""


def arithmetic(count: int) -> list[Any]:
    x = start(count)
    y = (x * 2 + x.sin()).exp() / (x + 1.5)
    (grad,) = wg.autograd.grad(y.sum(), x, create_graph=True)
    grad.sum().backward()
    return [y, grad, x.grad]


def writes(count: int) -> list[Any]:
    x = start(count)
    y = x * 1
    y[1:] *= 2
    y.view(2, -1)[0].add_(x[: count // 2])
    y[:1] = 5.0
    y.t_().exp_()
    y.sum().backward()
    return [y, x.grad]


def hooks(count: int) -> list[Any]:
    x = start(count)
    y = x * x
    y.retain_grad()
    y.register_hook(lambda grad: grad * 2)
    x.register_post_accumulate_grad_hook(lambda leaf: None)
    with wg.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        z = y * y.exp()
    z.sum().backward()
    return [z, y.grad, x.grad]


def training(count: int) -> list[Any]:
    wg.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.LayerNorm(8), nn.Linear(8, 2)).to(wg.float64)
    optimiser = wg.optim.Adam(model.parameters(), lr=0.1)
    x = start(count).detach().reshape(-1, 4)
    for _ in range(2):
        optimiser.zero_grad()
        nn.functional.cross_entropy(model(x), wg.zeros(x.shape[0], dtype=wg.int64)).backward()
        optimiser.step()
    return list(model.parameters())


def pictures(count: int) -> list[Any]:
    x = start(count).reshape(1, 1, 2, -1)
    weight = wg.ones(2, 1, 2, 2, dtype=wg.float64, requires_grad=True)
    y = nn.functional.max_pool2d(nn.functional.conv2d(x, weight, padding=1).relu(), 2)
    y.sum().backward()
    return [y, weight.grad]


def modes(count: int) -> list[Any]:
    x = start(count)
    with wg.no_grad(), wg.inference_mode():
        y = x * 2
    with wg.autograd.detect_anomaly():
        z = (x * 3).index_add(0, wg.tensor([0, 1]), x[:2]).cumsum(0)
        z.sum().backward()
    z = wg.utils.checkpoint.checkpoint(lambda value: value.exp() * value, x, use_reentrant=False)
    z.sum().backward()
    return [y, z, x.grad]


def replays(count: int) -> list[Any]:
    compiled = wg.compile(lambda x: ((x * 2 + x.sin()).exp() / (x + 1.5)).sum(), replay=True)
    results: list[Any] = []
    for number in range(6):
        x = start(count)
        y = compiled(x * (number + 1))
        y.backward()
        results += [y, x.grad]
    return results


def follows(count: int) -> list[Any]:
    compiled = wg.compile(lambda x: ((x * 2 + x.sin()).exp() / (x + 1.5)).sum())
    results: list[Any] = []
    for number in range(6):
        x = start(count)
        y = compiled(x * (number + 1))
        y.backward()
        results += [y, x.grad]
    return results


START = np.geterr()


def start(count: int) -> Any:
    """A leaf with `count` elements between 0 and 1."""
    return wg.linspace(0.0, 1.0, count, dtype=wg.float64).requires_grad_()


PROGRAMS: dict[str, Callable[[int], list[Any]]] = {
    program.__name__: program for program in (arithmetic, writes, hooks, training, pictures, modes, replays, follows)
}

UNGUARDED = ("__exit__", "inner")
"""Where Python itself may find no memory for a call: an `__exit__` in Python, and NumPy's own, as a decorator."""

WITHOUT_PRODUCTS = ("arithmetic", "writes", "hooks", "modes", "replays", "follows")
"""What large arrays may find no room in: OpenBLAS does not survive a lack of memory in a matrix product."""


def answer(name: str, count: int) -> list[bytes]:
    """What a program gives, to the bit."""
    return [program.detach().numpy().tobytes() for program in PROGRAMS[name](count)]


def at_rest() -> tuple[Any, ...]:
    """The modes."""
    hooked = wg.autograd.graph.saved_tensors_hooks
    return (
        wg.is_grad_enabled(),
        wg.is_inference_mode_enabled(),
        wg.is_anomaly_enabled(),
        wg.get_default_dtype(),
        np.geterr(),
        (wg.ones(1, requires_grad=True) * 2).requires_grad,
        hooked is not None,
    )


def put_back() -> None:
    """The modes as they are at the start: a try before may have had to leave one on."""
    wg.inference_mode(False).__enter__()
    wg.set_grad_enabled(True)
    wg.autograd.set_detect_anomaly(False)
    np.seterr(**START)


def judged(name: str, count: int, begin: Callable[[], None], end: Callable[[], None]) -> str | None:
    """Run a program in want of memory; what is wrong with how that ends, or with the next run."""
    put_back()
    expected, before = answer(name, count), at_rest()
    raised: BaseException | None = None
    results: Any = None
    begin()
    try:
        results = PROGRAMS[name](count)
    except BaseException as error:
        raised = error
    finally:
        end()
    frames = traceback.extract_tb(raised.__traceback__) if raised is not None else []
    if raised is not None and not isinstance(raised, MemoryError):
        return misplaced(raised)
    if raised is None and [program.detach().numpy().tobytes() for program in results] != expected:
        return f"a failed allocation in {name}() is swallowed, and the values are wrong"
    del raised, results
    gc.collect()
    if at_rest() != before and not any(program.name in UNGUARDED for program in frames):
        return f"a failed allocation in {name}() leaves modes changed: {before} to {at_rest()}"
    put_back()
    if answer(name, count) != expected:
        return f"after a failed allocation in {name}() the next run gives something else"
    return None


def misplaced(raised: BaseException) -> str:
    """What is wrong where a failed allocation raises another error."""
    *_, frame = traceback.extract_tb(raised.__traceback__)
    where = f"{Path(frame.filename).name}:{frame.lineno} {frame.name}"
    return f"a failed allocation comes out at {where} as {type(raised).__name__}: {str(raised)[:100]}"


def interpreter() -> Any:
    """The module that lets allocations fail."""
    return importlib.import_module("_testcapi")


def fails(name: str, at: int) -> str | None:
    """Let one allocation of Python's fail, the one of number `at`."""
    python = interpreter()
    return judged(name, 8, lambda: python.set_nomemory(at, at + 1), python.remove_mem_hooks)


def short(name: str, room: int) -> str | None:
    """Let a program on large arrays have `room` bytes more."""
    kept = resource.getrlimit(resource.RLIMIT_AS)
    return judged(name, LARGE, lambda: forked.bound_memory(room), lambda: resource.setrlimit(resource.RLIMIT_AS, kept))


def can_fail() -> bool:
    """Whether this Python can let an allocation fail."""
    try:
        return hasattr(interpreter(), "set_nomemory")
    except ImportError:
        return False


def attempt(text: str) -> str | None:
    """Run one of the functions above."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return eval(text, globals())


def tries(seed: int) -> Iterator[str]:
    """Texts without end."""
    draw, can = random.Random(seed), can_fail()
    while True:
        if can and draw.random() < 0.95:
            yield f"fails({draw.choice([*PROGRAMS])!r}, {int(10 ** draw.uniform(0, 4))})"
        else:
            yield f"short({draw.choice(WITHOUT_PRODUCTS)!r}, {draw.randrange(64) << 17})"


def hunt(seconds: float, seed: int) -> tuple[int, list[str]]:
    """See the package."""
    return forked.sift(tries(seed), attempt, seconds, LIMITS)


if __name__ == "__main__":
    forked.main(hunt)
