"""Text of the pages: assembled from the files in `page`, with a policy that lets them run their own script only.

Data of the program (names, lines, messages) is in a page as JSON without characters special to HTML, and is displayed
as text only. The Content-Security-Policy of a page forbids whatever it does not need: it runs only the script in the
page, identified by its hash, and can neither load nor send anything.
"""

import base64
import hashlib
import re
from functools import cache
from pathlib import Path
from typing import Any

from wengert.viz.page_data import as_json
from wengert.viz.svg import escape

__all__ = ["fill_page", "in_frame", "join_scripts"]

FOLDER = Path(__file__).with_name("page")
FRAME_HEIGHT = 640
POLICY = (
    "default-src 'none'; script-src {script}; style-src-elem {style}; style-src-attr 'none'; img-src data:; "
    "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)


def fill_page(template: str, script: str, data: dict[str, Any]) -> str:
    """Return the text of a page.

    Args:
        template: name of the file of what it has between the common head and foot.
        script: its whole script.
        data: what the script reads.
    """
    style = text_of("style.css")
    policy = POLICY.format(script=hash_of(script), style=hash_of(style))
    parts = {"policy": policy, "style": style, "data": as_json(data), "script": script}
    text = text_of("head.html") + text_of(template) + text_of("foot.html")
    return re.sub(r"\{\{(\w+)\}\}", lambda place: parts[place[1]], text)


def in_frame(page: str, title: str) -> str:
    """Return a frame that holds a page, for the output of a notebook's cell.

    The frame is sandboxed: the page has an origin of its own and cannot reach the notebook.

    Args:
        page: text of the page.
        title: name of the frame for screen readers.
    """
    return (
        f'<iframe sandbox="allow-scripts" title="{escape(title)}" width="100%" height="{FRAME_HEIGHT}" '
        f'style="border: 1px solid #cbd5e1; border-radius: 6px" srcdoc="{escape(page)}"></iframe>'
    )


def join_scripts(libraries: tuple[str, ...], parts: tuple[str, ...]) -> str:
    """Return one script: libraries as published, then files of the page, of which later ones use earlier ones."""
    texts = [re.sub(r"^//# sourceMappingURL=.*$", "", text_of(name), flags=re.MULTILINE) for name in libraries]
    body = "\n".join(text_of(f"{part}.js") for part in parts)
    return "\n".join([*texts, '(() => {\n"use strict";', body, "})();\n"])


@cache
def text_of(name: str) -> str:
    """Return the text of a file of a page."""
    return (FOLDER / name).read_text(encoding="utf-8").replace("\r\n", "\n")


def hash_of(text: str) -> str:
    """Return the hash of an inline script or style for a Content-Security-Policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode()}'"
