"""The pictures of the explorer page in `docs/pictures`, taken in headless Chromium.

`python tools/make_pictures.py` needs what `make test-browser` needs (tests/browser/README.md).
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from pathlib import Path

import wengert as wg
from wengert.demo import data, results
from wengert.demo.training import Run

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--window-size=1280,860", "--hide-scrollbars")


def gradient_report(path: Path) -> None:
    """The report of a short run in which units die: a rate that is too high."""
    wg.manual_seed(0)
    digits = data.load()
    layers = [each for _ in range(3) for each in (wg.nn.Linear(64, 64), wg.nn.ReLU())]
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


def explorer(path: Path) -> None:
    """The page of the demo's training step, with a node chosen."""
    from selenium import webdriver  # type: ignore[import-not-found, unused-ignore]

    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "graph.html"
        results.training_step(Run.start(0, 1), data.load())[0].save(page)
        options = webdriver.ChromeOptions()
        for flag in (*FLAGS, f"--user-data-dir={folder}/profile"):
            options.add_argument(flag)
        service = webdriver.ChromeService(executable_path=shutil.which("chromedriver"))
        browser = webdriver.Chrome(options=options, service=service)
        try:
            browser.get(page.as_uri())
            browser.find_element("css selector", "#colouring option[value='bytes']").click()
            browser.find_element("css selector", "#search").send_keys("MaxPool2DWith", "\ue007", "\ue00c")
            time.sleep(1)
            browser.save_screenshot(str(path))
        finally:
            browser.quit()


def main() -> int:
    """Take all pictures."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    gradient_report(FOLDER / "gradients.png")
    explorer(FOLDER / "explorer.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
