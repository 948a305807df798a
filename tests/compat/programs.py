"""Programs for HIPS autograd: each is given the package and its NumPy, and gives its results in a dictionary.

`tools/hips_parity.py` runs them in both packages; what HIPS autograd gave is kept in `expected.json`.
"""

from __future__ import annotations

import importlib
import warnings

import numpy


def random(seed=0):
    return numpy.random.RandomState(seed)


def part(autograd, name):
    """A module below the package."""
    return importlib.import_module(f"{autograd.__name__}.{name}")


def logistic_regression(autograd, np):
    inputs = random(1).randn(12, 3)
    targets = (inputs @ numpy.array([1.0, -2.0, 0.5]) > 0).astype(float)

    def loss(weights, bias):
        predicted = 0.5 * (np.tanh(np.dot(inputs, weights) + bias) + 1)
        chosen = predicted * targets + (1 - predicted) * (1 - targets)
        return -np.sum(np.log(chosen)) + 0.1 * np.dot(weights, weights)

    weights, bias = numpy.zeros(3), 0.0
    both = autograd.grad(loss, (0, 1))
    for _ in range(25):
        slope, step = both(weights, bias)
        weights, bias = weights - 0.05 * slope, bias - 0.05 * step
    return {"weights": weights, "bias": bias, "hessian": autograd.hessian(loss)(weights, bias)}


def neural_network(autograd, np):
    optimizers, flatten = part(autograd, "misc.optimizers"), part(autograd, "misc.flatten").flatten
    draw = random(2)
    layers = [(0.5 * draw.randn(m, n), 0.1 * draw.randn(n)) for m, n in ((2, 5), (5, 4), (4, 3))]
    inputs, targets = draw.randn(10, 2), numpy.eye(3)[draw.randint(3, size=10)]

    def predict(layers, x):
        for weight, bias in layers:
            outputs = np.dot(x, weight) + bias
            x = np.tanh(outputs)
        return outputs - np.log(np.sum(np.exp(outputs), axis=1, keepdims=True))

    def loss(layers, i):
        norm = flatten(layers)[0]
        return -np.mean(np.sum(predict(layers, inputs) * targets, axis=1)) + 0.01 * np.dot(norm, norm)

    trained = {}
    for name in ("sgd", "rmsprop", "adam"):
        seen = []
        found = getattr(optimizers, name)(
            autograd.grad(loss),
            layers,
            num_iters=8,
            step_size=0.05,
            callback=lambda x, i, g, seen=seen: seen.append(loss(x, i)),
        )
        trained[name] = flatten(found)[0]
        trained[f"{name}, losses"] = numpy.array(seen)
    return trained


def derivatives_of_tanh(autograd, np):
    function, x, found = np.tanh, numpy.linspace(-2, 2, 5), {}
    for order in range(1, 6):
        function = autograd.elementwise_grad(function)
        found[f"order {order}"] = function(x)
    return found


def rosenbrock(autograd, np):
    def f(x):
        return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)

    x, v = numpy.array([-1.2, 1.0, 0.5]), numpy.array([1.0, -1.0, 2.0])
    hvp, gradient = autograd.make_hvp(f)(x)
    newton = x
    for _ in range(6):
        newton = newton - numpy.linalg.solve(autograd.hessian(f)(newton), autograd.grad(f)(newton))
    return {
        "value and gradient": autograd.value_and_grad(f)(x),
        "hessian": autograd.hessian(f)(x),
        "hvp": hvp(v),
        "gradient": gradient,
        "by product": autograd.hessian_vector_product(f)(x, v),
        "newton": newton,
        "reverse twice": autograd.make_jvp(autograd.grad(f))(x)(v),
    }


def pendulum(autograd, np):
    def end(start, parameters, steps=20, h=0.05):
        state = np.array([start, 0.0])
        for _ in range(steps):

            def slope(y):
                return np.array([y[1], -parameters["pull"] * np.sin(y[0]) - parameters["drag"] * y[1]])

            k1 = slope(state)
            k2 = slope(state + h / 2 * k1)
            k3 = slope(state + h / 2 * k2)
            k4 = slope(state + h * k3)
            state = state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return state

    parameters = {"pull": 9.8, "drag": 0.2}
    return {
        "jacobian": autograd.jacobian(end)(0.7, parameters),
        "by parameters": autograd.grad(lambda p: end(0.7, p)[0])(parameters),
        "second": autograd.grad(autograd.grad(lambda s: end(s, parameters)[1]))(0.7),
    }


