"""A name that torch has and this package has not says so; which these are stands in a file and on a page."""

from __future__ import annotations

import importlib
import importlib.util
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import wengert as wg
from tools.pages import missing_names
from wengert._start import missing

ROOT = Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("make_missing", ROOT / "tools" / "make_missing.py")
assert spec is not None and spec.loader is not None
docs = importlib.util.module_from_spec(spec)
spec.loader.exec_module(docs)

ASKED = [("", "native_norm"), ("nn.functional", "scaled_mm"), ("masked", "MaskedTensor"), ("nn", "qat")]


def module(space: str) -> object:
    return importlib.import_module(f"wengert.{space}".removesuffix("."))


def run(code: str) -> str:
    """What `code` prints in a Python of its own."""
    command = [sys.executable, "-c", textwrap.dedent(code)]
    done = subprocess.run(command, env=os.environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize(("space", "name"), ASKED)
def test_a_missing_name_says_that_torch_has_it(space, name):
    full = f"{space}.{name}".removeprefix(".")
    wanted = f"torch has {full}, wengert does not yet"
    assert not hasattr(module(space), name)
    with pytest.raises(AttributeError, match=wanted):
        getattr(module(space), name)
    with pytest.raises(ImportError, match=f"cannot import name '{name}' from .*{wanted}"):
        exec(f"from wengert.{space} import {name}".replace(". ", " "), {})


@pytest.mark.parametrize("space", ["", "nn", "nn.functional", "optim", "functional", "autograd.forward_ad"])
def test_of_other_names_python_says_what_it_always_says(space):
    with pytest.raises(AttributeError, match=r"has no attribute 'nothing'$"):
        module(space).nothing  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'nothing' from"):
        exec(f"from wengert.{space} import nothing".replace(". ", " "), {})


def test_under_the_name_of_torch_it_is_said_too():
    said = run(
        """
        import wengert
        wengert.install_as_torch()
        import torch
        try:
            torch.native_norm
        except AttributeError as error:
            print(error)
        try:
            from torch import native_norm
        except ImportError as error:
            print(error)
        try:
            torch.nothing
        except AttributeError as error:
            print(error)
        print(hasattr(torch, "native_norm"))
        """
    ).splitlines()
    assert "module 'torch' has no attribute 'native_norm': torch has native_norm, wengert does" in said[0]
    assert "torch has native_norm, wengert does not yet" in said[1]
    assert said[2:] == ["module 'torch' has no attribute 'nothing'", "False"]


def test_the_names_are_read_only_when_one_is_missing():
    code = """
        import sys, wengert, wengert.nn, wengert.optim, wengert.utils.data
        from wengert.nn import functional
        from wengert.autograd import graph
        wengert.zeros
        print("wengert._start.missing" in sys.modules)
        hasattr(wengert.nn, "nothing")
        print("wengert._start.missing" in sys.modules)
    """
    assert run(code).split() == ["False", "True"]


def test_no_name_in_the_file_exists():
    table = missing.table()
    assert table == docs.trimmed(table), "run tools/make_missing.py: some of these names are there by now"


def test_the_file_is_what_the_tool_makes():
    assert docs.FILE.read_text(encoding="utf-8") == docs.text_of(missing.table())


def test_the_page_of_the_site_lists_each_name():
    table = missing.table()
    text = missing_names.page(table)
    for space, words in table.items():
        part = text.partition(f"## {f'torch.{space}'.removesuffix('.')}\n")[2].partition("\n## ")[0]
        assert all(f"`{name}`" in part for names in words.values() for name in names)


def test_each_reason_is_explained():
    used = {word for words in missing.table().values() for word in words}
    assert used <= docs.REASONS.keys()


def test_a_name_that_exists_by_now_is_noticed():
    assert docs.trimmed({"nn": {"other": ["Linear", "nothing"]}}) == {"nn": {"other": ["nothing"]}}
    assert docs.trimmed({"": {"other": ["zeros"]}}) == {}


def test_the_package_has_all_its_own_names():
    assert missing.torch_has("wengert", "zeros") is None
    assert wg.zeros(1).item() == 0
