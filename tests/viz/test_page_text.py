"""Pages as the output of a notebook's cell: a frame without rights, and the page in it unchanged."""

from html.parser import HTMLParser
from types import SimpleNamespace

import pytest

import wengert as wg
from wengert.viz import graph, timeline
from wengert.viz.page_text import in_frame


class Frames(HTMLParser):
    """The tags of a text with their attributes, as a browser reads them."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data: str) -> None:
        self.words += data


@pytest.mark.parametrize("name", ["w", '"></iframe><script>alert(1)</script>', "&quot;&amp;", "\u2028'`"])
def test_the_page_is_in_the_frame_as_it_would_be_in_a_file(name: str) -> None:
    x = wg.ones(2, requires_grad=True)
    shown = graph((x * 2).sum(), {name: x})
    frames = Frames(shown._repr_html_())
    [(tag, attributes)] = frames.tags
    assert tag == "iframe" and frames.words == ""
    assert attributes["srcdoc"] == shown.to_html()
    assert attributes["sandbox"] == "allow-scripts"  # and no more: neither the notebook's origin nor its windows
    assert attributes["width"] == "100%" and attributes["title"] == "Autograd graph"


def test_a_timeline_is_a_frame_with_its_page() -> None:
    shown = timeline(SimpleNamespace(function_events=[]))
    [(tag, attributes)] = Frames(shown._repr_html_()).tags
    assert (tag, attributes["title"], attributes["srcdoc"]) == ("iframe", "Profile", shown.to_html())


def test_a_title_stays_a_title() -> None:
    [(_, attributes)] = Frames(in_frame("<p>", '"><b>')).tags
    assert attributes["title"] == '"><b>'
