"""Shorter programs with the same fault."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tools.hunt.oracle.drafts import INDENT
from tools.hunt.oracle.programs import text_of

Faulty = Callable[[str], bool]
"""Whether a program still shows the fault."""
UNINITIALISED = r"empty(_like)?\((?!\(0)[^()]*(\([^()]*\))?[^()]*\)(?!\.(fill|copy)_)"
"""Memory that nothing was written to."""
INPUTS = tuple(
    f"wg.tensor({values}, dtype=wg.float64)"
    for values in ("0.7", "[0.7]", "[0.7, -0.4]", "[0.7, -0.4, 1.1]", "[[0.7, -0.4, 1.1], [0.3, 0.9, -0.6]]")
)
"""Simple inputs."""


def shrunk(text: str, is_faulty: Faulty, most: int = 400) -> str:
    """Return a program with the same fault from which nothing can be taken away.

    Args:
        text: a program.
        is_faulty: whether a program shows the fault.
        most: how many programs are tried.
    """
    tried = 0
    again = True
    while again:
        again = False
        for candidate in shorter(text):
            if re.search(UNINITIALISED, candidate):
                continue
            tried += 1
            if tried > most:
                return text
            if is_faulty(candidate):
                text, again = candidate, True
                break
    return text


def parts(text: str) -> tuple[str, list[str]]:
    """The text of the input, and the statements of a program; a loop is one statement."""
    first, _, *lines = text.split("\n")
    statements: list[str] = []
    for line in (indented.removeprefix(INDENT) for indented in lines):
        if line.startswith(INDENT):
            statements[-1] += "\n" + line
        else:
            statements.append(line)
    return first.removeprefix("x = "), statements


def joined(point: str, statements: list[str]) -> str:
    """The program of an input and statements."""
    return text_of(point, [line for statement in statements for line in statement.split("\n")])


def shorter(text: str) -> Iterator[str]:
    """Programs that say less than one."""
    point, statements = parts(text)
    *body, last = statements
    for at in reversed(range(len(body))):
        rest = body[:at] + body[at + 1 :]
        yield joined(point, [*rest, last])
    yield from returning_less(point, body, last)
    for at in reversed(range(len(body))):
        name, assigns, _ = body[at].partition(" = ")
        if assigns and re.fullmatch(r"v\d+", name):
            known = ["x", *(line.partition(" = ")[0] for line in body[:at] if re.match(r"v\d+ = ", line))]
            for other in known:
                replaced = [re.sub(rf"\b{name}\b", other, line) for line in [*body[at + 1 :], last]]
                yield joined(point, [*body[:at], *replaced])
    yield from inlined(point, body, last)
    yield from simpler(point, statements)
    for line in INPUTS:
        if len(line) < len(point):
            yield joined(line, statements)


def inlined(point: str, body: list[str], last: str) -> Iterator[str]:
    """Programs with an expression in the place of a variable that is read once."""
    for at in reversed(range(len(body))):
        name, assigns, value = body[at].partition(" = ")
        rest = [*body[at + 1 :], last]
        if not re.fullmatch(r"v\d+", name):
            continue
        uses = sum(len(re.findall(rf"\b{name}\b", line)) for line in rest)
        if assigns and uses == 1 and "\n" not in value:
            instead = value if re.fullmatch(r"[\w.]*\(.*\)", value) else f"({value})"
            parts = [re.split(rf"\b{name}\b", line) for line in rest]
            yield joined(point, [*body[:at], *map(instead.join, parts)])


def returning_less(point: str, body: list[str], last: str) -> Iterator[str]:
    """Programs that return only a part of what one does."""
    terms = last.removeprefix("return ").split(" + ")
    for at in range(len(terms)):
        rest = terms[:at] + terms[at + 1 :]
        if rest:
            yield joined(point, [*body, "return " + " + ".join(rest)])
    if len(terms) == 1 and " * " in terms[0]:
        yield joined(point, [*body, "return " + terms[0].split(" * ", 1)[1]])


SIMPLER = (
    (r"-?\d\.\d+", "2.0"),
    (r" \+ 0\.1 \* ([^()]|\(\))*\(\)\)", ")"),
    (r"\.(sin|cos|tanh)\(\)", ""),
    (r" [*+] -?[\d.]+", ""),
    (r"\.(sum|mean)\(\)", ""),
    (r"\[[^\[\]]*\]", ""),
    (r"\((v\d+|x)\)", r"\1"),
    (r"wg\.tensor\([^()]*\) [+*] ", ""),
    (r"wg\.tensor\([^()]*, dtype=wg\.\w+\)", "x"),
    (r"\(wg\.tensor\([^()]*\) \+ 0\.1 \* x\.sin\(\)\)", "x"),
    (r"\.expand\([^()]*\)$", ""),
)
"""What may stand in the place of something: patterns and replacements."""


def simpler(point: str, statements: list[str]) -> Iterator[str]:
    """Programs with something simpler in the place of a part of a statement."""
    for at, statement in enumerate(statements):
        for pattern, instead in SIMPLER:
            for match in re.finditer(pattern, statement):
                changed = statement[: match.start()] + match.expand(instead) + statement[match.end() :]
                if changed != statement and len(changed) <= len(statement):
                    yield joined(point, [*statements[:at], changed, *statements[at + 1 :]])
