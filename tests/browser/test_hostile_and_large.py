"""Names that try to be more than names, and graphs that are more than can be seen at once."""

from __future__ import annotations

import random
from types import SimpleNamespace

import pytest

from wengert.viz.data import GraphEdge, GraphNode, Saved
from wengert.viz.graph import Graph

from .conftest import Page, event

HOSTILE = [
    "</script><img src=x onerror=window.broken=1>",
    "<!--<script>window.broken=1</script>",
    "{{data}}{{script}}",
    "\"'`${window.broken=1}\\",
    "]]>&lt;b&gt;&amp;",
    "\u2028\u2029\x00\x1b\ud800",
    "𝕏🙂e\u0301",
    "\u202etxet",
    "__proto__",
    "constructor",
    "",
    " ",
]


def hostile() -> Graph:
    """A graph in which everything has hostile names."""
    nodes = [GraphNode("output", "output", ((),))]
    for at, name in enumerate(HOSTILE):
        saved = (Saved(name, (2,), name, at, 8),)
        places = {"module": f"{name}.{name}", "scope": f"{name}/{name}", "source": name}
        nodes.append(GraphNode("operator", name, ((2,),), saved, sequence=at, **places))
        nodes.append(GraphNode("parameter", name + ".weight", ((2,),), module=name))
    operators = range(1, len(nodes), 2)
    edges = [GraphEdge(box, 0) for box in operators] + [GraphEdge(box + 1, box) for box in operators]
    events = [event(name, 10.0 * at, 10.0 * at + 9, thread=name, stack=[name]) for at, name in enumerate(HOSTILE)]
    return Graph(tuple(nodes), tuple(edges), SimpleNamespace(function_events=events))


def test_hostile_names_are_shown_as_they_are_and_do_nothing(page: Page) -> None:
    page.open(hostile())
    for way in ("scope", "source", "order", "module"):
        page.choose("#grouping", way)
        page.find("#open-more").click()
    for at, name in enumerate(HOSTILE):
        wanted = "".join(one if one.isprintable() or one == "́" else "\ufffd" for one in name)
        if not wanted.strip():
            continue
        page.run(
            "const field = document.getElementById('search'); field.value = arguments[0];"
            "field.dispatchEvent(new Event('input'))",
            wanted,
        )
        assert wanted in page.texts("#results .name"), at
        page.run("document.querySelector('#results li').click()")
        assert page.texts("#details h2")[0]
    page.find("#tab-timeline").click()
    assert len(page.texts("#totals tbody tr")) == len(HOSTILE)
    for link in page.driver.find_elements("css selector", "#totals .link"):
        page.run("arguments[0].click()", link)
    assert page.run("return window.broken") is None
    assert page.run("return document.querySelectorAll('img, b, iframe, object').length") == 0
    assert page.run("return document.scripts.length") == 2


