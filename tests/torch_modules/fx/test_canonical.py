"""Calls of torch's functions as graphs have them compute what the calls compute."""

from __future__ import annotations

import pytest
import wengert.fx as fx
from wengert.fx.canonical import SPELLED

import wengert as wg
import wengert.nn.functional as F


def values():
    return wg.linspace(-0.9, 0.9, 36).reshape(1, 1, 6, 6)


def called(function, args):
    """A function of one parameter, the others given."""
    return lambda x: function(x, *args)


def ran(function, *args):
    """What a function gives, None where it does not take such arguments."""
    wg.manual_seed(0)
    try:
        return function(*args)
    except (TypeError, ValueError, RuntimeError, AssertionError, IndexError, AttributeError):
        return None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", F.__all__)
def test_functions_of_layers_compute_the_same_in_a_graph(name):
    function = getattr(F, name)
    for args in ((), (2,), (values(),)):
        wanted = ran(function, values(), *args)
        if isinstance(wanted, wg.Tensor):
            module = fx.symbolic_trace(called(function, args))
            assert wg.allclose(ran(module, values()), wanted, rtol=0, atol=0, equal_nan=True)


def test_functions_that_torch_has_in_python_are_there():
    assert sorted(name for name in SPELLED if not callable(getattr(F, name, None))) == []


def test_arguments_without_defaults_stand_by_position_and_the_others_by_name():
    node = list(fx.symbolic_trace(lambda x: F.dropout(x, 0.25)).graph.nodes)[1]
    assert len(node.args) == 1
    assert node.kwargs == {"p": 0.25, "training": True, "inplace": False}
