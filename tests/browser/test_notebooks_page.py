"""The page on which notebooks run in the browser: `make browser` builds it, these tests use it as a reader does."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from .conftest import SITE

pytestmark = pytest.mark.skipif(not (SITE / "runtime").exists(), reason="no page was built: make browser")


class Notebooks:
    """The page in the browser."""

    def __init__(self, driver: Any, address: str) -> None:
        self.driver = driver
        self.address = address

    def wait(self, condition: str, seconds: float = 120) -> Any:
        """Wait until an expression of the page is true, and return it."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if value := self.driver.execute_script(f"return {condition}"):
                return value
            time.sleep(0.1)
        status = self.driver.execute_script("return document.getElementById('status').textContent")
        raise AssertionError(f"never true: {condition}; status: {status}; {self.driver.get_log('browser')}")

    def open(self, name: str) -> None:
        """Open a notebook in a new Python."""
        self.driver.get("about:blank")
        self.driver.get(f"{self.address}#{name}")
        self.wait("document.documentElement.dataset.ready")

    def run_all(self) -> list[str]:
        """Run all cells, and return the text of each output."""
        forget = "for (const cell of document.querySelectorAll('.code')) delete cell.dataset.done;"  # of an earlier run
        self.driver.execute_script(f"{forget} document.getElementById('run-all').click()")
        self.wait(
            "[...document.querySelectorAll('.code')].every((cell) => cell.dataset.done)"
            " || document.querySelector('.code[data-done=error]')"
        )
        return self.driver.execute_script(
            "return [...document.querySelectorAll('.code .output')].map((output) => output.textContent)"
        )

    def run(self, source: str) -> Any:
        """Run Python in the first cell, and return the element of its output."""
        script = """
            const cell = document.querySelector('.code'), area = cell.querySelector('textarea');
            delete cell.dataset.done;
            area.value = arguments[0];
            cell.querySelector('button').click();"""
        self.driver.execute_script(script, source)
        self.wait("document.querySelector('.code').dataset.done")
        return self.driver.find_element("css selector", ".code .output")


@pytest.fixture(scope="module")
def page(driver: Any, address: str) -> Notebooks:
    """The page with a Python that has started."""
    page = Notebooks(driver, address)
    page.open("torch_in_the_browser")
    return page


def errors(page: Notebooks) -> list[str]:
    """The tracebacks on the page."""
    return page.driver.execute_script(
        "return [...document.querySelectorAll('.error')].map((error) => error.textContent)"
    )


def test_the_page_says_how_long_the_import_took(page):
    times = json.loads(page.driver.execute_script("return document.documentElement.dataset.ready"))
    print(f"\nseconds: {', '.join(f'{name} {milliseconds / 1000:.2f}' for name, milliseconds in times.items())}")
    assert f"imported in {times['import'] / 1000:.1f} s" in page.driver.find_element("id", "status").text


def test_a_training_loop_a_hessian_a_graph_and_import_torch(page):
    outputs = page.run_all()
    assert errors(page) == []
    assert "emscripten" in outputs[0]
    assert "[0.0, 1.0, 1.0, 0.0]" in outputs[1]
    print(f"\n{outputs[1]}")
    assert "802., -400.,    0." in outputs[2]
    assert "0.4794" in outputs[4]


def test_a_graph_is_drawn(page):
    page.run_all()
    output = page.driver.find_elements("css selector", ".code .output")[3]
    frame = output.find_element("css selector", "iframe")
    page.driver.execute_script("arguments[0].scrollIntoView()", frame)
    page.driver.switch_to.frame(frame)
    try:
        assert page.driver.find_elements("css selector", "svg, iframe")
    finally:
        page.driver.switch_to.default_content()


def test_an_error_is_the_users_lines_only(page):
    output = page.run("import wengert as wg\nwg.ones(2, 3) @ wg.ones(2, 3)")
    assert "RuntimeError" in output.text
    assert "<cell" in output.text
    assert "cells.py" not in output.text


def test_what_a_cell_prints_comes_while_it_runs(page):
    output = page.run("print('first')\nprint('<b>second</b>')\n1 + 1")
    assert output.text.split() == ["first", "<b>second</b>", "2"]


def test_figures_are_shown(page):
    output = page.run("import matplotlib.pyplot as plt\n_ = plt.plot([1, 3, 2])")
    assert errors(page) == []
    assert output.find_elements("css selector", "img")


def test_the_package_installs_by_micropip(page):
    wheel = next(SITE.glob("wengert-*.whl")).name
    source = f"""
        import importlib.metadata, micropip, shutil, site
        micropip.uninstall("wengert")
        await micropip.install("{page.address}{wheel}")
        importlib.metadata.version("wengert")"""
    output = page.run("\n".join(line.removeprefix("        ") for line in source.splitlines()))
    assert errors(page) == []
    assert "0." in output.text


def test_a_cell_that_never_ends_is_stopped_by_a_restart(page):
    script = """
        const area = document.querySelector('.code textarea');
        area.value = 'while True: pass';
        document.querySelector('.code button').click();"""
    page.driver.execute_script(script)
    page.wait("document.querySelector('.code.running')")
    page.driver.execute_script("document.getElementById('restart').click()")
    page.wait("document.documentElement.dataset.ready")
    assert page.run("6 * 7").text == "42"


@pytest.mark.parametrize("path", sorted((SITE / "notebooks").glob("*.json")), ids=lambda path: path.stem)
def test_notebooks_run(page, path):
    page.open(path.stem)
    page.run_all()
    assert errors(page) == []
