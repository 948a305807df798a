"""Schedules that are resumed go on as if they had never been interrupted."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import wengert as wg
from wengert.optim import lr_scheduler as schedules

EPOCHS = 14
MAKERS: dict[str, Any] = {
    "StepLR": lambda opt, last: schedules.StepLR(opt, 3, 0.5, last_epoch=last),
    "MultiStepLR": lambda opt, last: schedules.MultiStepLR(opt, [2, 5, 5], 0.5, last_epoch=last),
    "ConstantLR": lambda opt, last: schedules.ConstantLR(opt, 0.5, 4, last_epoch=last),
    "LinearLR": lambda opt, last: schedules.LinearLR(opt, 0.5, 1.0, 6, last_epoch=last),
    "ExponentialLR": lambda opt, last: schedules.ExponentialLR(opt, 0.9, last_epoch=last),
    "PolynomialLR": lambda opt, last: schedules.PolynomialLR(opt, 6, 1.5, last_epoch=last),
    "CosineAnnealingLR": lambda opt, last: schedules.CosineAnnealingLR(opt, 6, 0.1, last_epoch=last),
    "CosineAnnealingWarmRestarts": lambda opt, last: schedules.CosineAnnealingWarmRestarts(
        opt, 3, 2, 0.1, last_epoch=last
    ),
    "LambdaLR": lambda opt, last: schedules.LambdaLR(opt, lambda epoch: 1 / (epoch + 1), last_epoch=last),
    "MultiplicativeLR": lambda opt, last: schedules.MultiplicativeLR(opt, lambda epoch: 0.9, last_epoch=last),
    "CyclicLR": lambda opt, last: schedules.CyclicLR(opt, 0.1, 2.0, 2, 3, last_epoch=last),
    "OneCycleLR": lambda opt, last: schedules.OneCycleLR(opt, 1.0, total_steps=20, last_epoch=last),
    "SequentialLR": lambda opt, last: sequence(opt, last),
}


def sequence(opt: Any, last: int, children: int = -1) -> Any:
    parts = [
        schedules.ConstantLR(opt, 0.1, 100, last_epoch=children),
        schedules.ExponentialLR(opt, 0.9, last_epoch=children),
        schedules.StepLR(opt, 2, 0.5, last_epoch=children),
    ]
    return schedules.SequentialLR(opt, parts, [3, 6], last_epoch=last)


def optimizer() -> Any:
    groups = [{"params": [wg.zeros(1, requires_grad=True)], "lr": rate} for rate in (1.0, 2.0)]
    return wg.optim.SGD(groups, momentum=0.9)


def rates_of(opt: Any) -> list[tuple[float, float]]:
    return [(float(group["lr"]), float(group["momentum"])) for group in opt.param_groups]


def run(opt: Any, schedule: Any, count: int) -> list[Any]:
    found = []
    for _ in range(count):
        found.append(rates_of(opt))
        opt.step()
        schedule.step()
    return found


def assert_same(found: list[Any], expected: list[Any]) -> None:
    assert wg.allclose(wg.tensor(found), wg.tensor(expected), rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("epoch", range(1, 10))
def test_a_schedule_resumed_at_any_epoch_goes_on_as_if_not_interrupted(name: str, epoch: int) -> None:
    make = MAKERS[name]
    opt = optimizer()
    whole = run(opt, make(opt, -1), EPOCHS)
    first = optimizer()
    run(first, make(first, -1), epoch)
    second = optimizer()
    second.load_state_dict(first.state_dict())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        resumed = make(second, epoch - 1)
    assert resumed.last_epoch == epoch
    assert resumed.get_last_lr() == [rate for rate, _ in rates_of(second)]
    assert_same(run(second, resumed, EPOCHS - epoch), whole[epoch:])


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("epoch", range(10))
def test_a_schedule_takes_up_its_state_at_any_epoch(name: str, epoch: int) -> None:
    make = MAKERS[name]
    opt = optimizer()
    whole = run(opt, make(opt, -1), EPOCHS)
    first = optimizer()
    schedule = make(first, -1)
    run(first, schedule, epoch)
    second = optimizer()
    other = make(second, -1)
    second.load_state_dict(first.state_dict())
    other.load_state_dict(schedule.state_dict())
    assert_same(run(second, other, EPOCHS - epoch), whole[epoch:])


@pytest.mark.parametrize("epoch", range(10))
def test_a_sequence_of_resumed_schedules_goes_where_it_was(epoch: int) -> None:
    opt = optimizer()
    whole = run(opt, sequence(opt, -1), EPOCHS)
    first = optimizer()
    run(first, sequence(first, -1), epoch)
    second = optimizer()
    second.load_state_dict(first.state_dict())
    for group in second.param_groups:
        group.setdefault("initial_lr", group["lr"])
    assert_same(run(second, sequence(second, epoch - 1, epoch - 1), EPOCHS - epoch), whole[epoch:])


@pytest.mark.parametrize("epoch", [3, 4, 5, 6])
def test_the_schedules_of_a_resumed_sequence_stand_at_epochs_of_their_own(epoch: int) -> None:
    opt = optimizer()
    whole = sequence(opt, -1)
    run(opt, whole, epoch)
    resumed = sequence(optimizer(), epoch - 1)
    standing = [[part.last_epoch for part in each._schedulers] for each in (whole, resumed)]
    assert standing[0] == standing[1]
