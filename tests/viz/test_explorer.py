"""What the explorer page is made of: data that stays data, a policy that fits, files that are shipped."""

import base64
import hashlib
import importlib.util
import json
import re
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, strategies as st

import wengert as wg
from wengert.viz import explorer, graph, list_page, page_text, step_page, timeline
from wengert.viz.data import GraphEdge, GraphNode, Saved
from wengert.viz.graph import Graph
from wengert.viz.page_data import Strings, as_json, describe_graph, describe_profile, in_order

ROOT = Path(__file__).resolve().parents[2]


class Parts(HTMLParser):
    """The scripts and styles of a page as a browser would read them, and all tags."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.contents: list[tuple[str, str]] = []
        self.inside = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))
        self.inside = tag
        if tag in ("script", "style"):
            self.contents.append((tag, ""))

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""

    def handle_data(self, data: str) -> None:
        if self.inside in ("script", "style"):
            tag, before = self.contents[-1]
            self.contents[-1] = (tag, before + data)


def named(name: str) -> Graph:
    """A graph in which everything has that name."""
    saved = (Saved(name, (2,), name, 1, 8),)
    node = GraphNode("operator", name, ((2,),), saved, module=name, scope=name, source=name, sequence=1)
    return Graph((GraphNode("output", "output", ((),)), node), (GraphEdge(1, 0),))


@given(
    st.text() | st.sampled_from(["</script><script>alert(1)</script>", "<!--", "]]>", "{{data}}", "\u2028", "\ud800"])
)
def test_any_name_comes_out_of_the_page_as_it_went_in(name: str) -> None:
    page = Parts(named(name).to_html())
    data = json.loads(page.contents[1][1])
    assert name in data["strings"]
    assert [tag for tag, _ in page.contents] == ["style", "script", "script"]
    assert not set("<>&\u2028\u2029") & set(page.contents[1][1])


@given(
    st.recursive(
        st.none() | st.text() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_json_survives_its_escapes(value: Any) -> None:
    assert json.loads(as_json(value)) == value


def test_the_policy_names_the_very_script_and_style_of_the_page() -> None:
    page = Parts(timeline(SimpleNamespace(function_events=[])).to_html())
    [policy] = [attributes["content"] for tag, attributes in page.tags if "http-equiv" in attributes]
    assert policy is not None and policy.startswith("default-src 'none'")
    for tag, content in (page.contents[0], page.contents[2]):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{'script-src' if tag == 'script' else 'style-src-elem'} 'sha256-{digest}'" in policy
    assert "unsafe" not in policy


def test_the_page_names_nothing_outside_of_itself() -> None:
    page = Parts(named("x").to_html())
    for tag, attributes in page.tags:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base")
        assert "src" not in attributes
        assert not any(name.startswith("on") for name in attributes)
        assert attributes.get("href", "#").startswith("#")


def test_no_script_of_the_page_makes_markup_from_text() -> None:
    for path in page_text.FOLDER.glob("*.js"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function", text), path
        assert path.stem in (*explorer.PARTS, *step_page.PARTS, *list_page.PARTS)
    assert "</script" not in (explorer.program(True, True) + step_page.script()).lower()


def test_libraries_come_only_where_they_are_used() -> None:
    assert "flameChartJs" in explorer.program(True, True)
    assert len(explorer.program(True, True)) - len(explorer.program(True, False)) > 90_000
    assert len(explorer.program(True, True)) - len(explorer.program(False, True)) > 400_000


def test_nodes_stand_after_their_sources_in_the_order_of_computation() -> None:
    x = wg.ones(2, requires_grad=True)
    y = x
    for _ in range(50):
        y = (y * x).sin() + y
    found = graph(y.sum(), {"x": x})
    order = in_order(found)
    assert sorted(order) == list(range(len(found.nodes)))
    place = {box: at for at, box in enumerate(order)}
    assert all(place[edge.source] < place[edge.target] for edge in found.edges)
    numbers = [found.nodes[box].sequence for box in order if found.nodes[box].sequence is not None]
    assert numbers == sorted(numbers)
    assert order[0] == next(box for box, node in enumerate(found.nodes) if node.title == "x")


def test_the_columns_say_what_the_graph_says() -> None:
    x = wg.ones(2, 3, requires_grad=True)
    strings = Strings()
    told = describe_graph(graph((x * x).sum(), {"x": x}, gradients=True), strings)
    words = list(strings.numbers)
    assert [words[number] for number in told["title"]] == ["x", "MulBackward0", "SumBackward0", "output"]
    assert told["kind"] == [2, 1, 1, 0]
    assert told["edges"] == [0, 1, 2, 1, 2, 1, 2, 3, 1]
    assert [[one[2] for one in saved] for saved in told["saved"]] == [[], [24, 24], [], []]
    assert told["saved"][1][0][3] == told["saved"][1][1][3]  # the same memory
    assert told["gradient"] == [pytest.approx(24**0.5, rel=1e-5), pytest.approx(6**0.5, rel=1e-5), 1.0, None]
    assert told["forward"] is None


def test_types_of_modules_are_told_where_the_model_is_known() -> None:
    model = wg.nn.Sequential(wg.nn.Linear(3, 2), wg.nn.Sequential(wg.nn.Tanh()))
    loss = model(wg.ones(1, 3)).sum()
    strings = Strings()
    told = describe_graph(graph(loss, model), strings)
    words = list(strings.numbers)
    types = {words[path]: words[name] for path, name in told["modules"]}
    assert types == {"0": "Linear", "1": "Sequential", "1.0": "Tanh"}
    assert describe_graph(graph(loss, dict(model.named_parameters())), Strings())["modules"] == []
    assert describe_graph(graph(loss), Strings())["modules"] == []


def test_numbers_that_json_does_not_know_are_words() -> None:
    nodes = tuple(
        GraphNode("operator", "A", gradient=value) for value in (float("nan"), float("inf"), -float("inf"), None)
    )
    told = describe_graph(Graph(nodes, ()), Strings())
    assert sorted(map(str, told["gradient"])) == ["-Infinity", "Infinity", "NaN", "None"]
    as_json(told)


def test_events_are_told_each_before_those_within_it() -> None:
    def event(name: str, start: float, thread: int, parent: Any = None) -> Any:
        made = SimpleNamespace(
            name=name,
            time_range=SimpleNamespace(start=start, end=start + 5),
            thread=thread,
            cpu_parent=parent,
            cpu_children=[],
        )
        if parent is not None:
            parent.cpu_children.append(made)
        return made

    second, first = event("second", 20, 1), event("first", 10, 1)
    inner = event("inner", 11, 1, first)
    other = event("other", 12, 2)
    strings = Strings()
    told = describe_profile([second, other, inner, first], strings)
    words = list(strings.numbers)
    assert [[(words[one[0]], one[1], one[2]) for one in thread["events"]] for thread in told["threads"]] == [
        [("first", 0, 0.0), ("inner", 1, 1.0), ("second", 0, 10.0)],
        [("other", 0, 2.0)],
    ]


def test_a_very_deep_profile_is_told_without_recursion() -> None:
    around, events = None, []
    for at in range(5000):
        made = SimpleNamespace(
            name="f", time_range=SimpleNamespace(start=at, end=9999), thread=1, cpu_parent=around, cpu_children=[]
        )
        if around is not None:
            around.cpu_children.append(made)
        around = made
        events.append(made)
    assert describe_profile(events, Strings())["threads"][0]["events"][-1][1] == 4999


def test_wrong_arguments_are_refused_with_a_reason(tmp_path: Path) -> None:
    x = wg.ones(2, requires_grad=True)
    with pytest.raises(TypeError, match=r"viz\.graph\(\): profile must have function_events, but got int"):
        graph(x * 2, profile=3)
    with pytest.raises(TypeError, match=r"after its block has ended"):
        graph(x * 2, profile=SimpleNamespace(function_events=None))
    with pytest.raises(TypeError, match=r"viz\.timeline\(\): profile must have function_events"):
        timeline(object())
    with pytest.raises(ValueError, match=r"the suffix must be \.html"):
        timeline(SimpleNamespace(function_events=[])).save(tmp_path / "a.svg")
    with pytest.raises(TypeError, match="or be a module"):
        graph(x * 2, 5)
    with pytest.raises(TypeError, match="model must be a module"), wg.viz.record_scopes(5):
        pass
    with pytest.raises(TypeError, match="name must be a string"), wg.viz.scope(5):
        pass


def test_the_libraries_are_those_that_were_published() -> None:
    path = ROOT / "tools" / "vendor_page.py"
    if not path.exists():
        pytest.skip("the tools are not installed with the package")
    spec = importlib.util.spec_from_file_location("vendor_page", path)
    assert spec is not None and spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    assert tool.problems(page_text.FOLDER / "vendor") == []


def test_every_file_of_the_page_is_shipped() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    patterns = settings["package-data"]["wengert.viz"]
    files = {path for path in page_text.FOLDER.rglob("*") if path.is_file()}
    shipped = {path for pattern in patterns for path in page_text.FOLDER.parent.glob(pattern) if path.is_file()}
    assert files == shipped
    assert "graft src" in (ROOT / "MANIFEST.in").read_text(encoding="utf-8")


def test_a_changed_library_is_noticed(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("vendor_page", ROOT / "tools" / "vendor_page.py")
    assert spec is not None and spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    for path in (page_text.FOLDER / "vendor").iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "dagre.min.js").write_bytes(b"changed")
    (tmp_path / "more.js").write_bytes(b"")
    (tmp_path / "dagre.LICENSE").unlink()
    found = tool.problems(tmp_path)
    assert any("dagre.min.js is not what" in each for each in found)
    assert any("dagre.LICENSE of @dagrejs/dagre is missing" in each for each in found)
    assert "more.js stands in no entry" in found


def test_mermaid_keeps_names_in_their_places() -> None:
    name = 'a"b`<b>#quot;|%%\n]end'
    text = named(name).to_mermaid()
    assert text.startswith("flowchart TB\n")
    [line] = [line for line in text.splitlines() if line.startswith("  n1[")]
    assert re.fullmatch(r'  n1\["[^"`<>|%&]*(<br/>[^"`<>|%&]*)*"\]:::operator', line)
    assert "  n1 --> n0" in text.splitlines()
