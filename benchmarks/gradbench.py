"""The objectives of GradBench and ADBench, from their published definitions: gradients, torch beside wengert.

Sources: Šrajer, Kukelova, Fitzgibbon, "A benchmark of selected algorithmic differentiation tools on some problems in
computer vision and machine learning" (2018), for the Gaussian mixture, bundle adjustment, hand tracking and the LSTM;
GradBench for k-means, log-sum-exp, the differential equation and the particle. Data are random, in double precision.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.cases import BOTH
from benchmarks.timing import Case

SECONDS = 0.02
"""How long a turn lasts."""
FASTER = 1.2
"""Target of each case: how many times faster than torch."""


def random(*shape: int, seed: int, scale: float = 1.0) -> np.ndarray:
    """Return normal numbers in double precision."""
    return np.random.default_rng(seed).standard_normal(shape) * scale


def gradient(adapter: Any, objective: Callable[..., Any], leaves: list[np.ndarray]) -> Callable[[], Any]:
    """Return a function that computes an objective and its gradients."""
    run = adapter.gradients(lambda adapter, *tensors: objective(adapter.library, *tensors))
    tensors = [adapter.leaf(leaf) for leaf in leaves]
    return lambda: run(*tensors)


def gaussian_mixture(count: int, size: int, components: int) -> Callable[[Any], Callable[[], Any]]:
    """The log-likelihood of a mixture of Gaussians with a Wishart prior.

    Args:
        count: number of points.
        size: their dimension d.
        components: number of Gaussians; the inverse of each covariance is `Q.T @ Q`, where Q has the exponentials of d
            parameters on its diagonal and d (d - 1) / 2 parameters below.
    """
    rows, columns = np.tril_indices(size, -1)
    gamma, degrees = 1.0, size + 1

    def make(adapter: Any) -> Callable[[], Any]:
        points = adapter.array(random(count, size, seed=1))
        places = adapter.array(rows), adapter.array(columns)

        def objective(lib: Any, alphas: Any, means: Any, logs: Any, lower: Any) -> Any:
            factors = lib.diag_embed(logs.exp()).index_put((lib.arange(components)[:, None], *places), lower)
            moved = (points[None] - means[:, None]) @ factors.transpose(1, 2)
            inner = alphas + logs.sum(1) - 0.5 * moved.square().sum(2).T
            prior = 0.5 * gamma**2 * (logs.exp().square().sum() + lower.square().sum()) - (degrees - size) * logs.sum()
            return lib.logsumexp(inner, 1).sum() - count * lib.logsumexp(alphas, 0) - prior

        leaves = [
            random(components, seed=2),
            random(components, size, seed=3),
            random(components, size, seed=4, scale=0.1),
            random(components, len(rows), seed=5, scale=0.1),
        ]
        return gradient(adapter, objective, leaves)

    return make


def bundle_adjustment(adapter: Any) -> Callable[[], Any]:
    """Squared errors of points seen by cameras with a rotation vector, centre, focal length, middle and distortion."""
    cameras, points, seen = 20, 300, 1000
    source = np.random.default_rng(0)
    camera = adapter.array(source.integers(cameras, size=seen))
    point = adapter.array(source.integers(points, size=seen))
    observed = adapter.array(random(seen, 2, seed=4))

    def objective(lib: Any, parameters: Any, places: Any, weights: Any) -> Any:
        p, x = parameters[camera], places[point] - parameters[camera][:, 3:6]
        rotation = p[:, :3]
        angle = rotation.square().sum(1, keepdim=True).sqrt()
        axis = rotation / angle
        turned = (
            x * angle.cos()
            + lib.cross(axis, x, dim=1) * angle.sin()
            + axis * (axis * x).sum(1, keepdim=True) * (1 - angle.cos())
        )
        flat = turned[:, :2] / turned[:, 2:]
        radius = flat.square().sum(1, keepdim=True)
        bent = flat * (1 + p[:, 9:10] * radius + p[:, 10:11] * radius.square())
        errors = weights[:, None] * (bent * p[:, 6:7] + p[:, 7:9] - observed)
        return errors.square().sum() + (1 - weights.square()).square().sum()

    start = random(cameras, 11, seed=1, scale=0.1)
    start[:, 5] -= 5
    return gradient(adapter, objective, [start, random(points, 3, seed=2), random(seen, seed=3)])


def hand_tracking(adapter: Any) -> Callable[[], Any]:
    """Squared distances of a hand's vertices, moved by a chain of bones, from the points that a camera has seen."""
    bones, vertices, seen = 22, 500, 400
    source = np.random.default_rng(0)
    parents = [-1, *[max(0, bone - 1) if bone % 4 else 0 for bone in range(1, bones)]]
    weights = adapter.array(source.dirichlet(np.ones(bones), vertices).T.copy())  # of bones on vertices
    base = adapter.array(np.concatenate([random(3, vertices, seed=1), np.ones((1, vertices))]))
    offsets = [
        adapter.array(np.vstack([np.column_stack([np.zeros((3, 3)), random(3, seed=bone + 9)]), np.zeros(4)]))
        for bone in range(bones)
    ]
    targets, index = adapter.array(random(3, seen, seed=2)), adapter.array(source.integers(vertices, size=seen))

    def rotations(lib: Any, angles: Any) -> Any:
        c, s = angles.cos(), angles.sin()
        one, zero = lib.ones_like(c[:, 0]), lib.zeros_like(c[:, 0])
        x = lib.stack([one, zero, zero, zero, c[:, 0], -s[:, 0], zero, s[:, 0], c[:, 0]], 1).reshape(-1, 3, 3)
        y = lib.stack([c[:, 1], zero, s[:, 1], zero, one, zero, -s[:, 1], zero, c[:, 1]], 1).reshape(-1, 3, 3)
        z = lib.stack([c[:, 2], -s[:, 2], zero, s[:, 2], c[:, 2], zero, zero, zero, one], 1).reshape(-1, 3, 3)
        return z @ y @ x

    def objective(lib: Any, angles: Any, shift: Any) -> Any:
        relative = lib.nn.functional.pad(rotations(lib, angles), (0, 1, 0, 1))
        corner = lib.nn.functional.pad(lib.ones(1, 1, dtype=angles.dtype), (3, 0, 3, 0))
        absolute: list[Any] = []
        for bone, parent in enumerate(parents):
            own = relative[bone] + corner + offsets[bone]
            absolute.append(own if parent < 0 else absolute[parent] @ own)
        moved = lib.stack(absolute)[:, :3] @ base  # of each bone
        positions = (moved * weights[:, None]).sum(0) + shift[:, None]
        return (targets - positions[:, index]).square().sum()

    return gradient(adapter, objective, [random(bones, 3, seed=3, scale=0.3), random(3, seed=4)])


