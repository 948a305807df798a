"""What a program changes between two steps is seen by the next one: at random, against optimisers that are new.

The new optimiser has copies of parameters, gradients, options and state, and so has kept nothing of the steps before;
the steps of both are equal bit for bit. The formula of operators gives the same up to rounding.
"""

from __future__ import annotations

import copy
import io
import random
from collections import defaultdict

import numpy as np
import pytest

import wengert as wg
from wengert import optim
from wengert.nn import Parameter

OPTIMISERS = [
    (optim.SGD, {"lr": 0.1}),
    (optim.SGD, {"lr": 0.1, "momentum": 0.9, "dampening": 0.1}),
    (optim.Adam, {}),
    (optim.AdamW, {"amsgrad": True}),
    (optim.RMSprop, {"momentum": 0.9, "centered": True}),
    (optim.Adagrad, {}),
    (optim.Adadelta, {}),
    (optim.Adamax, {}),
    (optim.NAdam, {}),
    (optim.RAdam, {}),
    (optim.Rprop, {}),
    (optim.ASGD, {}),
]
NAMES = [f"{kind.__name__}-{'-'.join(options) or 'default'}" for kind, options in OPTIMISERS]
STEPS = 25


def bits(value):
    return value.detach().numpy().tobytes() if isinstance(value, wg.Tensor) else value


def copied(parameter):
    """A copy of a parameter with its gradient, both with their strides."""
    twin = Parameter(parameter.detach().clone(), requires_grad=parameter.requires_grad)
    if parameter.grad is not None:
        twin.grad = parameter.grad.clone()
    return twin


def renewed(optimizer):
    """A new optimiser with copies of all that an optimiser has."""
    groups, twins = [], {}
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            twins[parameter] = copied(parameter)
        options = {key: copy.deepcopy(value) for key, value in group.items() if key != "params"}
        groups.append({"params": [twins[parameter] for parameter in group["params"]], **options})
    fresh = type(optimizer)(groups)
    fresh.state.clear()  # Adagrad begins its state at once
    for parameter, state in optimizer.state.items():
        if parameter in twins:
            fresh.state[twins[parameter]] = {
                key: value.clone() if isinstance(value, wg.Tensor) else value for key, value in state.items()
            }
    return fresh, twins


def values_of(optimizer):
    """The bits of all parameters and of their state, in order."""
    return [
        (bits(parameter), sorted((key, bits(value)) for key, value in optimizer.state.get(parameter, {}).items()))
        for group in optimizer.param_groups
        for parameter in group["params"]
    ]


class Program:
    """An optimiser that a program changes at random.

    Attributes:
        optimizer: the optimiser; some changes replace it by a copy.
        calls: how often its hooks should have run, and have run.
    """

    def __init__(self, kind, options, seed):
        self.random = random.Random(seed)
        wg.manual_seed(seed)
        self.optimizer = kind([self.parameter() for _ in range(self.random.randint(1, 4))], **options)
        self.expected, self.calls = 0, 0
        self.hooks = []

    def parameter(self, dtype=wg.float32):
        shape = self.random.choice([(), (3,), (2, 4), (5, 1, 2)])
        return Parameter(wg.randn(shape, dtype=dtype))

    def group(self):
        return self.random.choice(self.optimizer.param_groups)

    def known(self):
        """A parameter with a state, or any if there is none."""
        params = [parameter for group in self.optimizer.param_groups for parameter in group["params"]]
        return self.random.choice([parameter for parameter in params if self.optimizer.state.get(parameter)] or params)

    def give_gradients(self):
        """Give most parameters a gradient: a new tensor, the old one with other values, or one of other strides."""
        for group in self.optimizer.param_groups:
            for parameter in group["params"]:
                choice = self.random.randrange(8)
                if choice == 0 or not parameter.requires_grad:
                    parameter.grad = None
                elif choice == 1 and parameter.grad is not None and parameter.grad.dtype == parameter.dtype:
                    parameter.grad.add_(0.25)
                elif choice == 2 and parameter.ndim == 2:
                    parameter.grad = wg.randn(parameter.shape[::-1], dtype=parameter.dtype).t()
                else:
                    parameter.grad = wg.randn(parameter.shape, dtype=parameter.dtype)

    # ---- changes -----------------------------------------------------------------------------------------------------

    def change_lr(self):
        self.group()["lr"] = self.random.choice([0.5, 0.01, 1, wg.tensor(0.05), 0.0])

    def change_options(self):
        group = self.group()
        for name, choices in {
            "weight_decay": [0, 0.0, 0.01, 0.3],
            "maximize": [True, False],
            "momentum": [0.5, 0.9],
            "eps": [1e-8, 1e-3],
            "betas": [(0.9, 0.999), (0.5, 0.9)],
            "decoupled_weight_decay": [True, False],
        }.items():
            if name in group and self.random.random() < 0.4:
                group[name] = self.random.choice(choices)

    def switch_amsgrad(self):
        group = self.group()
        if "amsgrad" in group:
            group["amsgrad"] = not group["amsgrad"]
            for parameter in group["params"]:
                if "exp_avg_sq" in self.optimizer.state.get(parameter, {}):
                    state = self.optimizer.state[parameter]
                    state.setdefault("max_exp_avg_sq", wg.zeros_like(state["exp_avg_sq"]))

    def add_group(self):
        self.optimizer.add_param_group({"params": [self.parameter()], "lr": 0.03})

    def add_parameter(self):
        self.group()["params"].append(self.parameter())

    def remove_parameter(self):
        group = self.group()
        if len(group["params"]) > 1:
            removed = group["params"].pop(self.random.randrange(len(group["params"])))
            self.optimizer.state.pop(removed, None)  # `state_dict` refuses the state of a stranger

    def reorder(self):
        self.random.shuffle(self.optimizer.param_groups)
        self.random.shuffle(self.group()["params"])

    def freeze(self):
        parameter = self.known()
        parameter.requires_grad_(not parameter.requires_grad)
        parameter.grad = None

    def replace_memory(self):
        parameter = self.known()
        parameter.data = wg.randn(parameter.shape, dtype=parameter.dtype)

    def write_parameter(self):
        with wg.no_grad():
            self.known().mul_(0.5)

    def widen(self):
        """Move a parameter, and its state as far as it has elements, to float64."""
        parameter = self.known()
        parameter.grad = None
        parameter.data = parameter.data.double()
        state = self.optimizer.state.get(parameter, {})
        for key, value in state.items():
            if key not in ("step", "mu_product", "mu", "eta"):
                state[key] = value.double()

    def replace_entry(self):
        state = self.optimizer.state.get(self.known(), {})
        for key in state:
            state[key] = state[key] * 1.0

    def write_entry(self):
        for key, value in self.optimizer.state.get(self.known(), {}).items():
            if key in ("exp_avg", "momentum_buffer", "square_avg", "sum"):
                value.mul_(0.75)

    def forget_state(self):
        self.optimizer.state.pop(self.known(), None)

    def clear_state(self):
        self.optimizer.state[self.known()] = {}

    def replace_state(self):
        own = {parameter: dict(state) for parameter, state in self.optimizer.state.items()}
        self.optimizer.state = defaultdict(dict, own)

    def reload(self):
        self.optimizer.load_state_dict(copy.deepcopy(self.optimizer.state_dict()))

    def deep_copy(self):
        self.optimizer = copy.deepcopy(self.optimizer)
        self.hooks.clear()

    def through_a_file(self):
        file = io.BytesIO()
        wg.save(self.optimizer.state_dict(), file)
        file.seek(0)
        self.optimizer.load_state_dict(wg.load(file))

    def zero(self):
        self.optimizer.zero_grad(set_to_none=self.random.random() < 0.5)

    def hook(self):
        def count(*arguments):
            self.calls += 1

        register = self.random.choice(["register_step_pre_hook", "register_step_post_hook"])
        self.hooks.append(getattr(self.optimizer, register)(count))

    def unhook(self):
        if self.hooks:
            self.hooks.pop().remove()

    def step(self):
        self.expected += len(self.hooks)
        self.optimizer.step()


