"""The explorer page as a reader meets it: by mouse, by keyboard, in the light and in the dark."""

from __future__ import annotations

import http.server
import threading
import time
from typing import Any

import pytest

import wengert as wg
from wengert import nn
from wengert.viz import graph, record_scopes, timeline

from .conftest import Page, profile_of

UP, DOWN, LEFT, RIGHT, ENTER, ESCAPE = "\ue013", "\ue015", "\ue012", "\ue014", "\ue007", "\ue00c"


class Block(nn.Module):
    """Two linear maps and what lies around them."""

    def __init__(self) -> None:
        super().__init__()
        self.up = nn.Linear(8, 16)
        self.down = nn.Linear(16, 8)

    def forward(self, x: Any) -> Any:
        return x + self.down(self.up(x).relu())


@pytest.fixture(scope="module")
def model() -> nn.Module:
    wg.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 8), *[Block() for _ in range(6)], nn.Linear(8, 2))


@pytest.fixture(scope="module")
def step(model: nn.Module) -> Any:
    """The graph of a training step with all that may be known about it."""
    with record_scopes(model), wg.viz.scope("loss"), wg.autograd.detect_anomaly(check_nan=False):
        loss = model(wg.ones(3, 4)).square().sum()
    return graph(loss, model, profile=profile_of(graph(loss)), gradients=True)


pytestmark = pytest.mark.filterwarnings("ignore:Anomaly Detection")


def test_the_page_opens_with_the_modules_of_the_model(page: Page, step: Any) -> None:
    page.open(step)
    titles = {box.title for box in page.boxes()}
    assert {"1 (Block)", "6 (Block)", "output"} <= titles  # blocks, closed or around what they hold
    assert page.find("#summary").text.startswith("42 operators, 28 parameters")
    assert page.texts("#grouping option") == ["module", "name scope", "source line", "order of computation"]
    assert page.texts("#colouring option") == ["kind", "saved bytes", "time", "gradient norm"]


def test_a_double_click_opens_and_closes_a_group(page: Page, step: Any) -> None:
    page.open(step)
    page.find("#close-all").click()
    closed = {box.title for box in page.boxes()}
    assert "group" in page.box("3 (Block)").classes
    page.click("3 (Block)", times=2)
    assert "open" in page.box("3 (Block)").classes
    inside = {box.title for box in page.boxes()} - closed
    assert {"up (Linear)", "down (Linear)"} <= inside
    row = page.find("#outline li[aria-expanded='true']")
    assert row.text.split()[1] == "3"
    row.find_element("css selector", ".mark").click()
    assert {box.title for box in page.boxes()} == closed


def test_a_click_shows_everything_about_a_node(page: Page, step: Any) -> None:
    page.open(step)
    page.find("#close-all").click()
    page.search("ReluBackward")
    page.press("#search", ENTER)
    page.press("#search", ESCAPE)
    page.wait("!document.getElementById('canvas')._cyreg.cy.animated()")
    page.click("1 (Block)")  # the group
    page.click("ReluBackward0")
    words = page.details()
    for expected in (
        "[3, 16]",
        "module\n1 (Block)",
        "name scope\nloss",
        "test_explorer_page.py",
        "gradient norm",
        "result",
    ):
        assert expected in words, words
    assert "forward\n10 µs" in words and "backward\n20 µs" in words
    assert "192 B" in words  # 3 x 16 numbers of 4 bytes
    page.find("#details section:last-of-type .link").click()
    assert "TBackward0" not in page.texts("#details h2")[0]
    assert "AddmmBackward0" in page.texts("#details h2")[0]


def test_search_finds_names_modules_and_lines(page: Page, step: Any) -> None:
    page.open(step)
    assert page.search("relubackward") == ["ReluBackward0"] * 6
    assert page.find("#found").text == "6 nodes found"
    assert sum("found" in box.classes for box in page.boxes()) >= 1
    assert len(page.search("4.down.weight")) == 1
    page.press("#search", DOWN, ENTER)
    assert page.texts("#details h2") == ["4.down.weightparameter"]
    assert (
        page.run("return document.querySelector('#outline [aria-selected=true] .name').textContent") == "4.down.weight"
    )
    assert len(page.search("test_explorer_page.py")) == 42
    assert page.search("no such thing") == []
    assert page.find("#found").text == "0 nodes found"