def lstm(adapter: Any) -> Callable[[], Any]:
    """The likelihood of a text under ADBench's LSTM, whose gates act on each element by itself."""
    layers, width, length = 2, 14, 40
    text = adapter.array((np.random.default_rng(0).random((length + 1, width)) < 0.2).astype(float))

    def cell(lib: Any, weight: Any, bias: Any, hidden: Any, state: Any, x: Any) -> tuple[Any, Any]:
        forget = lib.sigmoid(x * weight[0] + bias[0])
        entry = lib.sigmoid(hidden * weight[1] + bias[1])
        out = lib.sigmoid(x * weight[2] + bias[2])
        state = state * forget + entry * lib.tanh(hidden * weight[3] + bias[3])
        return out * lib.tanh(state), state

    def objective(lib: Any, weights: Any, biases: Any, extra: Any, start: Any) -> Any:
        hidden, state = list(start[0].unbind()), list(start[1].unbind())
        total = 0.0
        for step in range(length):
            x = text[step] * extra[0]
            for layer in range(layers):
                hidden[layer], state[layer] = cell(lib, weights[layer], biases[layer], hidden[layer], state[layer], x)
                x = hidden[layer]
            scores = x * extra[1] + extra[2]
            total = total + (text[step + 1] * (scores - lib.log(2 + scores.exp().sum()))).sum()
        return -total / length

    leaves = [
        random(layers, 4, width, seed=1),
        random(layers, 4, width, seed=2),
        random(3, width, seed=3),
        random(2, layers, width, seed=4),
    ]
    return gradient(adapter, objective, leaves)


