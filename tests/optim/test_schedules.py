"""Schedules of learning rates: the numbers are those of torch 2.13 over twelve epochs, from a rate of 0.1."""

import math

import pytest

import wengert as wg
from wengert import optim
from wengert.nn import Parameter

L = optim.lr_scheduler

RATES = [
    (lambda o: L.StepLR(o, 3, 0.5), [0.1, 0.1, 0.1, 0.05, 0.05, 0.05, 0.025, 0.025, 0.025, 0.0125, 0.0125, 0.0125]),
    (
        lambda o: L.MultiStepLR(o, [2, 5, 5], 0.5),
        [0.1, 0.1, 0.05, 0.05, 0.05, 0.0125, 0.0125, 0.0125, 0.0125, 0.0125, 0.0125, 0.0125],
    ),
    (
        lambda o: L.ExponentialLR(o, 0.9),
        [
            0.1,
            0.09,
            0.081,
            0.0729,
            0.06561,
            0.059049,
            0.0531441,
            0.04782969,
            0.043046721,
            0.0387420489,
            0.034867844,
            0.0313810596,
        ],
    ),
    (lambda o: L.ConstantLR(o, 0.5, 4), [0.05, 0.05, 0.05, 0.05, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]),
    (lambda o: L.LinearLR(o, 0.25, 1.0, 4), [0.025, 0.04375, 0.0625, 0.08125, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]),
    (
        lambda o: L.PolynomialLR(o, 8, 2.0),
        [0.1, 0.0765625, 0.05625, 0.0390625, 0.025, 0.0140625, 0.00625, 0.0015625, 0.0, 0.0, 0.0, 0.0],
    ),
    (
        lambda o: L.CosineAnnealingLR(o, 5, 0.01),
        [
            0.1,
            0.0914057647,
            0.0689057647,
            0.0410942353,
            0.0185942353,
            0.01,
            0.0185942353,
            0.0410942353,
            0.0689057647,
            0.0914057647,
            0.1,
            0.0914057647,
        ],
    ),
    (
        lambda o: L.CosineAnnealingWarmRestarts(o, 2, 2, 0.01),
        [
            0.1,
            0.055,
            0.1,
            0.0868198052,
            0.055,
            0.0231801948,
            0.1,
            0.096574579,
            0.0868198052,
            0.0722207545,
            0.055,
            0.0377792455,
        ],
    ),
    (
        lambda o: L.LambdaLR(o, lambda epoch: 1 / (1 + epoch)),
        [
            0.1,
            0.05,
            0.0333333333,
            0.025,
            0.02,
            0.0166666667,
            0.0142857143,
            0.0125,
            0.0111111111,
            0.01,
            0.0090909091,
            0.0083333333,
        ],
    ),
    (
        lambda o: L.MultiplicativeLR(o, lambda epoch: 0.9),
        [
            0.1,
            0.09,
            0.081,
            0.0729,
            0.06561,
            0.059049,
            0.0531441,
            0.04782969,
            0.043046721,
            0.0387420489,
            0.034867844,
            0.0313810596,
        ],
    ),
    (
        lambda o: L.OneCycleLR(o, 0.4, total_steps=12),
        [
            0.016,
            0.1399158617,
            0.3517140636,
            0.3977661742,
            0.3732051879,
            0.3246982616,
            0.2589515991,
            0.1850548411,
            0.1132243993,
            0.0533910121,
            0.013826795,
            1.6e-06,
        ],
    ),
    (
        lambda o: L.OneCycleLR(o, 0.4, total_steps=12, three_phase=True, anneal_strategy="linear"),
        [
            0.016,
            0.1636923077,
            0.3113846154,
            0.3409230769,
            0.1932307692,
            0.0455384615,
            0.0137933241,
            0.0110349793,
            0.0082766345,
            0.0055182897,
            0.0027599448,
            1.6e-06,
        ],
    ),
    (
        lambda o: L.OneCycleLR(
            o, 0.4, epochs=3, steps_per_epoch=4, pct_start=0.25, div_factor=10, final_div_factor=100
        ),
        [
            0.04,
            0.22,
            0.4,
            0.3879505856,
            0.3532556797,
            0.3001,
            0.2348949059,
            0.1655050941,
            0.1003,
            0.0471443203,
            0.0124494144,
            0.0004,
        ],
    ),
    (
        lambda o: L.SequentialLR(o, [L.ConstantLR(o, 0.1, 3), L.ExponentialLR(o, 0.9)], [3]),
        [0.01, 0.01, 0.01, 0.1, 0.09, 0.081, 0.0729, 0.06561, 0.059049, 0.0531441, 0.04782969, 0.043046721],
    ),
    (
        lambda o: L.SequentialLR(
            o, [L.LinearLR(o, 0.1, 1.0, 3), L.CosineAnnealingLR(o, 5), L.StepLR(o, 2, 0.5)], [3, 7]
        ),
        [0.01, 0.04, 0.07, 0.1, 0.0904508497, 0.0654508497, 0.0345491503, 0.1, 0.1, 0.05, 0.05, 0.025],
    ),
]


