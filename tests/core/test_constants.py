"""Constants that are written twice, for the interpreter and for C, are the same in both places."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from wengert import _core
from wengert._core import flags
from wengert._core.operators import sources
from wengert._core.profiling import kinds


def constants_of_c(path):
    """The entries of the C enumerations in a `.pxd` file."""
    text = path.read_text(encoding="utf-8")
    return {key: int(value) for key, value in re.findall(r"^    (\w+) = (-?\d+)\s*$", text, re.M)}


def constants_of_python(module):
    return {key: value for key, value in vars(module).items() if key.isupper() and isinstance(value, int)}


@pytest.mark.parametrize("module", [flags, sources, kinds], ids=["flags", "sources", "kinds"])
def test_the_constants_of_a_module_are_those_of_its_pxd_file(module):
    assert constants_of_c(Path(module.__file__).with_suffix(".pxd")) == constants_of_python(module) != {}


def test_every_flag_is_a_bit_of_its_own():
    masks = ("HISTORY", "NOTES", "ELSEWHERE", "UNUSUAL", "QUIET", "ALL", "NOT_RECORDED", "NOT_INFERRED")
    bits = [value for key, value in constants_of_python(flags).items() if key not in masks]
    assert all(value & (value - 1) == 0 for value in bits)
    assert len(set(bits)) == len(bits)
    assert flags.UNUSUAL & (flags.REQUIRES_GRAD | flags.VIEW) == 0


def declared_in(text, pattern):
    return set(re.findall(pattern, text, re.M))


@pytest.mark.parametrize("path", sorted(Path(_core.__file__).parent.rglob("*.pxd")), ids=lambda path: path.stem)
def test_a_pxd_file_declares_nothing_that_its_module_does_not_have(path):
    text = path.read_text(encoding="utf-8")
    source = path.with_suffix(".py").read_text(encoding="utf-8")
    for name in declared_in(text, r"^cp?def (?:public )?[\w\[\]]+ (\w+)\(") | declared_in(text, r"^cdef class (\w+)"):
        assert re.search(rf"^(?:def|class) {name}\b", source, re.M), f"{path.name} declares {name}"
    for name in declared_in(text, r"^    cpdef [\w\[\]]+ (\w+)\("):
        assert re.search(rf"^    def {name}\b", source, re.M), f"{path.name} declares the method {name}"