def gaussian_mixture(autograd, np):
    logsumexp = part(autograd, "scipy.special").logsumexp
    norm = part(autograd, "scipy.stats.norm")
    data = random(3).randn(9, 2)

    def likelihood(model):
        parts = []
        for weight, mean, spread in zip(model["weights"], model["means"], model["spreads"]):
            logs = np.sum(norm.logpdf(data, mean, np.exp(spread)), axis=1)
            parts.append(logs + weight - logsumexp(np.array(model["weights"])))
        return np.sum(logsumexp(np.vstack(parts), axis=0))

    draw = random(4)
    model = {"weights": [0.1, -0.3], "means": draw.randn(2, 2), "spreads": [draw.randn(2), draw.randn(2)]}
    found = autograd.grad(likelihood)(model)
    return {"weights": found["weights"], "means": found["means"], "spreads": found["spreads"]}


def gaussian_process(autograd, np):
    x, y = numpy.linspace(0, 3, 6), numpy.sin(numpy.linspace(0, 3, 6))

    def evidence(parameters):
        scale, length, noise = np.exp(parameters)
        apart = (x[:, None] - x[None, :]) / length
        covariance = scale * np.exp(-0.5 * apart**2) + (noise + 1e-3) * np.eye(len(x))
        factor = np.linalg.cholesky(covariance)
        logdet = np.linalg.slogdet(covariance)[1]
        return -0.5 * np.dot(y, np.linalg.solve(covariance, y)) - 0.25 * logdet - 0.5 * np.sum(np.log(np.diag(factor)))

    at = numpy.array([0.1, -0.2, -1.0])
    return {"gradient": autograd.grad(evidence)(at), "hessian": autograd.hessian(evidence)(at)}


def complex_numbers(autograd, np):
    z = numpy.array([1.0 + 2.0j, -0.5 + 0.3j])
    return {
        "square of the size": autograd.grad(lambda z: np.sum(np.abs(z) ** 2))(z),
        "real part": autograd.grad(lambda z: np.real(np.sum(z**3 * np.conj(z))))(z),
        "through numbers": autograd.grad(lambda x: np.real(np.exp(1j * x) * (2 + 1j)))(0.3),
        "angle": autograd.grad(lambda z: np.sum(np.angle(z) * np.imag(z)))(z),
        "holomorphic": autograd.holomorphic_grad(lambda z: np.sin(z) ** 2)(0.4 + 0.2j),
        "gradient by a complex g": autograd.make_vjp(lambda z: z**2 * (1 + 1j))(z)[0](numpy.array([1.0j, 2.0 - 1.0j])),
        "real argument": autograd.make_vjp(lambda x: x * (2 + 3j))(numpy.ones(2))[0](numpy.array([1.0j, 2.0 - 1.0j])),
        "along": autograd.make_jvp(lambda z: z**2 * np.conj(z))(z)(numpy.array([1.0j, 2.0])),
        "fourier": autograd.grad(lambda x: np.sum(np.abs(np.fft.fft(x)) ** 3))(numpy.arange(5.0)),
    }


def own_primitives(autograd, np):
    extend = part(autograd, "extend")

    @extend.primitive
    def log_of_sum(x):
        """The logarithm of the sum of exponentials."""
        largest = numpy.max(x)
        return largest + numpy.log(numpy.sum(numpy.exp(x - largest)))

    def gradient(ans, x):
        return lambda g: np.full(x.shape, g) * np.exp(x - np.full(x.shape, ans))

    extend.defvjp(log_of_sum, gradient)
    extend.defjvp(log_of_sum, lambda g, ans, x: np.sum(g * np.exp(x - ans)))

    @extend.primitive
    def scaled(x, y, power=1):
        return x * y**power

    extend.defvjp(
        scaled,
        lambda ans, x, y, power=1: lambda g: g * y**power,
        lambda ans, x, y, power=1: lambda g: g * power * x * y ** (power - 1),
    )
    x = numpy.array([0.3, -1.0, 2.0])
    return {
        "gradient": autograd.grad(lambda x: log_of_sum(x) ** 2)(x),
        "hessian": autograd.hessian(log_of_sum)(x),
        "along": autograd.make_jvp(log_of_sum)(x)(numpy.ones(3)),
        "third": autograd.grad(lambda x: np.sum(autograd.hessian(log_of_sum)(x) ** 2))(x),
        "two arguments": autograd.grad(lambda x, y: np.sum(scaled(x, y, power=3)), (0, 1))(x, x + 1),
    }


