"""Sets of numbers as bits: also of numbers for which a C `int` has none."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

import wengert as wg
from wengert._core import bits

CORE = Path(wg.__file__).parent / "_core"
COUNTS = [2, 16, 17, 30, 31, 32, 33, 40, 61, 62, 63, 64, 65, 80]
"""Numbers of leaves, each of which is used twice but for the first, around those from which on integers are short."""


def test_each_number_has_its_bit() -> None:
    most = 62
    assert bits.all_below(most + 1) == -1
    assert [bits.bit(number) for number in range(most)] == [2**number for number in range(most)]
    assert [bits.all_below(number) for number in range(most + 1)] == [2**number - 1 for number in range(most + 1)]


@pytest.mark.parametrize("path", sorted(CORE.rglob("*.pxd")), ids=lambda path: path.relative_to(CORE).as_posix())
def test_no_compiled_code_shifts_a_literal_by_a_variable(path: Path) -> None:
    source = path.with_suffix(".py").read_text(encoding="utf-8") if path.with_suffix(".py").exists() else ""
    shifts = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.BinOp) and is_short(node)]
    assert [f"line {node.lineno}" for node in shifts] == []


def is_short(node: ast.BinOp) -> bool:
    """Return whether an expression shifts a literal by something that is not one."""
    return (
        isinstance(node.op, ast.LShift)
        and isinstance(node.left, ast.Constant)
        and not isinstance(node.right, ast.Constant)
    )


def gradients(leaves: list[Any], wanted: list[Any]) -> Any:
    """Return the gradients of a value of leaves that are used one after another."""
    value = leaves[0] * 1.5
    for leaf in leaves[1:]:
        value = (value + leaf).tanh() * leaf
    return wg.autograd.grad(value.sum(), wanted)


def accumulated(leaves: list[Any], wanted: list[Any]) -> Any:
    """Compute the same gradients by `backward`."""
    value = leaves[0] * 1.5
    for leaf in leaves[1:]:
        value = (value + leaf).tanh() * leaf
    value.sum().backward(inputs=wanted)
    grads = [leaf.grad for leaf in wanted]
    for leaf in leaves:
        leaf.grad = None
    return grads


@pytest.mark.parametrize("way", [gradients, accumulated])
@pytest.mark.parametrize("replay", [False, True], ids=["followed", "replayed"])
@pytest.mark.parametrize("count", COUNTS)
def test_compiled_functions_of_many_leaves_have_all_gradients(count: int, replay: bool, way: Any) -> None:
    leaves = [wg.tensor([0.1 * at, -0.2, 0.3], requires_grad=True) for at in range(count)]
    for part in (slice(None), slice(0, 1), slice(-1, None), slice(None, None, 2), slice(count // 2, None)):
        wanted = leaves[part]
        expected = [grad._array_.tobytes() for grad in way(leaves, wanted)]
        compiled: Any = wg.compile(way, replay=replay)
        for _ in range(6):
            assert [grad._array_.tobytes() for grad in compiled(leaves, wanted)] == expected
