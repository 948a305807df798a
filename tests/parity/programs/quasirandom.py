"""torch.quasirandom: Sobol' sequences."""

from __future__ import annotations

from tests.parity.programs.common import caught


def points(torch):
    found = []
    for dimension in (1, 2, 7, 300):
        engine = torch.quasirandom.SobolEngine(dimension)
        found.append((engine.draw(5), engine.draw(3, dtype=torch.float64), engine.num_generated, repr(engine)))
    return found


def scrambled(torch):
    found = []
    for dimension, seed in ((1, 0), (3, 5), (50, 1234)):
        engine = torch.quasirandom.SobolEngine(dimension, scramble=True, seed=seed)
        found.append(
            (engine.sobolstate, engine.shift, engine.draw(6), engine.draw(2, dtype=torch.float64), repr(engine))
        )
    torch.manual_seed(3)
    return found, torch.quasirandom.SobolEngine(2, True).draw(4)


def all_dimensions(torch):
    state = torch.quasirandom.SobolEngine(21201).sobolstate
    return state.shape, state.sum(), (state * torch.arange(1, 31)).sum(), (state.sum(1) * torch.arange(21201)).sum()


def moved(torch):
    engine = torch.quasirandom.SobolEngine(2)
    first = engine.draw_base2(2)
    refused = caught(lambda: engine.draw_base2(4))
    engine.fast_forward(4)
    later = engine.draw(2)
    return first, refused, later, engine.reset().draw(), engine.num_generated, engine.draw(out=torch.empty(1, 2))


def refusals(torch):
    return [caught(lambda each=each: torch.quasirandom.SobolEngine(each)) for each in (0, 21202)]
