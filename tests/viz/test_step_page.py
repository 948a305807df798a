"""The page of steps: data that stays data, a policy that fits, nothing from elsewhere."""

import base64
import hashlib
import json
from typing import Any

from hypothesis import given, strategies as st

import wengert as wg
from wengert.viz import backward_steps
from wengert.viz.data import GraphEdge, GraphNode
from wengert.viz.graph import Graph
from wengert.viz.page_data import Strings
from wengert.viz.rule_text import RuleText
from wengert.viz.step_data import Passed, Step
from wengert.viz.step_page import describe_steps, write_steps_page
from wengert.viz.values import Value

from .test_explorer import Parts


def named(name: str) -> tuple[Graph, Value, tuple[Step, ...]]:
    """A pass in which everything has that name."""
    output, node, leaf = GraphNode("output", "output", ((),)), GraphNode("operator", name), GraphNode("leaf", name)
    value = Value((2,), name, 1.0, None, name)
    rule = RuleText((name,), name, name, name, name)
    passed = Passed(name, 2, name, value, value, value)
    first = Step(0, 1, node, name, (value, None), ((name, value), (name, name)), (rule,), (passed,))
    steps = (first, Step(1, 2, leaf, "", (value,), (), (), ()))
    return Graph((output, node, leaf), (GraphEdge(1, 0), GraphEdge(2, 1))), value, steps


@given(
    st.text() | st.sampled_from(["</script><script>alert(1)</script>", "<!--", "]]>", "{{data}}", "\u2028", "\ud800"])
)
def test_any_name_is_data_of_the_page(name: str) -> None:
    page = Parts(write_steps_page(*named(name)))
    assert [tag for tag, _ in page.contents] == ["style", "script", "script"]
    assert not set("<>&\u2028\u2029") & set(page.contents[1][1])
    assert name in json.loads(page.contents[1][1])["strings"]


def test_the_policy_names_the_very_script_and_style_of_the_page() -> None:
    page = Parts(write_steps_page(*named("x")))
    [policy] = [attributes["content"] for tag, attributes in page.tags if "http-equiv" in attributes]
    assert policy is not None and policy.startswith("default-src 'none'")
    for tag, content in (page.contents[0], page.contents[2]):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{'script-src' if tag == 'script' else 'style-src-elem'} 'sha256-{digest}'" in policy
    assert "unsafe" not in policy


def test_the_page_names_nothing_outside_of_itself() -> None:
    page = Parts(write_steps_page(*named("x")))
    for tag, attributes in page.tags:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base")
        assert "src" not in attributes
        assert not any(name.startswith("on") for name in attributes)
        assert attributes.get("href", "#").startswith("#")


def test_the_data_say_what_the_steps_say() -> None:
    x = wg.tensor([1.0, 2.0], requires_grad=True)
    b = wg.tensor(0.5, requires_grad=True)
    steps = backward_steps((x * x + b).sum(), {"x": x, "b": b})
    strings = Strings()
    told = describe_steps(steps.graph, steps.gradient, steps.steps, strings)
    words = list(strings.numbers)

    def text(lines: list[int]) -> str:
        return "\n".join(words[line] for line in lines)

    def value(told: Any) -> Any:
        return told and (words[told[0]], text(told[1]), told[2])

    assert value(told["gradient"]) == ("scalar float32", "1.", 1.0)
    _, add, to_b, product, to_x = told["steps"]
    assert words[add["operator"]] == "add"
    _, (name, target, returned, delivered, total) = add["passes"]
    assert (words[name], target) == ("other", to_b["node"])
    assert value(returned) == ("[2] float32", "[1. 1.]", 1.41421)
    assert value(delivered) == value(total) == ("scalar float32", "2.", 2.0)
    assert [(words[name], value(read)) for name, read in product["reads"]] == [
        (name, ("[2] float32", "[1. 2.]", 2.23607)) for name in ("other", "self")
    ]
    inputs, source, place, _, _ = product["rules"][0]
    assert [words[name] for name in inputs] == ["self"]
    assert text(source).splitlines()[1] == "def mul_vjp_self(grad: Any, other: Any) -> Any:"
    assert words[place].startswith("ops/pointwise/binary.py:")
    assert value(to_x["arrives"][0])[1] == "[2. 4.]"
    assert [value(read)[0] if read[0] >= 0 else text(read[1]) for _, read in add["reads"]] == ["1"]
