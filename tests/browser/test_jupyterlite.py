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


def wait(condition: Any, seconds: float) -> Any:
    """Return the value of a function once it is true, or the last one after some seconds."""
    end = time.monotonic() + seconds
    while not (value := condition()) and time.monotonic() < end:
        time.sleep(0.5)
    return value


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs(driver, address, name):
    driver.get(
        f"{address}lite/tree/index.html"
    )  # the first visit installs the service worker, which kernels read files by
    assert wait(lambda: driver.execute_script("return Boolean(navigator.serviceWorker.controller)"), 60)
    driver.get(f"{address}lite/lab/index.html?path={name}.ipynb")
    is_open = "return Boolean(window.jupyterapp?.shell.currentWidget?.content?.model?.cells?.length > 2)"
    assert wait(lambda: driver.execute_script(is_open), 60)
    driver.execute_script("window.jupyterapp.commands.execute('notebook:run-all-cells')")

    def outputs() -> list[Any] | None:
        cells = json.loads(driver.execute_script(CELLS))
        failed = any(output["output_type"] == "error" for _, outputs in cells for output in outputs)
        return cells if failed or all(count for count, _ in cells) else None

    cells = wait(outputs, 240)
    assert cells is not None, "the cells did not finish"
    assert [output for _, outputs in cells for output in outputs if output["output_type"] == "error"] == []
