"""Shapes and dtypes of the values of a graph."""

from __future__ import annotations

import pytest
import wengert.fx as fx
from wengert.fx.passes.shape_prop import ShapeProp

import wengert as wg
from tests.torch_modules.fx.programs import Program


@pytest.mark.parametrize("seed", range(10))
def test_what_is_noted_is_that_of_the_values(seed):
    program = Program(seed)
    module = fx.GraphModule({}, program.graph())
    ShapeProp(module).propagate(*program.tensors())
    values = fx.Interpreter(module, garbage_collect_values=False)
    values.run(*program.tensors())
    for node in module.graph.nodes:
        if node.op != "output":
            value, noted = values.env[node], node.meta["tensor_meta"]
            assert (noted.shape, noted.dtype, noted.stride) == (value.shape, value.dtype, value.stride())
            assert noted.requires_grad == value.requires_grad
            assert node.meta["type"] is wg.Tensor


def test_tensors_without_values_will_do():
    module = fx.symbolic_trace(lambda x: x @ x.t())
    ShapeProp(module).propagate(wg.empty(1000, 3, device="meta"))
    assert module.graph.output_node().meta["tensor_meta"].shape == (1000, 1000)


def test_there_are_no_fake_tensors():
    with pytest.raises(NotImplementedError, match="meta"):
        ShapeProp(fx.symbolic_trace(lambda x: x), fake_mode=object())
