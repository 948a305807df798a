"""`solve_ivp` of SciPy with exact Jacobians."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._core.tensor.tangents import is_dual
from .._tensor import Tensor
from ..autograd.containers import flatten
from ..autograd.grad_mode import no_grad
from ..autograd.variables import is_followed as is_followed_tensor
from ..ops.create.interchange import from_numpy
from ..ops.shapes.join import cat, stack
from .adjoint import FIRST_ONLY, Adjoint, Problem
from .evaluated import Evaluated
from .implicit import implicit, stand_in
from .runge_kutta import EXPLICIT, Field, Integrator, plain
from .states import Numbers, States, is_complex
from .trajectories import MESSAGES, Dense, Trajectory, Watch, Watched, as_times, columns, field_of
from .vectors import Vector, check_single, flat, matrix, numeric, scipy_module

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
    *,
    gradient: str | None = None,
    **options: Any,
) -> Any:
    """Solve an initial value problem: `scipy.integrate.solve_ivp`, differentiable and with exact Jacobians.

    The implicit methods get the Jacobian of `fun`. If `y0`, `t_span`, `t_eval` or a tensor that `fun` or an event uses
    requires gradients, the solution has derivatives with respect to it.

    Args:
        fun: `fun(t, y, *args)` returns the derivative of `y` with respect to time, as tensors or containers of tensors;
            `t` is a number, `y` a container as `y0` of float64 and complex128 tensors.
        y0: the initial state: tensors, as for `minimize`; elements may be complex.
        events: functions `event(t, y, *args)` of containers, which return a number.
        vectorized: must be False: it is meant for finite differences, and states are containers.
        t_span, method, t_eval, dense_output, args: as in SciPy.
        gradient: how the solution is differentiated. "direct": through the steps of "RK23", "RK45" or "DOP853" (their
            default), derivatives of every order in both modes, memory for all steps. "adjoint": by integrating the
            adjoint equation backwards along the solution, for all methods (the default of "Radau", "BDF" and "LSODA"),
            first derivatives in reverse mode, accurate to the tolerances.
        options: as in SciPy. `jac`: missing or None for the exact Jacobian ("Radau", "BDF", "LSODA"), otherwise as in
            SciPy; a function is called with containers. `jac_sparsity`: its pattern (see `func.sparse_jacobian`), or
            "find" to determine it at the start: the Jacobian is computed from few products, and passed to "Radau" and
            "BDF" as a sparse array.

    Returns:
        SciPy's result. If `y0` holds tensors, `y` is a container of such tensors with one more dimension, the last one,
        for the times. `sol` and `y_events` are flat vectors. If the solution has derivatives, `y`, `y_events` and
        `t_events` hold tensors, `sol` returns tensors, and `t` is a tensor if a time has a derivative.

    Raises:
        ImportError: if SciPy is not installed.
        TypeError: if `y0` holds other values than numbers, or a result of `fun` does not fit the state: it is not a
            number, is complex for a real element, or has other keys.
        ValueError: if `t_span` is not two numbers, `vectorized` is True, `jac_sparsity` does not fit, or SciPy refuses
            an argument; if `gradient` is unknown, or "direct" for an implicit method.
        RuntimeError: in `vmap`.

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
    ends = ends_of(t_span)
    check_gradient(integrate, method, gradient)
    vector, arguments = state_vector(y0), unpacked(args)
    function = with_jacobian(integrate, method, fun, vector, arguments, options)
    observed = functions_of_events(vector, events, arguments)
    times = None if t_eval is None else [as_time(t) for t in t_eval]
    followed = is_followed(function, y0, ends, times, observed)
    if followed and (gradient or ("direct" if is_recordable(integrate, method) else "adjoint")) == "direct":
        return recorded(Call(integrate, function, y0, ends, method, times, dense_output, observed, options), events)
    options |= {"method": method, "t_eval": None if times is None else np.array([plain(t) for t in times])}
    options |= {"dense_output": dense_output or followed, "events": opened_events(vector, events, arguments)}
    solution = integrate.solve_ivp(lambda t, y: function.value(y, (t,)), [*map(plain, ends)], vector.start, **options)
    if followed:
        return adjoined(Call(integrate, function, y0, ends, method, times, dense_output, observed, options), solution)
    solution.y = vector.rows(solution.y)
    return in_numbers(vector, solution)


