"""Steps of optimisers as functions: what the optimisers do, on lists that the program keeps."""

from __future__ import annotations

import importlib

import pytest

import wengert as wg
from wengert.optim import _functional

BETAS = {"beta1": 0.9, "beta2": 0.99}
FORMS = {
    "sgd": ("SGD", {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1}, ["momentum_buffer"], {"dampening": 0}),
    "adam": ("Adam", {"amsgrad": True, "weight_decay": 0.1}, ["exp_avg", "exp_avg_sq", "max_exp_avg_sq"], BETAS),
    "adamw": ("AdamW", {"amsgrad": False, "weight_decay": 0.1}, ["exp_avg", "exp_avg_sq", None], BETAS),
    "adagrad": ("Adagrad", {"lr_decay": 0.1, "weight_decay": 0.1}, ["sum"], {}),
    "rmsprop": (
        "RMSprop",
        {"alpha": 0.9, "momentum": 0.5, "centered": True, "weight_decay": 0},
        ["square_avg", "grad_avg", "momentum_buffer"],
        {},
    ),
    "adadelta": ("Adadelta", {"rho": 0.8, "weight_decay": 0}, ["square_avg", "acc_delta"], {}),
    "adamax": ("Adamax", {"weight_decay": 0.1}, ["exp_avg", "exp_inf"], BETAS),
    "nadam": ("NAdam", {"weight_decay": 0, "momentum_decay": 4e-3}, ["exp_avg", "exp_avg_sq", "mu_product"], BETAS),
    "radam": ("RAdam", {"weight_decay": 0}, ["exp_avg", "exp_avg_sq"], BETAS),
    "rprop": (
        "Rprop",
        {},
        ["prev", "step_size"],
        {"step_size_min": 1e-6, "step_size_max": 50, "etaminus": 0.5, "etaplus": 1.2},
    ),
    "asgd": ("ASGD", {"lambd": 1e-2, "t0": 1, "alpha": 0.75, "weight_decay": 0}, ["ax", "mu", "eta"], {}),
}
EPSILON = {"adam", "adamw", "adagrad", "rmsprop", "adadelta", "adamax", "nadam", "radam"}
ASCENT = {"sgd", "adam", "adamw", "adagrad", "adadelta"}
"""Where `maximize` has no default, as in torch."""


def parameters() -> list[wg.Tensor]:
    """Two parameters with gradients, always the same."""
    wg.manual_seed(0)
    made = [wg.randn(3, requires_grad=True), wg.randn(2, 2, requires_grad=True)]
    for each in made:
        each.grad = wg.randn_like(each)
    return made


@pytest.mark.parametrize("name", FORMS)
def test_a_function_steps_as_the_optimiser_does(name: str) -> None:
    kind, options, keys, more = FORMS[name]
    common = {"eps": 1e-8} if name in EPSILON else {}
    wanted, found = parameters(), parameters()
    betas = {"betas": (more["beta1"], more["beta2"])} if more is BETAS else {}
    optimiser = getattr(wg.optim, kind)(wanted, lr=0.1, **options, **betas, **common)
    states: list[dict] = []
    function = getattr(importlib.import_module(f"wengert.optim.{name}"), name)
    assert getattr(_functional, name) is function
    if name == "sgd":
        lists = [[None, None]]
    else:
        states = [optimiser._started(each, optimiser.param_groups[0]) for each in found]
        lists = [[] if key is None else [state[key] for state in states] for key in keys]
        lists.append([state["step"] for state in states])
    common |= {} if name == "rprop" else {"lr": 0.1}
    common |= {"maximize": False} if name in ASCENT else {}
    for _ in range(3):
        optimiser.step()
        with wg.no_grad():
            function(found, [each.grad for each in found], *lists, **options, **more, **common)
    for one, other in zip(found, wanted):
        wg.testing.assert_close(one, other)
    for key, values in zip([*keys, "step"], lists):
        for value, each in zip(values, wanted):
            wg.testing.assert_close(value, optimiser.state[each][key])


def test_options_of_accelerators_and_counts_that_are_numbers_are_refused() -> None:
    x, zeros = parameters()[:1], [wg.zeros(3)]
    options = {"amsgrad": False, **BETAS, "lr": 0.1, "weight_decay": 0, "eps": 1e-8, "maximize": False}
    grads = [x[0].grad]
    with pytest.raises(AssertionError, match="grad_scale and found_inf"):
        _functional.adam(x, grads, zeros, zeros, [], [wg.tensor(0.0)], grad_scale=wg.ones(()), **options)
    with pytest.raises(AssertionError, match="capturable=True"):
        _functional.adam(x, grads, zeros, zeros, [], [wg.tensor(0.0)], capturable=True, **options)
    with pytest.raises(RuntimeError, match="list of singleton tensors"):
        _functional.adam(x, grads, zeros, zeros, [], [0], **options)
