"""What `dir` lists of modules: public names only."""

from __future__ import annotations

import importlib
import os
import types
from pathlib import Path

import pytest

import wengert as wg
from tools.pages.reference import MODULES

ROOT = Path(wg.__file__).parent


def modules_in(root: Path) -> set[str]:
    """Return the modules below a folder in whose names no part starts with an underscore."""
    found = set()
    for folder, below, files in os.walk(root):
        below[:] = [name for name in below if name[0] != "_" and name != "ops"]
        parts = Path(folder).relative_to(root).parts
        found |= {".".join((*parts, file[:-3])) for file in files if file.endswith(".py") and file[0] != "_"}
        if "__init__.py" in files and parts:
            found.add(".".join(parts))
    return found


NOT_LOADED = ("functorch.dim", "compat.hips.test_util")
"""Modules that are refused, or that pytest loads in its own way because of their name."""

NAMES = sorted(modules_in(ROOT) | modules_in(ROOT / "_torch"))


@pytest.mark.parametrize("package", sorted({name.partition(".")[0] for name in NAMES}))
def test_modules_list_nothing_that_they_import_for_their_own_use(package):
    for name in NAMES:
        if name.partition(".")[0] != package or name in NOT_LOADED:
            continue
        module = importlib.import_module(f"wengert.{name}")
        listed = dir(module)
        offered = vars(module).get("__all__", ())
        assert listed == sorted(set(listed)), name
        assert [entry for entry in listed if entry[0] == "_" and entry not in offered] == [], name
        assert not {"annotations", "TYPE_CHECKING", "Any", "np", "sys", "warnings", "boundary"} & set(listed), name
        for entry in listed:
            value = getattr(module, entry)
            if isinstance(value, types.ModuleType):
                assert value.__name__.startswith("wengert.") or entry in offered, f"{name}.{entry}"
            home = getattr(value, "__module__", None)
            if isinstance(value, (type, types.FunctionType)):
                assert home.startswith("wengert") or entry in offered, f"{name}.{entry} of {home}"


@pytest.mark.parametrize("name", MODULES)
def test_documented_modules_list_what_they_offer(name):
    module = importlib.import_module(f"wengert.{name}")
    assert set(module.__all__) <= set(dir(module))
    others = set(dir(module)) - set(module.__all__)
    assert all(f"wengert.{name}" in wg._late.LATE for _ in others)


def test_submodules_and_late_names_are_listed():
    assert {"functional", "init", "parameter", "utils", "Linear"} <= set(dir(wg.nn))
    assert {"dataset", "sampler", "DataLoader", "datapipes"} <= set(dir(wg.utils.data))
    assert "eigen" not in dir(wg.linalg) and "inv" in dir(wg.linalg)
    assert dir(wg.compat) == ["array_api", "hips"] and "boundary" not in dir(wg.nn.parameter)