def recurrent_network(autograd, np):
    draw = random(5)
    parameters = {"in": 0.3 * draw.randn(3, 4), "back": 0.3 * draw.randn(4, 4), "out": draw.randn(5, 2)}
    inputs, targets = draw.randn(6, 2, 3), draw.randn(6, 2, 2)

    def loss(parameters):
        hidden, total = np.zeros((2, 4)), 0.0
        for x, y in zip(inputs, targets):
            hidden = np.tanh(np.dot(x, parameters["in"]) + np.dot(hidden, parameters["back"]))
            output = np.dot(np.hstack((hidden, np.ones((2, 1)))), parameters["out"])
            total = total + np.sum((output - y) ** 2)
        return total / 12

    return autograd.grad(loss)(parameters)


def fluid(autograd, np):
    def diffuse(field):
        for _ in range(4):
            field = (field + np.roll(field, 1, 0) + np.roll(field, -1, 0) + np.roll(field, 1, 1)) / 4
            field = np.where(field > 0.5, field, field**2)
        return np.concatenate([field[:1], field[1:] * 2])

    start = random(6).uniform(0, 1, (4, 4))
    return {"gradient": autograd.grad(lambda f: np.mean((diffuse(f) - 1) ** 2))(start)}


def products_and_others(autograd, np):
    x, v = numpy.array([0.5, -1.0, 2.0]), numpy.array([1.0, 0.0, -1.0])

    def f(x):
        return np.array([x[0] * x[1], np.sin(x[2]), np.sum(x**3), x[0]])

    def outer(x, y=2.0, z=3.0):
        return x * y**2 + z

    vjp, value = autograd.make_vjp(f)(x)
    return {
        "vjp": vjp(numpy.arange(4.0)),
        "value": value,
        "jvp": autograd.make_jvp(f)(x)(v),
        "gauss newton": autograd.make_ggnvp(f)(x)(v),
        "jacobian": autograd.jacobian(f)(x),
        "gauss newton of sums": autograd.make_ggnvp(f, lambda y: np.sum(np.exp(y)))(x)(v),
        "tensor times jacobian": autograd.tensor_jacobian_product(f)(x, numpy.arange(4.0)),
        "tensor times hessian": autograd.hessian_tensor_product(lambda x: np.sum(x**4))(x, v),
        "value beside": autograd.grad_and_aux(lambda x: (np.sum(x**2), x * 2))(x),
        "named": autograd.grad_named(outer, "y")(1.0, 2.0),
        "deriv": autograd.deriv(np.tanh)(x),
        "again": autograd.grad(autograd.checkpoint(lambda x: np.sum(np.exp(x) * x)))(x),
        "jacobian of a matrix": autograd.jacobian(lambda a: np.dot(a, a))(numpy.arange(4.0).reshape(2, 2)),
        "nothing": quiet(lambda: autograd.grad(lambda x: 3.0)(x)),
    }


