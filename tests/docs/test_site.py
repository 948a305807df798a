"""What the documentation site is made of, without Sphinx: its table of contents, its links, its pages of the API."""

from __future__ import annotations

import importlib
import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, strategies as st

from tools.check_site import main, wrong_links as wrong_links_of_site
from tools.pages import contents, docstrings, reference
from tools.stubs.package import public
from wengert._start.loading import homes

ROOT = Path(__file__).resolve().parents[2]
OUTSIDE = (ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md")
INSIDE = sorted((ROOT / "src" / "wengert").rglob("README.md"))
PAGES = (*OUTSIDE, *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs" / "howto").glob("*.md")), *INSIDE)
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)")
NATIVE = "src/wengert/_kernels/native"
NOTES = sorted((ROOT / NATIVE).glob("*/NOTES.md"))
"""Pages beside the code, which are no part of the site."""
FOLDERS = ("", "src", "src/wengert", "src/wengert/_core", "src/wengert/_kernels", NATIVE)
"""Below which the pages name files."""
LEFT = ("demo-out/", "build/", "browser-out/", "bench-out/")
"""What commands leave: not part of the repository."""
UNDESCRIBED = {"amp", "distributed", "hub", "overrides", "testing"}
"""Modules of torch that programs ask for what is not here, or that are for their tests."""


def name_of(path):
    return path.relative_to(ROOT).as_posix()


def text_of(path):
    """The text of a page without its blocks of code."""
    return re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchors(path):
    """What `#...` may name on a page, as Git forges derive it from the headings."""
    headings = re.findall(r"^#+ (.*)$", text_of(path), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def wrong_links(path, text):
    """The links of a page that lead to no file, or to no heading of one."""
    for target, anchor in LINK.findall(text):
        file = (path.parent / target) if target else path
        if not file.is_file() or (anchor and anchor not in anchors(file)):
            yield f"{target}#{anchor}"


def wrong_paths(text, folder=ROOT):
    """The files that a page in a folder names in code and that are not there."""
    for path in re.findall(r"`([\w.*-]+/[\w./*-]+\.(?:py|pyi|pxd|toml|md|js|cpp|hpp|inc|png|svg|html))\b[^`]*`", text):
        if not path.startswith(LEFT) and not any(
            glob(place, path) for place in (folder, *(ROOT / root for root in FOLDERS))
        ):
            yield path


def glob(folder, pattern):
    """The files below a folder that a path with `*`, perhaps one that leads up, means."""
    while pattern.startswith("../"):
        folder, pattern = folder.parent, pattern.removeprefix("../")
    return list(folder.glob(pattern))


@pytest.mark.parametrize("path", (*PAGES, *NOTES, ROOT / "tests" / "browser" / "README.md"), ids=name_of)
def test_what_a_page_links_to_or_names_is_there(path):
    assert [*wrong_links(path, text_of(path)), *wrong_paths(text_of(path), path.parent)] == []


def test_a_link_that_leads_nowhere_is_found():
    page = ROOT / "docs" / "index.md"
    text = "[a](none.md) [b](profiling.md#none) [c](#none) [d](profiling.md#tables) [e](https://none.org)"
    text += " `tools/none.py -x` `viz/layout.py`"
    assert list(wrong_links(page, text)) == ["none.md#", "profiling.md#none", "#none"]
    assert list(wrong_paths(text)) == ["tools/none.py"]


def test_links_of_the_built_site_that_lead_nowhere_are_found(tmp_path, monkeypatch, capsys):
    (tmp_path / "site" / "more").mkdir(parents=True)
    (tmp_path / "outside.html").write_text("")
    right = '<img src="data:,"> <a href="more/two.html#here"> <a href="more/"> <a href="https://n.org"> <a href="#top">'
    wrong = '<a href="none.html"> <a href="more/two.html#no"> <img src="no.png"> <a href="../outside.html">'
    (tmp_path / "site" / "one.html").write_text(f'<p id="top">{right}')
    (tmp_path / "site" / "more" / "two.html").write_text('<p id="here"><a href="../one.html?x=1#top">')
    (tmp_path / "site" / "more" / "index.html").write_text("")
    monkeypatch.setattr("sys.argv", ["check_site", str(tmp_path / "site")])
    assert main() == 0
    (tmp_path / "site" / "wrong.html").write_text(wrong)
    found = [link for path, link in wrong_links_of_site(tmp_path / "site") if path.name == "wrong.html"]
    assert found == ["../outside.html", "more/two.html#no", "no.png", "none.html"]
    assert main() == 1 and "wrong.html: no.png" in capsys.readouterr().out


def test_pictures_are_small_and_shown():
    texts = "".join(path.read_text(encoding="utf-8") for path in PAGES)
    for picture in (ROOT / "docs" / "pictures").iterdir():
        assert picture.stat().st_size < 150_000 and f"pictures/{picture.name})" in texts, picture.name


# ---- the table of contents -------------------------------------------------------------------------------------------


def test_the_table_of_contents_names_each_page_once():
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    listed = [page for pages in contents.sections(index).values() for page in pages]
    assert sorted(listed) == sorted(name_of(path.with_suffix("")) for path in PAGES if path.stem != "index")
    assert all(pages for pages in contents.sections(index).values())


def test_the_pages_that_the_build_makes_follow_a_section_that_is_there():
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert contents.MADE.keys() <= contents.sections(index).keys()
    whole = contents.with_contents(index)
    assert whole.startswith(index) and whole.count("```{toctree}") == len(contents.sections(index))
    for pages in contents.MADE.values():
        assert all(whole.count(f"\n/{page}\n") == 1 for page in pages)


# ---- the pages of the API --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pages():
    return reference.pages(str)


def described(text):
    """What a page describes."""
    entries = re.findall(r"^\.\. (?:py|auto)[\w:]*:: (\S+?)(?=[(\s])", text, re.MULTILINE)
    entries += re.findall(r"^ {16,}(\w+)\(", text, re.MULTILINE)
    return {entry.rpartition(".")[2] for entry in entries}


def test_each_public_name_is_described(pages):
    package = set().union(*(described(text) for name, text in pages.items() if name not in reference.MODULES))
    assert {name for name, value in public().items() if not isinstance(value, ModuleType)} - package == set()
    for name in reference.MODULES:
        module = importlib.import_module(f"wengert.{name}")
        offered = {each for each in module.__all__ if not isinstance(getattr(module, each), ModuleType)}
        offered -= {"Tensor"}
        assert offered - described(pages[name]) == set(), name


def test_each_layer_has_a_page(pages):
    parts = {name.partition(".")[0] for name in reference.MODULES}
    own = {name for name, home in homes("wengert").items() if home == f"wengert.{name}" and name[0] != "_"}
    layers = {
        name for name in own - UNDESCRIBED if not importlib.util.find_spec(f"wengert.{name}").origin.count("_torch")
    }
    assert layers - parts == set() and all(f"   {name}\n" in pages["index"] for name in pages if name != "index")


def test_an_operator_is_described_in_the_forms_of_its_card(pages):
    assert (
        ".. py:function:: add(input: Operand, other: Operand, *, alpha: Number = 1, out: Tensor | None = None)"
        in (pages["operators_pointwise"])
    )
    assert re.search(r"function:: max\(.*\n +max\(.*dim: int.*\n +max\(", pages["operators_reductions"])
    assert "Writes the result of :py:func:`wengert.exp` into" in pages["tensor"]
    assert "_bool" not in pages["tensor"] and "    self: " not in pages["operators_reductions"]


# ---- docstrings ------------------------------------------------------------------------------------------------------


@given(st.text(st.sampled_from("ab_*| .,()\n"), max_size=30))
def test_no_sign_of_a_docstring_is_lost_or_means_anything(text):
    shown = docstrings.prose(text)
    assert re.sub(r"\\(.)", r"\1", shown) == text
    assert not re.search(r"(?<!\\)[*|_]", docstrings.MARKUP.sub("", shown))


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("`x`s and ``y``", "``x``\\ s and ``y``"),
        ("`a\n   b`", "``a b``"),
        ("x_ of |x| * 2", "x\\_ of \\|x\\| \\* 2"),
        ("**two words**: 2**3, 4**5", "**two words**: 2\\*\\*3, 4\\*\\*5"),
        ("Args:\n    *args: any_", "Args:\n    *args: any\\_"),
        ("Args:\n    from_, to: a_b", "Args:\n    from_, to: a\\_b"),
        ("Args:\n    a, b,\n        c: both", "Args:\n    a, b, c: both"),
        (">>> x_ = 2 * y\n4 * 3\n\nx_", ">>> x_ = 2 * y\n4 * 3\n\nx\\_"),
    ],
)
def test_backticks_are_code_and_examples_stay(said, read):
    assert docstrings.restructured(said) == read


