"""The page of the lists of a compiled function: chosen by buttons, sorted by time and bytes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import wengert as wg

from .conftest import Page
from .test_hostile_and_large import HOSTILE


@pytest.fixture(scope="module")
def explained() -> Any:
    """A function with a list of calls, and one of backward passes."""
    function = wg.compile(lambda x, w: ((x @ w).sin() @ w).sum(), replay=True)
    w = wg.randn(4, 4, requires_grad=True)
    for number in range(20):
        if number == 12:
            wg.compiler.explain(function, times=True)
        function(wg.randn(3, 4), w).backward()
    return wg.compiler.explain(function)


def column(page: Page, number: int) -> list[str]:
    """The cells of a column of the table."""
    return page.texts(f"#entries tbody tr td:nth-child({number})")


def test_lists_are_chosen_by_buttons(page: Page, explained: Any) -> None:
    page.open(explained)
    assert page.texts("#lists .name") == ["call 1", "gradients, part 1"]
    assert page.texts("#entries .name") == [entry.name for entry in explained.lists[0].entries]
    assert all(words.endswith(" B") for words in column(page, 5)) and all(words[-1] == "s" for words in column(page, 6))
    assert "ordinary" not in page.find("#about").text and "kept" in page.find("#about").text
    page.find("#lists li:nth-child(2) button").click()
    assert len(column(page, 1)) == len(explained.lists[1].entries)
    assert "for 4 nodes: SumBackward0" in page.find("#about").text and " passes" in page.find("#about").text


def test_entries_are_sorted_by_time_and_bytes(page: Page, explained: Any) -> None:
    page.open(explained)
    entries = explained.lists[0].entries
    for word, sizes in (("time", [entry.seconds for entry in entries]), ("bytes", [entry.bytes for entry in entries])):
        page.choose("#sort", word)
        assert [int(at) for at in column(page, 1)] == sorted(range(len(sizes)), key=lambda at: -sizes[at])
    page.choose("#sort", "order")
    assert [int(at) for at in column(page, 1)] == [*range(len(entries))]


def test_reasons_and_hostile_names_are_shown_as_text(page: Page, explained: Any) -> None:
    for name in HOSTILE:
        entry = replace(explained.lists[0].entries[0], name=name, code=name, file=name, by_python=name)
        forward = replace(
            explained.signatures[0].lists[0], call=replace(explained.lists[0], entries=(entry,)), parts=()
        )
        hostile = type(explained)(explained)
        hostile.name, hostile.recorded = name, 1
        hostile.signatures = (replace(explained.signatures[0], lists=(forward,), eager=(name,)),)
        page.open(hostile)
        assert len(column(page, 1)) == 1 and page.run("return window.broken === undefined")
        assert page.run("return document.querySelectorAll('main img, main script').length") == 0
        assert len(page.texts("#eager p")) == 1
