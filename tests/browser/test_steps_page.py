"""The page of the steps of a backward pass: driven by buttons, by keys, by the list and by the graph."""

from __future__ import annotations

from typing import Any

import pytest

import wengert as wg
from wengert import nn
from wengert.viz import BackwardSteps, backward_steps
from wengert.viz.data import GraphEdge, GraphNode
from wengert.viz.graph import Graph
from wengert.viz.rule_text import RuleText
from wengert.viz.step_data import Passed, Step
from wengert.viz.values import Value

from .conftest import Page
from .test_hostile_and_large import HOSTILE

DOWN, LEFT, RIGHT, HOME, END, TAB, ENTER = "\ue015", "\ue012", "\ue014", "\ue011", "\ue010", "\ue004", "\ue007"


@pytest.fixture(scope="module")
def steps() -> BackwardSteps:
    """The steps of exp(x) * x + b, summed."""
    x, b = wg.tensor([1.0, 2.0], requires_grad=True), wg.tensor(0.5, requires_grad=True)
    return backward_steps((x.exp() * x + b).sum(), {"x": x, "b": b})


@pytest.fixture(scope="module")
def deep() -> BackwardSteps:
    """The steps of a network with more modules than are open at once."""
    wg.manual_seed(0)
    model = nn.Sequential(*[nn.Sequential(nn.Linear(3, 3), nn.Tanh()) for _ in range(12)])
    return backward_steps(model(wg.ones(2, 3)).sum(), model)


def states(page: Page) -> dict[str, str]:
    """The states of the nodes by what is written in their boxes."""
    marks = {"▶": "running", "✓": "done"}
    return {box.title.lstrip("▶✓ "): marks.get(box.title[0], "waiting") for box in page.boxes()}


def flows(page: Page) -> set[tuple[str, str]]:
    """The arrows along which gradients are passed on, by the titles of their ends, as the gradients go."""
    title = "edge.%s().data('label').split('\\n')[0].replace(/^[▶✓] /, '')"
    return {
        (source, target)
        for source, target in page.run(
            "return document.getElementById('canvas')._cyreg.cy.edges('.flow').map((edge) => "
            f"[{title % 'target'}, {title % 'source'}])"
        )
    }


def current(page: Page) -> list[str]:
    """The entry of the list that is marked as the current one."""
    return page.texts("#order [aria-current='step'] .name")


def test_before_the_pass_all_nodes_wait(page: Page, steps: BackwardSteps) -> None:
    page.open(steps)
    assert set(states(page).values()) == {"waiting"}
    assert page.texts("#order .name") == [step.title for step in steps]
    assert "Nothing has run yet" in page.details() and "scalar float32" in page.details()
    assert page.find("#progress").text == "0 of 6"
    assert page.texts("#leaves .leaf") == ["b nothing yet", "x nothing yet"]
    assert page.find("#back").get_attribute("aria-disabled") == "true"


def test_step_back_and_run_to_end(page: Page, steps: BackwardSteps) -> None:
    page.open(steps)
    for at, step in enumerate(steps):
        page.find("#step").click()
        assert current(page) == [step.title]
        assert page.texts("#details h2")[0].startswith(step.title)
        assert states(page)[step.title] == "running"
        assert flows(page) == {(step.title, passed.title) for passed in step.passed}
        assert page.find("#progress").text == f"{at + 1} of 6"
    page.find("#back").click()
    assert current(page) == [steps[4].title] and states(page)["x"] == "waiting"
    page.find("#to-end").click()
    assert set(states(page).values()) == {"done", "waiting"}  # the output is not marked
    assert [title for title, state in states(page).items() if state == "waiting"] == ["output"]
    assert "All nodes have run" in page.details() and current(page) == []
    page.find("#step").click()  # there is no further one
    assert page.find("#progress").text == "6 of 6"
    page.find("#to-begin").click()
    assert page.find("#progress").text == "0 of 6"


def test_the_panel_shows_gradients_rule_and_what_it_reads(page: Page, steps: BackwardSteps) -> None:
    page.open(steps)
    page.press("body", *[RIGHT] * 4)
    assert page.texts("#details h2") == ["MulBackward0[3], operator mul"]
    assert page.texts("#details h3") == ["Arrives", "Rules that run", "It reads", "Passes on"]
    assert page.texts("#details .rule code") == [rule.source for rule in steps[3].rules]
    assert page.texts("#details table th") == ["other", "self"]
    assert page.texts("#details table pre")[0] == "[1. 2.]"
    words = page.details()
    assert "gradient of self · ops/pointwise/binary.py:" in words
    assert "for other, to x" in words and "[2.7183 7.3891]" in words
    page.press("body", LEFT, LEFT)
    assert "which the engine reduces to the shape and dtype of the input" in page.details()


def test_leaves_show_what_was_accumulated_so_far(page: Page, steps: BackwardSteps) -> None:
    page.open(steps)
    seen = []
    for _ in steps:
        page.press("body", RIGHT)
        seen.append((page.texts("#leaves .leaf"), page.texts("#leaves pre"), page.texts("#leaves .fresh .leaf")))
    assert seen[0] == (["b nothing yet", "x nothing yet"], [], [])
    assert seen[1] == (["b so far", "x nothing yet"], ["2."], ["b so far"])
    assert seen[2] == (["b complete", "x nothing yet"], ["2."], [])
    assert seen[3] == (["b complete", "x so far"], ["2.", "[2.7183 7.3891]"], ["x so far"])
    assert seen[4][1] == seen[5][1] == ["2.", "[ 5.4366 22.1672]"]
    assert seen[5][0] == ["b complete", "x complete"]