CHANGES = [name for name, value in vars(Program).items() if callable(value) and not name.startswith("_")]
CHANGES = [name for name in CHANGES if name not in ("parameter", "group", "known", "give_gradients", "step")]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("kind", "options"), OPTIMISERS, ids=NAMES)
def test_a_step_is_that_of_a_new_optimiser_whatever_was_changed_before(kind, options, seed):
    program = Program(kind, options, seed)
    for _ in range(STEPS):
        changes = [program.random.choice(CHANGES) for _ in range(program.random.randrange(4))]
        for name in changes:
            getattr(program, name)()
        program.give_gradients()
        fresh, twins = renewed(program.optimizer)
        assert values_of(fresh) == values_of(program.optimizer)
        versions = {parameter: (parameter._version, parameter.grad is not None) for parameter in twins}
        program.step()
        fresh.step()
        assert values_of(fresh) == values_of(program.optimizer), changes
        assert program.calls == program.expected
        for parameter, (before, trained) in versions.items():
            assert parameter._version == before + trained, changes


@pytest.mark.parametrize(("kind", "options"), OPTIMISERS[:4], ids=NAMES[:4])
def test_a_step_after_changes_is_the_formula(kind, options):
    program = Program(kind, options, 11)
    for _ in range(STEPS):
        for _ in range(3):
            getattr(program, program.random.choice(CHANGES))()
        program.give_gradients()
        expected = by_formula(program.optimizer)
        program.step()
        for parameter, value in expected.items():
            np.testing.assert_allclose(parameter.detach().numpy(), value, rtol=1e-4, atol=1e-5)


def by_formula(optimizer):
    """The parameters after a step, by the formula of operators."""
    fresh, twins = renewed(optimizer)
    with wg.no_grad():
        for group in fresh.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    fresh._go_on(parameter, parameter.grad, group, differentiable=False)
    return {parameter: twin.detach().numpy() for parameter, twin in twins.items()}


@pytest.mark.filterwarnings("ignore:Converting a tensor with requires_grad")
@pytest.mark.parametrize("kind", [optim.SGD, optim.Adam, optim.RMSprop])
def test_a_step_records_nothing_whatever_the_options_require(kind):
    parameter = Parameter(wg.ones(2))
    lr = wg.tensor(0.1, requires_grad=True)
    optimizer = kind([parameter], lr=lr)
    parameter.grad = wg.ones(2, requires_grad=True)
    for _ in range(2):
        optimizer.step()
    assert parameter.is_leaf and parameter.grad_fn is None
    assert not any(value.requires_grad for value in optimizer.state[parameter].values())
    assert wg.is_grad_enabled()


def test_the_states_of_a_class_of_the_program_are_read_by_its_own_look_up():
    class Shifted(dict):
        def __getitem__(self, key):
            return super().__getitem__(key)

        def get(self, key, default=None):
            return super().get(key, default)

    parameter, twin = Parameter(wg.ones(2)), Parameter(wg.ones(2))
    own, usual = optim.Adam([parameter]), optim.Adam([twin])
    for optimizer, trained in ((own, parameter), (usual, twin)):
        trained.grad = wg.ones(2)
        optimizer.step()
    own.state[parameter] = Shifted(own.state[parameter])
    for optimizer in (own, usual):
        optimizer.step()
    assert bits(parameter) == bits(twin)
    assert isinstance(own.state[parameter], Shifted)
