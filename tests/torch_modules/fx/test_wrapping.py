"""Functions that a trace does not look into."""

from __future__ import annotations

import gc
import math
import threading
import weakref
from math import sqrt

import pytest
import wengert.fx as fx

import wengert as wg


@fx.wrap
def choose(x, k=1):
    return x + k if x.sum() > 0 else x - k


def double(x):
    return x * 2


fx.wrap("double")
fx.wrap("len")
fx.wrap("sqrt")


def test_wrapped_functions_are_nodes():
    module = fx.symbolic_trace(lambda x: choose(x, k=3) + double(x) + len(x))
    assert [node.name for node in module.graph.nodes] == ["x", "choose", "double", "add", "len_1", "add_1", "output"]
    assert 'torch.fx._symbolic_trace.wrap("tests_torch_modules_fx_test_wrapping_choose")' in module.code
    assert 'torch.fx._symbolic_trace.wrap("len")' in module.code
    for x in (wg.ones(3), -wg.ones(3)):
        assert wg.equal(module(x), choose(x, k=3) + double(x) + len(x))
    assert fx.symbolic_trace(module).code == module.code


def test_functions_of_math_are_nodes_by_themselves():
    module = fx.symbolic_trace(lambda x: (math.sqrt(x), sqrt(x), math.sqrt(4.0)))
    assert module(9.0) == (3.0, 3.0, 2.0)
    assert len(module.graph.find_nodes(op="call_function", target=math.sqrt)) == 2


def test_a_tracer_can_be_given_functions():
    graph = fx.Tracer(autowrap_functions=(double,)).trace(lambda x: double(x))
    assert graph.find_nodes(op="call_function", target=double)


def test_wrap_refuses_what_is_no_function_and_calls_within_functions():
    with pytest.raises(RuntimeError, match="Unsupported type for global function"):
        fx.wrap(3)
    with pytest.raises(NotImplementedError, match="top level of a module"):
        fx.wrap(double)


def test_wrapped_functions_are_themselves_outside_a_trace():
    assert not hasattr(choose, "_traced_by_fx")
    assert wg.equal(choose(wg.ones(2)), wg.full((2,), 2.0))


def test_generated_code_is_let_go_with_its_module():
    before = len(fx.wrapping.WRAPPED)
    module = fx.symbolic_trace(lambda x: double(x))
    code = weakref.ref(type(module).forward.__code__)
    assert len(fx.wrapping.WRAPPED) == before
    del module
    gc.collect()
    assert code() is None


def test_threads_trace_one_after_the_other():
    found, threads = [], []
    for _ in range(4):
        threads.append(threading.Thread(target=lambda: found.append(str(fx.symbolic_trace(lambda x: double(x)).graph))))
        threads[-1].start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert len(set(found)) == 1
    assert "__call__" not in vars(wg.nn.Module)
