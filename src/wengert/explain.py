"""`python -m wengert.explain script.py [args]`: run a program, and explain missing gradients.

Lines are recorded (`set_debug`). At the end the command explains, under the names of the program, each leaf that
requires a gradient and has none, and each tensor that was cut off from the graph. An error of the program is shown with
its lines.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from .debugging import explain
from .debugging.command import main


class _Module(ModuleType):
    """Callable module: `wengert.explain` is a function, and becomes this module when that is imported."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return explain(*args, **kwargs)


if __name__ == "__main__":
    sys.exit(main())
sys.modules[__name__].__class__ = _Module