def test_keys_work_wherever_the_focus_is(page: Page, steps: BackwardSteps) -> None:
    page.open(steps)
    page.press("#fit", RIGHT, RIGHT)
    assert current(page) == ["AddBackward0"]
    page.press("#order li:nth-child(4) button", ENTER)
    assert current(page) == ["MulBackward0"]
    page.press("#details .rule", RIGHT)  # scrolls the source
    assert current(page) == ["MulBackward0"]
    page.press("body", END)
    assert page.find("#progress").text == "6 of 6"
    page.press("body", HOME, "?")
    assert page.run("return document.getElementById('help').open")
    page.press("#help button", RIGHT)
    assert page.find("#progress").text == "0 of 6"
    page.find("#help button").click()
    page.press("body", "d")
    assert page.run("return document.activeElement.id") == "details"


def test_the_focus_stays_on_a_button_that_has_come_to_its_end(page: Page, steps: BackwardSteps) -> None:
    page.open(steps)
    page.press("#step", *[ENTER] * 9)
    assert page.find("#progress").text == "6 of 6"
    assert page.run("return document.activeElement.id") == "step"


def test_a_click_on_a_box_or_a_name_goes_to_its_step(page: Page, steps: BackwardSteps) -> None:
    page.open(steps)
    page.click("MulBackward0")
    assert current(page) == ["MulBackward0"]
    page.find("#details .passes .link").click()
    assert current(page) == ["ExpBackward0"]
    page.click("output")  # which is no step
    assert current(page) == ["ExpBackward0"]


def test_each_step_is_spoken(page: Page, steps: BackwardSteps) -> None:
    page.open(steps)
    page.press("body", *[RIGHT] * 4)
    assert page.find("#spoken").get_attribute("textContent") == (
        "Step 3, MulBackward0. Arrives: [2] float32 [1. 1.]. Passes on to ExpBackward0: [2] float32 [1. 2.]; "
        "x: [2] float32 [2.7183 7.3891]."
    )
    tree = page.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    found = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in tree if not node["ignored"]]
    roles = {"button", "toolbar", "navigation", "region", "group", "image", "list"}
    nameless = [role for role, name in found if role in roles - {"list"} and not name.strip()]
    assert nameless == []
    assert {"button", "toolbar", "navigation", "image"} <= {role for role, _ in found}


def test_nodes_in_closed_modules_are_shown_when_they_run(page: Page, deep: BackwardSteps) -> None:
    page.open(deep)
    assert any("(Sequential)" in box.title or "(Linear)" in box.title for box in page.boxes())
    for at, step in enumerate(deep):
        page.press("body", RIGHT)
        if at % 9 == 0:
            assert [box.title for box in page.boxes() if "running" in box.classes] == [f"▶ {step.title}"]
            x, y, width, height = page.run(
                "const canvas = document.getElementById('canvas'), box = canvas._cyreg.cy.nodes('.running')[0];"
                "canvas._cyreg.cy.stop(true, true);"
                "return [box.renderedPosition('x'), box.renderedPosition('y'), canvas.clientWidth, canvas.clientHeight]"
            )
            assert 0 <= x <= width and 0 <= y <= height


def test_the_page_fits_a_frame_of_a_notebook(page: Page, deep: BackwardSteps) -> None:
    from .test_notebook_frames import Notebook

    try:
        notebook = Notebook(page, deep)
        for size in ("width: 1000px; height: 560px", "width: 760px; height: 560px", "width: 420px; height: 700px"):
            notebook.style(size)
            notebook.wait_until_it_fits()
        page.press("#step", RIGHT)
        assert page.find("#progress").text.startswith("1 of")
    finally:
        page.driver.switch_to.default_content()
        page.driver.set_window_size(1440, 900)


def hostile() -> BackwardSteps:
    """A pass in which everything has hostile names."""
    nodes, edges, steps = [GraphNode("output", "output", ((),))], [], []
    for at, name in enumerate(HOSTILE):
        value = Value((2,), name, 1.0, None, f"{name}\n{name}")
        places: dict[str, Any] = {"module": f"{name}.{name}", "scope": name, "source": name}
        nodes += [GraphNode("operator", name, ((2,),), sequence=at, **places), GraphNode("leaf", name)]
        edges += [GraphEdge(2 * at + 1, 0), GraphEdge(2 * at + 2, 2 * at + 1)]
        passed = Passed(name, 2 * at + 2, name, value, Value((), name, 2.0, None, name), value)
        rules = (RuleText((name,), f"{name}\n{name}", name, name, name),)
        steps.append(Step(2 * at, 2 * at + 1, nodes[-2], name, (value, None), ((name, value),), rules, (passed,)))
        steps.append(Step(2 * at + 1, 2 * at + 2, nodes[-1], "", (value,), (), rules, ()))
    graph = Graph(tuple(nodes), tuple(edges), modules={HOSTILE[0]: HOSTILE[1]})
    return BackwardSteps(graph, Value((), HOSTILE[0], 1.0, None, HOSTILE[1]), tuple(steps))


def test_hostile_names_are_text_and_do_nothing(page: Page) -> None:
    page.open(hostile())
    for _ in range(2 * len(HOSTILE) + 1):
        page.press("body", RIGHT)
    page.press("body", HOME, RIGHT)
    assert page.texts("#details h2")[0].startswith(HOSTILE[0])
    assert page.texts("#details .rule code") == [f"{HOSTILE[0]}\n{HOSTILE[0]}"]
    assert page.run("return window.broken") is None
    assert page.run("return document.querySelectorAll('img, b, iframe, object').length") == 0
    assert page.run("return document.scripts.length") == 2
