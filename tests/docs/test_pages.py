"""The pages about autograd: their examples run as they stand."""

from __future__ import annotations

import doctest
import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

import wengert as wg
from wengert._core.tensor.base import bind

ROOT = Path(__file__).resolve().parents[2]
PAGES = (
    *("autograd_mechanics.md", "autograd_tools.md", "complex_autograd.md", "debugging_gradients.md"),
    *("distributions.md", "for_teachers.md"),
    *("from_hips_autograd.md", "functional_transforms.md", "numerical_checks.md", "profiling.md"),
    *(
        "running_torch_programs.md",
        "saving_and_loading.md",
        "seeing_the_graph.md",
        "sparse_derivatives.md",
        "taylor_mode.md",
        "threads.md",
    ),
    "with_scipy.md",
)

spec = importlib.util.spec_from_file_location("check_examples", ROOT / "tools" / "check_examples.py")
assert spec is not None and spec.loader is not None
examples = importlib.util.module_from_spec(spec)
spec.loader.exec_module(examples)


@pytest.fixture
def without_torch():
    """What `install_as_torch` changes is as it was, after a page that calls it."""
    finders, modules = sys.meta_path[:], set(sys.modules)
    yield
    sys.meta_path[:] = finders
    for name in [each for each in sys.modules if each.partition(".")[0] == "torch" and each not in modules]:
        del sys.modules[name]
    bind("__module__", "wengert")


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.filterwarnings("ignore:Anomaly Detection")
def test_the_examples_of_a_page_run(page, without_torch):
    parsed = doctest.DocTestParser().get_doctest(
        examples.strip_fences((ROOT / "docs" / page).read_text(encoding="utf-8")), {"wg": wg, "np": np}, page, page, 0
    )
    told = []
    runner = doctest.DocTestRunner(optionflags=examples.FLAGS, verbose=False)
    runner.run(parsed, out=told.append)
    assert runner.failures == 0, "".join(told)
    assert runner.tries >= 10
