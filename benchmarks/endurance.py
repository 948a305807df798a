"""10,000 backward passes with each of the mechanics in use, collector off: `python -m benchmarks.endurance`.

Nothing may grow: neither the objects that the collector knows of nor the memory of the process.
"""

from __future__ import annotations

import argparse
import gc
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import wengert as wg
from benchmarks.memory import resident
from wengert.autograd import graph
from wengert.utils.checkpoint import checkpoint

Step = Callable[[], Any]
FEW = 100
"""Live objects that may come and go between two looks: caches that fill once, the latest 64 writes to a gradient that
anomaly detection keeps, which the collector stops listing only when it runs."""
SOME = 1.0
"""Megabytes that the allocators may take meanwhile."""


class Product(wg.autograd.Function):
    """A product, by hand."""

    @staticmethod
    def forward(ctx: Any, x: Any, y: Any) -> Any:
        """Keep the factors."""
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        """Each factor's gradient is the other one."""
        x, y = ctx.saved_tensors
        return grad * y, grad * x


class Nested(wg.autograd.Function):
    """Its backward pass starts one of its own."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        """Record apart from the outer graph."""
        with wg.enable_grad():
            ctx.x = x.detach().requires_grad_()
            ctx.y = ctx.x * ctx.x
        return ctx.y.detach()

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        """Run the inner graph."""
        ctx.y.backward(grad)
        return ctx.x.grad


LEAF = wg.ones(8, requires_grad=True)


def plain() -> None:
    """No feature."""
    (LEAF * LEAF).sum().backward()


def in_place() -> None:
    """Writes to views, one after another."""
    x = LEAF * 1
    x[2:4] = x[0:2] * 2
    x[::2].mul_(3)
    x.sum().backward()


def tensor_hooks() -> None:
    """Hooks of a leaf and of a result, a retained gradient, and a hook after the accumulation."""
    y = LEAF * LEAF
    handles = [y.register_hook(lambda grad: grad * 2), LEAF.register_hook(lambda grad: grad)]
    handles.append(LEAF.register_post_accumulate_grad_hook(lambda leaf: None))
    y.retain_grad()
    y.sum().backward()
    for handle in handles:
        handle.remove()


def node_hooks() -> None:
    """Hooks before and after a node, and on several tensors together."""
    y = LEAF * LEAF
    y.grad_fn.register_prehook(lambda grads: None)
    y.grad_fn.register_hook(lambda inputs, outputs: None)
    handle = graph.register_multi_grad_hook((LEAF, y), lambda grads: None)
    y.sum().backward()
    handle.remove()


def saved_hooks() -> None:
    """Saved tensors through a pair of hooks, and on the CPU."""
    with graph.saved_tensors_hooks(lambda tensor: tensor.clone(), lambda tensor: tensor):
        y = LEAF.exp()
    with graph.save_on_cpu():
        y = y * y
    y.sum().backward()


def mutation() -> None:
    """A saved tensor that is written to."""
    with graph.allow_mutation_on_saved_tensors():
        x = LEAF * 1
        y = x * x
        x.mul_(2)
        y.sum().backward()


def functions() -> None:
    """Custom functions, one of which starts a backward pass."""
    Nested.apply(Product.apply(LEAF, LEAF)).sum().backward()


def modes() -> None:
    """Entering every mode."""
    with wg.no_grad(), wg.enable_grad(), wg.set_grad_enabled(True):
        y = LEAF * 2
    with wg.inference_mode():
        LEAF * 2
    y.sum().backward()


def volatile() -> None:
    """The first generation of the API."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert (LEAF * wg.autograd.Variable(wg.ones(8), volatile=True)).volatile
    plain()


def anomaly() -> None:
    """Anomaly detection."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with wg.autograd.detect_anomaly():
            plain()


def checkpoints() -> None:
    """Both forms of checkpointing."""
    y = checkpoint(lambda x: (x * x).exp(), LEAF, use_reentrant=False)
    checkpoint(lambda x: x * x, y, use_reentrant=True).sum().backward()


def higher_order() -> None:
    """A gradient of a gradient."""
    (first,) = wg.autograd.grad((LEAF**3).sum(), LEAF, create_graph=True)
    first.sum().backward()


def threads() -> None:
    """Two threads that share a leaf."""
    running = [threading.Thread(target=plain) for _ in range(2)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()


STEPS: tuple[Step, ...] = (
    plain,
    in_place,
    tensor_hooks,
    node_hooks,
    saved_hooks,
    mutation,
    functions,
    modes,
    volatile,
    anomaly,
    checkpoints,
    higher_order,
    threads,
)


def growth(step: Step, passes: int) -> tuple[int, float]:
    """What `passes` calls leave: live objects, and megabytes of the process."""
    for _ in range(100):
        step()
    gc.collect()
    gc.disable()
    try:
        objects, memory = len(gc.get_objects()), resident()
        for _ in range(passes):
            step()
        return len(gc.get_objects()) - objects, resident() - memory
    finally:
        gc.enable()


def rows(passes: int) -> Iterator[tuple[str, int, float, bool]]:
    """For each feature its name, the growth, and whether that is none."""
    for step in STEPS:
        objects, memory = growth(step, passes)
        yield step.__name__.replace("_", " "), objects, memory, objects < FEW and memory < SOME


def main() -> int:
    """Print the table; 1 if something grew."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passes", type=int, default=10_000)
    options = parser.parse_args()
    print(f"{options.passes:,} backward passes{'objects':>14s}{'MB':>8s}")
    fine = True
    for name, objects, memory, none in rows(options.passes):
        fine = fine and none
        print(f"{name:24s}{objects:+14d}{memory:+8.2f}  {'pass' if none else 'MISS'}", flush=True)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
