"""The pictures of the explorer page in `docs/pictures`, taken in headless Chromium.

`python tools/make_pictures.py` needs what `make test-browser` needs (tests/browser/README.md).
"""

from __future__ import annotations

import contextlib
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import wengert as wg
from wengert.autograd.profiler import profile
from wengert.demo import data, results
from wengert.demo.training import Run

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--window-size=1280,860", "--hide-scrollbars")


def gradient_report(path: Path) -> None:
    """The report of a short run in which units die: a rate that is too high."""
    wg.manual_seed(0)
    digits = data.load()
    layers = [layer for _ in range(3) for layer in (wg.nn.Linear(64, 64), wg.nn.ReLU())]
    network = wg.nn.Sequential(wg.nn.Flatten(), *layers, wg.nn.Linear(64, 10))
    optimiser = wg.optim.SGD(network.parameters(), lr=0.6)
    with wg.viz.gradients(network) as report:
        for step in range(80):
            part = slice(step * 16 % 1280, step * 16 % 1280 + 16)
            optimiser.zero_grad()
            scores = network(digits.train_images[part])
            wg.nn.functional.cross_entropy(scores, digits.train_labels[part]).backward()
            optimiser.step()
            report.step()
    report.save(path)


def training_step() -> tuple[wg.viz.Graph, profile]:
    """The graph of a training step of the demo, and its profile: the quickest of some, since others interrupt."""
    run, digits = Run.start(0, 1), data.load()
    steps = [results.training_step(run, digits) for _ in range(20)]
    return min(steps, key=lambda step: step[1].self_cpu_time_total)


@contextlib.contextmanager
def chromium(folder: str) -> Iterator[Any]:
    """A browser without a window, which keeps what it needs in a folder."""
    from selenium import webdriver  # type: ignore[import-not-found, unused-ignore]

    options = webdriver.ChromeOptions()
    for flag in (*FLAGS, f"--user-data-dir={folder}/profile"):
        options.add_argument(flag)
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    try:
        yield browser
    finally:
        browser.quit()


def explorer(browser: Any, page: Path, path: Path) -> None:
    """The page of the training step, with a node chosen."""
    browser.get(page.as_uri())
    browser.find_element("css selector", "#colouring option[value='bytes']").click()
    browser.find_element("css selector", "#search").send_keys("MaxPool2DWith", "\ue007", "\ue00c")
    time.sleep(1)
    browser.save_screenshot(str(path))


def timeline(browser: Any, page: Path, path: Path) -> None:
    """The same page with the tab of the profile, an event chosen."""
    browser.set_window_size(1280, 700)
    browser.get(page.as_uri())
    browser.find_element("css selector", "#tab-timeline").click()
    [longest, *_] = browser.find_elements("css selector", "#totals th button")
    longest.click()
    time.sleep(1)
    browser.save_screenshot(str(path))


def backward_steps() -> wg.viz.BackwardSteps:
    """The steps of a backward pass of a small network."""
    wg.manual_seed(0)
    network = wg.nn.Sequential(wg.nn.Linear(2, 3), wg.nn.Tanh(), wg.nn.Linear(3, 1))
    error = network(wg.tensor([[1.0, 2.0], [0.5, -1.0]])) - wg.tensor([[1.0], [0.0]])
    return wg.viz.backward_steps(error.square().mean(), network)


def steps(browser: Any, page: Path, path: Path) -> None:
    """The page of the steps, in the midst of the pass."""
    browser.set_window_size(1280, 860)
    browser.get(page.as_uri())
    browser.find_element("css selector", "#step").send_keys(*["\ue014"] * 8)
    time.sleep(1)
    browser.save_screenshot(str(path))


def main() -> int:
    """Take all pictures."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    gradient_report(FOLDER / "gradients.png")
    with tempfile.TemporaryDirectory() as folder, chromium(folder) as browser:
        page = training_step()[0].save(Path(folder) / "graph.html")
        explorer(browser, page, FOLDER / "explorer.png")
        timeline(browser, page, FOLDER / "timeline.png")
        steps(browser, backward_steps().save(Path(folder) / "steps.html"), FOLDER / "steps.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
