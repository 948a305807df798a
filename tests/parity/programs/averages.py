"""torch.optim.swa_utils: averaged models, their batch statistics, the schedule."""

from __future__ import annotations

from tests.parity.programs.common import caught, filled, values


def model_of(torch):
    return filled(torch, torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3)))


def go_on(torch, model, at):
    """One more state of the model."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(at)
        model(values(torch, 4, 2, shift=at))


def averaged(torch, **options):
    model = model_of(torch)
    made = torch.optim.swa_utils.AveragedModel(model, **options)
    seen = []
    for at in range(4):
        go_on(torch, model, at)
        made.update_parameters(model)
        seen.append({name: each.detach().clone() for name, each in made.state_dict().items()})
    return seen, repr(made), made(torch.ones(2, 2, dtype=torch.float64)).shape


def equal_averages(torch):
    swa = torch.optim.swa_utils
    return (
        averaged(torch),
        averaged(torch, avg_fn=swa.get_swa_avg_fn()),
        averaged(torch, multi_avg_fn=swa.get_swa_multi_avg_fn()),
    )


def moving_averages(torch):
    swa = torch.optim.swa_utils
    return (
        averaged(torch, avg_fn=swa.get_ema_avg_fn(0.9)),
        averaged(torch, multi_avg_fn=swa.get_ema_multi_avg_fn(0.5)),
        averaged(torch, multi_avg_fn=swa.get_ema_multi_avg_fn(0.9), use_buffers=True),
        averaged(torch, avg_fn=lambda one, other, count: one + other * count, use_buffers=True),
    )


def refusals(torch):
    swa = torch.optim.swa_utils
    optimiser = torch.optim.SGD([{"params": [torch.ones(1, requires_grad=True)]} for _ in range(2)], lr=1.0)
    return (
        caught(lambda: swa.get_ema_avg_fn(1.5)),
        caught(lambda: swa.get_ema_multi_avg_fn(-1)),
        caught(lambda: swa.AveragedModel(torch.nn.Linear(1, 1), avg_fn=max, multi_avg_fn=max)),
        caught(lambda: swa.SWALR(optimiser, 0.1, anneal_strategy="other")),
        caught(lambda: swa.SWALR(optimiser, [0.1])),
        caught(lambda: swa.SWALR(optimiser, 0.1, anneal_epochs=-1)),
        caught(lambda: swa.SWALR(optimiser, 0.1, 1.5)),
    )


def statistics_are_computed_anew(torch):
    model = model_of(torch)
    batches = [values(torch, 4, 2, shift=at).detach() for at in range(3)]
    torch.optim.swa_utils.update_bn(batches, model)
    first = [each.clone() for each in model.buffers()]
    torch.optim.swa_utils.update_bn([(each, 1) for each in batches[:2]], model.eval())
    none = torch.optim.swa_utils.update_bn(batches, torch.nn.Linear(5, 5))
    return first, list(model.buffers()), model.training, model[1].momentum, none


def the_schedule(torch):
    found = []
    for options in (
        {"swa_lr": 0.05},
        {"swa_lr": [0.05, 2.0], "anneal_epochs": 3, "anneal_strategy": "linear"},
        {"swa_lr": 0.2, "anneal_epochs": 0},
    ):
        weights = [torch.ones(1, requires_grad=True) for _ in range(2)]
        optimiser = torch.optim.SGD([{"params": weights[0]}, {"params": weights[1], "lr": 0.5}], lr=1.0)
        schedule = torch.optim.swa_utils.SWALR(optimiser, **options)
        rates = [schedule.get_last_lr()]
        for _ in range(12):
            optimiser.step()
            schedule.step()
            rates.append(schedule.get_last_lr())
        other = torch.optim.swa_utils.SWALR(torch.optim.SGD(weights, lr=3.0), 0.5)
        other.load_state_dict(schedule.state_dict())
        found.append((rates, schedule.state_dict(), other.anneal_epochs, sorted(optimiser.param_groups[0])))
    return found
