"""Steps of optimisers: the numbers are those of torch 2.13 after twenty steps."""

import pytest

import wengert as wg
from wengert import optim
from wengert.nn import Parameter

AFTER_TWENTY = [
    ("SGD", {"lr": 0.1}, [-2.5000000000000004, -4.000000000000002, 7.75]),
    ("SGD", {"lr": 0.1, "momentum": 0.9}, [-7.2464808694790115, -14.094189891315128, 25.264525271712195]),
    (
        "SGD",
        {"lr": 0.1, "momentum": 0.9, "dampening": 0.2, "weight_decay": 0.1},
        [-7.907445264985392, -8.097923331680754, 16.219487421783782],
    ),
    (
        "SGD",
        {"lr": 0.1, "momentum": 0.9, "nesterov": True, "maximize": True},
        [11.921832782531109, 10.884770902183613, -21.788072744540976],
    ),
    ("Adam", {"lr": 0.1}, [1.1304446956661487, -3.999999979999999, 4.901222175726565]),
    (
        "Adam",
        {"lr": 0.1, "weight_decay": 0.1, "amsgrad": True},
        [1.048566546201982, -3.96564116863671, 4.417436866343954],
    ),
    (
        "Adam",
        {"lr": 0.1, "betas": (0.8, 0.95), "maximize": True},
        [1.2452065239800802, -1.9999999850695005e-08, 0.9535574400284751],
    ),
    ("AdamW", {"lr": 0.1, "weight_decay": 0.1}, [0.859289470618219, -3.4567444810128447, 4.203064235198443]),
    (
        "RMSprop",
        {"lr": 0.01, "momentum": 0.5, "centered": True},
        [0.6110421431396019, -3.559207217517926, 5.166536197994881],
    ),
    (
        "Adagrad",
        {"lr": 0.1, "lr_decay": 0.1, "weight_decay": 0.1},
        [1.013394303173619, -2.491928097453003, 3.4304555477151935],
    ),
]


def gradient(step, dtype=wg.float64):
    return wg.tensor([0.5 * step - 3, 1.0, -0.25 * step], dtype=dtype)


@pytest.mark.parametrize(("name", "options", "expected"), AFTER_TWENTY, ids=lambda value: str(value))
def test_twenty_steps_end_where_torchs_end(name, options, expected):
    parameter = Parameter(wg.tensor([1.0, -2.0, 3.0], dtype=wg.float64))
    optimiser = getattr(optim, name)([parameter], **options)
    for step in range(20):
        parameter.grad = gradient(step)
        optimiser.step()
    assert parameter.tolist() == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(("name", "options", "expected"), AFTER_TWENTY, ids=lambda value: str(value))
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_steps_in_lower_precision_stay_near(name, options, expected, dtype):
    if dtype == "float16":
        options = {**options, "eps": 1e-4} if name != "SGD" else options  # smaller ones vanish, in torch too
    parameter = Parameter(wg.tensor([1.0, -2.0, 3.0], dtype=getattr(wg, dtype)))
    optimiser = getattr(optim, name)([parameter], **options)
    for step in range(20):
        parameter.grad = gradient(step, parameter.dtype)
        optimiser.step()
    assert parameter.dtype == getattr(wg, dtype)
    close = 1e-4 if dtype == "float32" else 0.1
    assert parameter.tolist() == pytest.approx(expected, rel=close, abs=close)


@pytest.mark.parametrize(("name", "options", "expected"), AFTER_TWENTY, ids=lambda value: str(value))
def test_a_run_that_is_saved_and_restored_goes_on_as_before(name, options, expected):
    parameter = Parameter(wg.tensor([1.0, -2.0, 3.0], dtype=wg.float64))
    optimiser = getattr(optim, name)([parameter], **options)
    for step in range(20):
        if step == 7:
            state = optimiser.state_dict()
            optimiser = getattr(optim, name)([parameter], lr=99)
            optimiser.load_state_dict(state)
        parameter.grad = gradient(step)
        optimiser.step()
    assert parameter.tolist() == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(("name", "options", "expected"), AFTER_TWENTY, ids=lambda value: str(value))