def optimiser(kind="SGD", **options):
    return getattr(optim, kind)([Parameter(wg.ones(1))], lr=0.1, **options)


def followed(o, schedule, *, key="lr", step=lambda schedule, at: schedule.step()):
    values = []
    for at in range(12):
        values.append(o.param_groups[0][key])
        o.step()
        if at < 11:
            step(schedule, at)
    return values


@pytest.mark.parametrize(("make", "expected"), RATES)
def test_rates_are_torchs(make, expected):
    o = optimiser(momentum=0.9)
    assert followed(o, make(o)) == pytest.approx(expected, rel=1e-6, abs=1e-10)


@pytest.mark.parametrize(("make", "expected"), RATES)
def test_a_schedule_that_is_saved_and_restored_goes_on_as_before(make, expected):
    o = optimiser(momentum=0.9)
    schedule, values = make(o), []
    for at in range(12):
        if at == 5:
            states = o.state_dict(), schedule.state_dict()
            o = optimiser(momentum=0.9)
            schedule = make(o)
            o.load_state_dict(states[0])
            schedule.load_state_dict(states[1])
        values.append(o.param_groups[0]["lr"])
        o.step()
        if at < 11:
            schedule.step()
    assert values == pytest.approx(expected, rel=1e-6, abs=1e-10)


def test_one_cycle_moves_the_momentum_against_the_rate():
    o = optimiser(momentum=0.9)
    expected = [
        0.95,
        0.9177302444,
        0.8625744626,
        0.8505584587,
        0.8566987298,
        0.8688255099,
        0.8852622413,
        0.9037365047,
        0.921694187,
        0.9366525936,
        0.9465436874,
        0.95,
    ]
    assert followed(o, L.OneCycleLR(o, 0.4, total_steps=12), key="momentum") == pytest.approx(expected)
    o = optimiser("Adam")
    expected = [
        (0.95, 0.999),
        (0.9177302444, 0.999),
        (0.8625744626, 0.999),
        (0.8505584587, 0.999),
        (0.8566987298, 0.999),
        (0.8688255099, 0.999),
        (0.8852622413, 0.999),
        (0.9037365047, 0.999),
        (0.921694187, 0.999),
        (0.9366525936, 0.999),
        (0.9465436874, 0.999),
        (0.95, 0.999),
    ]
    found = followed(o, L.OneCycleLR(o, 0.4, total_steps=12), key="betas")
    assert [pytest.approx(pair) for pair in expected] == found


def test_warm_restarts_may_be_set_to_a_fraction_of_an_epoch():
    o = optimiser()
    schedule = L.CosineAnnealingWarmRestarts(o, 2, 2, 0.01)
    expected = [
        0.1,
        0.1,
        0.0754295725,
        0.0285496636,
        0.09986128,
        0.0914057647,
        0.0722207545,
        0.0479604491,
        0.0257748378,
        0.0122024568,
        0.0996880806,
        0.096574579,
    ]
    assert followed(o, schedule, step=lambda s, at: s.step(at * 0.7)) == pytest.approx(expected, abs=1e-9)
    with pytest.raises(ValueError, match="Expected non-negative epoch, but got -1"):
        schedule.step(-1)