def test_other_ways_to_group_and_to_colour(page: Page, step: Any) -> None:
    page.open(step)
    page.choose("#grouping", "scope")
    assert "loss" in {box.title for box in page.boxes()}
    page.choose("#grouping", "order")
    assert any(box.title.startswith("1–") for box in page.boxes())
    page.choose("#grouping", "module")
    kinds = {box.id: box.fill for box in page.boxes()}
    for metric in ("bytes", "time", "gradient"):
        page.choose("#colouring", metric)
        assert {box.id: box.fill for box in page.boxes()} != kinds
        assert page.run("return document.querySelectorAll('#legend .scale i').length") == 5


def test_the_drawing_is_led_by_keys(page: Page, step: Any) -> None:
    page.open(step)
    page.find("#close-all").click()
    page.press("#canvas", DOWN)
    first = page.texts("#details h2")[0]
    assert page.find("#spoken").get_attribute("textContent")
    seen = [first]
    for _ in range(3):
        page.press("#canvas", DOWN)
        seen.append(page.texts("#details h2")[0])
    assert len(set(seen)) == 4
    page.press("#canvas", UP)
    assert page.texts("#details h2")[0] == seen[2]
    page.press("#canvas", ENTER)
    assert sum("open" in box.classes for box in page.boxes()) == 1
    assert "opened" in page.find("#spoken").get_attribute("textContent")
    page.press("#canvas", ENTER, ESCAPE)
    assert page.texts("#details h2")[0].startswith("Nothing chosen")


def test_the_outline_is_a_tree_for_the_keyboard(page: Page, step: Any) -> None:
    page.open(step)
    page.find("#close-all").click()
    rows = page.texts("#outline li .name")
    assert page.run("return document.querySelectorAll('#outline li[tabindex=\"0\"]').length") == 1
    page.press("#outline li[tabindex='0']", DOWN)
    focused = "document.activeElement.querySelector('.name').textContent"
    assert page.run(f"return {focused}") == rows[1]
    page.run("document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}))")
    assert len(page.texts("#outline li")) > len(rows)
    assert page.run("return document.activeElement.getAttribute('aria-expanded')") == "true"
    page.run("document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}))")
    assert page.run("return document.activeElement.getAttribute('aria-level')") == "2"
    page.run("document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowLeft', bubbles: true}))")
    assert page.run(f"return {focused}") == rows[1]


def test_keys_reach_search_help_and_colours_from_anywhere(page: Page, step: Any) -> None:
    page.open(step)
    page.press("body", "/")
    assert page.run("return document.activeElement.id") == "search"
    page.press("#search", "?t", ESCAPE)  # in a field they are letters
    assert not page.run("return document.getElementById('help').open")
    page.press("#canvas", "?")
    assert page.run("return document.getElementById('help').open")
    page.find("#help button").click()
    page.press("#canvas", "d")
    assert page.run("return document.activeElement.id") == "details"


def test_light_and_dark_follow_the_system_and_the_switch(page: Page, step: Any) -> None:
    def ground() -> str:
        return page.run("return getComputedStyle(document.body).backgroundColor")

    def system(name: str) -> None:
        page.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": name}]}
        )

    try:
        system("light")
        page.open(step)
        light, drawn = ground(), page.box("output").fill
        system("dark")
        page.wait(f"getComputedStyle(document.body).backgroundColor !== '{light}'")
        dark = ground()
        # The drawing follows a little later than the page around it.
        output = "document.getElementById('canvas')._cyreg.cy.nodes('[label ^= \"output\"]')"
        page.wait(f"{output}.style('background-color') !== '{drawn}'")
        page.find("#theme").click()
        assert page.find("#theme").text == "Light" and ground() == light
        page.find("#theme").click()
        assert page.find("#theme").text == "Dark" and ground() == dark
        system("light")
        assert ground() == dark
    finally:
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_whatever_can_be_used_has_a_name_for_screen_readers(page: Page, step: Any) -> None:
    page.open(step)
    page.search("relu")
    page.press("#search", ENTER)
    tree = page.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    roles = {"button", "combobox", "searchbox", "listbox", "tab", "tree", "treeitem", "application", "tabpanel"}
    found = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in tree if not node["ignored"]]
    nameless = [role for role, name in found if role in roles and not name.strip()]
    assert nameless == []
    assert {"tree", "treeitem", "application", "tab"} <= {role for role, _ in found}


