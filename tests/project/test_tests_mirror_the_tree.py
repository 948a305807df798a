"""The folders of tests are those of the sources, and a file is named by its subject."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOPS = {"core": "_core", "kernels": "_kernels", "start": "_start", "tensor": "_tensor", "torch_modules": "_torch"}
"""Folders of tests whose sources have another name."""
OF_THE_PROJECT = {
    "benchmarks": "the benchmarks beside the package",
    "browser": "the explorer's page in a browser",
    "cards": "every sample of every card",
    "docs": "the documentation",
    "examples": "the examples",
    "hunt": "the hunts of `tools/hunt`",
    "mechanics": "the notes on the mechanics of autograd, sentence by sentence, which also run beside torch",
    "parity": "programs that also run beside torch",
    "platforms": "other platforms, and systems without threads or packages",
    "project": "the tree: layers, sizes, builds, names",
    "release": "the release",
}
"""Folders of tests that no package or module has, and what they check."""
HOW_IT_CAME = re.compile(
    r"(?:^|_)(?:another|changed|corners?|extra|few_more|further|fuzzed|lately|many|misc|missing|more|odd|other"
    r"|several|strange|unusual|various)(?:_|$)"
)
"""Words that say how a test came about, not what it checks."""


def files(root: Path) -> list[Path]:
    """Files of tests, from the folder `tests` on, without those of the whole project."""
    all_files = [path.relative_to(root / "tests") for path in sorted((root / "tests").rglob("test_*.py"))]
    return [path for path in all_files if path.parts[0] not in OF_THE_PROJECT]


def source(root: Path, folder: Path) -> Path:
    """Folder of the sources that a folder of tests is about."""
    return root / "src" / "wengert" / TOPS.get(folder.parts[0], folder.parts[0]) / Path(*folder.parts[1:])


def is_source(path: Path) -> bool:
    """Whether there is a package or a module of that name, with or without an underscore before it."""
    places = [path, path.with_name(f"_{path.name}")]
    return any(place.is_dir() or place.with_suffix(".py").is_file() for place in places)


def subject(path: Path) -> str:
    return path.stem.removeprefix("test_")


def without_source(root: Path) -> list[str]:
    """Folders of tests that have neither a package nor a reason."""
    folders = sorted({path.parent for path in files(root)})
    return [str(folder) for folder in folders if not is_source(source(root, folder))]


def named_by_history(root: Path) -> list[str]:
    """Files that are named by how their tests came about, unless a source has the same name."""
    named = [path for path in files(root) if HOW_IT_CAME.search(subject(path))]
    return [str(path) for path in named if not is_source(source(root, path.parent) / subject(path))]


def subjects_twice(root: Path) -> list[str]:
    """Subjects with files in several folders, unless each of these has a source of that name."""
    folders: dict[str, list[Path]] = {}
    for path in files(root):
        folders.setdefault(subject(path), []).append(path.parent)
    return [
        name
        for name, places in folders.items()
        if len(places) > 1 and not all(is_source(source(root, place) / name) for place in places)
    ]


def test_each_folder_of_tests_has_a_package_or_a_reason():
    assert without_source(ROOT) == []
    assert not [name for name in OF_THE_PROJECT if not (ROOT / "tests" / name).is_dir()]
    loose = [path.name for path in (ROOT / "tests").glob("test_*.py")]
    assert loose == [], "a test lies in the folder of what it is about"


def test_no_file_is_named_by_how_its_tests_came_about():
    assert named_by_history(ROOT) == []


def test_a_subject_is_tested_in_one_place():
    assert subjects_twice(ROOT) == []


@pytest.fixture
def tree(tmp_path):
    """A small tree that keeps all rules."""
    for name in ("src/wengert/ops/linalg/distances.py", "src/wengert/ops/sparse/products.py"):
        write(tmp_path, name)
    for name in ("ops/linalg/test_distances.py", "ops/sparse/test_products.py", "project/test_odd_corners.py"):
        write(tmp_path, f"tests/{name}")
    assert problems(tmp_path) == ([], [], [])
    return tmp_path


def write(root: Path, name: str) -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).touch()


def problems(root: Path) -> tuple[list[str], list[str], list[str]]:
    return without_source(root), named_by_history(root), subjects_twice(root)


def test_a_folder_without_a_package_is_noticed(tree):
    write(tree, "tests/ops/matrices/test_norms.py")
    assert problems(tree) == (["ops/matrices"], [], [])


def test_a_name_that_tells_a_history_is_noticed(tree):
    write(tree, "tests/ops/linalg/test_further_distances.py")
    write(tree, "tests/ops/linalg/test_missing.py")
    assert problems(tree)[1] == ["ops/linalg/test_further_distances.py", "ops/linalg/test_missing.py"]
    write(tree, "src/wengert/ops/linalg/missing.py")
    assert problems(tree)[1] == ["ops/linalg/test_further_distances.py"]


def test_a_subject_in_two_places_is_noticed(tree):
    write(tree, "tests/ops/linalg/test_products.py")
    assert problems(tree) == ([], [], ["products"])
    write(tree, "src/wengert/ops/linalg/products.py")
    assert problems(tree) == ([], [], [])
