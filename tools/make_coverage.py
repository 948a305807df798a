"""Write `docs/coverage.md`: for each operator what its samples check: `tools/make_coverage.py [--check]`.

With `--check` nothing is written; the exit status is 1 if the page is not what the checks give now.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "coverage.md"
sys.path.insert(0, str(ROOT / "src"))

from wengert.testing import coverage  # noqa: E402

HEAD = """# What is checked of each operator

Made by `tools/make_coverage.py` from what the samples of the cards check; do not edit. Each test run makes the rows
anew and fails where one differs. A number counts samples; otherwise there stands why there is nothing to check.

*Reverse*: gradients beside central differences. *Double*: gradients of gradients beside differences of gradients.
*Forward*: tangents beside gradients. *Forward over reverse*: tangents of gradients, and gradients of tangents, beside
second gradients. *Batched*: `vmap` beside one call for each member, values and gradients, in every choice of batched
arguments. *Complex*: reverse and forward mode (of operators without derivative the values) in complex128. All else is
in double precision.

The last three columns count combinations of transforms that are compared with the plain reverse pass, for one sample:
`vmap` with members along other dimensions, and shared ones, around and within derivatives of complex numbers; forward
mode over forward, reverse and forward over reverse (`jvp` of `jvp`, of `grad`, `jacfwd` of `jacrev`, ...); and all of
them for the in-place form of the operator.

"""


def page(table: dict[str, tuple[str, ...]]) -> str:
    """The whole page."""
    text = f"{HEAD}| operator | {' | '.join(coverage.COLUMNS)} |\n|{'---|' * (1 + len(coverage.COLUMNS))}\n"
    for name, cells in table.items():
        shown = list(cells)
        if len(set(cells[:4])) == 1 and not cells[0].isdigit():
            shown[1:4] = ["″"] * 3
        shown[6:] = ["″" if cell == cells[0] and not cell.isdigit() else cell for cell in shown[6:]]
        text += f"| `{name}` | {' | '.join(shown)} |\n"
    return text


def main() -> int:
    """Write the page, or compare it."""
    text = page(coverage.table())
    if "--check" in sys.argv[1:]:
        fresh = PAGE.exists() and PAGE.read_text(encoding="utf-8") == text
        print("docs/coverage.md is fresh" if fresh else "docs/coverage.md is stale: run tools/make_coverage.py")
        return 0 if fresh else 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