def with_jacobian(
    integrate: Any, method: Any, fun: Any, vector: Vector, args: tuple[Any, ...], options: dict[str, Any]
) -> Evaluated:
    """Return the derivative of flat states, and put its Jacobian, and tolerances for flat states, into `options`."""
    exact = is_implicit(integrate, method) and options.get("jac") is None
    sparsity = options.pop("jac_sparsity", None) if exact else None
    if isinstance(vector, States):
        sparsity = vector.spread(sparsity)
        options |= {name: vector.spread(options[name]) for name in ("rtol", "atol") if name in options}
    function = Evaluated(SOLVE, "fun", in_order_of(vector, fun), vector, args, jacobian_sparsity=sparsity)
    if exact:
        dense = sparsity is not None and is_lsoda(integrate, method)
        options["jac"] = lambda t, y: jacobian_at(function, t, y, dense)
    elif options.get("jac") is not None:
        options["jac"] = opened_jacobian(vector, options["jac"], args)
    return function


def state_vector(y0: Any) -> Vector:
    """Return the conversion of the state to flat vectors of real numbers."""
    return States(SOLVE, "y0", y0) if is_complex(y0) else Vector(SOLVE, "y0", y0)


def in_order_of(vector: Vector, fun: Any) -> Any:
    """Return the user's function with the keys of its results in the order of the state's."""
    if vector.structure is None or not callable(fun):
        return fun
    return lambda t, y, *args: vector.ordered(SOLVE, "fun", fun(t, y, *args))


def in_numbers(vector: Vector, solution: Any) -> Any:
    """Convert flat states of a result, which are real and imaginary parts if the state is complex."""
    if isinstance(vector, States):
        if solution.sol is not None:
            solution.sol = Numbers(solution.sol, vector.numbers)
        if solution.y_events is not None:
            solution.y_events = [vector.numbers(rows.T).T if len(rows) else rows for rows in solution.y_events]
    return solution


@dataclass(frozen=True)
class Call:
    """A call of `solve_ivp` whose result has derivatives.

    Attributes:
        integrate: SciPy's module.
        function: the derivative of flat states.
        y0, ends, method, dense_output: arguments.
        times: those of `t_eval`, or None.
        observed: functions of the events.
        options: further arguments.
    """

    integrate: Any
    function: Evaluated
    y0: Any
    ends: tuple[Any, Any]
    method: Any
    times: list[Any] | None
    dense_output: bool
    observed: list[Watch]
    options: dict[str, Any]


def recorded(call: Call, events: Any) -> Any:
    """Return the solution through recorded steps.

    Raises:
        ValueError: if `t_eval` is not sorted or not within `t_span`.
    """
    check_times(call.ends, call.times)
    vector, method = call.function.vector, call.method
    field = field_of(call.function.run, vector.elements)
    solver = method if inspect.isclass(method) else getattr(call.integrate, method)
    integrator = Integrator(solver, field, *call.ends, flat_start(vector, call.y0), call.options)
    listed = list_of(events)
    watched = [Watched(SOLVE, event, watch) for event, watch in zip(listed, call.observed)]
    brentq = scipy_module(SOLVE, "optimize").brentq
    path = Trajectory(integrator, call.times, watched, call.dense_output, brentq)
    states = columns(path.states, integrator.y)
    t, y = as_times(path.times), vector.joined_rows(states)
    sol = Dense(path.steps, integrator.start, integrator.end, integrator.y) if call.dense_output else None
    result = result_of(integrator.evaluations, 0, t, y, sol, watched if events is not None else None, path.status)
    return in_numbers(vector, result)


def result_of(
    evaluations: int, jacobians: int, t: Any, y: Any, sol: Any, watched: list[Watched] | None, status: int
) -> Any:
    """Return SciPy's form of a result."""
    result = scipy_module(SOLVE, "optimize").OptimizeResult
    return result(
        message=MESSAGES[status],
        success=status >= 0,
        status=status,
        t=t,
        y=y,
        sol=sol,
        t_events=None if watched is None else [as_times(event.times) for event in watched],
        y_events=None if watched is None else [stacked(event.states) for event in watched],
        nfev=evaluations,
        njev=jacobians,
        nlu=0,
    )


def stacked(states: list[Tensor]) -> Any:
    """Return states as the rows of one tensor; an empty array if there are no states."""
    return stack(states) if states else np.empty(0)


