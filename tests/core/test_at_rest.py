"""The look after each test, in `tests/conftest.py`, notices what a test leaves behind."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]

# In this order, in one process: what one leaves behind does not change what the next ones do.
TIDY = {
    "nothing": "pass",
    "a leaf": "KEPT.append(wg.ones(2, requires_grad=True))",
    "a freed graph": "(wg.ones(2, requires_grad=True) * 2).sum().backward()",
    "a graph that only an expected error held": "fail_with_a_graph()",
    "modes restored": "wg.no_grad()(lambda: None)()",
}
LEAVERS = {
    "a graph": "KEPT.append(wg.ones(2, requires_grad=True) * 2)",
    "a graph that only a gradient holds": "keep_recorded_gradient()",
    "an observer": "current().observers.append(print)",
    "NumPy's error state": "np.seterr(all='ignore')",
    "another default dtype": "wg.set_default_dtype(wg.float64)",
    "recording off": "wg.set_grad_enabled(False)",
    "inference mode on": "wg.inference_mode().__enter__()",
}
HEAD = """
import numpy as np
import pytest
import wengert as wg
from wengert._core.state.modes import current

KEPT = []


def keep_recorded_gradient():
    x = wg.ones(2, requires_grad=True)
    (x * x).sum().backward(create_graph=True)
    KEPT.append(x)


def fail_with_a_graph():
    with pytest.raises(ValueError) as info:
        kept = wg.ones(2, requires_grad=True) * 2
        raise ValueError
"""


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """What a run of small tests reports: for each "passed", or "error" where the look after it complained."""
    folder = tmp_path_factory.mktemp("suite")
    (folder / "tests").mkdir()
    for each in TESTS.glob("*.py"):
        shutil.copy(each, folder / "tests")
    kinds = {**TIDY, **LEAVERS}
    tests = [f"def test_{number:02}():\n    {body}\n" for number, body in enumerate(kinds.values())]
    (folder / "tests" / "test_all.py").write_text("\n\n".join([HEAD, *tests]), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-rA", "--tb=no", "-p", "no:cacheprovider", "tests/test_all.py"]
    text = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout
    complaints = {line.split("::")[1].split()[0]: line for line in text.splitlines() if line.startswith("ERROR")}
    passed = {line.split("::")[1].split()[0] for line in text.splitlines() if line.startswith("PASSED")}
    names = {f"test_{number:02}": name for number, name in enumerate(kinds)}
    assert passed == set(names), text
    return {name: complaints.get(key, "passed") for key, name in names.items()}


@pytest.mark.parametrize("name", LEAVERS)
def test_what_a_test_leaves_behind_is_an_error(outcomes, name):
    assert "the test left" in outcomes[name]


@pytest.mark.parametrize("name", TIDY)
def test_a_tidy_test_passes(outcomes, name):
    assert outcomes[name] == "passed"
