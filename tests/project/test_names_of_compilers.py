"""Modules of torch's compiler and decompositions that libraries import: what they answer where there is no compiler."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import textwrap

import pytest
from wengert.fx.experimental import symbolic_shapes

import wengert as wg
from wengert import _decomp, _inductor, _ops, _prims_common as prims, _refs

SHAPES = ((), (3,), (2, 3), (2, 3, 4), (2, 0, 3), (1, 2, 3, 4), (2, 3, 4, 5), (2, 3, 4, 5, 6))
DTYPES = (wg.bool, wg.uint8, wg.int32, wg.int64, wg.float16, wg.bfloat16, wg.float32, wg.float64, wg.complex64)


def run(code: str) -> str:
    """What a Python of its own prints."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], env=os.environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("shape", SHAPES)
def test_strides_are_those_of_tensors(shape):
    x = wg.empty(shape)
    assert prims.make_contiguous_strides_for(shape) == x.stride() and prims.is_contiguous(x)
    assert prims.compute_required_storage_length(shape, x.stride(), 0) == x.numel()
    if len(shape) == 4:
        other = x.contiguous(memory_format=wg.channels_last)
        assert prims.make_channels_last_2d_strides_for(shape) == other.stride()
        assert prims.suggest_memory_format(other) is (wg.channels_last if shape[1] > 1 else wg.contiguous_format)


def test_dtypes_of_operators_are_those_that_they_give():
    kind = prims.ELEMENTWISE_TYPE_PROMOTION_KIND
    for a, b in itertools.product(DTYPES, repeat=2):
        if wg.complex64 in (a, b) and {a, b} & {wg.float64, wg.float16}:
            continue  # a tensor without dimensions counts by its precision here
        for x, y in ((wg.ones(2, dtype=a), wg.ones(2, dtype=b)), (wg.ones(2, dtype=a), wg.ones((), dtype=b))):
            assert prims.elementwise_dtypes(x, y, type_promotion_kind=kind.NO_OPMATH)[1] == wg.result_type(x, y), (a, b)
            assert prims.elementwise_dtypes(x, y, type_promotion_kind=kind.ALWAYS_BOOL)[1] is wg.bool
    halves = prims.elementwise_dtypes(wg.ones(2, dtype=wg.float16), 2.5, type_promotion_kind=kind.DEFAULT)
    assert halves == (wg.float32, wg.float16)


def test_dimensions_are_counted_from_the_front():
    assert prims.canonicalize_dims(3, (-1, 0)) == (2, 0) and prims.canonicalize_dim(0, -1) == 0
    with pytest.raises(IndexError, match=r"range of \[-3, 2\], but got 3"):
        prims.canonicalize_dim(3, 3)
    with pytest.raises(RuntimeError, match="invalid for input of size 6"):
        prims.infer_size((4, -1), 6)
    assert prims.infer_size((2, -1), 6) == (2, 3) and prims.reduction_dims((2, 3), None) == (0, 1)


def test_decompositions_of_a_program_are_found_again():
    op = wg.ops.aten.silu.default
    table = {}

    @_decomp.register_decomposition(op, table)
    def silu(x):
        return x * x.sigmoid()

    assert table == {op: silu} and op not in _decomp.decomposition_table
    _decomp.register_decomposition([wg.ops.aten.silu])(silu)
    try:
        assert _decomp.get_decompositions([wg.ops.aten.silu, wg.ops.aten.exp.default]) == {op: silu}
        with pytest.raises(RuntimeError, match="duplicate"):
            _decomp.register_decomposition(op)(silu)
        found = _decomp.core_aten_decompositions()
        _decomp.remove_decompositions(found, [wg.ops.aten.silu])
        assert op not in found
    finally:
        del _decomp.decomposition_table[op]


def test_references_are_the_operators():
    assert _refs.add is wg.add and wg.equal(_refs.softmax(wg.ones(2), 0), wg.full((2,), 0.5))
    for name in ("no_such_operator", "Tensor", "load"):
        with pytest.raises(AttributeError, match="no such operator"):
            getattr(_refs, name)


