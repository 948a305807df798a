"""Replayed steps of optimisers leave the parameters, the state and the options that eager steps leave."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as wg
from wengert import optim

STEPS = 24
SIZES = {"small": ((3, 2), (3,), ()), "large": ((70, 300), (1,)), "empty": ((0, 2), (2,))}


def options_of(**choices: tuple[Any, ...]) -> list[dict[str, Any]]:
    """Return all combinations of options."""
    return [dict(zip(choices, values)) for values in itertools.product(*choices.values())]


SGD = [
    options
    for options in options_of(
        momentum=(0, 0.9), dampening=(0, 0.2), weight_decay=(0, 0.1), nesterov=(False, True), maximize=(False, True)
    )
    if not options["nesterov"] or (options["momentum"] and not options["dampening"])
]
ADAM = options_of(weight_decay=(0, 0.1), amsgrad=(False, True), maximize=(False, True))
OTHERS = [
    ("Adadelta", {"weight_decay": 0.1}),
    ("Adagrad", {"lr_decay": 0.1}),
    ("Adamax", {}),
    ("ASGD", {"lambd": 0.01}),
    ("NAdam", {"momentum_decay": 0.01}),
    ("RAdam", {}),
    ("RMSprop", {"momentum": 0.5, "centered": True}),
    ("Rprop", {}),
]
OPTIMISERS = [
    *[("SGD", options) for options in SGD],
    *[("Adam", options) for options in ADAM],
    *[("AdamW", options) for options in ADAM],
    ("Adam", {"betas": (0.5, 0.7), "eps": 1e-3}),
    ("Adam", {"weight_decay": 1, "eps": 1}),
    ("SGD", {"momentum": 1, "weight_decay": 1}),
    *OTHERS,
]
SCHEDULES: dict[str, Callable[[Any], Any]] = {
    "none": lambda optimiser: None,
    "steps": lambda optimiser: optim.lr_scheduler.StepLR(optimiser, 3, 0.5),
    "cosine": lambda optimiser: optim.lr_scheduler.CosineAnnealingLR(optimiser, 10),
    "cycle": lambda optimiser: optim.lr_scheduler.OneCycleLR(optimiser, 0.1, total_steps=STEPS + 2),
}


def facts(value: Any) -> Any:
    """Return all that must be equal of a tensor, or of nested ones."""
    if isinstance(value, wg.Tensor):
        return value.dtype, value.shape, value.stride(), value._array_.tobytes(), value._version
    if isinstance(value, dict):
        return [(key, facts(element)) for key, element in value.items()]
    if isinstance(value, (list, tuple)):
        return type(value), [facts(element) for element in value]
    return type(value), value


class Training:
    """Parameters with an optimiser, and a step of training, eager or compiled."""

    def __init__(
        self,
        make: Callable[[list[Any]], Any],
        compile_it: bool,
        shapes: tuple[tuple[int, ...], ...] = SIZES["small"],
        dtype: Any = wg.float32,
        schedule: Callable[[Any], Any] = SCHEDULES["none"],
    ) -> None:
        draws = np.random.default_rng(0)
        self.parameters = [wg.tensor(draws.normal(size=shape), dtype=dtype, requires_grad=True) for shape in shapes]
        self.optimiser = make(self.parameters)
        self.schedule = schedule(self.optimiser)
        self.used = list(self.parameters)
        self.step = wg.compile(self.plain_step, replay=True, fullgraph=True) if compile_it else self.plain_step
        self.numbers = np.random.default_rng(1)
        self.dtype = dtype

    def plain_step(self, x: Any) -> Any:
        for parameter in self.used:
            parameter.grad = None
        loss = sum(((parameter * x).sin() * x).sum() for parameter in self.used)
        loss.backward()
        self.optimiser.step()
        return loss.detach()

    def run(self, steps: int = STEPS) -> list[Any]:
        """Take steps; return everything that is to be equal after each of them."""
        results = []
        for _ in range(steps):
            loss = self.step(wg.tensor(self.numbers.normal(), dtype=self.dtype))
            if self.schedule is not None:
                self.schedule.step()
            grads = [parameter.grad for parameter in self.parameters]
            results.append(facts([loss, self.parameters, grads, self.optimiser.state_dict()]))
        return results


def both(make: Callable[[list[Any]], Any], *change: Callable[[Training], Any], **options: Any) -> None:
    """Compare eager and compiled training, which both functions of `change` change after some steps each."""
    eager, compiled = Training(make, False, **options), Training(make, True, **options)
    for training in (eager, compiled):
        training.results = training.run()
    assert compiled.results == eager.results
    for function in change:
        for training in (eager, compiled):
            function(training)
        for at, (one, other) in enumerate(zip(eager.run(), compiled.run(), strict=True)):
            assert other == one, f"step {at} after {function}"


def made(name: str, **options: Any) -> Callable[[list[Any]], Any]:
    return lambda parameters: getattr(optim, name)(parameters, **{"lr": 0.05, **options})


@pytest.mark.parametrize(("name", "options"), OPTIMISERS, ids=str)
@pytest.mark.parametrize("schedule", ["none", "cosine"])
def test_steps_are_equal(name, options, schedule):
    both(made(name, **options), schedule=SCHEDULES[schedule])


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW"])
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", [wg.float32, wg.float64, wg.float16], ids=str)
def test_sizes_dtypes_and_schedules(name, schedule, size, dtype):
    options = {"momentum": 0.9} if name == "SGD" else {"weight_decay": 0.1}
    both(made(name, **options), shapes=SIZES[size], dtype=dtype, schedule=SCHEDULES[schedule])


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW"])
def test_steps_of_complex_parameters(name):
    make = made(name, weight_decay=0.1)
    results: list[Any] = []
    for compile_it in (False, True):
        weight = wg.tensor([1 + 2j, -0.5j], requires_grad=True)
        optimiser = make([weight])

        def step(x: Any, weight: Any = weight, optimiser: Any = optimiser) -> Any:
            optimiser.zero_grad()
            (weight * x).abs().sum().backward()
            optimiser.step()

        taken = wg.compile(step, replay=True, fullgraph=True) if compile_it else step
        results.append([])
        for number in range(STEPS):
            taken(wg.tensor(number + 1.0))
            results[-1].append(facts([weight, weight.grad, optimiser.state_dict()]))
    assert results[1] == results[0]


def count_calls(monkeypatch: pytest.MonkeyPatch, cls: Any) -> list[Any]:
    """Return a list that grows with each call of the method that takes a step in Python."""
    calls: list[Any] = []
    method = cls._step_of_group

    def counting(self: Any, *args: Any) -> Any:
        calls.append(self)
        return method(self, *args)

    monkeypatch.setattr(cls, "_step_of_group", counting)
    return calls


@pytest.mark.parametrize(
    ("name", "options"),
    [("SGD", {}), ("SGD", {"momentum": 0.9, "nesterov": True}), ("Adam", {"amsgrad": True}), ("AdamW", {})],
    ids=str,
)
def test_most_replays_take_the_step_without_its_method(name, options, monkeypatch):
    calls = count_calls(monkeypatch, optim.Adam if name == "AdamW" else getattr(optim, name))
    training = Training(made(name, **options), True, schedule=SCHEDULES["cosine"])
    training.run()
    before = len(calls)
    training.run(7)  # calls 25 to 31: no verification
    assert len(calls) == before


def test_a_subclass_takes_its_own_step(monkeypatch):
    class Halved(optim.SGD):
        def _step_of_group(self, params, grads, group):
            super()._step_of_group(params, [grad * 0.5 for grad in grads], group)

    calls = count_calls(monkeypatch, Halved)
    both(lambda parameters: Halved(parameters, 0.1, momentum=0.9))
    assert len(calls) == 2 * STEPS


def test_a_method_of_the_object_is_called():
    def replace(training: Training) -> None:
        method = training.optimiser._step_of_group

        def doubled(params: Any, grads: Any, group: Any) -> None:
            method(params, grads, group)
            method(params, grads, group)

        training.optimiser._step_of_group = doubled

    both(made("Adam"), replace)


def change_option(name: str, value: Any) -> Callable[[Training], None]:
    def change(training: Training) -> None:
        training.optimiser.param_groups[0][name] = value

    return change


@pytest.mark.parametrize(
    ("name", "option", "value"),
    [
        ("SGD", "momentum", 0),
        ("SGD", "momentum", 0.5),
        ("SGD", "weight_decay", 0.3),
        ("SGD", "maximize", True),
        ("SGD", "nesterov", True),
        ("SGD", "lr", 1),
        ("SGD", "lr", np.float64(0.25)),
        ("SGD", "lr", wg.tensor(0.25)),
        ("SGD", "lr", math.nan),
        ("Adam", "betas", (0.3, 0.4)),
        ("Adam", "betas", [0.3, 0.4]),
        ("Adam", "eps", 1),
        ("Adam", "lr", wg.tensor(0.25)),
        ("Adam", "decoupled_weight_decay", True),
        ("Adam", "weight_decay", 0.25),
        ("AdamW", "weight_decay", 0),
        ("AdamW", "decoupled_weight_decay", False),
    ],
)
def test_options_are_read_in_each_step(name, option, value):
    start = {"momentum": 0.9} if name == "SGD" else {"weight_decay": 0.1}
    both(made(name, **start), change_option(option, value), change_option(option, value))


def test_amsgrad_that_is_switched_on_has_the_same_error():
    for compile_it in (False, True):
        training = Training(made("Adam"), compile_it)
        training.run()
        training.optimiser.param_groups[0]["amsgrad"] = True
        with pytest.raises(KeyError, match="max_exp_avg_sq"):
            training.run(1)


def load_state(training: Training) -> None:
    state = training.optimiser.state_dict()
    training.optimiser.load_state_dict({**state, "state": {key: dict(own) for key, own in state["state"].items()}})


def replace_state(training: Training) -> None:
    own = training.optimiser.state[training.parameters[0]]
    name = "exp_avg" if "exp_avg" in own else "momentum_buffer"
    own[name] = own[name] * 2


def forget_state(training: Training) -> None:
    training.optimiser.state.clear()


def forget_one(training: Training) -> None:
    del training.optimiser.state[training.parameters[1]]


def swap_groups(training: Training) -> None:
    training.optimiser.param_groups[0] = {**training.optimiser.param_groups[0], "lr": 0.01}


def shorten(training: Training) -> None:
    del training.optimiser.state[training.optimiser.param_groups[0]["params"].pop(0)]


def set_data(training: Training) -> None:
    training.parameters[0].data = training.parameters[0].detach() * 0.5


def add_group(training: Training) -> None:
    extra = wg.tensor([0.5, 0.25], requires_grad=True)
    extra.grad = wg.ones(2)
    training.optimiser.add_param_group({"params": [extra], "lr": 0.5})
    training.parameters.append(extra)


@pytest.mark.parametrize("name", ["SGD", "Adam"])
@pytest.mark.parametrize(
    "change", [load_state, replace_state, forget_state, forget_one, swap_groups, shorten, set_data, add_group]
)
def test_changes_between_steps_are_seen(name, change):
    both(made(name, **({"momentum": 0.9} if name == "SGD" else {})), change, change)


def test_hooks_run_in_each_step():
    for register in ("pre", "post"):
        for everywhere in (False, True):
            counts = []
            for compile_it in (False, True):
                training = Training(made("Adam"), compile_it)
                training.run()
                calls: list[Any] = []
                owner = optim.optimizer if everywhere else training.optimiser
                name = f"register_optimizer_step_{register}_hook" if everywhere else f"register_step_{register}_hook"

                def hook(optimiser: Any, args: Any, kwargs: Any, calls: list[Any] = calls) -> None:
                    calls.append(optimiser.param_groups[0]["params"][0].sum().item())

                handle = getattr(owner, name)(hook)
                training.run()
                handle.remove()
                training.run()
                counts.append(calls)
            assert len(counts[1]) == STEPS
            assert counts[1] == counts[0]


def test_groups_with_their_own_options_and_parameters_without_gradients():
    def make(parameters: list[Any]) -> Any:
        unused = wg.ones(2, requires_grad=True)
        groups = [
            {"params": [parameters[0], unused], "lr": 0.1},
            {"params": parameters[1:], "weight_decay": 0.1, "betas": (0.5, 0.6)},
            {"params": [wg.ones(3, requires_grad=True)]},
        ]
        return optim.Adam(groups, 0.05)

    def disuse(training: Training) -> None:
        training.used = training.parameters[:1]

    both(make, schedule=SCHEDULES["steps"])
    both(make)


def test_frozen_parameters_are_left_alone():
    def freeze(training: Training) -> None:
        training.parameters[1].requires_grad_(False)
        training.parameters[1].grad = None

    both(made("Adam"), freeze)


def test_a_failing_step_leaves_the_same_state():
    def wrong(training: Training) -> None:
        own = training.optimiser.state[training.parameters[0]]
        own["exp_avg"] = wg.zeros(5)

    results = []
    for compile_it in (False, True):
        training = Training(made("Adam"), compile_it)
        training.run()
        wrong(training)
        with pytest.raises(Exception, match=r"shape|broadcast|size") as caught:
            training.run(1)
        results.append((type(caught.value), facts(training.optimiser.state_dict()["state"][1])))
    assert results[1] == results[0]


def test_a_grad_and_a_tensor_wrap_one_buffer() -> None:
    def step_of() -> tuple[Any, Any]:
        memory = memoryview(bytearray(16))
        weight = wg.ones(4, requires_grad=True)
        weight.grad, seen = (wg.from_numpy(np.frombuffer(memory, np.float32)) for _ in range(2))

        def step(x: Any) -> Any:
            (weight * x).sum().backward()
            return seen * 2, weight.grad + seen

        return step, weight

    (step, weight), (function, other) = step_of(), step_of()
    compiled = wg.compile(function, replay=True, fullgraph=True)
    for number in range(8):
        x = wg.full((4,), float(number))
        for result, wanted in zip(compiled(x), step(x), strict=True):
            assert result.equal(wanted)
        assert weight.grad.equal(other.grad)
