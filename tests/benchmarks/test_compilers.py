"""The programs of other compilers: the same steps as ours, and a table of the page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import compiled
from benchmarks.libraries import TorchLike
from benchmarks.timing import flatten

OURS = TorchLike("wengert")
NAMES = [name for name, *_ in compiled.PROGRAMS]
PAGE = (Path(__file__).parents[2] / "docs" / "compiling.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def programs() -> Any:
    pytest.importorskip("jax")
    from benchmarks.compilers import JaxPrograms

    return JaxPrograms()


@pytest.mark.parametrize("name", NAMES)
def test_programs_of_jax_return_what_ours_return(programs: Any, name: str) -> None:
    make = next(make for other, make, *_ in compiled.PROGRAMS if other == name)
    eager, step = make(OURS), programs.step(name)
    if step is None:
        return
    for _ in range(3):  # the state goes on
        for one, other in zip(flatten(eager()), flatten(step()), strict=True):
            assert np.allclose(OURS.numpy(one), np.asarray(other), rtol=1e-3, atol=1e-4)


def test_a_compiled_step_with_other_values_is_refused() -> None:
    name, make, *_ = compiled.PROGRAMS[2]
    steps = {"replay": make(OURS), "jax": lambda: np.array(7.0)}
    with pytest.raises(RuntimeError, match="jax returned other values"):
        compiled.compiler_row(name, OURS, make, ["jax"], steps, 1)


def test_a_row_has_first_calls_and_ratios(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "SLICE", 1e-4)
    name, make, *_ = compiled.PROGRAMS[2]
    eager = make(OURS)
    steps = {"replay": make(OURS), "torch.compile": lambda: (eager(), eager())[0]}
    row = compiled.compiler_row(name, OURS, make, ["torch.compile", "jax"], steps, 3)
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[0] == name and cells[1].endswith("s") and cells[2].endswith("s") and cells[4:] == ["–", "–"]
    assert float(cells[3]) > 1.2


def test_a_step_that_does_not_compile_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    name, make, *_ = compiled.PROGRAMS[2]

    def fails() -> None:
        raise RuntimeError("no double backward\nmore")

    row = compiled.compiler_row(name, OURS, make, ["jax"], {"replay": make(OURS), "jax": fails}, 1)
    assert row.endswith("| – | – |") and "jax: RuntimeError: no double backward\n" in capsys.readouterr().err


def test_the_page_has_a_row_for_each_step() -> None:
    table = PAGE.partition("<!-- compilers:")[2].partition("<!-- end of compilers -->")[0]
    assert [line.split("|")[1].strip() for line in table.splitlines() if line.startswith("| ")][1:] == NAMES
    assert [compiled.in_seconds(time) for time in (0.00123, 0.1, 84.0)] == ["1.2 ms", "0.1 s", "84 s"]
