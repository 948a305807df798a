"""A small, fixed share of the hunt over compiled steps, and planted defects that it finds."""

from __future__ import annotations

import time
from itertools import islice
from typing import Any

import pytest

import wengert as wg
from tools.beside_torch.programs import Known
from tools.hunt import __main__ as driver, compiled, forked

pytestmark = pytest.mark.filterwarnings("ignore")  # a random program may do what is warned of

LONG = 600.0
SEEDS = range(100, 106)


def texts(kind: str, mode: str) -> list[str]:
    """Some tries of one kind."""
    if kind in ("interrupted", "handled"):
        return [
            f"{kind}({seed}, {mode!r}, {delay})" for seed, delay in zip(SEEDS, (1e-5, 5e-5, 1e-4, 2e-4, 4e-4, 1e-3))
        ]
    if kind == "starved":
        return [f"{kind}({seed}, {mode!r}, {at})" for seed, at in zip(SEEDS, (3, 20, 61, 150, 400, 900))]
    return [f"{kind}({seed}, {mode!r})" for seed in SEEDS]


CASES = [(kind, mode) for kind in compiled.KINDS for mode in compiled.MODES]


@pytest.mark.parametrize(("kind", "mode"), CASES)
def test_a_disturbed_step_is_what_it_was(kind: str, mode: str) -> None:
    tried = texts(kind, mode)
    count, findings = forked.sift(tried, compiled.attempt, LONG, compiled.LIMITS)
    assert count == len(tried)
    assert [finding for finding in findings if Known(driver.KNOWN).unexplained("compiled", [finding])] == []


def test_the_same_seed_gives_the_same_tries() -> None:
    first, again, other = (list(islice(compiled.tries(seed), 20)) for seed in (3, 3, 4))
    assert first == again != other
    assert {text.partition("(")[0] for text in islice(compiled.tries(1), 200)} <= set(compiled.KINDS)


def test_steps_are_of_all_kinds_and_sizes() -> None:
    steps = [compiled.Step(seed) for seed in range(40)]
    assert {step.kind.__name__ for step in steps} == {"within", "behind", "grads", "trained"}
    assert any("linspace" in step.text for step in steps) and any("v1 = " in step.text for step in steps)


def planted(monkeypatch: pytest.MonkeyPatch, change: Any) -> None:
    """Let `change(step, x, p)` be what compiled steps do."""
    monkeypatch.setattr(compiled.Step, "compiled", lambda step, mode: lambda x, p: change(step, x, p))


def test_a_step_that_returns_something_else_after_an_error_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = False

    def wrong(step: compiled.Step, x: Any, p: Any) -> Any:
        nonlocal failed
        try:
            return step.kind(x, p * 2 if failed else p)
        except compiled.Trip:
            failed = True
            raise

    planted(monkeypatch, wrong)
    finding = compiled.attempt("raised(101, 'follow')")
    assert finding is not None and finding.startswith("raised: afterwards: a call")


def test_a_mode_that_an_error_leaves_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(step: compiled.Step, x: Any, p: Any) -> Any:
        try:
            return step.kind(x, p)
        except compiled.Trip:
            wg.set_grad_enabled(False)
            raise

    planted(monkeypatch, wrong)
    finding = compiled.attempt("raised(101, 'follow')")
    assert finding is not None and "Trip leaves grad: True became False" in finding and wg.is_grad_enabled()


def test_results_that_change_later_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    results: list[Any] = []

    def wrong(step: compiled.Step, x: Any, p: Any) -> Any:
        result = step.kind(x, p)
        for earlier in results[-1:]:
            earlier.detach().add_(1)
        results.append(result if isinstance(result, wg.Tensor) else result[0])
        return result

    planted(monkeypatch, wrong)
    finding = compiled.attempt("hooked(104, 'follow')")
    assert finding is not None and "what the program has kept has changed" in finding


def test_threads_that_disturb_each_other_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    busy: list[int] = []

    def wrong(step: compiled.Step, x: Any, p: Any) -> Any:
        busy.append(1)
        time.sleep(1e-4)  # the other threads begin meanwhile
        result = step.kind(x, p * len(busy))
        busy.pop()
        return result

    planted(monkeypatch, wrong)
    assert "in a thread" in str(compiled.attempt("shared(101, 'replay')"))
