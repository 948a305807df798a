"""Random chains of functions of large tensors, which replays compute block by block: the bits of eager calls."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as wg
from wengert import _kernels as kernels

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # of programs that are not captured
    pytest.mark.skipif(kernels.native is None, reason="the native library was not built"),
]
PROGRAMS, PARTS, CALLS = 72, 6, 9
LENGTHS = (
    1025,
    2047,
    2048,
    2049,
    3000,
    8191,
    16_400,
    32_767,
    32_769,
    40_000,
    65_535,
    65_536,
    65_537,
    70_001,
    20 * 2048,
    33 * 2048 + 1,
    131_072,
    200_003,
)
"""Lengths around the limits of threads, pieces of sums and blocks."""
UNARY: tuple[Callable[[Any], Any], ...] = (
    lambda h: h.tanh(),
    lambda h: h.sigmoid(),
    lambda h: -h,
    lambda h: h.abs(),
    lambda h: h**2,
    lambda h: (h * 0.5) ** 3,
    lambda h: (h * h + 0.5) ** 1.7,
    lambda h: h.relu(),
    lambda h: h.sin(),
    lambda h: h.cos(),
    lambda h: h.erf(),
    lambda h: h.floor(),
    lambda h: h.clamp(-1, 1),
    lambda h: (h * h).log1p(),
    lambda h: (-h.abs()).exp(),
    lambda h: (-h.abs()).expm1(),
    lambda h: (h * h + 1).sqrt(),
    lambda h: (h * h + 1).rsqrt(),
    lambda h: 1 / (h * h + 1),
    lambda h: h * 0.5 + 0.25,
    wg.nn.functional.silu,
    wg.nn.functional.gelu,
    wg.nn.functional.softplus,
)
BINARY: tuple[Callable[[Any, Any], Any], ...] = (
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: a / (b * b + 1),
    lambda a, b: wg.maximum(a, b),
    lambda a, b: wg.minimum(a, b),
    lambda a, b: wg.add(a, b, alpha=0.3),
    lambda a, b: wg.addcmul(a, a, b),
    lambda a, b: (a * 0.9).add_(b),
    lambda a, b: wg.where(a > b, a, b),
    lambda a, b: a.detach() * b,
)
REDUCED: tuple[Callable[[Any], Any], ...] = (lambda h: h.sum(), lambda h: h.mean(), lambda h: h.mean(-1, keepdim=True))


class Program:
    """A function of two tensors and a row, and of what it is called with."""

    def __init__(self, seed: int) -> None:
        self.draw = draw = random.Random(seed)
        self.dtype = draw.choice([np.float32, np.float32, np.float64])
        length = draw.choice(LENGTHS)
        self.shape = draw.choice([(length,), (length,), (1, length), (length // 64, 64)])
        self.requires_grad, self.is_joined = draw.random() < 0.7, draw.random() < 0.7
        self.steps = [self.step() for _ in range(draw.randint(2, 14))]
        self.kept = [draw.random() for _ in range(draw.choice([0, 0, 1, 2]))]
        generator = np.random.default_rng(seed)
        self.arrays = [
            generator.normal(size=shape).astype(self.dtype) for shape in (*[self.shape] * 2, self.shape[-1:])
        ]

    def step(self) -> Callable[[Any, Any], Any]:
        """Return a random step: a function of a way to pick a tensor, and the row."""
        first, second, kind = self.draw.random(), self.draw.random(), self.draw.random()
        if kind < 0.5:
            one = self.draw.choice(UNARY)
            return lambda pick, row: one(pick(first))
        if kind < 0.85:
            two = self.draw.choice(BINARY)
            return lambda pick, row: two(pick(first), pick(second))
        if kind < 0.93:
            reduced = self.draw.choice(REDUCED)
            return lambda pick, row: pick(first) * 0.5 + reduced(pick(first)) * 1e-5
        if kind < 0.97:
            return lambda pick, row: pick(first) * row
        return lambda pick, row: (
            (pick(first).mT * 1.5).mT if pick(first).dim() > 1 else pick(first)[::2].sum() * pick(second)
        )

    def __call__(self, x: Any, y: Any, row: Any) -> list[Any]:
        """Compute the result, the values that are kept, and the gradient."""
        pool = [x, y, x * 0.5]

        def pick(share: float) -> Any:
            return pool[-1 - int(share * share * len(pool))]

        for step in self.steps:
            pool.append(step(pick, row))
        kept = [pick(share).detach() for share in self.kept]
        if not self.requires_grad:
            return [pool[-1].sum(), pool[-1], *kept]
        loss = (pool[-1] + x * 0.125).mean()
        return [wg.autograd.grad(loss * 2, x)[0] if self.is_joined else loss, *kept]

    def outcome(self, function: Any, scale: float) -> list[Any]:
        """Return everything of the results of a call that is to be equal."""
        x, y, row = (wg.tensor(array * self.dtype(scale)) for array in self.arrays)
        results = function(x.requires_grad_(self.requires_grad), y, row)
        if self.requires_grad and not self.is_joined:
            results[0].backward()
            results = [*(each.detach() for each in results), x.grad]
        return [(each.shape, each.stride(), each.dtype, each._array_.tobytes(), each._version) for each in results]


def fused(compiled: Any) -> int:
    """Return how many entries of the lists of a function have run block by block."""
    lists = [captured for signature in compiled.signatures.values() for captured in signature.lists]
    runs = [native for captured in lists for native in kernels.native.fused_calls(captured.calls.native)]
    return sum(end - first for first, end, count in runs if count)


@pytest.mark.parametrize("part", range(PARTS))
def test_random_chains(part):
    before, most = wg.get_num_threads(), 0
    try:
        for seed in range(part, PROGRAMS, PARTS):
            wg.set_num_threads(1 + seed % 3)
            program = Program(seed)
            compiled = wg.compile(lambda x, y, row, program=program: program(x, y, row), replay=True)
            for number in range(CALLS):
                scale = 8 if number == CALLS - 1 and seed % 2 else 0.5 + number / 8
                assert program.outcome(compiled, scale) == program.outcome(program, scale), (
                    f"program {seed}, call {number}"
                )
            most += fused(compiled)
    finally:
        wg.set_num_threads(before)
    assert most > 30


def test_a_step_holds_no_more_memory_than_eager_calls():
    def step(x: Any) -> Any:
        h = x * 0.5
        for _ in range(6):
            h = (h * h + 1).sqrt() - h.sigmoid()
        return wg.autograd.grad(h.sum(), x)[0]

    x = wg.tensor(np.random.default_rng(1).normal(size=300_000).astype(np.float32), requires_grad=True)
    compiled = wg.compile(step, replay=True, fullgraph=True)
    for _ in range(12):
        assert compiled(x).equal(step(x))
    assert fused(compiled) > 40
    peaks = []
    for function in (step, compiled):
        wg.reset_peak_memory_stats()
        before = wg.memory_stats()["allocated_bytes"]
        function(x)
        peaks.append(wg.memory_stats()["peak_allocated_bytes"] - before)
    assert peaks[1] <= peaks[0] / 5
