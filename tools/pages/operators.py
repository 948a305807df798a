"""The page with the table of all operators, made from their cards."""

from __future__ import annotations

from typing import Any

from wengert._core.cards import card as cards

GROUPS = (
    ("all", cards.ALL),
    ("numbers", cards.NUMBERS),
    ("ordered", cards.ORDERED),
    ("floating", cards.FLOATS),
    ("real", cards.REALS),
    ("integers", cards.INTEGERS),
    ("complex", cards.COMPLEXES),
    ("all and wide unsigned", cards.WIDE),
)
HEAD = """# Operators

Made from the operators' cards. What each takes and returns, with an example that runs, is on the pages of the
interface.

*Derivative*: `reverse` by written rules; `partials` where partial derivatives give reverse and forward mode; `linear`
where the operator is linear in the inputs named, so that its forward mode is the operator itself; `jvp` a written
forward rule; otherwise the reason why there is none. *Where*: F a function of the package, M a method of `Tensor`,
neither: a part of other operators, or a function of `nn.functional` or `special`. *Dtypes* (after promotion): all =
bool, integers, real and complex floating point; numbers = all but bool; ordered = all but complex; floating = real and
complex.

"""


def family(card: Any) -> str:
    """The file in which a card stands."""
    module = getattr(card, "__module__", None) or card.body.__module__
    if isinstance(card, cards.Composite):
        module = card.body.__module__
    return str(module).rpartition(".")[2]


def dtypes_of(card: Any) -> str:
    """The dtypes in few words."""
    for name, group in GROUPS:
        if card.declared_dtypes == group:
            return name
    return ", ".join(sorted(dtype.name for dtype in card.declared_dtypes))


def derivative_of(card: Any) -> str:
    """How an operator is differentiated."""
    if card.why:
        return f"none: {card.why}"
    ways = []
    partial = [rule for rule in card.rules if rule.partial]
    if len(partial) < len(card.rules):
        ways.append("reverse")
    if partial:
        ways.append("partials")
    if card.linear:
        ways.append(f"linear in {', '.join(card.linear)}")
    if card.forward_rules:
        ways.append("jvp")
    return "; ".join(ways)


def where(card: Any) -> str:
    """Where users find it."""
    return " ".join(letter for letter, there in (("F", card.function), ("M", card.method)) if there)


def page() -> str:
    """The whole page."""
    families: dict[str, list[tuple[str, Any]]] = {}
    for name, card in cards.REGISTRY.items():
        families.setdefault(family(card), []).append((name, card))
    kinds = [isinstance(card, cards.Composite) for name, card in cards.REGISTRY.items() if name == card.name]
    text = HEAD + f"{kinds.count(False)} operators, {kinds.count(True)} functions composed of them, "
    text += f"{len(cards.REGISTRY) - len(kinds)} other names.\n"
    for name in sorted(families):
        text += f"\n## {name}\n\n| name | where | derivative | in place | view | dtypes |\n|---|---|---|---|---|---|\n"
        text += "".join(row(operator, card) for operator, card in sorted(families[name], key=lambda pair: pair[0]))
    return text


def row(name: str, card: Any) -> str:
    """One line of the table."""
    if name != card.name:
        return f"| `{name}` | {where(card)} | as {card.name} | | | |\n"
    if isinstance(card, cards.Composite):
        return f"| `{name}` | {where(card)} | of its parts | | | |\n"
    in_place = f"`{card.in_place.name}`" if card.in_place is not None else ""
    view = "yes" if card.view else ""
    return f"| `{name}` | {where(card)} | {derivative_of(card)} | {in_place} | {view} | {dtypes_of(card)} |\n"
