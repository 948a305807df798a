"""Names below torch's public modules that libraries import: control flow, transforms, exports, logs, options."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import textwrap

import pytest

import wengert as wg
from wengert import _higher_order_ops as flow

X = wg.arange(6.0).reshape(3, 2)


def run(*arguments: str) -> str:
    """What a Python of its own prints."""
    done = subprocess.run([sys.executable, *arguments], env=os.environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_map_is_a_function_of_each_slice():
    assert wg.equal(flow.map(lambda row: row * 2, X), X * 2)
    assert wg.equal(flow.map(lambda row, factor: row * factor, X, wg.tensor(3.0)), X * 3)
    assert wg.equal(flow.map(lambda part: {"q": part["x"].sum()}, {"x": X})["q"], X.sum(1))
    x = X.clone().requires_grad_()
    assert wg.equal(wg.autograd.grad(flow.map(lambda row: row * row, x).sum(), x)[0], 2 * X)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dim", [0, 1])
def test_scans_carry_on_along_a_dimension(dim, reverse):
    turned = X.flip(dim) if reverse else X
    sums = turned.cumsum(dim).flip(dim) if reverse else turned.cumsum(dim)
    start = wg.zeros(X.shape[1 - dim])
    last, results = flow.scan(lambda total, x: (total + x, total + x), start, X, dim=dim, reverse=reverse)
    assert wg.equal(last, X.sum(dim)) and wg.equal(results, sums)
    for mode in ("pointwise", "generic"):
        running = flow.associative_scan(lambda x, y: x + y, X, dim, reverse, mode)
        assert wg.equal(running, sums)
    both = flow.associative_scan(
        lambda x, y: {"a": x["a"] + y["a"], "b": x["b"] * y["b"]}, {"a": X, "b": X + 1}, dim, reverse
    )
    assert wg.equal(both["a"], sums)


REFUSED = {
    "scan of no function": (lambda: flow.scan(3, X, X), RuntimeError),
    "scan without a pair": (lambda: flow.scan(lambda total, x: total, X[0], X), RuntimeError),
    "scan of a number": (lambda: flow.scan(lambda total, x: (total, x), X[0], 3), RuntimeError),
    "map of no function": (lambda: flow.map(3, X), RuntimeError),
    "map of a number": (lambda: flow.map(lambda x: x, 3), RuntimeError),
    "map of nothing": (lambda: flow.map(lambda x: x, X[:0]), RuntimeError),
    "map of different lengths": (lambda: flow.map(lambda x: x, (X, X[1:])), RuntimeError),
    "associative_scan of no function": (lambda: flow.associative_scan(3, X, 0), ValueError),
    "associative_scan in another mode": (lambda: flow.associative_scan(wg.add, X, 0, False, "foo"), ValueError),
}


@pytest.mark.parametrize(("call", "error"), REFUSED.values(), ids=REFUSED)
def test_wrong_arguments_of_control_flow_are_refused(call, error):
    with pytest.raises(error):
        call()


def test_transforms_tell_which_of_them_follow_a_tensor():
    functorch = wg._C._functorch
    seen = []

    def look(x):
        level = functorch.maybe_get_level(x), functorch.maybe_get_bdim(x), functorch.current_level()
        kinds = functorch.is_batchedtensor(x), functorch.is_gradtrackingtensor(x)
        seen.append((*level, *kinds, tuple(functorch.get_unwrapped(x).shape)))
        return x.sum()

    wg.vmap(look)(X)
    wg.func.grad(look)(X)
    wg.vmap(wg.func.grad(look))(X)
    assert seen == [
        (1, 0, 1, True, False, (3, 2)),
        (1, -1, 1, False, True, (3, 2)),
        (2, -1, 2, False, True, (2,)),
    ]
    assert not functorch.is_functorch_wrapped_tensor(X) and functorch.maybe_current_level() is None
    assert functorch.maybe_get_level(X) == -1 and functorch.unwrap_if_dead(X) is X
    with pytest.raises(RuntimeError, match="no transform of functions"):
        functorch.current_level()
    with pytest.raises(RuntimeError, match=r"use torch.func"):
        functorch.pop_dynamic_layer_stack()


def test_exports_are_refused_with_what_to_do():
    for name in ("export", "save", "load", "Dim", "ExportedProgram"):
        with pytest.raises(RuntimeError, match=rf"torch.export.{name}: there is no compiler here.*state_dict"):
            getattr(wg.export, name)("x")
    code = """
        import wengert; wengert.install_as_torch()
        import torch._C._functorch, torch._higher_order_ops.scan
        from torch._C._functorch import is_batchedtensor
        from torch._higher_order_ops.associative_scan import associative_scan
        from torch.export import Dim, ExportedProgram
        from torch.export.exported_program import ExportedProgram as Same
        from torch.export.dynamic_shapes import Dim
        from torch.distributed.distributed_c10d import ReduceOp
        import torch
        print(isinstance(torch.ones(1), ExportedProgram), torch._dynamo.list_backends(), ReduceOp.SUM)
    """
    assert run("-c", textwrap.dedent(code)) == "False [] ReduceOp.SUM"


@pytest.mark.skipif(importlib.util.find_spec("tensorboardX") is not None, reason="tensorboardX is installed")
@pytest.mark.parametrize("module", ["tensorboard", "tensorboard.writer"])
def test_logs_say_what_to_install(module):
    code = f"from wengert.utils.{module} import SummaryWriter"
    with pytest.raises(ImportError, match="pip install tensorboardX"):
        exec(code)


def test_the_writer_is_that_of_the_package(monkeypatch):
    package = type(sys)("tensorboardX")
    package.SummaryWriter = package.FileWriter = object
    monkeypatch.setitem(sys.modules, "tensorboardX", package)
    assert wg.utils.tensorboard.SummaryWriter is object
    with pytest.raises(AttributeError, match="has no attribute 'Other'"):
        wg.utils.tensorboard.Other  # noqa: B018


def test_each_tensor_has_a_number_of_its_own():
    x = wg.ones(2)
    assert x._cdata == x._cdata != x.view(2)._cdata and isinstance(x._cdata, int)


def test_sparse_tensors_make_others():
    indices, values = wg.tensor([[0, 1], [1, 2]]), wg.tensor([3.0, 4.0])
    sparse = wg.sparse_coo_tensor(indices, values, (2, 3))
    for made in (
        sparse.new(indices, values, (2, 3)),
        sparse.new(indices, values),
        sparse.new(indices, values, size=wg.Size((2, 3)), device="cpu"),
    ):
        assert made.is_sparse and wg.equal(made.to_dense(), sparse.to_dense())
    assert sparse.new(indices, values.double(), (4, 5)).dtype is wg.float64
    assert sparse.new(2, 3)._nnz() == sparse.new(wg.Size((2, 3)))._nnz() == 0
    for data in (((2, 3),), ([2, 3],), (sparse,)):
        with pytest.raises(TypeError, match="a sparse tensor is made of"):
            sparse.new(*data)


def test_options_of_python_are_passed_on(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import sys, torch; print(sys.warnoptions, sys.flags.optimize, sys.flags.utf8_mode, sys.argv[1:])"
    )
    for options, wanted in (
        (["-W", "ignore"], "['ignore'] 0"),
        (["-Wignore", "-O"], "['ignore'] 1"),
        (["-X", "utf8", "-OO"], "[] 2"),
        ([], "[] 0"),
    ):
        shown = run("-m", "wengert.as_torch", *options, str(program), "-W", "x")
        assert shown.startswith(wanted) and shown.endswith("['-W', 'x']")
