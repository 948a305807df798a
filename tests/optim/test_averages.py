"""Averages of models: what is averaged, what is copied."""

import numpy as np
import pytest

import wengert as wg
from wengert import nn, optim
from wengert.optim import swa_utils


def states(count=5):
    rng = np.random.default_rng(0)
    return [rng.normal(size=3) for _ in range(count)]


def run(averaged, model):
    for state in states():
        with wg.no_grad():
            model.weight.copy_(wg.tensor(state))
        averaged.update_parameters(model)
    return averaged.module.weight.detach().numpy()


class One(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(wg.zeros(3, dtype=wg.float64))

    def forward(self, x):
        return self.weight * x


@pytest.mark.parametrize("options", [{}, {"avg_fn": swa_utils.get_swa_avg_fn()}])
def test_the_equal_average_is_the_mean_of_all_models(options):
    model = One()
    averaged = swa_utils.AveragedModel(model, **options)
    np.testing.assert_allclose(run(averaged, model), np.mean(states(), axis=0))
    assert averaged.n_averaged.item() == 5
    np.testing.assert_allclose(averaged(2.0).detach().numpy(), 2 * np.mean(states(), axis=0))


@pytest.mark.parametrize("kind", ["avg_fn", "multi_avg_fn"])
def test_the_moving_average_begins_at_the_first_model(kind):
    make = swa_utils.get_ema_avg_fn if kind == "avg_fn" else swa_utils.get_ema_multi_avg_fn
    expected = states()[0]
    for state in states()[1:]:
        expected = 0.75 * expected + 0.25 * state
    model = One()
    np.testing.assert_allclose(run(swa_utils.AveragedModel(model, **{kind: make(0.75)}), model), expected)


def test_the_model_itself_is_left_alone_and_the_average_can_be_saved():
    model = One()
    averaged = swa_utils.AveragedModel(model)
    run(averaged, model)
    np.testing.assert_allclose(model.weight.detach().numpy(), states()[-1])
    other = swa_utils.AveragedModel(One())
    other.load_state_dict(averaged.state_dict())
    assert other.n_averaged.item() == 5
    assert other.module.weight.tolist() == averaged.module.weight.tolist()


def test_statistics_are_those_of_all_batches():
    layer = nn.BatchNorm1d(2)
    batches = [wg.tensor(np.random.default_rng(at).normal(size=(4, 2)).astype(np.float32)) for at in range(3)]
    swa_utils.update_bn(batches, layer)
    means = np.mean([batch.numpy().mean(0) for batch in batches], axis=0)
    np.testing.assert_allclose(layer.running_mean.numpy(), means, rtol=1e-5)
    assert layer.momentum == 0.1


def test_the_schedule_ends_at_its_rate():
    optimiser = optim.SGD([nn.Parameter(wg.ones(1))], lr=1.0)
    schedule = swa_utils.SWALR(optimiser, 0.1, anneal_epochs=4, anneal_strategy="linear")
    rates = []
    for _ in range(6):
        optimiser.step()
        schedule.step()
        rates.append(optimiser.param_groups[0]["lr"])
    np.testing.assert_allclose(rates, [0.775, 0.55, 0.325, 0.1, 0.1, 0.1])


@pytest.mark.parametrize("make", [swa_utils.get_swa_multi_avg_fn, lambda: swa_utils.get_ema_multi_avg_fn(0.9)])
def test_the_average_of_what_is_equal_stays_so_to_the_last_digit(make):
    value = wg.tensor([1.0, 0.1, 3.0])
    averaged = [value.clone()]
    for count in range(1, 6):
        make()(averaged, [value], wg.tensor(count))
    assert averaged[0].tolist() == value.tolist()