def test_a_reference_to_what_is_not_there_is_no_reference():
    assert docstrings.is_known("wengert._core.graph.node.Node", None)
    assert docstrings.is_known("Sequence", "wengert") and docstrings.is_known("explain", "wengert.debugging")
    assert not docstrings.is_known("wengert._core.graph.node.None_", None)
    assert not docstrings.is_known("A tensor", "wengert")


def test_bases_are_named_as_programs_know_them(pages):
    nn = importlib.import_module("wengert.nn")
    assert reference.public_bases(nn.Linear) == [":py:class:`wengert.nn.Module`"]
    assert reference.public_bases(nn.LSTM) == [":py:class:`wengert.nn.RNNBase`"]
    for name in ("nn", "optim", "utils.data", "distributions"):
        module = importlib.import_module(f"wengert.{name}")
        classes = [value for key in module.__all__ if isinstance(value := getattr(module, key), type)]
        bases = [text for value in classes for text in reference.public_bases(value)]
        assert bases and not [text for text in bases if "._" in text or "modules" in text]


def test_the_class_of_tensors_has_one_entry():
    pages = reference.pages(lambda text: text)
    entries = [
        name
        for name, text in pages.items()
        if re.search(r"^\.\. (py:|auto)class:: (wengert\.)?Tensor$", text, re.MULTILINE)
    ]
    assert entries == ["tensor"]
