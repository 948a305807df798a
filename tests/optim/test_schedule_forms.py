"""Schedules set to an epoch, in sequence, in chains; their warnings and states. The figures are those of torch 2.13."""

import copy
import pickle

import pytest

import wengert as wg
from wengert import optim
from wengert.nn import Parameter

L = optim.lr_scheduler


def optimiser(lr=0.1):
    return optim.SGD([Parameter(wg.ones(1))], lr=lr, momentum=0.9)


def rate(o, key="lr"):
    return float(o.param_groups[0][key])


CLOSED = [
    (lambda o: L.StepLR(o, 3, 0.5), [0.025, 0.05, 0.1, 0.05, 0.05, 0.00625], [0.025, 0.025, 0.025, 0.1, 0.1]),
    (
        lambda o: L.MultiStepLR(o, [2, 5, 5], 0.5),
        [0.0125, 0.05, 0.1, 0.0125, 0.05, 0.0125],
        [0.0125, 0.0125, 0.0125, 0.1, 0.05],
    ),
    (
        lambda o: L.ExponentialLR(o, 0.9),
        [0.04782969, 0.0729, 0.1, 0.059049, 0.06561, 0.0282429536],
        [0.0531441, 0.04782969, 0.043046721, 0.09, 0.081],
    ),
    (lambda o: L.ConstantLR(o, 0.5, 4), [0.1, 0.05, 0.05, 0.1, 0.1, 0.1], [0.1, 0.1, 0.1, 0.05, 0.05]),
    (lambda o: L.LinearLR(o, 0.25, 1.0, 4), [0.1, 0.08125, 0.025, 0.1, 0.1, 0.1], [0.1, 0.1, 0.1, 0.04375, 0.0625]),
    (
        lambda o: L.PolynomialLR(o, 8, 2.0),
        [0.0015625, 0.0390625, 0.1, 0.0140625, 0.025, 0.0],
        [0.00625, 0.0015625, 0.0, 0.0765625, 0.05625],
    ),
    (
        lambda o: L.CosineAnnealingLR(o, 5, 0.01),
        [0.0410942353, 0.0410942353, 0.1, 0.01, 0.0185942353, 0.0689057647],
        [0.0185942353, 0.0410942353, 0.0689057647, 0.0914057647, 0.0689057647],
    ),
    (
        lambda o: L.LambdaLR(o, lambda epoch: 1 / (1 + epoch)),
        [0.0125, 0.025, 0.1, 0.0166666667, 0.02, 0.0076923077],
        [0.0142857143, 0.0125, 0.0111111111, 0.05, 0.0333333333],
    ),
    (
        lambda o: L.CyclicLR(o, 0.01, 0.1, 2, 3, "triangular2"),
        [0.055, 0.07, 0.01, 0.01, 0.04, 0.0325],
        [0.0325, 0.055, 0.04, 0.055, 0.1],
    ),
]


@pytest.mark.parametrize(("make", "set_to", "mixed"), CLOSED)
def test_a_schedule_set_to_an_epoch_takes_the_closed_form_and_warns(make, set_to, mixed):
    for epochs, expected in (((7, 3, 0, 5, 4, 12), set_to), ((6, None, None, 1, None), mixed)):
        o = optimiser()
        schedule, found = make(o), []
        o.step()
        for epoch in epochs:
            if epoch is None:
                schedule.step()
            else:
                with pytest.warns(UserWarning, match=r"The epoch parameter in `scheduler.step\(\)` was not necessary"):
                    schedule.step(epoch)
            found.append(rate(o))
        assert found == pytest.approx(expected, abs=1e-10)


CHAINED = [
    (
        lambda o: L.CyclicLR(o, 0.01, 0.1, 2, 3, "triangular2"),
        [0.01, 0.055, 0.1, 0.07, 0.04, 0.01, 0.0325, 0.055, 0.04, 0.025, 0.01, 0.02125],
        [0.9, 0.85, 0.8, 0.8333333333, 0.8666666667, 0.9, 0.875, 0.85, 0.8666666667, 0.8833333333, 0.9, 0.8875],
    ),
    (
        lambda o: L.CyclicLR(o, 0.01, 0.1, 2, mode="exp_range", gamma=0.9),
        [
            0.01,
            0.0505,
            0.0829,
            0.042805,
            0.01,
            0.03657205,
            0.05782969,
            0.0315233605,
            0.01,
            0.027433922,
            0.0413810596,
            0.0241214768,
        ],
        [
            0.9,
            0.855,
            0.819,
            0.86355,
            0.9,
            0.8704755,
            0.8468559,
            0.876085155,
            0.9,
            0.8806289755,
            0.865132156,
            0.8843094702,
        ],
    ),
    (
        lambda o: L.ChainedScheduler([L.StepLR(o, 3, 0.5), L.CosineAnnealingLR(o, 5)]),
        [
            0.1,
            0.0904508497,
            0.0654508497,
            0.0172745751,
            0.0047745751,
            0.0,
            0.0095491503,
            0.0345491503,
            0.0654508497,
            0.0452254249,
            0.05,
            0.0452254249,
        ],
        [0.9] * 12,
    ),
    (
        lambda o: L.SequentialLR(
            o, [L.SequentialLR(o, [L.ConstantLR(o, 0.1, 3), L.ExponentialLR(o, 0.9)], [2]), L.StepLR(o, 2)], [6]
        ),
        [0.01, 0.1, 0.09, 0.081, 0.0729, 0.06561, 0.1, 0.1, 0.01, 0.01, 0.001, 0.001],
        [0.9] * 12,
    ),
]


