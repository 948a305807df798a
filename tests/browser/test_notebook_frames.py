"""The pages as the output of a notebook's cell: in a sandboxed frame, which may get its size later."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import wengert as wg
from wengert import nn
from wengert.viz import graph, timeline
from wengert.viz.graph import Graph

from .conftest import Page, profile_of

NOTEBOOK = "<!doctype html><meta charset='utf-8'><title>A notebook</title><body>{}</body>"


@pytest.fixture(scope="module")
def shown() -> Graph:
    """The graph of a network with groups that can be opened."""
    model = nn.Sequential(*[nn.Sequential(nn.Linear(4, 4), nn.ReLU()) for _ in range(6)])
    return graph(model(wg.ones(2, 4)).sum(), model)


class Notebook:
    """A page that holds the output of one cell."""

    def __init__(self, page: Page, output: Any) -> None:
        self.page = page
        path = Path(page.folder, "notebook.html")
        path.write_text(NOTEBOOK.format(output._repr_html_()), encoding="utf-8")
        page.driver.get_log("browser")
        page.driver.set_window_size(1100, 900)
        page.driver.get(path.as_uri())

    def style(self, words: str) -> None:
        """Set the style of the frame, from outside."""
        self.page.driver.switch_to.default_content()
        self.page.run("document.querySelector('iframe').style.cssText = arguments[0]", words)
        self.enter()

    def enter(self) -> None:
        """Speak with the page in the frame from now on."""
        self.page.driver.switch_to.frame(self.page.find("iframe"))

    def fits(self, most_left: float = 0.25) -> bool:
        """Whether the whole drawing is in the canvas and fills it in one direction, or is as large as it may be."""
        return bool(
            self.page.run(
                "const canvas = document.getElementById('canvas'), cy = canvas._cyreg.cy;"
                "const box = cy.elements().renderedBoundingBox(), left = arguments[0];"
                "const { clientWidth: width, clientHeight: height } = canvas;"
                "const inside = box.x1 >= 0 && box.y1 >= 0 && box.x2 <= width && box.y2 <= height;"
                "const full = box.w > (1 - left) * width || box.h > (1 - left) * height || cy.zoom() > 1.19;"
                "return width > 0 && height > 0 && inside && full",
                most_left,
            )
        )

    def wait_until_it_fits(self) -> None:
        """Wait until the drawing fits the frame."""
        for _ in range(100):
            if self.fits():
                return
            self.page.driver.execute_async_script("setTimeout(arguments[0], 50)")
        raise AssertionError("the drawing does not fit the frame")


@pytest.fixture(autouse=True)
def usual_window(driver: Any) -> Any:
    """Leave the window as other tests expect it."""
    yield
    driver.switch_to.default_content()
    driver.set_window_size(1440, 900)


def test_a_graph_is_shown_whole_in_its_frame(page: Page, shown: Graph) -> None:
    notebook = Notebook(page, shown)
    notebook.enter()
    page.wait("performance.getEntriesByName('painted').length === 1")
    notebook.wait_until_it_fits()
    assert page.run("return window.origin") == "null"  # an origin of its own, which cannot reach the notebook
    page.find("#open-more").click()
    assert "0.0 (Linear)" in {box.title for box in page.boxes()}
    page.find("#theme").click()
    assert page.find("#theme").text == "Light"


def test_a_frame_that_changes_its_size_is_fitted_again(page: Page, shown: Graph) -> None:
    notebook = Notebook(page, shown)
    notebook.enter()
    notebook.wait_until_it_fits()
    for size in ("width: 1000px; height: 800px", "width: 700px; height: 420px", "width: 400px; height: 700px"):
        notebook.style(size)
        notebook.wait_until_it_fits()


def test_what_the_reader_has_moved_stays(page: Page, shown: Graph) -> None:
    notebook = Notebook(page, shown)
    notebook.style("width: 700px; height: 420px")
    notebook.wait_until_it_fits()
    page.find("#zoom-in").click()
    page.find("#zoom-in").click()
    zoom = page.run("return document.getElementById('canvas')._cyreg.cy.zoom()")
    notebook.style("width: 1000px; height: 800px")
    page.wait("document.getElementById('canvas').clientWidth > 500")
    page.driver.execute_async_script("setTimeout(arguments[0], 200)")
    assert page.run("return document.getElementById('canvas')._cyreg.cy.zoom()") == zoom
    page.find("#fit").click()
    notebook.wait_until_it_fits()


@pytest.mark.parametrize("hidden", ["display: none", "width: 0; height: 0; border: 0", "width: 100%; height: 0"])
def test_a_frame_that_is_hidden_at_first_is_fitted_when_it_appears(page: Page, shown: Graph, hidden: str) -> None:
    shown_later = f'<div style="{hidden}; overflow: hidden">{shown._repr_html_()}</div>'
    notebook = Notebook(page, type("Output", (), {"_repr_html_": lambda self: shown_later})())
    page.run("document.querySelector('iframe').style.cssText = 'width: 100%; height: 100%; border: 0'")
    page.driver.execute_async_script("setTimeout(arguments[0], 300)")
    page.run("document.querySelector('div').style.cssText = 'width: 900px; height: 600px'")
    notebook.enter()
    notebook.wait_until_it_fits()
    assert len(page.boxes()) >= 8


def test_a_timeline_fits_its_frame(page: Page, shown: Graph) -> None:
    notebook = Notebook(page, timeline(profile_of(shown)))
    notebook.style("display: none")
    page.driver.switch_to.default_content()
    page.driver.execute_async_script("setTimeout(arguments[0], 300)")
    for width in (1000, 700):
        notebook.style(f"width: {width}px; height: 500px")
        page.wait(
            "document.getElementById('timeline').width > 300 &&"
            "document.getElementById('timeline').width === document.getElementById('timeline-area').clientWidth"
        )
    assert len(page.texts("#totals tbody tr")) > 5
