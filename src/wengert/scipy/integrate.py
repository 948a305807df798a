"""`solve_ivp` of SciPy with exact Jacobians."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from .evaluated import Evaluated
from .vectors import Vector, flat, matrix, scipy_module

SOLVE = "solve_ivp"


def solve_ivp(
    fun: Callable[..., Any],
    t_span: Any,
    y0: Any,
    method: Any = "RK45",
    t_eval: Any = None,
    dense_output: bool = False,
    events: Any = None,
    vectorized: bool = False,
    args: Any = None,
    **options: Any,
) -> Any:
    """Solve an initial value problem: `scipy.integrate.solve_ivp` with an exact Jacobian for the implicit methods.

    Args:
        fun: `fun(t, y, *args)` returns the derivative of `y` with respect to time, as tensors or containers of tensors;
            `t` is a number, `y` a container as `y0` of float64 tensors.
        y0: the initial state: tensors, as for `minimize`.
        events: functions `event(t, y, *args)` of containers, which return a number.
        vectorized: must be False: it is meant for finite differences, and states are containers.
        t_span, method, t_eval, dense_output, args: as in SciPy.
        options: as in SciPy. `jac`: missing or None for the exact Jacobian ("Radau", "BDF", "LSODA"), otherwise as in
            SciPy; a function is called with containers. `jac_sparsity`: its pattern (see `func.sparse_jacobian`), or
            "find" to determine it at the start: the Jacobian is computed from few products, and passed to "Radau" and
            "BDF" as a sparse array.

    Returns:
        SciPy's result. If `y0` holds tensors, `y` is a container of float64 tensors with one more dimension, the last
        one, for the times. `sol` and `y_events` are flat vectors.

    Raises:
        ImportError: if SciPy is not installed.
        TypeError: if `y0` or what `fun` returns holds something other than real numbers.
        ValueError: if `t_span` is not two numbers, `vectorized` is True, `jac_sparsity` does not fit, or SciPy refuses
            an argument.

    >>> import wengert as wg
    >>> start = {"position": wg.tensor(1.0), "speed": wg.tensor(0.0)}
    >>> def swing(t, state):
    ...     return {"position": state["speed"], "speed": -state["position"]}
    >>> solution = wg.scipy.solve_ivp(swing, (0, 3.14159265), start, method="Radau", rtol=1e-8)
    >>> round(solution.y["position"][-1].item(), 4)
    -1.0
    """
    integrate = scipy_module(SOLVE, "integrate")
    if vectorized:
        raise ValueError(f"{SOLVE}: vectorized=True serves finite differences, which are not used here; omit it")
    if np.shape(t_span) != (2,):
        raise ValueError(f"{SOLVE}: expected t_span to be two numbers, but got {t_span!r}")
    vector = Vector(SOLVE, "y0", y0)
    arguments = () if args is None else args if isinstance(args, (tuple, list)) else unpacked(args)
    dense, implicit = is_lsoda(integrate, method), is_implicit(integrate, method)
    exact = implicit and options.get("jac") is None
    sparsity = options.pop("jac_sparsity", None) if exact else None
    function = Evaluated(SOLVE, "fun", fun, vector, tuple(arguments), jacobian_sparsity=sparsity)
    if exact:
        options["jac"] = lambda t, y: jacobian_at(function, t, y, sparsity is not None and dense)
    elif callable(options.get("jac")):
        own = options["jac"]
        options["jac"] = lambda t, y: matrix(own(t, vector.container(y), *arguments))
    solution = integrate.solve_ivp(
        lambda t, y: function.value(y, (t,)),
        t_span,
        vector.start,
        method=method,
        t_eval=t_eval,
        dense_output=dense_output,
        events=opened_events(vector, events, arguments),
        **options,
    )
    solution.y = vector.rows(solution.y)
    return solution


def unpacked(args: Any) -> tuple[Any, ...]:
    """Return `args` as a tuple.

    Raises:
        TypeError: if `args` cannot be unpacked.
    """
    try:
        return (*args,)
    except TypeError as error:
        raise TypeError(
            f"Supplied 'args' cannot be unpacked. Please supply `args` as a tuple (e.g. `args=({args},)`)"
        ) from error


def jacobian_at(function: Evaluated, t: float, y: Any, dense: bool) -> Any:
    """Return the Jacobian with respect to the state."""
    jacobian = function.jacobian(y, (t,))
    return jacobian.toarray() if dense else jacobian


def is_implicit(integrate: Any, method: Any) -> bool:
    """Return whether a method takes a Jacobian."""
    if inspect.isclass(method):
        return issubclass(method, (integrate.Radau, integrate.BDF, integrate.LSODA))
    return method in ("Radau", "BDF", "LSODA")


def is_lsoda(integrate: Any, method: Any) -> bool:
    """Return whether a method needs a dense Jacobian."""
    return method == "LSODA" or (inspect.isclass(method) and issubclass(method, integrate.LSODA))


def opened_events(vector: Vector, events: Any, args: Any) -> Any:
    """Convert events to functions of flat vectors, with the attributes that SciPy reads."""
    if events is None or callable(events):
        return None if events is None else opened_event(vector, events, args)
    return [opened_event(vector, event, args) for event in events]


def opened_event(vector: Vector, event: Any, args: Any) -> Any:
    """Convert one event to a function of flat vectors."""

    def opened(t: float, y: Any) -> float:
        return float(flat(SOLVE, "an event", event(t, vector.container(y), *args))[0])

    for mark in ("terminal", "direction"):
        if hasattr(event, mark):
            setattr(opened, mark, getattr(event, mark))
    return opened