@pytest.mark.parametrize(("make", "rates", "momenta"), CHAINED)
@pytest.mark.parametrize("restored_at", [None, 4])
@pytest.mark.filterwarnings("ignore:Detected call of")  # torch warns at nested sequences, too
def test_cycles_chains_and_nested_sequences(make, rates, momenta, restored_at):
    o = optimiser()
    schedule, found = make(o), []
    for at in range(12):
        if at == restored_at:
            states = pickle.loads(pickle.dumps((o.state_dict(), schedule.state_dict())))
            o = optimiser()
            schedule = make(o)
            o.load_state_dict(states[0])
            schedule.load_state_dict(states[1])
        found.append((rate(o), rate(o, "momentum")))
        assert schedule.get_last_lr() == [rate(o)]
        o.step()
        schedule.step()
    assert found == [pytest.approx(pair, abs=1e-9) for pair in zip(rates, momenta, strict=True)]


def test_what_cannot_be_composed_is_refused():
    o = optimiser()
    for make in (lambda s: L.ChainedScheduler(s), lambda s: L.SequentialLR(o, s, [])):
        for schedules, kind, says in (
            ([], ValueError, "expects at least one scheduler"),
            ([L.ReduceLROnPlateau(o)], ValueError, "does not support `ReduceLROnPlateau` scheduler"),
        ):
            with pytest.raises(kind, match=says):
                make(schedules)
    with pytest.raises(TypeError, match="at index 0 should have `optimizer` as its attribute"):
        L.SequentialLR(o, [3], [])
    with pytest.raises(ValueError, match="expects all schedulers to belong to the same optimizer"):
        L.ChainedScheduler([L.StepLR(o, 3), L.StepLR(optimiser(), 3)])
    with pytest.raises(TypeError, match="lr_lambda should be a function, but got int"):
        L.MultiplicativeLR(o, 3)


def test_only_steps_after_the_schedule_was_made_count():
    o = optimiser()
    o.step()
    schedule = L.StepLR(o, 3)
    with pytest.warns(UserWarning, match=r"Detected call of `lr_scheduler.step\(\)` before `optimizer.step"):
        schedule.step()
    schedule.step()  # it warns once
    o.step()
    L.StepLR(o, 3).step()  # the optimiser has made a step that a schedule has seen


def test_a_step_that_is_replaced_later_is_warned_of():
    o = optimiser()
    schedule = L.StepLR(o, 3)
    o.step = lambda: None
    with pytest.warns(UserWarning, match=r"Seems like `optimizer.step\(\)` has been overridden after learning rate"):
        schedule.step()


def test_a_step_that_was_replaced_before_is_watched_too():
    o, calls = optimiser(), []
    o.step = lambda closure=None: calls.append(closure)
    schedule = L.StepLR(o, 3)
    o.step(1)
    schedule.step()
    assert calls == [1]


def test_a_watched_optimiser_is_freed_copied_and_pickled():
    import weakref

    o = optimiser()
    L.StepLR(o, 3)
    for other in (copy.deepcopy(o), pickle.loads(pickle.dumps(o))):
        assert other.step.__self__ is other
    gone = weakref.ref(o)
    del o
    assert gone() is None


def test_rates_that_are_read_by_get_lr_are_warned_of():
    schedule = L.ExponentialLR(optimiser(), 0.9)
    with pytest.warns(UserWarning, match="please use `get_last_lr"):
        assert schedule.get_lr() == pytest.approx([0.09])
    assert schedule.get_last_lr() == [0.1]


def test_a_rate_that_is_a_tensor_stays_the_same_tensor():
    lr = wg.tensor(0.1, dtype=wg.float64)
    o = optim.Adam([Parameter(wg.ones(1))], lr=lr)
    schedule = L.ExponentialLR(o, 0.5)
    before = schedule.get_last_lr()[0]
    o.step()
    schedule.step()
    assert o.param_groups[0]["lr"] is lr
    assert (lr.item(), before.item(), schedule.get_last_lr()[0].item()) == pytest.approx((0.05, 0.1, 0.05))


def test_states_have_torchs_keys():
    o = optimiser()
    common = ["base_lrs", "last_epoch", "_step_count", "_is_initial", "_get_lr_called_within_step", "_last_lr"]
    assert list(L.StepLR(o, 3).state_dict()) == ["step_size", "gamma", *common]
    assert list(L.LambdaLR(o, float).state_dict()) == [*common, "lr_lambdas"]
    assert list(L.OneCycleLR(o, 1.0, 10).state_dict()) == [
        "total_steps",
        "_schedule_phases",
        "_anneal_func_type",
        "cycle_momentum",
        "use_beta1",
        *common,
    ]
    assert list(L.ReduceLROnPlateau(o).state_dict()) == [
        "factor",
        "default_min_lr",
        "min_lrs",
        "patience",
        "cooldown",
        "eps",
        "last_epoch",
        "_last_lr",
        "mode_worse",
        "mode",
        "threshold",
        "threshold_mode",
        "best",
        "cooldown_counter",
        "num_bad_epochs",
    ]


def test_groups_that_are_added_later_are_not_forgotten_in_silence():
    o = optimiser()
    schedule, plateau = L.StepLR(o, 1), L.ReduceLROnPlateau(o, patience=0, min_lr=[0.01])
    o.add_param_group({"params": [Parameter(wg.ones(1))]})
    o.step()
    schedule.step()
    closed = L.LambdaLR(o, float)
    o.add_param_group({"params": [Parameter(wg.ones(1))]})
    with pytest.raises(ValueError, match="zip"):
        closed.step()
    plateau.step(1.0)
    with pytest.raises(RuntimeError, match=r"The number of param groups in the `optimizer` \(3\) differs"):
        plateau.step(1.0)