def test_the_timeline_shows_events_and_leads_back_to_the_graph(page: Page, step: Any) -> None:
    page.open(step)
    page.find("#tab-timeline").click()
    page.wait("document.getElementById('timeline').width > 300")
    painted = page.run(
        "const canvas = document.getElementById('timeline'), seen = new Set();"
        "const dots = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;"
        "for (let at = 0; at < dots.length; at += 4) seen.add(dots[at] * 65536 + dots[at + 1] * 256 + dots[at + 2]);"
        "return seen.size"
    )
    assert painted > 10
    rows = {row.split("\n")[0]: row for row in page.find("#totals tbody").text.replace(" ", "\n", 0).splitlines()}
    assert any(row.startswith("aten::empty 42 84 µs") for row in rows), rows
    assert any(row.startswith("ReluBackward0 6 96 µs") for row in rows)
    [link] = [each for each in page.driver.find_elements("css selector", "#totals .link") if each.text == "aten::relu"]
    link.click()
    assert "10 µs" in page.find("#event").text and "[4, 8]" in page.find("#event").text
    page.find("#event button").click()
    assert page.find("#tab-graph").get_attribute("aria-selected") == "true"
    assert page.texts("#details h2") == ["ReluBackward0operator"]


def test_a_click_on_an_event_tells_about_it(page: Page, step: Any) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    page.open(step)
    page.find("#tab-timeline").click()
    page.wait("document.getElementById('timeline').width > 300")
    left, top = page.run(
        "const canvas = document.getElementById('timeline'), at = canvas.getBoundingClientRect();"
        "const dots = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;"
        "for (let dot = 0; dot < dots.length; dot += 4)"
        "  if (dots[dot] === 0x93 && dots[dot + 1] === 0xc5 && dots[dot + 2] === 0xfd)"
        "    return [at.x + dot / 4 % canvas.width + 4, at.y + Math.floor(dot / 4 / canvas.width) + 6];"
    )
    for place in ((left, top), (left, top)):  # the chart finds out at a move what lies under the pointer
        chain = ActionChains(page.driver)
        chain.w3c_actions.pointer_action.move_to_location(round(place[0]) + 1, round(place[1]))
        chain.w3c_actions.pointer_action.click()
        chain.perform()
        time.sleep(0.2)
    assert page.texts("#event h2")[0].startswith("aten::"), page.find("#event").text
    assert "takes\n10 µs" in page.find("#event").text


def test_a_timeline_alone_and_one_without_events(page: Page, step: Any) -> None:
    page.open(timeline(step.profile))
    assert page.find("#heading").text == "Profile"
    assert page.run("return document.getElementById('tabs').hidden")
    assert len(page.texts("#totals tbody tr")) > 5
    empty = type("Profile", (), {"function_events": []})()
    page.open(timeline(empty))
    assert page.texts("#totals tbody tr") == []


def test_the_page_asks_for_nothing_and_can_send_nothing(page: Page, step: Any) -> None:
    asked: list[str] = []

    class Server(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(204)
            self.end_headers()

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page.open(step)
        assert page.run("return performance.getEntriesByType('resource').length") == 0
        assert page.messages() == []
        done = page.driver.execute_async_script(
            "const [place, done] = arguments; const image = new Image(); image.src = place + 'image';"
            "document.body.append(image);"
            "fetch(place + 'fetch').then(() => done('sent'), () => setTimeout(() => done('refused'), 300))",
            f"http://127.0.0.1:{server.server_port}/",
        )
        server.shutdown()
    assert done == "refused"
    assert asked == []
    assert len(page.messages()) >= 2  # the browser says what it refused
