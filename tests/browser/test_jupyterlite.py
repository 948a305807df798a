"""JupyterLite with the notebooks of the documentation, built by `make browser`: notebooks run from top to bottom."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from .conftest import SITE

pytestmark = pytest.mark.skipif(
    not ((SITE / "lite").exists() and (SITE / "runtime").exists()), reason="no page was built: make browser"
)
NOTEBOOKS = (
    *("tutorial", "fit_a_curve", "newtons_method", "per_sample_gradients", "find_a_lost_gradient"),
    "torch_in_the_browser",
)
CELLS = """
    const cells = [...window.jupyterapp.shell.currentWidget.content.model.cells].filter((cell) => cell.type === "code");
    return JSON.stringify(cells.map((cell) => [cell.executionCount, cell.outputs.toJSON()]));"""

KERNEL = "return window.jupyterapp.shell.currentWidget.sessionContext.session?.kernel?.status"


def wait(condition: Any, seconds: float) -> Any:
    """Return the value of a function once it is true, or the last one after some seconds."""
    end = time.monotonic() + seconds
    while not (value := condition()) and time.monotonic() < end:
        time.sleep(0.5)
    return value


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs(driver, address, name):
    driver.get("about:blank")
    driver.get(f"{address}lite/lab/index.html?path={name}.ipynb")
    is_open = "return window.jupyterapp?.shell.currentWidget?.content?.model?.cells?.length > 2"
    assert wait(lambda: driver.execute_script(is_open), 60), "the notebook did not open"
    assert wait(lambda: driver.execute_script(KERNEL) == "idle", 120), "the kernel did not start"
    driver.execute_script("window.jupyterapp.commands.execute('notebook:run-all-cells')")

    def finished() -> list[Any] | None:
        cells = json.loads(driver.execute_script(CELLS))
        failed = any(output["output_type"] == "error" for _, outputs in cells for output in outputs)
        return cells if failed or all(count for count, _ in cells) else None

    cells = wait(finished, 240)
    assert cells, "the cells did not finish"
    outputs = [output for _, outputs in cells for output in outputs]
    assert [output for output in outputs if output["output_type"] == "error"] == []
    assert len(outputs) > 2
