"""What wengert and other libraries can differentiate, and whether it comes out right: asked by small programs.

Each entry is an expression over `m`, a `Namespace` of the library, in which the library's own functions are attributes;
where libraries spell something differently there is one expression for each.
"""

from __future__ import annotations

import importlib
import importlib.util
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

LIBRARIES = ("wengert", "torch", "jax", "autograd", "casadi")


class Namespace:
    """The functions of a library for arrays, and its derivatives.

    Args:
        library: its name.
    """

    def __init__(self, library: str) -> None:
        self.library = library
        self.module = importlib.import_module(library)
        self.functions = self.module

    def __getattr__(self, name: str) -> Any:
        return getattr(self.functions, name)

    def array(self, values: Any) -> Any:
        """Values in double precision, as an array of the library."""
        return self.module.as_tensor(np.asarray(values, np.float64))

    def numpy(self, value: Any) -> np.ndarray:
        """A result as NumPy's array."""
        return value.detach().numpy() if hasattr(value, "detach") else np.asarray(value)

    def grad(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The gradient of a function, as a function."""
        return self.module.func.grad(function)  # type: ignore[no-any-return]

    def hess(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The Hessian of a function, as a function."""
        return self.module.func.hessian(function)  # type: ignore[no-any-return]

    def gradient(self, function: Callable[..., Any]) -> Callable[[np.ndarray], Any]:
        """The gradient by `backward()`, which is how programs of this family are written."""

        def run(values: np.ndarray) -> Any:
            x = self.module.from_numpy(values.copy()).requires_grad_()
            function(x).backward()
            return x.grad.numpy()

        return run

    def hessian(self, function: Callable[..., Any]) -> Callable[[np.ndarray], Any]:
        """The Hessian at a NumPy array."""
        hess = self.hess(function)
        return lambda values: self.numpy(hess(self.array(values)))


class Jax(Namespace):
    """JAX in double precision."""

    def __init__(self, library: str) -> None:
        super().__init__(library)
        self.module.config.update("jax_enable_x64", True)
        self.functions = importlib.import_module("jax.numpy")
        self.nn = importlib.import_module("jax.nn")

    def array(self, values: Any) -> Any:
        return self.functions.asarray(np.asarray(values, np.float64))

    def grad(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return self.module.grad(function)  # type: ignore[no-any-return]

    def hess(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return self.module.hessian(function)  # type: ignore[no-any-return]

    def gradient(self, function: Callable[..., Any]) -> Callable[[np.ndarray], Any]:
        run = self.module.grad(function)
        return lambda values: np.asarray(run(self.functions.asarray(values)))

    def jitted(self, function: Callable[..., Any], kind: str) -> Callable[[np.ndarray], Any]:
        """The same, compiled."""
        run = self.module.jit((self.module.grad if kind == "gradient" else self.module.hessian)(function))
        return lambda values: np.asarray(run(self.functions.asarray(values)))


class Autograd(Namespace):
    """HIPS autograd."""

    def __init__(self, library: str) -> None:
        super().__init__(library)
        self.functions = importlib.import_module("autograd.numpy")

    def array(self, values: Any) -> Any:
        return np.asarray(values, np.float64)

    def grad(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return self.module.grad(function)  # type: ignore[no-any-return]

    def hess(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return self.module.hessian(function)  # type: ignore[no-any-return]

    def gradient(self, function: Callable[..., Any]) -> Callable[[np.ndarray], Any]:
        return self.module.grad(function)  # type: ignore[no-any-return]


class Casadi(Namespace):
    """CasADi: functions are built of symbols, and then evaluated."""

    def __init__(self, library: str) -> None:
        super().__init__(library)
        self.x = self.module.SX.sym("x")

    def array(self, values: Any) -> Any:
        return self.module.DM(np.asarray(values, np.float64))

    def numpy(self, value: Any) -> np.ndarray:
        return np.asarray(value)

    def derivative(self, function: Callable[..., Any], hessian: bool) -> Callable[..., Any]:
        """The gradient or the Hessian of a function, as a function of numbers."""

        def run(x: Any) -> Any:
            if not isinstance(x, self.module.DM):  # within another derivative
                return self.module.gradient(function(x), x)
            symbol = self.module.SX.sym("x", *x.shape)
            value = function(symbol)
            result = self.module.hessian(value, symbol)[0] if hessian else self.module.gradient(value, symbol)
            return self.module.Function("f", [symbol], [result])(x)

        return run

    def grad(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return self.derivative(function, False)

    def hess(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return self.derivative(function, True)

    def compiled(self, function: Callable[..., Any], count: int, kind: str) -> Callable[[np.ndarray], Any]:
        """The derivative as a function that was built once."""
        symbol = self.module.SX.sym("x", count)
        value = function(symbol)
        result = self.module.gradient(value, symbol) if kind == "gradient" else self.module.hessian(value, symbol)[0]
        run = self.module.Function("f", [symbol], [result])
        return lambda values: np.asarray(run(values))


KINDS = {"jax": Jax, "autograd": Autograd, "casadi": Casadi}
cached: dict[str, Namespace] = {}


def namespaces(names: Iterable[str]) -> dict[str, Namespace]:
    """The namespaces of those libraries that are installed."""
    for name in names:
        if name not in cached and importlib.util.find_spec(name):
            cached[name] = KINDS.get(name, Namespace)(name)
    return {name: cached[name] for name in names if name in cached}


# ---- right derivatives -----------------------------------------------------------------------------------------------

TORCH = "wengert torch"
RIGHT: dict[str, tuple[Any, dict[str, str]]] = {
    "tanh' at 20": (4 * np.exp(-40.0), {"*": "m.grad(m.tanh)(m.array(20.0))"}),
    "sigmoid' at 40": (
        np.exp(-40.0),
        {
            TORCH: "m.grad(m.sigmoid)(m.array(40.0))",
            "jax": "m.grad(m.nn.sigmoid)(m.array(40.0))",
            "autograd casadi": "m.grad(lambda x: 1 / (1 + m.exp(-x)))(m.array(40.0))",
        },
    ),
    "expm1' at -50": (np.exp(-50.0), {"*": "m.grad(m.expm1)(m.array(-50.0))"}),
    "asinh' at 1e200": (
        1e-200,
        {"wengert torch casadi": "m.grad(m.asinh)(m.array(1e200))", "*": "m.grad(m.arcsinh)(m.array(1e200))"},
    ),
    "gradient of the norm of (3e200, 4e200)": (
        [0.6, 0.8],
        {"casadi": "m.grad(m.norm_2)(m.array([3e200, 4e200]))", "*": "m.grad(m.linalg.norm)(m.array([3e200, 4e200]))"},
    ),
    "sinc'' at 0": (-(np.pi**2) / 3, {"*": "m.grad(m.grad(m.sinc))(m.array(0.0))"}),
    "fifth derivative of x³ at 0": (
        0.0,
        {"*": "m.grad(m.grad(m.grad(m.grad(m.grad(lambda x: x ** m.array(3.0))))))(m.array(0.0))"},
    ),
    "gradient of the product of (0, 2, 3)": (
        [6.0, 0.0, 0.0],
        {
            "casadi": "m.grad(lambda x: x[0] * x[1] * x[2])(m.array([0, 2, 3.0]))",
            "*": "m.grad(m.prod)(m.array([0, 2, 3.0]))",
        },
    ),
    "logaddexp'' at -1000": (
        0.0,
        {
            "casadi": "m.grad(m.grad(lambda x: m.logsumexp(m.vertcat(x, 0))))(m.array(-1000.0))",
            "*": "m.grad(m.grad(lambda x: m.logaddexp(x, m.array(0.0))))(m.array(-1000.0))",
        },
    ),
    "Hessian of the determinant at the zero matrix": (
        [[0, 0, 0, 1], [0, 0, -1, 0], [0, -1, 0, 0], [1, 0, 0, 0]],
        {
            "casadi": "m.hess(lambda x: m.det(m.reshape(x, 2, 2)))(m.array([0.0, 0.0, 0.0, 0.0]))",
            "*": "m.hess(lambda x: m.linalg.det(x.reshape(2, 2)))(m.array([0.0, 0.0, 0.0, 0.0]))",
        },
    ),
    "Hessian of the sum of squared eigenvalues at I": (
        [[2, 0, 0, 0], [0, 1, 1, 0], [0, 1, 1, 0], [0, 0, 0, 2]],
        {
            "wengert torch jax": "m.hess(lambda x: (m.linalg.eigvalsh(sym(x)) ** 2).sum())(m.array([1.0, 0, 0, 1]))",
            "autograd": "m.hess(lambda x: (m.linalg.eigh(sym(x))[0] ** 2).sum())(m.array([1.0, 0, 0, 1]))",
        },
    ),
    "gradient of where(x > 0, sqrt(x), 0) at 0": (
        0.0,
        {
            "casadi": "m.grad(lambda x: m.if_else(x > 0, m.sqrt(x), 0))(m.array(0.0))",
            "*": "m.grad(lambda x: m.where(x > 0, m.sqrt(x), 0 * x))(m.array(0.0))",
        },
    ),
}
"""What the right answer is, and how it is asked for."""


def entry(table: dict[str, str], library: str) -> str | None:
    """The expression for a library; that under `*` is for all that no other entry names."""
    named = next((code for names, code in table.items() if library in names.split()), None)
    return named or table.get("*")


def symmetric(elements: Any) -> Any:
    """The symmetric part of a matrix of two rows."""
    matrix = elements.reshape(2, 2)
    return (matrix + matrix.T) / 2


def evaluated(code: str, space: Namespace) -> Any:
    """The value of an expression."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        names = {"m": space, "np": np, "sym": symmetric}
        return eval(code, names)


def right(libraries: Iterable[str]) -> dict[str, dict[str, str]]:
    """Whether each library computes the derivatives of `RIGHT`: "right", or what comes out."""
    verdicts: dict[str, dict[str, str]] = {about: {} for about in RIGHT}
    for library, space in namespaces(libraries).items():
        for about, (truth, table) in RIGHT.items():
            code = entry(table, library)
            if code is not None:
                verdicts[about][library] = judged(code, space, np.asarray(truth, np.float64))
    return verdicts


def judged(code: str, space: Namespace, truth: np.ndarray) -> str:
    """What a table says of an answer."""
    try:
        answer = np.asarray(space.numpy(evaluated(code, space)), np.float64)
    except (AttributeError, NotImplementedError):
        return "–"
    except np.linalg.LinAlgError:
        return "error"
    close = np.isclose(answer.ravel(), truth.ravel(), rtol=1e-6, atol=1e-9 * np.abs(truth).max() or 1e-12)
    if close.all():
        return "right"
    wrong = answer.ravel()[~close]
    return "NaN" if np.isnan(wrong).any() else f"{wrong[0]:g}"


# ---- coverage --------------------------------------------------------------------------------------------------------

COVERAGE: dict[str, dict[str, str]] = {
    "forward mode": {
        TORCH: "m.func.jvp(m.sin, (m.array(0.0),), (m.array(1.0),))",
        "jax": "m.module.jvp(m.sin, (0.0,), (1.0,))",
        "autograd": "m.module.make_jvp(m.sin)(0.0)(1.0)",
        "casadi": "m.jtimes(m.sin(m.x), m.x, 1)",
    },
    "Hessian": {"*": "m.hess(lambda x: x ** 3)(m.array(1.0))"},
    "a function for a whole batch (`vmap`)": {
        TORCH: "m.vmap(m.grad(m.sin))(m.array([0.0, 1.0]))",
        "jax": "m.module.vmap(m.grad(m.sin))(m.array([0.0, 1.0]))",
        "casadi": "m.Function('f', [m.x], [m.module.gradient(m.sin(m.x), m.x)]).map(2)(m.DM([[0, 1]]))",
    },
    "`if` on a value within a gradient": {
        "wengert torch jax autograd": "m.grad(lambda x: x if x > 0 else -x)(m.array(1.0))"
    },
    "writing into an array, differentiated": {
        TORCH: "m.grad(lambda x: (y := m.zeros(2), y.__setitem__(0, x), y[0])[2])(m.array(1.0))",
    },
    "gradients of singular vectors": {
        TORCH: "m.grad(lambda x: m.linalg.svd(x)[0][0, 0])(m.array([[2, 1], [0, 1]]))",
        "jax autograd": "m.grad(lambda x: m.linalg.svd(x, full_matrices=False)[0][0, 0])(m.array([[2, 1], [0, 1]]))",
    },
    "complex numbers": {
        TORCH: "m.grad(lambda x: (x * m.exp(1j * x)).abs())(m.array(1.0))",
        "jax autograd": "m.grad(lambda x: m.abs(x * m.exp(1j * x)))(m.array(1.0))",
    },
    "derivatives of any order in one run": {
        "wengert": "m.func.taylor(m.sin, (m.array(0.0),), (m.array(1.0),), 5)",
        "jax": "__import__('jax.experimental.jet').experimental.jet.jet(m.sin, (0.0,), ((1.0, 0.0, 0.0),))",
    },
    "sparse Jacobians, whose pattern is found": {
        "wengert": "m.func.sparse_jacobian(lambda x: x[1:] * x[:-1])(m.ones(9))",
        "casadi": "(lambda x: m.jacobian(x[1:] * x[:-1], x).sparsity().nnz())(m.SX.sym('x', 9))",
    },
    "C code of a function": {
        "casadi": "(c := m.CodeGenerator('f.c'), c.add(m.Function('f', [m.x], [m.sin(m.x)])), c.dump())",
    },
    "layers and optimisers in the package": {
        TORCH: "m.optim.Adam(m.nn.Linear(2, 1).parameters())",
        "autograd": "__import__('autograd.misc.optimizers').misc.optimizers.adam",
    },
    "solvers for optimisation with exact derivatives": {
        "wengert": "importlib.import_module('wengert.scipy').minimize(lambda x: (x ** 2).sum(), np.ones(2))",
        "jax": "importlib.import_module('jax.scipy.optimize').minimize(lambda x: (x ** 2).sum(), m.array([1.0, 1.0]), "
        "method='BFGS')",
        "casadi": "(lambda x: m.nlpsol('s', 'ipopt', {'x': x, 'f': m.sumsqr(x)}, {'ipopt.print_level': 0, "
        "'print_time': False}))(m.SX.sym('x', 2))",
    },
}
"""What a library can do, by a program that does it; the others cannot, or not in the package."""


def coverage(libraries: Iterable[str]) -> dict[str, dict[str, str]]:
    """Which of `COVERAGE` each library does.

    Raises:
        Exception: what a program raises: its entry would be wrong.
    """
    answers: dict[str, dict[str, str]] = {about: {} for about in COVERAGE}
    for library, space in namespaces(libraries).items():
        for about, table in COVERAGE.items():
            code = entry(table, library)
            if code is not None:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    eval(code, {"m": space, "np": np, "importlib": importlib})
                answers[about][library] = "yes"
    return answers
