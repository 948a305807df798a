"""`swap_in_optimizer_params_and_state`: an optimiser that works on other tensors for a while."""

from __future__ import annotations

import copy

import pytest

import wengert as wg
from wengert.optim import swap_in_optimizer_params_and_state as swap_in


def prepared():
    weight, bias = wg.nn.Parameter(wg.ones(2)), wg.nn.Parameter(wg.ones(1))
    optimiser = wg.optim.Adam([{"params": [weight], "lr": 0.1}, {"params": [bias], "lr": 0.2}])
    for each in (weight, bias):
        each.grad = wg.ones_like(each)
    optimiser.step()
    return optimiser, {"weight": weight.detach().clone(), "bias": bias.detach().clone()}


def test_a_step_is_made_with_the_tensors_state_and_options_given():
    optimiser, given = prepared()
    state = copy.deepcopy(optimiser.state_dict())
    state["param_groups"][0]["lr"] = 0.5
    own = [group["params"] for group in optimiser.param_groups]
    before = [each[0].tolist() for each in own]
    with swap_in(optimiser, given, state):
        assert optimiser.param_groups[0]["params"][0] is given["weight"] and optimiser.param_groups[0]["lr"] == 0.5
        for each in given.values():
            each.grad = wg.ones_like(each)
        optimiser.step()
    assert given["weight"].tolist() == pytest.approx([0.4, 0.4]) and given["bias"].tolist() == pytest.approx([0.6])
    assert state["state"][0]["step"] == 2 and optimiser.state[own[0][0]]["step"] == 1
    assert [group["params"] is mine for group, mine in zip(optimiser.param_groups, own)] == [True, True]
    assert optimiser.param_groups[0]["lr"] == 0.1 and [each[0].tolist() for each in own] == before


def test_everything_is_put_back_after_an_error():
    optimiser, given = prepared()
    own = optimiser.state
    with pytest.raises(KeyError), swap_in(optimiser, given, optimiser.state_dict()):
        raise KeyError
    assert optimiser.state is own and optimiser.param_groups[0]["params"][0] in own


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda given, state: given.pop("bias"), "to match optimizer.param_groups ordering"),
        (lambda given, state: state.pop("state"), r"\['state'\] to be a dict .* got NoneType"),
        (lambda given, state: state.pop("param_groups"), r"\['param_groups'\] to be a list .* got NoneType"),
        (lambda given, state: state["param_groups"].pop(), "different number of parameter groups"),
        (lambda given, state: state["param_groups"][1]["params"].append(7), "param group 1 has a different number"),
        (lambda given, state: state["param_groups"][0].pop("params"), "keyed by packed parameter ids"),
        (lambda given, state: state["param_groups"][0].pop("lr"), r"Keys only in live: \['lr'\]"),
        (lambda given, state: state["state"].update({9: {}}), r"got extra keys \[9\]"),
    ],
)
def test_what_does_not_correspond_is_refused(change, says):
    optimiser, given = prepared()
    state = copy.deepcopy(optimiser.state_dict())
    change(given, state)
    with pytest.raises(RuntimeError, match=says), swap_in(optimiser, given, state):
        pass


def test_an_optimiser_without_a_state_is_refused():
    optimiser = wg.optim.Adam([wg.nn.Parameter(wg.ones(2))])
    context = swap_in(optimiser, {"weight": wg.ones(2)}, optimiser.state_dict())
    with pytest.raises(RuntimeError, match="requires initialized optimizer state"), context:
        pass