def adjoined(call: Call, solution: Any) -> Any:
    """Return SciPy's solution with derivatives by the adjoint method."""
    function, ends, path = call.function, call.ends, solution.sol
    vector, solve_ivp = function.vector, call.integrate.solve_ivp
    tolerances = {name: call.options[name] for name in ("rtol", "atol") if name in call.options}
    implicit_method = is_implicit(call.integrate, call.method)

    def solve(derivative: Any, jacobian: Any, span: Any, start: Any) -> Any:
        more = {"jac": jacobian} if implicit_method else {}
        return solve_ivp(derivative, span, start, method=call.method, dense_output=True, **tolerances, **more)

    if any(map(is_dual, function.at(vector.start, (plain(ends[0]),)).outputs)):
        raise RuntimeError(FIRST_ONLY.format(SOLVE))
    taken = function.taken()
    field = field_of(taken.run, vector.elements)
    dense = lambda y, before: matrix_of(taken.jacobian(y, before))  # noqa: E731
    reached = [plain(ends[0]), *map(float, solution.t), plain(ends[1]) if solution.status == 0 else float(path.t_max)]
    problem = Problem(SOLVE, field, solve, dense, path, sorted(reached, key=lambda t: abs(t - reached[0])))
    start, stand_ins = flat_start(vector, call.y0), [stand_in(edge) for edge in problem.edges]

    def states(at: list[Any]) -> Tensor:
        return Adjoint.apply(problem, start, time_tensor(ends[0]), stack([time_tensor(t) for t in at]), *stand_ins)

    if solution.t_events is not None:
        solution.t_events, solution.y_events = located(solution, field, states, call.observed)
    at = reached_times(solution, ends) if call.times is None else call.times[: len(solution.t)]
    solution.t = as_times(at)
    solution.y = vector.joined_rows(states(at) if at else columns([], start))
    solution.sol = AdjointDense(states, path) if call.dense_output else None
    return in_numbers(vector, solution)


def reached_times(solution: Any, ends: tuple[Any, Any]) -> list[Any]:
    """Return the times of the steps; the first and the last one as passed, or the time of an event."""
    at = list(map(float, solution.t))
    at[0] = ends[0]
    if solution.status == 0:
        at[-1] = ends[1]
    elif solution.status == 1:
        moments = [t for part in solution.t_events for t in part]
        at[-1] = max(moments, key=lambda t: abs(plain(t) - plain(ends[0])))
    return at


class AdjointDense:
    """The solution at any time, with derivatives by the adjoint method.

    Attributes:
        path: SciPy's dense output, without derivatives.
    """

    def __init__(self, states: Callable[[list[Any]], Tensor], path: Any) -> None:
        self.states, self.path = states, path

    def __call__(self, t: Any) -> Tensor:
        """Return the flat state at a time, of shape (n,), or at a vector of m times, of shape (n, m)."""
        if np.ndim(t) == 0:
            return self.states([t])[:, 0]
        return self.states(list(t))


def located(
    solution: Any, field: Field, states: Callable[[list[Any]], Tensor], observed: list[Watch]
) -> tuple[list[Any], list[Any]]:
    """Return times and states of events with their derivatives."""
    times, places = [], []
    for watch, event_times in zip(observed, solution.t_events):
        moments, values = [], []
        for now in map(float, event_times):
            there = states([now])[:, 0]
            with no_grad():
                speed = field(now, there)

            def moved(t: Any, now: float = now, there: Tensor = there, speed: Tensor = speed) -> Tensor:
                return there + (t - now) * speed

            equation = lambda t, watch=watch, moved=moved: watch(t[0], moved(t[0]))  # noqa: E731
            moments.append(implicit(SOLVE, "derivative of the event with respect to time", equation, [now])[0])
            values.append(moved(moments[-1]))
        times.append(as_times(moments))
        places.append(stacked(values))
    return times, places


def matrix_of(jacobian: Any) -> Any:
    """Return a sparse or dense Jacobian as a dense array."""
    return jacobian if isinstance(jacobian, np.ndarray) else jacobian.toarray()


def time_tensor(t: Any) -> Tensor:
    """Return a time as a 0-D float64 tensor."""
    return t if isinstance(t, Tensor) else from_numpy(np.array(t, np.float64))


def as_time(t: Any) -> Any:
    """Return a time as a number; as a float64 tensor if it has a history or a tangent."""
    if not isinstance(t, Tensor):
        return float(t)
    check_single(SOLVE, "a time", t)
    return t.double() if has_derivative(t) else float(t._array_)


def has_derivative(tensor: Any) -> bool:
    """Return whether derivatives with respect to a tensor are recorded or propagated."""
    return isinstance(tensor, Tensor) and is_followed_tensor(tensor)


