"""Docstrings as Sphinx reads them: sections in Google's style, code in backticks, and no other markup."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from typing import Any

MARKUP = re.compile(r"(``[^`]+``|`[^`]+`|(?<![\w*])\*\*\w[^*`\n]*\w\*\*(?![\w*]))")
"""Code, and words that are to stand out."""
CONTINUED = re.compile(r"^( +[\w, ]+,)\n +(?=[\w, ]+:)", re.MULTILINE)
"""Names of parameters that go on in a second line."""
NAMES = r"^ +\*{0,2}\w+(?:, \*{0,2}\w+)*(?=:\s)"
"""What a line of a section describes, which the reader of the sections knows how to write."""
ELSEWHERE = (
    *("builtins", "typing", "collections.abc", "os", "numpy", "inspect"),
    *("wengert.ops", "wengert.utils.hooks", "wengert.autograd.gradcheck", "wengert._core.state.modes"),
)
"""Where names lie that annotations say without their module."""


def restructured(text: str) -> str:
    """A docstring whose backticks are literals and whose other signs, but for `**`, mean themselves.

    Args:
        text: with backticks, sections and examples, its indentation removed.
    """
    blocks = re.split(r"(^ *>>>.*?(?:\n\s*\n|\Z))", CONTINUED.sub(r"\1 ", text), flags=re.MULTILINE | re.DOTALL)
    return "".join(block if at % 2 else prose(block) for at, block in enumerate(blocks))


def prose(text: str) -> str:
    """The same of what is no example."""
    parts = MARKUP.split(text)
    for at in range(0, len(parts), 2):
        parts[at] = escaped(parts[at])
    for at in range(1, len(parts), 2):
        if parts[at].startswith("`"):
            code = " ".join(parts[at].strip("`").split())
            parts[at] = f"``{code}``" + ("\\ " if re.match(r"\w", parts[at + 1]) else "")
    return "".join(parts)


def escaped(text: str) -> str:
    """Text in which no sign is markup."""
    parts = re.split(f"({NAMES})", text, flags=re.MULTILINE)
    return "".join(part if at % 2 else re.sub(r"[*|_]", r"\\\g<0>", part) for at, part in enumerate(parts))


def converter() -> Callable[[str], str]:
    """What makes reStructuredText of a whole docstring, its sections included; needs Sphinx."""
    from sphinx.ext.napoleon import Config, GoogleDocstring  # type: ignore[import-not-found, unused-ignore]

    sections = ["Derivative", "Source", ("Attributes", "params_style")]
    config: Any = Config(napoleon_custom_sections=sections, napoleon_use_param=False)  # one line may describe several

    class Docstring(GoogleDocstring):
        """Of what is returned, the package's docstrings say no type: what stands before a colon is text."""

        def _consume_returns_section(self, preprocess_types: bool = False) -> list[tuple[str, str, list[str]]]:
            lines = self._dedent(self._consume_to_next_section())
            return [("", "", lines)] if lines else []

        def _consume_inline_attribute(self) -> tuple[str, list[str]]:
            return "", self._dedent(list(self._lines))

    return lambda text: str(Docstring(restructured(text), config))


def is_known(target: str, module: str | None) -> bool:
    """Whether what a reference names is there, though no page describes it: it is internal, or another package's.

    Args:
        target: the name, with or without its module.
        module: the module in which it was said.
    """
    paths = (target, f"{module}.{target}", *(f"{place}.{target}" for place in ELSEWHERE))
    return any(map(is_importable, paths))


def is_importable(path: str) -> bool:
    """Whether there is something at the end of a dotted path."""
    parts = path.split(".")
    for split in range(len(parts), 0, -1):
        try:
            value = importlib.import_module(".".join(parts[:split]))
        except (ImportError, ValueError):
            continue
        for name in parts[split:]:
            if not hasattr(value, name):
                return False
            value = getattr(value, name)
        return True
    return False