def made_up(count: int, seed: int, modules: int) -> Graph:
    """A graph of `count` boxes with skips, shared parameters and, if there are any, modules."""
    source = random.Random(seed)
    nodes = [GraphNode("output", "output", ((),))]
    edges = [GraphEdge(1, 0)]
    for box in range(1, count):
        module = f"layers.{(count - box) * modules // count}.part{box % 3}" if modules else ""
        if box > 3 and box % 7 == 0:
            nodes.append(GraphNode("parameter", f"{module}.weight{box}", ((4, 4),), module=module))
        else:
            name = ("MulBackward0", "AddBackward0", "TanhBackward0", "SumBackward1")[box % 4]
            saved = (Saved("self", (4, box % 9), "float32", box // 3, 16 * (box % 9)),)
            nodes.append(GraphNode("operator", name, ((4,),), saved, module=module, sequence=count - box))
    for box in range(2, count):
        users = {box - 1, box - 1 - source.randrange(min(box - 1, 40)), box - 1 - source.randrange(min(box - 1, 5))}
        targets = [user for user in users if nodes[user].kind == "operator"][: 1 + source.randrange(3)]
        edges += [GraphEdge(box, user) for user in targets or [1]]
    return Graph(tuple(nodes), tuple(edges))


@pytest.mark.parametrize("seed", range(5))
def test_any_graph_can_be_opened_and_closed_at_random(page: Page, seed: int) -> None:
    source = random.Random(seed)
    page.open(made_up(source.randrange(2, 900), seed, modules=source.choice((0, 3, 30, 300))))
    for _ in range(12):
        rows = page.driver.find_elements("css selector", "#outline li[aria-expanded] .mark")
        if not rows:
            break
        page.run("arguments[0].click()", source.choice(rows))
        boxes = page.boxes()
        assert len(boxes) == len(page.texts("#outline li"))
        assert all(abs(box.x) < 1e7 and abs(box.y) < 1e7 for box in boxes)
    assert len(page.boxes()) <= 300


# What the machine for which "less than two seconds" is promised (two cores, no GPU) does in a fifth of a second.
LOOP = """
const begin = performance.now(), known = new Map();
for (let round = 0; round < 9; round++)
  for (let at = 0; at < 60000; at++) known.set(`${at}:${round}`, [at, known.get(`${at - 1}:${round}`) ? 1 : 0]);
return performance.now() - begin;
"""
WANTED = 10  # loops: two seconds of that machine


@pytest.mark.parametrize("modules", [0, 400])
def test_fifty_thousand_nodes_are_painted_soon_and_do_not_freeze_the_page(page: Page, modules: int) -> None:
    page.open(made_up(50_000, 1, modules))
    painted = page.run("return performance.getEntriesByName('painted')[0].startTime")
    loop = min(page.run(LOOP) for _ in range(3))
    print(f"painted after {painted:.0f} ms, {painted / loop:.1f} loops of {loop:.0f} ms")
    assert painted < WANTED * loop
    assert len(page.boxes()) <= 60
    page.run(
        "window.blocked = []; new PerformanceObserver((list) => window.blocked.push(...list.getEntries().map("
        "(entry) => entry.duration))).observe({type: 'longtask'})"
    )
    assert len(page.search("tanh")) == 100
    page.press("#search", "\ue007")
    page.find("#open-more").click()
    page.choose("#colouring", "bytes")
    page.find("#fit").click()
    page.wait("document.querySelectorAll('#outline li').length > 5")
    longest = max(page.run("return window.blocked"), default=0)
    print(f"longest time without an answer {longest:.0f} ms, {longest / loop:.1f} loops")
    assert longest < WANTED * loop
    assert len(page.boxes()) <= 300


def test_a_hundred_thousand_events_are_drawn(page: Page) -> None:
    events = []
    for at in range(25_000):
        outer = event(f"aten::op{at % 50}", 4.0 * at, 4.0 * at + 3.5, number=at)
        inner = event("aten::inner", 4.0 * at + 0.5, 4.0 * at + 3, within=outer)
        events += [outer, inner, event("aten::leaf", 4.0 * at + 1, 4.0 * at + 2, within=inner)]
        events.append(event("OpBackward0", 3.0 * at, 3.0 * at + 2, number=at, thread=2))
    graph = made_up(30, 1, 0)
    page.open(Graph(graph.nodes, graph.edges, SimpleNamespace(function_events=events)))
    loop = min(page.run(LOOP) for _ in range(3))
    page.run("window.begin = performance.now(); document.getElementById('tab-timeline').click()")
    page.wait("document.getElementById('timeline').width > 300")
    took = page.driver.execute_async_script(
        "const done = arguments[0];"
        "requestAnimationFrame(() => setTimeout(() => done(performance.now() - window.begin)))"
    )
    print(f"timeline after {took:.0f} ms, {took / loop:.1f} loops")
    assert took < WANTED * loop
    assert len(page.texts("#totals tbody tr")) == 53
    shown = page.run(
        "const canvas = document.getElementById('timeline'), counts = {};"
        "const dots = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;"
        "for (let at = 0; at < dots.length; at += 4) {"
        "  const name = [dots[at], dots[at + 1], dots[at + 2]].join(); counts[name] = (counts[name] ?? 0) + 1; }"
        "return counts"
    )
    assert shown["147,197,253"] > 5000  # forward: a bar from left to right, though no event is as wide as a point
    assert shown["253,186,116"] > 5000  # backward
