"""Scaled losses on the CPU: factors, steps left out, refusals, states."""

from __future__ import annotations

import pickle

from tests.parity.programs.common import caught


def trained(torch, **options):
    """What becomes of a scaler and a parameter in five steps, of which the third overflows."""
    parameter = torch.nn.Parameter(torch.tensor([1.0, -2.0]))
    optimizer = torch.optim.SGD([parameter], 0.1)
    scaler, found = torch.amp.GradScaler("cpu", init_scale=4.0, growth_interval=2, **options), []
    for step in range(5):
        optimizer.zero_grad()
        loss = parameter.pow(2).sum() * (float("inf") if step == 2 else 1)
        scaler.scale(loss).backward()
        result = scaler.step(optimizer)
        scaler.update()
        found.append((scaler.get_scale(), result, parameter.tolist()))
    return found, scaler.state_dict(), scaler.is_enabled()


def factors_grow_and_shrink(torch):
    return trained(torch), trained(torch, enabled=False), torch.GradScaler is torch.amp.GradScaler


def what_is_scaled(torch):
    scaler, x = torch.amp.GradScaler("cpu"), torch.ones(2)
    before = scaler._scale, scaler._growth_tracker, scaler.get_scale()
    made = scaler.scale(x), scaler.scale([x, (x,)]), list(scaler.scale(each for each in [x])), scaler.scale(x.half())
    return before, made, scaler._scale, scaler._growth_tracker, caught(lambda: scaler.scale(3))


def what_is_refused(torch):
    parameter, x = torch.nn.Parameter(torch.ones(2)), torch.ones(2)
    optimizer = torch.optim.SGD([parameter], 0.1)
    scaler, found = torch.amp.GradScaler("cpu", init_scale=4.0), []
    found += [
        caught(lambda: scaler.step(optimizer)),
        caught(lambda: scaler.update()),
        caught(lambda: scaler.unscale_(optimizer)),
    ]
    scaler.scale(x)
    found += [
        caught(lambda: scaler.update()),
        caught(lambda: scaler.step(optimizer)),
        caught(lambda: scaler.unscale_(optimizer)),
    ]
    scaler.update(2.0)
    parameter.grad = torch.ones(2)
    scaler.unscale_(optimizer)
    found += [caught(lambda: scaler.unscale_(optimizer)), caught(lambda: pickle.dumps(scaler))]
    scaler.step(optimizer)
    found += [caught(lambda: scaler.step(optimizer)), caught(lambda: scaler.unscale_(optimizer))]
    found += [caught(lambda: scaler.step(optimizer, closure=print)), caught(lambda: scaler.update(torch.ones(2)))]
    scaler.update()
    half = torch.nn.Parameter(torch.ones(2).half())
    half.grad = torch.ones(2).half()
    found += [caught(lambda: scaler.unscale_(torch.optim.SGD([half], 0.1)))]
    return found, parameter, scaler.state_dict(), pickle.loads(pickle.dumps(scaler)).state_dict()
