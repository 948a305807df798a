"""Random programs, replayed with numbers that change from call to call: results and errors of eager calls."""

from __future__ import annotations

from typing import Any

import pytest

import wengert as wg
from tools.hunt.oracle.modes import parts_of
from tools.hunt.oracle.programs import program
from wengert.testing.calls import tensors_in

pytestmark = pytest.mark.filterwarnings("ignore")  # of calls that programs make, and of programs that are not captured

PROGRAMS, PARTS, CALLS = 120, 6, 12
LEAST = 0.85
"""The share of programs that are captured."""


def outcome(function: Any, x: Any) -> Any:
    """Return everything of a result that is to be equal, or the error."""
    try:
        result = function(x)
    except Exception as error:
        return type(error), str(error)
    return [(y.shape, y.stride(), y.dtype, y._array_.tobytes(), y._version) for y in tensors_in(result)]


def with_gradient(function: Any) -> Any:
    """Return a function of the results and the gradient of their sum."""

    def derived(x: Any) -> Any:
        leaf = x.detach().clone().requires_grad_()
        y = function(leaf * 1)
        grads = wg.autograd.grad(y.sum(), leaf, allow_unused=True) if y.requires_grad else ()
        return y.detach(), grads

    return derived


def is_replayed_alike(text: str, gradients: bool) -> bool:
    """Compare a program with its replay; return whether it was captured."""
    function, start = parts_of(text)
    function = with_gradient(function) if gradients else function
    compiled = wg.compile(function, replay=True)
    with wg.set_grad_enabled(gradients):
        for number in range(CALLS):
            x, other = (start.detach().clone() * (1 + 0.01 * (number % 7)) for _ in range(2))
            wanted = outcome(function, x)
            assert outcome(compiled, other) == wanted, f"call {number} of {text}"
            assert other._array_.tobytes() == x._array_.tobytes(), f"call {number} of {text}"
    return any(signature.lists for signature in compiled.signatures.values())


@pytest.mark.parametrize("gradients", [False, True], ids=["forward", "with gradients"])
@pytest.mark.parametrize("part", range(PARTS))
def test_random_programs_are_replayed_with_the_bits_of_eager_calls(part: int, gradients: bool) -> None:
    seeds = range(part, PROGRAMS, PARTS)
    captured = [is_replayed_alike(program(seed), gradients) for seed in seeds]
    assert sum(captured) >= LEAST * len(captured)
