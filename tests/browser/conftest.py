"""A browser for the tests, and what they ask of the explorer page."""

from __future__ import annotations

import functools
import http.server
import os
import re
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from wengert.viz.graph import Graph

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "browser-out"
SITE = ROOT / "build" / "browser" / "site"
"""The page of notebooks, which `make browser` builds."""
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--window-size=1440,900", "--mute-audio"),
)


def program(variable: str, *names: str) -> str:
    """The path of a program; skips the test where there is none."""
    found = os.environ.get(variable) or next(filter(None, map(shutil.which, names)), None)
    if not found:
        pytest.skip(f"no {names[0]} on this machine: see tests/browser/README.md")
    return found


@pytest.fixture(scope="session")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Chromium, without a window and without anything that another run left."""
    chromium = program("CHROMIUM", "chromium", "chromium-browser", "google-chrome", "chrome")
    chromedriver = program("CHROMEDRIVER", "chromedriver", "chromium.chromedriver")
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed: make test-browser")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    made = webdriver.Chrome(options=options, service=webdriver.ChromeService(executable_path=chromedriver))
    made.set_script_timeout(120)
    yield made
    made.quit()


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serve files, without a line for each."""

    def log_message(self, *arguments: Any) -> None:
        pass


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """The address of the page of notebooks, served on this machine only."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(SITE)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


class Page:
    """The explorer page in the browser."""

    def __init__(self, driver: Any, folder: Path) -> None:
        self.driver = driver
        self.folder = folder

    def open(self, shown: Any) -> Page:
        """Save a graph or a timeline and open it; waits until it is painted."""
        path = self.folder / "page.html"
        shown.save(path)
        self.driver.get_log("browser")  # what earlier pages left
        self.driver.get(path.as_uri())
        self.wait("performance.getEntriesByName('painted').length === 1")
        return self

    def run(self, script: str, *arguments: Any) -> Any:
        """What a script in the page returns."""
        return self.driver.execute_script(script, *arguments)

    def wait(self, condition: str) -> None:
        """Wait until an expression of the page is true."""
        for _ in range(600):
            if self.run(f"return Boolean({condition})"):
                return
            time.sleep(0.05)
        raise AssertionError(f"never true in the page: {condition}; its messages: {self.driver.get_log('browser')}")

    def find(self, selector: str) -> Any:
        """The element that a selector names."""
        return self.driver.find_element("css selector", selector)

    def texts(self, selector: str) -> list[str]:
        """The words of all elements that a selector names."""
        return self.run("return [...document.querySelectorAll(arguments[0])].map((each) => each.textContent)", selector)

    def press(self, selector: str, *keys: str) -> None:
        """Send keys to an element."""
        self.find(selector).send_keys(*keys)

    def choose(self, selector: str, value: str) -> None:
        """Choose an entry of a list."""
        self.find(f"{selector} option[value='{value}']").click()

    def search(self, words: str) -> list[str]:
        """Search for words; the names of what is found."""
        self.run("document.getElementById('search').value = ''")
        self.press("#search", words)
        return self.texts("#results .name")

    def boxes(self) -> list[SimpleNamespace]:
        """What is drawn: labels, classes, places in the window, colours."""
        found = self.run(
            "const at = document.getElementById('canvas').getBoundingClientRect();"
            "return document.getElementById('canvas')._cyreg.cy.nodes().map((box) => ({"
            "  id: box.id(), label: box.data('label'), classes: box.classes(), fill: box.style('background-color'),"
            "  x: at.x + box.renderedPosition('x'), y: at.y + box.renderedPosition('y')}))"
        )
        return [SimpleNamespace(**box, title=box["label"].split("\n")[0]) for box in found]

    def box(self, title: str) -> SimpleNamespace:
        """The only box with that title."""
        [found] = [box for box in self.boxes() if box.title == title]
        return found

    def click(self, title: str, times: int = 1) -> None:
        """Click with the mouse on a box of the drawing."""
        from selenium.webdriver.common.action_chains import ActionChains

        box = self.box(title)
        chain = ActionChains(self.driver)
        chain.w3c_actions.pointer_action.move_to_location(round(box.x), round(box.y))
        for _ in range(times):
            chain.w3c_actions.pointer_action.click()
        chain.perform()
        time.sleep(0.4)  # cytoscape waits whether a second click follows

    def details(self) -> str:
        """The words of the panel about what is chosen."""
        return str(self.find("#details").text)

    def messages(self) -> list[str]:
        """What the browser complained of since the page was opened."""
        return [entry["message"] for entry in self.driver.get_log("browser")]


@pytest.fixture
def page(driver: Any, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page of its own for each test; a picture of its end, and no complaint of the browser."""
    made = Page(driver, tmp_path)
    yield made
    PICTURES.mkdir(exist_ok=True)
    name = re.sub(r"[^\w\-]+", "_", request.node.name)
    driver.save_screenshot(str(PICTURES / f"{name}.png"))
    assert made.messages() == []


def event(
    name: str, start: float, end: float, *, number: int = -1, thread: int = 1, within: Any = None, **more: Any
) -> SimpleNamespace:
    """An event with the attributes of torch's `FunctionEvent`."""
    made = SimpleNamespace(
        name=name,
        time_range=SimpleNamespace(start=start, end=end),
        thread=thread,
        sequence_nr=number,
        cpu_parent=within,
        cpu_children=[],
        input_shapes=[],
        stack=[],
        cpu_memory_usage=0,
        flops=None,
        is_user_annotation=False,
    )
    vars(made).update(more)
    if within is not None:
        within.cpu_children.append(made)
    return made


def profile_of(graph: Graph) -> SimpleNamespace:
    """A made-up profile: each operator took ten microseconds, its backward step twenty in another thread."""
    operators = sorted((node.sequence, node.title) for node in graph.nodes if node.sequence is not None)
    whole = event("training step", 0.0, 11.0 * len(operators), is_user_annotation=True)
    events = [whole]
    for at, (number, title) in enumerate(operators):
        name = "aten::" + title.partition("Backward")[0].lower()
        start = 11.0 * at
        outer = event(name, start, start + 10, number=number, within=whole, input_shapes=[[4, 8]], stack=["a.py(3): f"])
        events += [outer, event("aten::empty", start + 1, start + 3, within=outer, cpu_memory_usage=128)]
    for at, (number, title) in enumerate(reversed(operators)):
        start = 11.0 * len(operators) + 21.0 * at
        prefix = "autograd::engine::evaluate_function: "
        outer = event(prefix + title, start, start + 20, number=number, thread=2)
        events += [outer, event(title, start + 2, start + 18, number=number, thread=2, within=outer)]
    return SimpleNamespace(function_events=events)
