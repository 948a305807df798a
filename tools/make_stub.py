"""Write the type stubs, from the cards as they are: `tools/make_stub.py [--check]`.

Functions of the package and methods of Tensor are bound when it is imported, where editors and type checkers do not
see them. So five modules have a stub beside them: the package, `nn.functional`, `special`, the module of the class
Tensor, and that of the tuples with named elements. The modules in `_torch` have theirs in `stubs/`, by the names under
which they are imported. Do not edit them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

import wengert  # noqa: E402
from tools.stubs import mirrors, package, tensor  # noqa: E402
from wengert import special  # noqa: E402
from wengert._core.tensor import base  # noqa: E402
from wengert.nn import functional  # noqa: E402
from wengert.ops import return_types  # noqa: E402

HEAD = "# Made by tools/make_stub.py; do not edit.\n"
MAKERS: dict[Path, Callable[[], str]] = {
    tensor.path_of(module).with_suffix(".pyi"): maker
    for module, maker in (
        (wengert, package.stub),
        (base, tensor.stub),
        (return_types, tensor.return_types_stub),
        (functional, partial(package.functions_stub, functional)),
        (special, partial(package.functions_stub, special)),
    )
} | {path: partial(mirrors.stub, source) for path, source in mirrors.sources().items()}
"""Where each stub lies, and what makes its text."""


def stale() -> list[Path]:
    """The stubs that are not what they would be if they were made now."""
    return mirrors.stray() + [
        path for path, make in MAKERS.items() if not path.exists() or path.read_text(encoding="utf-8") != HEAD + make()
    ]


def main() -> int:
    """Write the stubs, or check that they are fresh."""
    if "--check" in sys.argv[1:]:
        for path in stale():
            print(f"{path.relative_to(ROOT)} is stale: run tools/make_stub.py")
        return 1 if stale() else 0
    for path in mirrors.stray():
        path.unlink()
    for path, make in MAKERS.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(HEAD + make(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
