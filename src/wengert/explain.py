"""`python -m wengert.explain script.py [args]`: runs a program, and says why what has no gradient has none.

Lines are noted (`set_debug`). At the end, each leaf of the program that requires a gradient and has none, and each
tensor that was cut off from the graph, is explained, by the names that the program gives them; an error of the
program is shown with the lines that belong to it.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from .debugging import explain
from .debugging.command import main


class _Module(ModuleType):
    """`wengert.explain` is a function, and a module once that is imported: which therefore can be called, too."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return explain(*args, **kwargs)


if __name__ == "__main__":
    sys.exit(main())
sys.modules[__name__].__class__ = _Module
