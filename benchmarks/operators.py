"""Every operator of the catalogue, forward and forward with backward, on 10, 2,000 and a million elements: torch beside
wengert.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from benchmarks.cases import BOTH, draw
from benchmarks.catalogue import CONSTANT, DIFFERENTIABLE, PLAIN, operands
from benchmarks.reasons import explained, reasons
from benchmarks.small import function_of
from benchmarks.timing import Case, Result, bytes_of, flatten

SIZES = {"10": 10, "2000": 2_000, "1e6": 1_000_000}
LARGEST = {"1e7": 10_000_000}
FORWARD, BACKWARD = "forward", "forward + backward"

SMALL_TARGET, SMALL_SHARE, SMALL_FLOOR = 1.5, 0.9, 1.0
"""At 10 elements this share of the cases is to be this much faster than torch, and none below the floor."""
LARGE_FLOOR = 0.7
"""What no case of more elements may fall below."""

SECONDS = 0.005
"""How long a turn lasts: there are many cases."""

values_of = lru_cache(maxsize=2)(operands)


def cases(largest: bool = False) -> list[Case]:
    """A case for every operator, size and direction."""
    sizes = SIZES | (LARGEST if largest else {})
    return [case for label, length in sizes.items() for case in of_size(label, length)]


def of_size(label: str, length: int) -> Iterator[Case]:
    """A case for every operator and direction."""
    for family in (*DIFFERENTIABLE.values(), *PLAIN.values()):
        for text in family:
            yield Case(f"{text} | {label} | {FORWARD}", forward(text, length), None, 2e-3, BOTH)
    for family in DIFFERENTIABLE.values():
        for text in family:
            yield Case(f"{text} | {label} | {BACKWARD}", with_backward(text, length), None, 2e-3, BOTH)


def names(adapter: Any, text: str, length: int, recorded: bool) -> dict[str, Any]:
    """The namespace of a text: the libraries, and the operands that it names."""
    arrays, words = values_of(length), compile(text, text, "eval").co_names
    arguments = {}
    for name in words:
        if name in arrays:
            real = recorded and arrays[name].dtype.kind in "fc" and name not in CONSTANT
            arguments[name] = adapter.leaf(arrays[name]) if real else adapter.array(arrays[name])
    return {
        "lib": adapter.library,
        "F": adapter.functional,
        "n": length,
        "side": max(int(length**0.5), 2),
        **arguments,
    }


def forward(text: str, length: int) -> Callable[[Any], Callable[[], Any]]:
    """The `make` of a case: the call alone, on operands that record nothing."""
    return lambda adapter: function_of(text, names(adapter, text, length, recorded=False))


def with_backward(text: str, length: int) -> Callable[[Any], Callable[[], Any]]:
    """The `make` of a case: the call, and the backward pass of its first result that has one."""

    def make(adapter: Any) -> Callable[[], Any]:
        namespace = names(adapter, text, length, recorded=True)
        function = function_of(text, namespace)
        value = function()
        results, several = flatten(value), isinstance(value, (tuple, list))
        place = next(at for at, result in enumerate(results) if result.requires_grad)
        seed = adapter.array(seed_of(adapter.numpy(results[place])))
        leaves = [operand for operand in namespace.values() if getattr(operand, "requires_grad", False)]

        def run() -> Any:
            for leaf in leaves:
                leaf.grad = None
            value = function()
            (flatten(value)[place] if several else value).backward(seed)
            return [leaf.grad for leaf in leaves if leaf.grad is not None]

        return run

    return make


def read_by(text: str, length: int, backward: bool) -> Callable[[Any], float]:
    """Bytes that a case must read, as a function of an adapter: the operands, and with a backward pass the gradient of
    the result; the result itself, which has then been written, counts too. For texts that use their operands whole.
    """

    def read(adapter: Any) -> float:
        namespace = names(adapter, text, length, recorded=False)
        operands = sum(bytes_of(adapter, operand) for name, operand in namespace.items() if name in values_of(length))
        return operands + 2 * bytes_of(adapter, function_of(text, namespace)()) if backward else operands

    return read


def seed_of(result: np.ndarray) -> np.ndarray:
    """The gradient that a result is given."""
    return np.asarray(draw(*result.shape, seed=9)).astype(result.dtype)


def report(results: list[Result]) -> list[str]:
    """Lines for the table: how many cases of each size and direction reach what is wanted; which do not, and why."""
    lines: list[str] = []
    known = reasons()
    for label in (*SIZES, *LARGEST):
        floor = SMALL_FLOOR if label == "10" else LARGE_FLOOR
        for direction in (FORWARD, BACKWARD):
            chosen = [result for result in results if result.name.endswith(f" | {label} | {direction}")]
            ratios = {result.name: result.ratios["torch"] for result in chosen if "torch" in result.ratios}
            if not ratios:
                continue
            fast = sum(ratio >= SMALL_TARGET for ratio in ratios.values()) / len(ratios)
            below = {name: ratio for name, ratio in ratios.items() if ratio < floor}
            lines.append(
                f"{len(chosen)} operators, {label} elements, {direction}: "
                f"median {statistics.median(ratios.values()):.2f}; "
                f"{fast:.0%} reach {SMALL_TARGET} (wanted {SMALL_SHARE:.0%} at 10); {len(below)} below {floor}; "
                f"{len(chosen) - len(ratios)} not compared"
            )
            for name, ratio in sorted(below.items(), key=lambda item: item[1]):
                lines += explained(f"    {ratio:5.2f}  {name}", known, name, indent=11)
    return lines
