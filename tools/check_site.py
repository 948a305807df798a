"""Every link of a built site leads to a file of it, and to a place in that file: `tools/check_site.py FOLDER`.

Links to other sites are left alone. What is wrong is printed as `page: link`, and the exit status is 1.
"""

from __future__ import annotations

import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """What a page links to, and the places in it that links may name."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.links: set[str] = set()
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Read one tag."""
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.add(value)
            elif name == "id" and value:
                self.places.add(value)


@cache
def page_of(path: Path) -> Page:
    """A page, read once."""
    return Page(path.read_text(encoding="utf-8"))


def is_wrong(path: Path, link: str, root: Path) -> bool:
    """Whether a link of a page leads nowhere, or out of the site."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return False
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target.is_dir():
        target /= "index.html"
    if not target.is_file() or not target.is_relative_to(root):
        return True
    return bool(parts.fragment) and target.suffix == ".html" and unquote(parts.fragment) not in page_of(target).places


def wrong_links(root: Path) -> list[tuple[Path, str]]:
    """All links below a folder that lead nowhere, each with its page."""
    root = root.resolve()
    pages = sorted(root.rglob("*.html"))
    return [(path, link) for path in pages for link in sorted(page_of(path).links) if is_wrong(path, link, root)]


def main() -> int:
    """Check the site in the folder that is named."""
    root = Path(sys.argv[1])
    broken = wrong_links(root)
    for path, link in broken:
        print(f"{path.relative_to(root.resolve())}: {link}")
    pages = len(list(root.rglob("*.html")))
    print(
        f"site: {len(broken)} links of {pages} pages lead nowhere"
        if broken
        else f"site: the links of {pages} pages lead somewhere"
    )
    return 1 if broken or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
