"""The page that lists the names of torch that are not here."""

from __future__ import annotations

from wengert._start.missing import REASONS, Table

HEAD = """# Names of torch that are not here

Found by `tools/make_missing.py` beside torch 2.13. An error says so, with the reason, when one of these {total} names
is asked for; `hasattr` is False. Names that neither package has are refused in Python's words.

```python
>>> import wengert as wg
>>> wg.native_norm  # doctest: +ELLIPSIS
Traceback (most recent call last):
AttributeError: ... torch has native_norm, wengert does not yet (...)
>>> from wengert.nn.functional import scaled_mm  # doctest: +ELLIPSIS
Traceback (most recent call last):
ImportError: ... torch has nn.functional.scaled_mm, wengert does not yet (...)

```

Modules that only torch has are listed where they would lie.
"""


def page(table: Table) -> str:
    """The whole page."""
    total = sum(len(names) for words in table.values() for names in words.values())
    text = HEAD.format(total=total)
    for space, words in table.items():
        text += f"\n## {f'torch.{space}'.removesuffix('.')}\n\n| why | names |\n|---|---|\n"
        for word, reason in REASONS.items():
            if word in words:
                text += f"| {reason} | {', '.join(f'`{name}`' for name in words[word])} |\n"
    return text
