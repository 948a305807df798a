"""The type stubs are made from the cards as they are, and name everything. (`make check` has mypy read them.)"""

from __future__ import annotations

import ast
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

import wengert as wg
from wengert._core.tensor import base

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "wengert"


def load(path: Path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make_stub = load(ROOT / "tools" / "make_stub.py")
signatures = make_stub.tensor.forms_of.__globals__
check_stub = load(ROOT / "tools" / "check_stub.py")
typed_programs = load(ROOT / "tests" / "project" / "typed_programs.py")
MISTAKES = [
    line
    for line in (ROOT / "tests" / "project" / "typed_mistakes.py").read_text(encoding="utf-8").splitlines()
    if "# error:" in line and "# error: assignment" not in line  # whose fault shows only later
]


def names_in(statements: list[ast.stmt]) -> set[str]:
    """The public names that a stub or a class of a stub gives."""
    found = set()
    for each in statements:
        if isinstance(each, (ast.FunctionDef, ast.ClassDef)):
            found.add(each.name)
        elif isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
            found.add(each.target.id)
        elif isinstance(each, ast.ImportFrom):
            found |= {name.name for name in each.names if name.asname == name.name}
    return {name for name in found if not name.startswith("_")}


def read(path: Path) -> list[ast.stmt]:
    return ast.parse(path.read_text(encoding="utf-8")).body


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A Python of its own: other tests plant operators, which stay on the class."""
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False, cwd=ROOT)


def test_the_stubs_are_fresh():
    checked = run("tools/make_stub.py", "--check")
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_a_stub_that_was_edited_is_stale(tmp_path, monkeypatch):
    path = tmp_path / "edited.pyi"
    monkeypatch.setattr(make_stub, "MAKERS", {path: lambda: "def f() -> None: ...\n"})
    assert make_stub.stale() == [path]
    path.write_text(make_stub.HEAD + "def f() -> None: ...\n", encoding="utf-8")
    assert make_stub.stale() == []
    path.write_text(path.read_text(encoding="utf-8") + "def g() -> None: ...\n", encoding="utf-8")
    assert make_stub.stale() == [path]


def test_the_stub_of_the_package_names_what_the_package_has_and_nothing_else():
    assert names_in(read(PACKAGE / "__init__.pyi")) == make_stub.package.public().keys()
    for name in ("sum", "float32", "Tensor", "nn", "no_grad", "tensor", "pi"):
        assert name in make_stub.package.public()


def test_the_stub_of_tensor_names_all_its_methods_and_properties_and_nothing_else():
    (tensor,) = [
        each
        for each in read(make_stub.tensor.path_of(base).with_suffix(".pyi"))
        if isinstance(each, ast.ClassDef) and each.name == "Tensor"
    ]
    names = run("-c", "import wengert; print(*vars(wengert.Tensor))").stdout.split()
    assert names_in(tensor.body) == {name for name in names if not name.startswith("_")}
    signs = {name for name in vars(wg.Tensor) if name.startswith("__i") and callable(getattr(wg.Tensor, name))}
    assert signs - {"__init__", "__init_subclass__"} <= {
        each.name for each in ast.walk(tensor) if hasattr(each, "name")
    }


@pytest.mark.parametrize("module", [wg.nn.functional, wg.special], ids=lambda each: each.__name__)
def test_the_stub_of_a_module_of_functions_names_what_it_has_and_nothing_else(module):
    path = make_stub.tensor.path_of(module).with_suffix(".pyi")
    assert names_in(read(path)) == set(module.__all__)


def test_stubs_of_the_modules_of_torch_name_what_these_have():
    for stub, source in make_stub.mirrors.sources().items():
        if any(isinstance(each, ast.Raise) for each in read(source)):
            continue  # refuses to be imported
        name = ".".join(("wengert", *source.relative_to(make_stub.mirrors.MIRRORS).with_suffix("").parts))
        module = importlib.import_module(name.removesuffix(".__init__"))
        named = names_in(read(stub)) - {"typing", "__getattr__"}
        assert all(hasattr(module, each) or each in typing_only(source) for each in named), name


def typing_only(source: Path) -> set[str]:
    """The names that a module imports for annotations only."""
    blocks = [node for node in ast.parse(source.read_text(encoding="utf-8")).body if isinstance(node, ast.If)]
    return {name for block in blocks for name in make_stub.mirrors.bound_names(block.body)}


def test_an_unknown_name_is_an_error_because_no_stub_answers_for_all():
    for path in make_stub.MAKERS.keys() - make_stub.mirrors.sources():
        assert "__getattr__" not in path.read_text(encoding="utf-8")


def test_a_parameter_whose_type_nobody_says_is_refused():
    def shear(input: Tensor, angel: Any = None) -> Tensor: ...  # type: ignore[name-defined] # noqa: F821

    with pytest.raises(TypeError, match="shear: what is 'angel'"):
        make_stub.package.forms_of("shear", shear)


def test_a_form_that_names_what_the_function_does_not_take_is_refused(monkeypatch):
    monkeypatch.setitem(signatures["FORMS"], "max", ("(input: Tensor, axis: int) -> Tensor",))
    with pytest.raises(TypeError, match="of max names axis"):
        make_stub.package.forms_of("max", wg.max)


def test_the_check_tells_errors_that_are_unexpected_and_those_that_are_missing():
    here, there = ("a.py", 1), ("a.py", 2)
    error = [("arg-type", "wrong")]
    assert check_stub.compare({here: error}, {here: "arg-type"}) == {}
    assert check_stub.compare({here: error}, {}) == {here: "wrong [arg-type]"}
    assert check_stub.compare({here: error}, {here: "call-arg"}) == {here: "wrong [arg-type]"}
    assert check_stub.compare({}, {there: "call-arg"}) == {there: "no error, expected call-arg"}


def test_the_check_tries_each_way_to_call_an_operator():
    calls = dict(check_stub.sampled_of("relu"))
    assert calls["wg.relu(T)"] == calls["T.relu()"] == calls["T.relu_()"] == "wg.Tensor"
    assert dict(check_stub.sampled_of("split"))["T.split(2)"] == "tuple[wg.Tensor, ...]"
    assert dict(check_stub.sampled_of("gelu"))["F.gelu(T)"] == "wg.Tensor"


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_that_type_checkers_find_fails_when_it_is_run(mistake):
    names = {"wg": wg, "F": wg.nn.functional, "x": wg.ones(3)}
    with pytest.raises((TypeError, AttributeError)):
        exec(mistake, names)


@pytest.mark.parametrize("program", typed_programs.PROGRAMS, ids=lambda each: each.__name__)
def test_a_program_that_type_checkers_accept_runs(program):
    program()
