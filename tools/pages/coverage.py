"""The page that says what is checked of each operator, made by running the checks."""

from __future__ import annotations

from wengert.testing import coverage

HEAD = """# What is checked of each operator

Made from what the samples of the cards check. A number counts samples; otherwise the reason why
there is nothing to check.

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
