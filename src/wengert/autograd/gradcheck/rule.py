"""`check_rule`: test a custom Function in one call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..function import Function
from . import errors, rule_checks
from .errors import GradcheckError
from .rule_sample import LeftOut, Sample, Tolerances
from .subject import as_tuple

CHECKS: dict[str, Callable[[Sample, Tolerances], None]] = {
    "values": rule_checks.check_values,
    "first derivatives": rule_checks.check_first,
    "second derivatives": rule_checks.check_second,
    "forward mode": rule_checks.check_forward,
    "forward over reverse": rule_checks.check_forward_over_reverse,
    "batched gradients": rule_checks.check_batched_gradients,
    "batching": rule_checks.check_batching,
    "in-place": rule_checks.check_in_place,
    "dtypes": rule_checks.check_dtypes,
    "leaks": rule_checks.check_leaks,
}
"""Checks of `check_rule`, in this order."""


@dataclass(frozen=True)
class RuleReport:
    """Result of `check_rule`.

    Attributes:
        passed: the checks that ran on every sample without a mistake.
        left_out: the others, each with the reason.
    """

    passed: tuple[str, ...]
    left_out: dict[str, str]

    def __repr__(self) -> str:
        lines = []
        for name in CHECKS:
            verdict = "passed" if name in self.passed else f"left out: {self.left_out[name]}"
            lines.append(f"{name:22}{verdict}")
        return "\n".join(lines)


def check_rule(
    function: type[Function],
    samples: Iterable[Any],
    *,
    reference: Callable[..., Any] | None = None,
    without: Sequence[str] = (),
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    nondet_tol: float = 0.0,
) -> RuleReport:
    """Test a custom Function: its values, its rules for every kind of derivative, and its use of memory.

    - ***values**: equal to those of `reference`, and the same each time, recorded or not, contiguous or not; only
      inputs named by `mark_dirty` are written to.
    - ***first derivatives**: `gradcheck`, with missing gradients too; the gradient of an argument does not depend on
      which other gradients are asked for.
    - **second derivatives**: `gradgradcheck`, unless `backward` is `once_differentiable`.
    - **forward mode**: `jvp` against differences, with missing tangents too.
    - **forward over reverse**: `backward`, differentiated by forward mode.
    - ***batched gradients**: a backward pass over a batch of gradients equals one pass for each.
    - ***batching**: `vmap` equals one call for each member, for every choice of batched arguments.
    - ***in-place**: a dirty input that is a view rewrites the history of its base; a write to arguments or results
      between forward and backward pass is refused, or changes no gradient.
    - **dtypes**: single precision in, single precision out; `backward` returns gradients in the dtypes of the inputs.
    - ***leaks**: all objects are freed with their last reference, without the garbage collector.

    Args:
        function: the Function, a class.
        samples: arguments for `apply`, a tuple (or one tensor) for each tested call. Tensors that require a gradient
            are differentiated, and should have double precision.
        reference: a function of the same arguments that computes the values in another way.
        without: names of checks to leave out.
        eps, atol, rtol, nondet_tol: as for `gradcheck`.

    Returns:
        The checks that passed, and those that were left out with the reason; its text is a table.

    Raises:
        GradcheckError: if there are mistakes; the text lists all of them, each with its check and the number of the
            sample.
        TypeError: if `function` is not a Function.
        ValueError: if there is no sample, no tensor of a sample requires a gradient, or `without` has an unknown name.

    >>> import wengert as wg
    >>> class Cube(wg.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x**3
    ...
    ...     @staticmethod
    ...     def backward(ctx, grad):
    ...         (x,) = ctx.saved_tensors
    ...         return grad * 3 * x**2
    >>> x = wg.tensor([1.0, -2.0], dtype=wg.float64, requires_grad=True)
    >>> wg.autograd.check_rule(Cube, [x])
    values                passed
    first derivatives     passed
    second derivatives    passed
    forward mode          left out: Cube has no jvp
    forward over reverse  left out: Cube has no jvp
    batched gradients     ...
    batching              left out: Cube has neither vmap nor generate_vmap_rule
    in-place              passed
    dtypes                passed
    leaks                 passed
    """
    if not (isinstance(function, type) and issubclass(function, Function)):
        raise TypeError(f"check_rule tests a subclass of autograd.Function, but got {function!r}")
    calls = [Sample(function, as_tuple(sample), number) for number, sample in enumerate(samples)]
    if not calls:
        raise ValueError("check_rule needs at least one sample: a tuple of arguments for apply")
    for call in calls:
        if not call.leaves:
            raise ValueError(f"no tensor of sample {call.number} requires a gradient")
    for name in without:
        if name not in CHECKS:
            raise ValueError(f"there is no check {name!r}; there are {', '.join(CHECKS)}")
    tolerances = Tolerances(eps, atol, rtol, nondet_tol, reference)
    return judged(function, calls, tolerances, without)


def judged(function: type[Function], calls: list[Sample], tolerances: Tolerances, without: Sequence[str]) -> RuleReport:
    """Run all checks on all samples.

    Raises:
        GradcheckError: if there is a mistake.
    """
    mistakes, left_out = [], dict.fromkeys(without, "not wanted")
    for name, check in CHECKS.items():
        for sample in calls if name not in without else ():
            try:
                check(sample, tolerances)
            except LeftOut as reason:
                left_out.setdefault(name, str(reason))
            except Exception as error:  # the rule under test may raise anything
                kind = "" if isinstance(error, GradcheckError) else f"{type(error).__name__}: "
                mistakes.append(f"{name}, sample {sample.number}: {kind}{error}")
    if mistakes:
        raise GradcheckError(errors.wrong_rule(function.__name__, mistakes))
    return RuleReport(tuple(name for name in CHECKS if name not in left_out), left_out)