def quiet(function):
    """What a function gives, without warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function()


def linear_algebra(autograd, np):
    a = random(7).randn(3, 3)
    return {
        "inverse": autograd.grad(lambda a: np.sum(np.linalg.inv(a) ** 2))(a),
        "eigenvalues": autograd.grad(lambda a: np.sum(np.linalg.eigh(np.dot(a, a.T))[0][1:] ** 2))(a),
        "singular values": autograd.grad(lambda a: np.sum(np.linalg.svd(a, full_matrices=False)[1] ** 3))(a),
        "singular vectors": autograd.grad(lambda a: np.sum(np.linalg.svd(a, full_matrices=False)[0][:, 0] ** 4))(a),
        "norm": autograd.grad(lambda a: np.linalg.norm(a) + np.linalg.norm(a[0], 3))(a),
        "contraction": autograd.grad(lambda a: np.sum(np.einsum("ij,jk,ik->i", a, a, a) ** 2))(a),
        "second": autograd.hessian(lambda a: np.linalg.det(a))(a),
    }


def special_functions(autograd, np):
    sp, norm = part(autograd, "scipy.special"), part(autograd, "scipy.stats.norm")
    x = numpy.array([0.7, 1.3, 2.4])
    names = ("gammaln", "gamma", "digamma", "erf", "erfc", "expit", "j0", "j1", "i0", "i1", "rgamma")
    found = {name: autograd.elementwise_grad(getattr(sp, name))(x) for name in names}
    return found | {
        "second": autograd.elementwise_grad(autograd.elementwise_grad(sp.gammaln))(x),
        "betaln": autograd.grad(lambda a, b: np.sum(sp.betaln(a, b)), (0, 1))(x, x + 1),
        "polygamma": autograd.elementwise_grad(lambda x: sp.polygamma(1, x))(x),
        "logit": autograd.elementwise_grad(sp.logit)(x / 3),
        "erfinv": autograd.elementwise_grad(sp.erfinv)(x / 3),
        "normal": autograd.grad(lambda *a: np.sum(norm.logcdf(*a) + norm.pdf(*a)), (0, 1, 2))(x, 0.1, 1.3),
        "sum of weights": autograd.grad(lambda x: sp.logsumexp(x, b=np.array([1.0, 2.0, 3.0])))(x),
    }


def distributions(autograd, np):
    stats = part(autograd, "scipy.stats")
    x = numpy.array([0.2, 0.5, 0.9])
    draw = random(8)
    root = draw.randn(3, 3)
    points, mean, covariance = draw.randn(4, 3), draw.randn(3), root @ root.T + numpy.eye(3)
    names = (("t", (4.5, 0.1, 1.2)), ("gamma", (2.5,)), ("beta", (1.5, 2.5)), ("chi2", (3.0,)))
    found = {}
    for name, parameters in names:
        module = getattr(stats, name)
        found[name] = autograd.elementwise_grad(module.logpdf)(x, *parameters)
        found[f"{name}, density"] = autograd.elementwise_grad(module.pdf)(x, *parameters)
    found["t, by a parameter"] = autograd.grad(lambda df: np.sum(stats.t.logpdf(x, df, 0.1, 1.2)))(1.7)
    found["beta, by a parameter"] = autograd.grad(lambda a: np.sum(stats.beta.logpdf(x, a, 2.5)))(1.7)
    mvn = stats.multivariate_normal
    return found | {
        "poisson": autograd.grad(lambda m: np.sum(stats.poisson.logpmf(numpy.arange(4), m)))(1.5),
        "dirichlet": autograd.grad(lambda x, a: stats.dirichlet.logpdf(x, a), (0, 1))(x / 1.6, x + 1),
        "normal vectors": autograd.grad(lambda *a: np.sum(mvn.logpdf(*a)), (0, 1))(points, mean, covariance),
        "one vector": autograd.grad(lambda x: mvn.pdf(x, mean, covariance))(points[0]),
        "equal variances": autograd.grad(lambda x: np.sum(mvn.logpdf(x, mean, 2.0 * np.eye(3))))(points),
        "entropy": symmetric(autograd.grad(lambda c: mvn.entropy(mean, c))(covariance)),
        "covariance": symmetric(autograd.grad(lambda c: np.sum(mvn.logpdf(points, mean, c)))(covariance)),
    }


def symmetric(x):
    """The symmetric part of a matrix, which is what a gradient by a symmetric one is determined to."""
    return (x + x.T) / 2


def fixed_points(autograd, np):
    fixed_point = part(autograd, "misc.fixed_points").fixed_point

    def root(a, start=10.0):
        step = lambda a: lambda x: 0.5 * (x + a / x)  # noqa: E731
        slow = lambda a: lambda x: x - 0.05 * (x**2 - a)  # noqa: E731
        distance = lambda x, y: np.max(np.abs(x - y))  # noqa: E731
        return fixed_point(step, a, start, distance, 1e-13) + fixed_point(slow, a, 2.0, distance, 1e-13)

    return {"slope": autograd.grad(root)(2.0), "curvature": autograd.grad(autograd.grad(root))(2.0)}


PROGRAMS = (
    logistic_regression,
    neural_network,
    derivatives_of_tanh,
    rosenbrock,
    pendulum,
    gaussian_mixture,
    gaussian_process,
    complex_numbers,
    own_primitives,
    recurrent_network,
    fluid,
    products_and_others,
    linear_algebra,
    special_functions,
    distributions,
    fixed_points,
)


def numbers(value):
    """Results as nested lists that can be kept as text."""
    if isinstance(value, dict):
        return {str(key): numbers(value[key]) for key in value}
    if isinstance(value, (list, tuple)):
        return [numbers(each) for each in value]
    array = numpy.asarray(value)
    if array.dtype.kind == "c":
        return {"real": array.real.tolist(), "imag": array.imag.tolist()}
    return array.tolist()
