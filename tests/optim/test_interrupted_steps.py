"""Ctrl-C at any line of a step leaves an optimiser that goes on: a parameter's state is all there or not at all."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import wengert as wg
from wengert import optim
from wengert.nn import Parameter

FOLDERS = {Path(optim.__file__).parent, Path(wg.__file__).parent / "ops" / "neural"}

OPTIMISERS = [
    (optim.SGD, {"momentum": 0.9, "lr": 0.1}),
    (optim.SGD, {"momentum": 0.9, "nesterov": True, "lr": 0.1}),
    (optim.Adam, {}),
    (optim.AdamW, {"amsgrad": True}),
    (optim.RMSprop, {"momentum": 0.9, "centered": True}),
    (optim.Adagrad, {"initial_accumulator_value": 0.5}),
    (optim.ASGD, {}),
    (optim.NAdam, {}),
    (optim.Rprop, {}),
    (optim.Adafactor, {}),
]
KEYS = {
    optim.SGD: {"momentum_buffer"},
    optim.Adam: {"step", "exp_avg", "exp_avg_sq"},
    optim.AdamW: {"step", "exp_avg", "exp_avg_sq", "max_exp_avg_sq"},
    optim.RMSprop: {"step", "square_avg", "momentum_buffer", "grad_avg"},
    optim.Adagrad: {"step", "sum"},
    optim.ASGD: {"step", "eta", "mu", "ax"},
    optim.NAdam: {"step", "mu_product", "exp_avg", "exp_avg_sq"},
    optim.Rprop: {"step", "prev", "step_size"},
    optim.Adafactor: {"step", "variance"},
}


def interrupted(after, call, *arguments):
    """Run a call and raise KeyboardInterrupt before one of the lines that it runs; says whether it got there."""
    left = after

    def trace(frame, event, argument):
        nonlocal left
        if event == "call" and Path(frame.f_code.co_filename).parent not in FOLDERS:
            return None
        if event == "line":
            left -= 1
            if left == 0:
                raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call(*arguments)
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def made(kind, options):
    weights = [Parameter(wg.ones(2)), Parameter(wg.ones(3))]
    optimiser = kind(weights[:1], **options)
    optimiser.add_param_group({"params": weights[1]})
    for each in weights:
        each.grad = wg.ones_like(each)
    return optimiser, weights


@pytest.mark.parametrize(("kind", "options"), OPTIMISERS)
def test_a_step_after_an_interrupted_one_finds_its_state_complete(kind, options):
    lines = 0
    while True:
        lines += 1
        optimiser, weights = made(kind, options)
        if not interrupted(lines, optimiser.step):
            break
        assert all(set(state) in (set(), KEYS[kind]) for state in optimiser.state.values())
        optimiser.step()
        assert all(set(optimiser.state[each]) == KEYS[kind] for each in weights)
        assert all(bool((each < 1).all()) for each in weights)
    assert lines > 10, "it was interrupted at many places"


@pytest.mark.parametrize(("kind", "options"), OPTIMISERS)
def test_loading_a_state_is_all_or_nothing(kind, options):
    source, _ = made(kind, options)
    source.step()
    saved = source.state_dict()
    saved["param_groups"][0]["lr"] = 7.0
    lines = 0
    while True:
        lines += 1
        optimiser, _ = made(kind, options)
        state, groups = optimiser.state, optimiser.param_groups
        reached = interrupted(lines, optimiser.load_state_dict, saved)
        loaded = optimiser.param_groups[0]["lr"] == 7.0
        assert loaded == (optimiser.param_groups is not groups) == (optimiser.state is not state)
        optimiser.step()
        if not reached:
            break
    assert loaded and lines > 10


def test_parameters_that_are_added_later_get_their_state():
    optimiser, weights = made(optim.Adagrad, {"initial_accumulator_value": 0.5, "lr": 0.1})
    optimiser.step()
    first, second = (optimiser.state[each]["sum"] for each in weights)
    assert first.tolist() == [1.5] * 2 and second.tolist() == [1.5] * 3
