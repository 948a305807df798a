"""Pages of cells: how they are read, run, compared and written as notebooks."""

from __future__ import annotations

import json

import pytest

from tools.pages import notebooks
from tools.pages.notebooks import Output, PageError

PAGE = """# Title

See [the index](index.md), [NumPy](https://numpy.org).

```python
x = 2
x * 21
```

```text
42
```

Then:

```sh
ls
```

```python
import matplotlib.pyplot as plt

plt.plot([1, 2])
plt.title("A line")
plt.show()
```
"""


@pytest.fixture
def page(tmp_path, monkeypatch):
    """A page in a repository of its own, which finds the package by the path that is set."""
    monkeypatch.setattr(notebooks, "ROOT", tmp_path)
    root = notebooks.Path(__file__).resolve().parents[2]
    monkeypatch.setenv("PYTHONPATH", f"{root}:{root / 'src'}")
    (tmp_path / "docs" / "howto").mkdir(parents=True)
    (tmp_path / "docs" / "tutorial.md").write_text(PAGE, encoding="utf-8")
    return tmp_path / "docs" / "tutorial.md"


def test_a_page_is_split_into_text_and_code():
    cells = notebooks.cells_of(PAGE)
    assert [cell.is_code for cell in cells] == [False, True, False, True]
    assert cells[1].source == "x = 2\nx * 21\n" and cells[1].expected == "42\n" and cells[1].line == 6
    assert "```sh" in cells[2].source and PAGE.splitlines()[cells[3].line - 1].startswith("import")


def test_a_page_is_run_and_written_with_its_picture_and_as_a_notebook(page, tmp_path):
    [made] = notebooks.make(tmp_path / "made")
    [(file, title)] = made.pictures
    assert made.name == "docs/tutorial" and title == "A line" and f"![A line](/docs/made/notebooks/{file})" in made.text
    assert (tmp_path / "made" / "notebooks" / file).read_bytes().startswith(b"\x89PNG")
    assert 'href="../notebooks/tutorial.ipynb"' in made.text and "```text\n42\n```" in made.text
    notebook = json.loads((tmp_path / "made" / "whole" / "notebooks" / "tutorial.ipynb").read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4 and [cell["cell_type"] for cell in notebook["cells"]] == ["markdown", "code"] * 2
    assert "".join(notebook["cells"][0]["source"]).endswith("See the index, [NumPy](https://numpy.org).")
    stream, plot = (cell["outputs"][0] for cell in notebook["cells"][1::2])
    assert stream["text"] == ["42\n"] and plot["data"]["image/png"] and len({c["id"] for c in notebook["cells"]}) == 4


def test_another_output_is_an_error_of_the_build_and_is_recorded(page, tmp_path):
    page.write_text(PAGE.replace("42", "43"), encoding="utf-8")
    with pytest.raises(PageError, match=r"tutorial.md, line 6: the page says\n43\n\nthe cell printed\n42"):
        notebooks.make(tmp_path / "made")
    outputs, _ = notebooks.run(page)
    assert notebooks.recorded(page.read_text(encoding="utf-8"), outputs) == PAGE


def test_a_cell_that_raises_or_warns_is_an_error_that_names_its_line(page):
    for code in ("1 / 0", "import warnings; warnings.warn('no')"):
        page.write_text(PAGE.replace("x * 21", code), encoding="utf-8")
        with pytest.raises(PageError, match=r"cell_1 begins in line 6 of the page"):
            notebooks.run(page)


def test_what_varies_may_be_left_out():
    text = PAGE.replace("42", "4...")
    assert notebooks.recorded(text, [Output("42\n"), Output()]) == text
    without = PAGE.replace("```text\n42\n```\n\n", "")
    assert notebooks.recorded(without, [Output("42\n"), Output()]) == PAGE


def test_each_page_has_a_title_and_leads_on():
    for path in notebooks.paths():
        text = path.read_text(encoding="utf-8")
        assert text.startswith("# ") and "](" in "".join(text.splitlines()[-5:]), path.name
        assert ">>>" not in text


@pytest.mark.exhaustive  # `make check` and `make docs` run the pages
@pytest.mark.parametrize("path", notebooks.paths(), ids=lambda path: path.stem)
def test_the_pages_print_what_they_say(path):
    outputs, seconds = notebooks.run(path)
    assert notebooks.differences(path, notebooks.cells_of(path.read_text(encoding="utf-8")), outputs) == []
    assert seconds < 60
