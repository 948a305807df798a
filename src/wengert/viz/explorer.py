"""The explorer: one self-contained page for a browser, with the graph and the script that displays it.

Data of the program (names, lines, messages) is in the page as JSON without characters special to HTML, and is displayed
as text only. The Content-Security-Policy of the page forbids whatever it does not need: it runs only the script in the
page, identified by its hash, and can neither load nor send anything.
"""

import base64
import hashlib
import os
import re
from functools import cache
from pathlib import Path
from typing import Any

from wengert.viz.data import Drawable
from wengert.viz.page_data import Strings, as_json, describe_graph, describe_profile

__all__ = ["Timeline", "timeline", "write_page"]

FOLDER = Path(__file__).with_name("page")
LIBRARIES = ("vendor/cytoscape.min.js", "vendor/dagre.min.js")
TIMELINE_LIBRARY = "vendor/flame-chart.min.js"
# Concatenated to one script: the later files use declarations of the earlier ones.
PARTS = ("words", "theme", "nodes", "groups", "layout", "drawing", "details", "outline", "search", "timeline", "main")
POLICY = (
    "default-src 'none'; script-src {script}; style-src-elem {style}; style-src-attr 'none'; img-src data:; "
    "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)


class Timeline:
    """The timeline of a profile, displayed in a browser."""

    def __init__(self, profile: Any) -> None:
        self.profile = profile

    def to_html(self) -> str:
        """Return the explorer page with the timeline alone."""
        return write_page(None, self.profile)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page.

        Args:
            path: Name of the file, which must end in `.html`.

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


def timeline(profile: Any) -> Timeline:
    """Return the timeline of a profile.

    Args:
        profile: An object whose `function_events` have the attributes of torch's `FunctionEvent`.

    Returns:
        A `Timeline`; `.save(path)` writes it as a page for a browser.

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
        graph: The graph, or None for a timeline alone.
        profile: Object with `function_events` for the timeline, or None.
    """
    strings = Strings()
    data: dict[str, Any] = {
        "graph": None if graph is None else describe_graph(graph, strings),
        "timeline": None if profile is None else describe_profile(profile.function_events, strings),
    }
    data["strings"] = list(strings.numbers)
    style = text_of("style.css")
    script = program(profile is not None)
    policy = POLICY.format(script=hash_of(script), style=hash_of(style))
    parts = {"policy": policy, "style": style, "data": as_json(data), "script": script}
    return re.sub(r"\{\{(\w+)\}\}", lambda place: parts[place[1]], text_of("page.html"))


@cache
def program(with_timeline: bool) -> str:
    """Return the script of the page: the libraries as published, then the page's own files."""
    libraries = [*LIBRARIES, TIMELINE_LIBRARY] if with_timeline else LIBRARIES
    texts = [re.sub(r"^//# sourceMappingURL=.*$", "", text_of(name), flags=re.MULTILINE) for name in libraries]
    own = "\n".join(text_of(f"{part}.js") for part in PARTS)
    return "\n".join([*texts, '(() => {\n"use strict";', own, "})();\n"])


@cache
def text_of(name: str) -> str:
    """Return the text of a file of the page."""
    return (FOLDER / name).read_text(encoding="utf-8").replace("\r\n", "\n")


def hash_of(text: str) -> str:
    """Return the hash of an inline script or style for a Content-Security-Policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode()}'"
