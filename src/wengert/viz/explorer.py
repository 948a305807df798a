"""The explorer: one self-contained page for a browser, with the graph and the script that displays it."""

import os
from functools import cache
from pathlib import Path
from typing import Any

from wengert.viz.data import Drawable
from wengert.viz.page_data import Strings, describe_graph, describe_profile
from wengert.viz.page_text import fill_page, in_frame, join_scripts

__all__ = ["Timeline", "timeline", "write_page"]

GRAPH_LIBRARIES = ("vendor/cytoscape.min.js", "vendor/dagre.min.js")
TIMELINE_LIBRARY = "vendor/flame-chart.min.js"
PARTS = ("words", "theme", "nodes", "groups", "layout", "drawing", "details", "outline", "search", "timeline", "main")


class Timeline:
    """The timeline of a profile, displayed in a browser or as the output of a notebook's cell."""

    def __init__(self, profile: Any) -> None:
        self.profile = profile

    def to_html(self) -> str:
        """Return the explorer page with the timeline alone."""
        return write_page(None, self.profile)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page.

        Args:
            path: name of the file, which must end in `.html`.

        Returns:
            The path that was written.

        Raises:
            ValueError: if the suffix is not `.html`.
        """
        path = Path(path)
        if path.suffix.lower() != ".html":
            raise ValueError(f"Timeline.save(): the suffix must be .html, but got {path.suffix!r} in {str(path)!r}")
        path.write_bytes(self.to_html().encode("utf-8"))
        return path

    def _repr_html_(self) -> str:
        """Return the page in a frame, for a notebook."""
        return in_frame(self.to_html(), "Profile")


def timeline(profile: Any) -> Timeline:
    """Return the timeline of a profile.

    Args:
        profile: an object whose `function_events` have the attributes of torch's `FunctionEvent`.

    Returns:
        A `Timeline`; `.save(path)` writes it as a page for a browser, and a notebook shows that page.

    Raises:
        TypeError: if `profile` has no `function_events`.
    """
    if getattr(profile, "function_events", None) is None:
        raise TypeError(
            f"viz.timeline(): profile must have function_events, but got {type(profile).__name__}; "
            "use autograd.profiler.profile, after its block has ended"
        )
    return Timeline(profile)


def write_page(graph: Drawable | None, profile: Any) -> str:
    """Return the text of the page.

    Args:
        graph: the graph, or None for a timeline alone.
        profile: object with `function_events` for the timeline, or None.
    """
    strings = Strings()
    data: dict[str, Any] = {
        "graph": None if graph is None else describe_graph(graph, strings),
        "timeline": None if profile is None else describe_profile(profile.function_events, strings),
    }
    data["strings"] = list(strings.numbers)
    return fill_page("page.html", program(graph is not None, profile is not None), data)


@cache
def program(with_graph: bool, with_timeline: bool) -> str:
    """Return the script of the page, with the libraries that it needs."""
    libraries = (*(GRAPH_LIBRARIES if with_graph else ()), *((TIMELINE_LIBRARY,) if with_timeline else ()))
    return join_scripts(libraries, PARTS)