def test_a_plateau_lowers_the_rate_when_patience_is_at_an_end():
    measured = [3, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1]
    o = optimiser()
    schedule = L.ReduceLROnPlateau(o, patience=1, factor=0.5, cooldown=1)
    expected = [0.1, 0.1, 0.1, 0.1, 0.05, 0.05, 0.05, 0.05, 0.05, 0.025, 0.025, 0.025]
    assert followed(o, schedule, step=lambda s, at: s.step(measured[at])) == pytest.approx(expected)
    o = optimiser()
    schedule = L.ReduceLROnPlateau(o, "max", 0.5, 0, 0.3, "abs", min_lr=0.02)
    expected = [0.1, 0.1, 0.05, 0.025, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02]
    assert followed(o, schedule, step=lambda s, at: s.step(wg.tensor(measured[at]))) == pytest.approx(expected)
    assert schedule.best == 3
    assert not schedule._is_better(math.nan, 3)


def test_stepping_the_schedule_before_the_optimiser_warns():
    o = optimiser()
    schedule = L.ExponentialLR(o, 0.9)
    with pytest.warns(UserWarning, match=r"Detected call of `lr_scheduler.step\(\)` before `optimizer.step\(\)`"):
        schedule.step()


def test_resuming_needs_the_initial_rate():
    with pytest.raises(KeyError, match="'initial_lr' is not specified in param_groups"):
        L.StepLR(optimiser(), 3, last_epoch=4)
    with pytest.raises(TypeError, match="int is not an Optimizer"):
        L.StepLR(3, 3)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda o: L.OneCycleLR(o, 1.0), "You must define either total_steps OR"),
        (lambda o: L.OneCycleLR(o, 1.0, total_steps=0), "Expected positive integer total_steps, but got 0"),
        (
            lambda o: L.OneCycleLR(o, 1.0, total_steps=5, pct_start=2),
            "Expected float between 0 and 1 pct_start, but got 2",
        ),
        (lambda o: L.OneCycleLR(o, 1.0, total_steps=5, anneal_strategy="x"), "must be one of 'cos' or 'linear'"),
        (lambda o: L.OneCycleLR(o, [1.0, 2.0], total_steps=5), "max_lr has 2 values, param_groups has 1"),
        (lambda o: L.LambdaLR(o, [abs, abs]), "Expected 1 lr_lambdas, but got 2"),
        (lambda o: L.LinearLR(o, 0), "expected to be greater than 0"),
        (lambda o: L.ConstantLR(o, 2), "expected to be between 0 and 1"),
        (lambda o: L.CosineAnnealingWarmRestarts(o, 0), "Expected positive integer T_0, but got 0"),
        (lambda o: L.ReduceLROnPlateau(o, "x"), "mode x is unknown!"),
        (lambda o: L.ReduceLROnPlateau(o, factor=1.0), "Factor should be < 1.0."),
        (lambda o: L.SequentialLR(o, [L.StepLR(o, 1)], [1]), "one more than the number of milestone points"),
    ],
)
def test_bad_options_are_refused(make, says):
    with pytest.raises(ValueError, match=says):
        make(optimiser())


def test_one_cycle_refuses_more_steps_than_there_are():
    o = optimiser(momentum=0.9)
    schedule = L.OneCycleLR(o, 1.0, total_steps=2)
    for _ in range(2):
        o.step()
        schedule.step()
    with pytest.raises(ValueError, match=r"Tried to step 3 times. The specified number of total steps is 2"):
        schedule.step()


@pytest.mark.parametrize(
    "schedule",
    [lambda o: L.ExponentialLR(o, [1]), lambda o: L.StepLR(o, 3, "a"), lambda o: L.MultiStepLR(o, [1], None)],
)
def test_a_factor_that_is_no_number_is_refused(schedule):
    with pytest.raises(TypeError, match="gamma must be a number, not"):
        schedule(optim.SGD([Parameter(wg.ones(1))], lr=2**62))