def test_parameters_that_are_not_contiguous_are_stepped_in_place(name, options, expected):
    memory = wg.zeros(3, 2, dtype=wg.float64)
    memory[:, 0] = wg.tensor([1.0, -2.0, 3.0], dtype=wg.float64)
    parameter = Parameter(memory[:, 0])
    assert not parameter.is_contiguous()
    optimiser = getattr(optim, name)([parameter], **options)
    for step in range(20):
        parameter.grad = gradient(step)
        optimiser.step()
    assert memory[:, 0].tolist() == pytest.approx(expected, rel=1e-10)
    assert memory[:, 1].tolist() == [0, 0, 0]


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad"])
def test_numbers_without_dimension_complex_ones_and_empty_ones_are_stepped(name):
    parameters = [
        Parameter(wg.tensor(1.0)),
        Parameter(wg.tensor([1 + 2j], dtype=wg.complex128)),
        Parameter(wg.zeros(0)),
    ]
    optimiser = getattr(optim, name)(parameters, lr=0.1, weight_decay=0.1)
    for _ in range(3):
        for parameter in parameters:
            parameter.grad = wg.ones_like(parameter)
        optimiser.step()
    assert parameters[0].item() < 1
    assert parameters[1].real.item() < 1
    assert parameters[1].imag.item() < 2


def test_a_step_is_not_recorded_and_counts_as_a_write():
    parameter = Parameter(wg.ones(2))
    kept = (parameter * parameter).sum()
    parameter.grad = wg.ones(2)
    optim.SGD([parameter], lr=0.1).step()
    assert parameter.is_leaf
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        kept.backward()
    del kept


def test_parameters_without_gradient_are_left_alone():
    parameters = [Parameter(wg.ones(1)), Parameter(wg.ones(1))]
    optimiser = optim.Adam(parameters, lr=0.1)
    parameters[0].grad = wg.ones(1)
    optimiser.step()
    assert parameters[1].item() == 1
    assert list(optimiser.state) == [parameters[0]]
    optimiser.zero_grad()
    optimiser.step()
    assert parameters[0].grad is None


def test_groups_have_options_of_their_own():
    one, other = Parameter(wg.ones(1)), Parameter(wg.ones(1))
    optimiser = optim.SGD([{"params": one, "lr": 0.5}, {"params": [other]}], lr=0.1)
    one.grad, other.grad = wg.ones(1), wg.ones(1)
    optimiser.step()
    assert one.item() == 0.5
    assert other.item() == pytest.approx(0.9)


def test_a_closure_is_evaluated_with_recording_and_its_loss_returned():
    parameter = Parameter(wg.tensor([3.0]))
    optimiser = optim.SGD([parameter], lr=0.1)

    def closure():
        optimiser.zero_grad()
        loss = (parameter**2).sum()
        loss.backward()
        return loss

    with wg.no_grad():
        assert optimiser.step(closure).item() == 9
    assert parameter.item() == pytest.approx(2.4)


def test_hooks_run_around_a_step():
    seen = []
    parameter = Parameter(wg.ones(1))
    optimiser = optim.SGD([parameter], lr=0.1)
    before = optimiser.register_step_pre_hook(lambda opt, args, kwargs: seen.append("before"))
    optimiser.register_step_post_hook(lambda opt, args, kwargs: seen.append("after"))
    optimiser.step()
    before.remove()
    optimiser.step()
    assert seen == ["before", "after", "after"]


def test_hooks_of_a_step_see_the_optimiser_among_the_arguments_and_may_change_them():
    seen = []
    optimiser = optim.SGD([Parameter(wg.ones(1))], lr=0.1)
    optimiser.register_step_pre_hook(lambda opt, args, kwargs: ((*args, lambda: 3), {}))
    optimiser.register_step_post_hook(lambda opt, args, kwargs: seen.append((opt, args[0], len(args), kwargs)))
    assert optimiser.step() == 3
    assert seen == [(optimiser, optimiser, 2, {})]


def test_an_optimiser_around_another_needs_no_initialisation_of_its_own():
    class Averaging(wg.optim.Optimizer):
        def __init__(self, base):
            self.base, self.param_groups, self.state, self.steps = base, base.param_groups, base.state, 0

        def step(self, closure=None):
            self.steps += 1
            return self.base.step(closure)

    weight = wg.nn.Parameter(wg.ones(2))
    around = Averaging(wg.optim.SGD([weight], 0.5))
    weight.sum().backward()
    around.step()
    assert (weight.tolist(), around.steps) == ([0.5, 0.5], 1)