def k_means(adapter: Any) -> Callable[[], Any]:
    """The cost of k-means, its gradient by the centres and the diagonal of its Hessian: one step of Newton's method."""
    points = adapter.array(random(1000, 8, seed=1))
    centres = adapter.leaf(random(10, 8, seed=2))
    lib = adapter.library

    def run() -> Any:
        distances = (points[:, None] - centres[None]).square().sum(2)
        (grad,) = lib.autograd.grad(distances.amin(1).sum(), centres, create_graph=True)
        (diagonal,) = lib.autograd.grad(grad.sum(), centres)  # the Hessian has no other entries
        return grad.detach(), diagonal

    return run


def log_sum_exp(adapter: Any) -> Callable[[], Any]:
    """The logarithm of a sum of exponentials."""
    return gradient(adapter, lambda lib, x: lib.logsumexp(x, 0), [random(10_000, seed=1)])


def differential_equation(adapter: Any) -> Callable[[], Any]:
    """The end of a path by Runge and Kutta's method of fourth order; the field is that of GradBench."""
    size, steps = 100, 50

    def field(lib: Any, parameters: Any, y: Any) -> Any:
        return lib.cat([parameters[:1], parameters[1:] * y[:-1]])

    def objective(lib: Any, parameters: Any) -> Any:
        y, width = lib.zeros_like(parameters), 1 / steps
        for _ in range(steps):
            k1 = field(lib, parameters, y)
            k2 = field(lib, parameters, y + width / 2 * k1)
            k3 = field(lib, parameters, y + width / 2 * k2)
            k4 = field(lib, parameters, y + width * k3)
            y = y + width / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return y[: size // 2].sum()

    return gradient(adapter, objective, [np.random.default_rng(1).uniform(0, 1, size)])


def particle(adapter: Any) -> Callable[[], Any]:
    """Where a charged particle crosses the axis, by a control: a step of Newton's method through a simulated path.

    The force is the gradient of a potential, so the objective holds derivatives within derivatives.
    """
    lib = adapter.library
    charges = adapter.array(np.array([[10.0, 10 - 1.0], [10.0, 0.0]]))
    width = 0.1

    def height(control: Any) -> Any:
        x, velocity = lib.tensor([0.0, 8.0], dtype=control.dtype), lib.tensor([0.75, 0.0], dtype=control.dtype)
        for _ in range(30):
            place = x if x.requires_grad else x.clone().requires_grad_()
            potential = (1 / (charges - place).square().sum(1).sqrt()).sum() + control * place[1]
            (force,) = lib.autograd.grad(potential, place, create_graph=True)
            x, velocity = x + width * velocity, velocity - width * force
        return x[1]

    def run() -> Any:
        control = lib.zeros((), dtype=lib.float64, requires_grad=True)
        (grad,) = lib.autograd.grad(height(control) ** 2, control, create_graph=True)
        (curvature,) = lib.autograd.grad(grad, control)
        return grad.detach(), curvature

    return run


def cases() -> list[Case]:
    """Return the objectives, each in the sizes of the benchmark that matter."""
    mixtures = [(1000, 2, 5), (1000, 10, 5), (1000, 10, 25), (1000, 20, 25)]
    makers = [(f"Gaussian mixture, {n} points, d {d}, k {k}", gaussian_mixture(n, d, k)) for n, d, k in mixtures]
    makers += [
        ("bundle adjustment, 1000 observations", bundle_adjustment),
        ("hand tracking, 22 bones", hand_tracking),
        ("LSTM of ADBench, 40 characters", lstm),
        ("k-means, 1000 points, second order", k_means),
        ("log-sum-exp of 10000", log_sum_exp),
        ("Runge-Kutta, 50 steps of 100", differential_equation),
        ("particle, second order", particle),
    ]
    return [Case(f"GradBench: {name}", make, FASTER, 1e-6, BOTH) for name, make in makers]
