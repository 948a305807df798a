"""The source of rules: of every card, of a program's Functions, and what is said where there is none."""

import functools
import operator
from typing import Any

import pytest

import wengert as wg
from wengert._core.cards.card import REGISTRY, Card
from wengert._kernels import native
from wengert.viz.rule_text import RuleReader, input_names, operator_name


def test_every_rule_of_every_card_has_its_source() -> None:
    reader = RuleReader()
    rules = [(name, rule) for name, card in REGISTRY.items() if isinstance(card, Card) for rule in card.rules]
    assert len(rules) > 500
    for name, rule in rules:
        source, place = reader.read(rule.fn)
        name_in_source = rule.fn.__code__.co_name  # rules that a function makes are renamed
        wanted = "lambda" if name_in_source == "<lambda>" else f"def {name_in_source}("
        assert wanted in source, name
        assert place.partition(":")[0].endswith(".py"), name


def test_the_source_of_a_lambda_is_its_statement() -> None:
    x = wg.ones(2, requires_grad=True)
    (rule,) = RuleReader().rules_of(x.sinh().grad_fn)
    assert rule.source.startswith("sinh.partials(self=lambda self: self.cosh()")
    assert rule.place.startswith("ops/pointwise/trigonometry.py:")
    assert "the partial derivative" in rule.remark


def test_only_the_rules_of_inputs_that_need_a_gradient_are_there() -> None:
    x = wg.ones(2, requires_grad=True)
    both, one = (x * x.exp()).grad_fn, (x * wg.ones(2)).grad_fn
    assert [rule.inputs for rule in RuleReader().rules_of(both)] == [("self",), ("other",)]
    assert [rule.inputs for rule in RuleReader().rules_of(one)] == [("self",)]


def test_a_rule_with_a_native_function_names_it() -> None:
    (rule,) = RuleReader().rules_of(wg.ones(2, requires_grad=True).exp().grad_fn)
    assert rule.native == ("" if native is None else "multiply_rule")
    assert rule.source.splitlines()[1] == "def exp_vjp(grad: Any, out: Any) -> Any:"


def test_callables_of_other_kinds_are_read_as_far_as_they_can_be() -> None:
    def outer() -> int:
        return 1

    reader = RuleReader()
    assert reader.read(functools.partial(outer))[0] == "def outer() -> int:\n    return 1"
    assert reader.read(operator.neg) == ("", "_operator.neg")
    namespace: dict[str, Any] = {}
    exec("def typed(grad):\n    return grad", namespace)
    source, place = reader.read(namespace["typed"])
    assert source == "" and place == "<string>:1"
    exec("short = lambda grad: grad", namespace)
    assert reader.read(namespace["short"]) == ("", "<string>:1")


@pytest.mark.parametrize("lines", [["broken = = lambda: 1\n"], []])
def test_a_lambda_in_a_file_that_cannot_be_read_as_python_has_its_line(lines: list[str]) -> None:
    assert RuleReader().statement("typed", lines, 1) == "".join(lines).strip()


def test_inputs_have_the_names_of_parameters() -> None:
    a, b = wg.ones(2, requires_grad=True), wg.ones(2, requires_grad=True)
    assert input_names((a * b).grad_fn) == ["self", "other"]
    assert input_names(wg.stack([a, b, a]).grad_fn) == ["tensors[0]", "tensors[1]", "tensors[2]"]
    assert operator_name((a * b).grad_fn) == "mul"
    base = a * 1
    base[:1].mul_(b[:1])
    assert input_names(base.grad_fn) == ["base", "other"]


class Writes(wg.autograd.Function):
    """A Function that writes to its second argument."""

    @staticmethod
    def forward(ctx: Any, factor: Any, target: Any) -> Any:
        ctx.mark_dirty(target)
        target.mul_(2)
        return target

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad * 0, grad * 2


def test_a_function_that_writes_to_a_view_has_names_and_its_rule() -> None:
    a, b = wg.ones(3, requires_grad=True), wg.ones(2, requires_grad=True)
    base = a * 1
    Writes.apply(b, base[1:])
    node = base.grad_fn
    assert input_names(node) == ["base", "factor"]
    assert operator_name(node) == "Writes"
    _, written = RuleReader().rules_of(node)
    assert "return grad * 0, grad * 2" in written.source
    steps = wg.viz.backward_steps(base.sum(), {"a": a, "b": b})
    assert [passed.name for step in steps for passed in step.passed if step.operator == "Writes"] == ["base", "factor"]
