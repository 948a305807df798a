"""Random programs: value, reverse and forward mode, differences, and all of these for a batch, agree."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings, strategies as st

import wengert as wg
from wengert.func import grad, hessian, jacfwd, jacrev, jvp, vjp, vmap


def written(x, y):
    made = x.clone()
    made[1:].mul_(y[:-1])
    made.add_(y * 0.1)
    return made


def filled(x, y):
    made = wg.zeros_like(x)
    made[0] = y[-1]
    made[1:] = x[:-1] * y[1:]
    return made


STEPS = {
    "sin": lambda x, y: x.sin(),
    "tanh": lambda x, y: (x * 0.7).tanh(),
    "exp": lambda x, y: (-x * x).exp(),
    "product": lambda x, y: x * y,
    "quotient": lambda x, y: x / (1 + y * y),
    "softmax": lambda x, y: x.softmax(0),
    "running sum": lambda x, y: x.cumsum(0) * 0.3,
    "outer": lambda x, y: (x[:, None] * y).sum(0) * 0.2,
    "matrix": lambda x, y: wg.outer(x, y).t() @ x * 0.1,
    "rows": lambda x, y: wg.stack([x, y]).amax(0) + wg.cat([y[1:], x[:1]]),
    "part": lambda x, y: x.flip(0) * x.roll(1),
    "norm": lambda x, y: x / (0.1 + x.norm()),
    "index": lambda x, y: x[wg.tensor([2, 0, 1])] + y.gather(0, wg.tensor([1, 1, 0])),
    "choice": lambda x, y: wg.where(x > y, x * y, y.sin()),
    "write": written,
    "fill": filled,
    "variance": lambda x, y: (x - x.mean()) * x.var(),
}
PROGRAMS = st.lists(st.tuples(st.sampled_from(sorted(STEPS)), st.integers(0, 9)), min_size=1, max_size=5)


def program(steps):
    """A function of three numbers: each step takes the last value and an earlier one."""

    def run(x):
        values = [x]
        for name, other in steps:
            values.append(STEPS[name](values[-1], values[other % len(values)]))
        return values[-1]

    return run


def point(seed):
    return wg.tensor(np.random.default_rng(seed).uniform(-1.5, 1.5, 3), dtype=wg.float64)


def close(found, expected, tolerance=1e-9):
    np.testing.assert_allclose(found.detach().numpy(), np.asarray(expected), rtol=tolerance, atol=tolerance)


@settings(max_examples=150)
@given(PROGRAMS, st.integers(0, 1000))
def test_both_modes_and_their_orders_agree(steps, seed):
    f, x = program(steps), point(seed)
    number = lambda x: (f(x) * wg.tensor([1.0, -0.5, 2.0], dtype=wg.float64)).sum()  # noqa: E731
    matrix = jacrev(f)(x)
    close(jacfwd(f)(x), matrix.numpy())
    way = point(seed + 1)
    close(jvp(f, (x,), (way,))[1], (matrix @ way).numpy())
    close(vjp(f, x)[1](way)[0], (way @ matrix).numpy())
    second = jacrev(grad(number))(x).numpy()
    close(hessian(number)(x), second, 1e-8)
    close(jacfwd(grad(number))(x), second, 1e-8)
    close(jacrev(jacfwd(number))(x), second, 1e-8)


@settings(max_examples=150)
@given(PROGRAMS, st.integers(0, 1000), st.sampled_from([0, 1]))
def test_a_batch_gives_what_each_member_gives(steps, seed, dim):
    f = program(steps)
    members = [point(seed + at) for at in range(4)]
    batch = wg.stack(members, dim)
    for function in (f, jacrev(f), jacfwd(f), grad(lambda x: (f(x) ** 2).sum())):
        found = vmap(function, in_dims=dim)(batch)
        close(found, np.stack([function(each).numpy() for each in members]))
    outer = grad(lambda x: (vmap(f, in_dims=dim)(x) ** 2).sum())(batch)
    close(outer, np.stack([grad(lambda x: (f(x) ** 2).sum())(each).numpy() for each in members], dim))


@settings(max_examples=80)
@given(PROGRAMS.filter(lambda steps: not {"rows", "choice"} & {name for name, _ in steps}), st.integers(0, 1000))
def test_derivatives_are_those_of_differences(steps, seed):
    f, x, way = program(steps), point(seed), point(seed + 1)
    step = 1e-5
    expected = (f(x + step * way) - f(x - step * way)) / (2 * step)
    close(jvp(f, (x,), (way,))[1], expected.numpy(), 1e-5)