def test_settings_of_the_compiler_can_be_written_and_read():
    config = _inductor.config
    config.fallback_random = True
    with config.patch({"fallback_random": False, "coordinate_descent_tuning": True}):
        assert not config.fallback_random and config.coordinate_descent_tuning
    assert config.fallback_random and _inductor.list_options() == ["fallback_random"]
    config.triton.cudagraphs = False
    with pytest.raises(AttributeError, match="no compiler"):
        config.no_such_setting  # noqa: B018
    with pytest.raises(RuntimeError, match="no compiler"):
        _inductor.compile(None, None)
    with pytest.raises(RuntimeError, match="Unrecognized mode"):
        _inductor.list_mode_options("fast")


def test_operators_that_take_functions_run_the_kernel_of_a_program():
    class Twice(_ops.HigherOrderOperator):
        def __init__(self):
            super().__init__("twice")

    twice = Twice()
    with pytest.raises(NotImplementedError, match="no kernel"):
        twice(len, 1)

    @twice.py_impl(wg._C.DispatchKey.CompositeExplicitAutograd)
    def kernel(function, x):
        return function(function(x))

    assert twice(lambda x: x * 3, wg.ones(1)).item() == 9 and twice.name() == str(twice) == "twice"
    with pytest.raises(RuntimeError, match="override"):
        twice.py_impl(wg._C.DispatchKey.CompositeExplicitAutograd)(kernel)
    with pytest.raises(RuntimeError, match="subclass"):
        _ops.HigherOrderOperator("other")


def test_questions_about_symbols_have_answers():
    assert symbolic_shapes.guard_or_false(3 > 2) and not symbolic_shapes.guard_or_true(2 > 3)
    assert symbolic_shapes.free_symbols(3) == set() and symbolic_shapes.hint_int(3) == 3
    with pytest.raises(RuntimeError, match="numbers here"):
        symbolic_shapes.ShapeEnv()


def test_what_libraries_import_is_there_and_dimensions_as_objects_say_why_not():
    code = """
        import wengert
        wengert.install_as_torch()
        import torch, torch._dynamo.exc, torch._inductor.config, torch._export
        from torch._library.custom_ops import CustomOpDef
        from torch._decomp import get_decompositions
        from torch._guards import detect_fake_mode
        from torch._ops import HigherOrderOperator, OpOverload
        from torch._prims_common import is_contiguous_or_false
        from torch._subclasses.fake_tensor import FakeTensorMode
        from torch.fx.passes.infra.pass_base import PassResult
        from torch.utils._sympy.value_ranges import ValueRanges
        from torch.utils._mode_utils import no_dispatch
        print(issubclass(torch._dynamo.exc.UserError, torch._dynamo.exc.TorchDynamoException))
        for call in (lambda: __import__("functorch.dim"), lambda: torch._export.aot_load("file")):
            try:
                call()
            except (ImportError, RuntimeError) as error:
                print(type(error).__name__, str(error).partition(":")[0])
    """
    assert run(code).splitlines() == ["True", "ImportError functorch.dim", "RuntimeError torch._export.aot_load"]


def test_smaller_names_of_libraries():
    x = wg.randn(3, 4, dtype=wg.float64, requires_grad=True)
    grad = wg.randn(3, 4, dtype=wg.float64)
    y = x.softmax(1)
    (wanted,) = wg.autograd.grad(y, x, grad)
    wg.testing.assert_close(wg._softmax_backward_data(grad, y.detach(), 1, wg.float64), wanted)
    assert wg._shape_as_tensor(x).tolist() == [3, 4] and wg.legacy_contiguous_format is wg.contiguous_format
    assert not wg.xpu.is_current_stream_capturing() and issubclass(wg.jit.Error, RuntimeError)
    with wg.xpu.device(None), pytest.raises(AssertionError, match="XPU"), wg.xpu.device(0):
        pass
    with pytest.raises(RuntimeError, match=r"mine\.Stack', but it does not exist"):
        wg.classes.mine.Stack()
    with pytest.raises(OSError, match=r"file\.so"):
        wg.classes.load_library("file.so")
    assert wg.jit.annotations.__name__ == "wengert.jit.annotations"