def ends_of(t_span: Any) -> tuple[Any, Any]:
    """Return the ends of the interval.

    Raises:
        ValueError: if `t_span` is not two numbers.
    """
    if isinstance(t_span, Tensor):
        check_single(SOLVE, "t_span", t_span)
    for t in t_span if isinstance(t_span, (list, tuple)) else ():
        if isinstance(t, Tensor):
            check_single(SOLVE, "t_span", t)
    numbers = [t._array_ if isinstance(t, Tensor) else t for t in t_span] if is_sequence(t_span) else t_span
    if np.shape(numbers) != (2,):
        raise ValueError(f"{SOLVE}: expected t_span to be two numbers, but got {t_span!r}")
    return as_time(t_span[0]), as_time(t_span[1])


def is_sequence(value: Any) -> bool:
    """Return whether a value has elements."""
    return value.ndim > 0 if isinstance(value, (Tensor, np.ndarray)) else isinstance(value, (list, tuple))


def check_times(ends: tuple[Any, Any], times: list[Any] | None) -> None:
    """Refuse times that are not sorted along the interval, or outside of it.

    Raises:
        ValueError: if the times are not sorted, or outside of the interval.
    """
    if times is None:
        return
    numbers, low, high = [plain(t) for t in times], *sorted(map(plain, ends))
    if any(t < low or t > high for t in numbers):
        raise ValueError("Values in `t_eval` are not within `t_span`.")
    steps = np.diff(numbers)
    if np.any(steps <= 0 if plain(ends[1]) > plain(ends[0]) else steps >= 0):
        raise ValueError("Values in `t_eval` are not properly sorted.")


def check_gradient(integrate: Any, method: Any, gradient: Any) -> None:
    """Check the argument `gradient`.

    Raises:
        ValueError: if `gradient` is unknown, or "direct" for a method whose steps are not recorded.
    """
    if gradient not in (None, "direct", "adjoint"):
        raise ValueError(f"{SOLVE}: expected gradient to be 'direct', 'adjoint' or None, but got {gradient!r}")
    if gradient == "direct" and not is_recordable(integrate, method):
        name = method.__name__ if inspect.isclass(method) else method
        raise ValueError(f"{SOLVE}: gradient='direct' is for {', '.join(EXPLICIT)}, not for {name}; use 'adjoint'")


def is_recordable(integrate: Any, method: Any) -> bool:
    """Return whether the steps of a method are recorded."""
    return method in EXPLICIT or (inspect.isclass(method) and method in [getattr(integrate, name) for name in EXPLICIT])


def flat_start(vector: Vector, y0: Any) -> Tensor:
    """Return the initial state as a flat tensor, with its history."""
    if vector.structure is None:
        return from_numpy(np.array(vector.start, np.float64))
    elements = flatten(y0)[0]
    tensors = [part if isinstance(part, Tensor) else from_numpy(np.array(part)) for part in elements]
    values = vector.flat_values(tensors) if isinstance(vector, States) else [tensor.double() for tensor in tensors]
    parts = [value.reshape(-1) for value in values]
    result: Tensor = parts[0] if len(parts) == 1 else cat(parts)
    return result


def is_followed(
    function: Evaluated, y0: Any, ends: tuple[Any, Any], times: list[Any] | None, observed: list[Watch]
) -> bool:
    """Return whether the solution has derivatives."""
    if any(map(has_derivative, (*flatten(y0)[0], *ends, *(times or ())))):
        return True
    start, t = function.vector.start, plain(ends[0])
    if function.is_followed(start, (t,)):
        return True
    return any(has_derivative(watch(t, from_numpy(np.array(start, np.float64)))) for watch in observed)


def list_of(events: Any) -> list[Any]:
    """Return events as a list."""
    return [] if events is None else [events] if callable(events) else list(events)


def functions_of_events(vector: Vector, events: Any, args: Any) -> list[Watch]:
    """Return events as functions of the time and the flat state."""

    def opened(event: Any) -> Watch:
        def watch(t: Any, y: Tensor) -> Tensor:
            values = numeric(SOLVE, "an event", event(t, vector.opened(vector.elements(y)), *args))
            result: Tensor = values[0].double().reshape(-1)
            return result

        return watch

    return [opened(event) for event in list_of(events)]


def opened_jacobian(vector: Vector, jac: Any, args: Any) -> Any:
    """Convert a user's Jacobian, a function or a constant matrix, to one of flat vectors."""
    real = vector.jacobian if isinstance(vector, States) else lambda matrix: matrix
    if not callable(jac):
        return real(jac)
    return lambda t, y: real(matrix(jac(t, vector.container(y), *args)))


def unpacked(args: Any) -> tuple[Any, ...]:
    """Return `args` as a tuple; empty for None.

    Raises:
        TypeError: if `args` cannot be unpacked.
    """
    try:
        return () if args is None else (*args,)
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
