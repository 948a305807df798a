"""Taylor mode: derivatives of any order along a direction or a curve, in one run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import factorial
from typing import Any

from .._start.boundary import boundary
from .._tensor import Tensor
from ..autograd.containers import flatten, unflatten
from ..autograd.forward_levels import check_inexact
from ..autograd.taylor.following import Following
from .arguments import only_tensors, tensor_of
from .forward import direction_of


@boundary
def jet(func: Callable[..., Any], primals: Any, series: Any) -> tuple[Any, list[Any]]:
    """Return the value of a function and its derivatives along a curve, up to an order, in one run.

    If the arguments are curves x(t), the result is a curve y(t) = f(x(t)). The derivatives of y at t = 0 are computed
    from those of x. The cost grows with the square of the order (cubically for a few operators), whereas it doubles
    with each order in nested forward mode.

    Args:
        func: function that returns tensors or containers of tensors. It may call pointwise and linear operators,
            reductions and products of matrices, but no in-place operators, custom Functions or forward mode (`jvp`).
        primals: tuple of the arguments x(0): tensors or containers of tensors.
        series: for each of `primals` a sequence of its derivatives x'(0), x''(0), ..., of its shape; all of one length.
            They are derivatives, not coefficients of powers, which are n! times smaller.

    Returns:
        The output y(0), and a list of y'(0), y''(0), ..., each of the output's structure.

    Raises:
        ValueError: if the number of series is not that of primals, or they differ in length.
        RuntimeError: if a derivative has another structure or shape than its primal, or an output is not a tensor.
        NotImplementedError: if an operator without a rule was called; the text names it.

    Source: A. Griewank, A. Walther, Evaluating Derivatives, 2nd ed., 2008, chapter 13. Name and conventions are those
    of `jax.experimental.jet`.

    >>> import wengert as wg
    >>> x, one, zero = wg.tensor(0.0), wg.tensor(1.0), wg.tensor(0.0)
    >>> wg.func.jet(wg.sin, (x,), ((one, zero, zero),))
    (tensor(0.), [tensor(1.), tensor(0.), tensor(-1.)])
    """
    elements, structure, coefficients = read(primals, series)
    order = len(coefficients)
    with Following(order) as run:
        places = [element.view_as(element) for element in elements]
        for nr, place in enumerate(places):
            run.follow(place, [coefficient[nr] / factorial(k + 1) for k, coefficient in enumerate(coefficients)])
        outputs, result_structure = only_tensors("jet(f, primals, series)", func(*unflatten(places, structure)))
    series_of_outputs = [run.series_of(output) for output in outputs]
    derivatives = [
        unflatten(
            [derivative(output, series, k) for output, series in zip(outputs, series_of_outputs)], result_structure
        )
        for k in range(1, order + 1)
    ]
    return unflatten(outputs, result_structure), derivatives


@boundary
def taylor(func: Callable[..., Any], primals: Any, tangents: Any, order: int) -> list[Any]:
    """Return the derivatives of a function along a direction, from order 0 (the value) to `order`.

    Args:
        func: as for `jet`.
        primals: tuple of the arguments, tensors or containers of tensors.
        tangents: the direction, of the same structure.
        order: the highest derivative, 0 or more.

    Returns:
        A list of f(x), the derivative along v, the second derivative along v and v, ..., each of the output's
        structure: f(x + t v) is the sum of t^n / n! times element n.

    Raises:
        ValueError: if `order` is negative.
        RuntimeError, NotImplementedError: if `jet` raises it.

    >>> import wengert as wg
    >>> wg.func.taylor(lambda x: x**3, (wg.tensor(2.0),), (wg.tensor(1.0),), order=4)
    [tensor(8.), tensor(12.), tensor(12.), tensor(6.), tensor(0.)]
    """
    if not isinstance(order, int) or isinstance(order, bool) or order < 0:
        raise ValueError(f"taylor: order must be an integer, 0 or more, but got {order!r}")
    if not isinstance(primals, tuple) or not isinstance(tangents, tuple) or len(primals) != len(tangents):
        raise ValueError("taylor: primals and tangents must be tuples of the same length")
    if order == 0:
        return [func(*primals)]
    rest = [zeros(tangent) for tangent in tangents]
    series = tuple([tangent, *[zero] * (order - 1)] for tangent, zero in zip(tangents, rest))
    value, derivatives = jet(func, primals, series)
    return [value, *derivatives]


def zeros(value: Any) -> Any:
    """Return zeros like the tensors in containers."""
    elements, structure = flatten(value)
    return unflatten(
        [element.new_zeros(element.shape) if isinstance(element, Tensor) else element for element in elements],
        structure,
    )


def derivative(output: Any, series: Sequence[Any], k: int) -> Any:
    """Return the derivative of order k of an output."""
    return output.new_zeros(output.shape) if series[k] is None else series[k] * factorial(k)


def read(primals: Any, series: Any) -> tuple[list[Any], Any, list[list[Any]]]:
    """Return the elements of the primals, their structure, and for each order the derivatives of all elements.

    Raises:
        ValueError: if the number of series is not that of primals, or they differ in length.
        RuntimeError: if `primals` is not a tuple of tensors, or a derivative does not fit.
    """
    if not isinstance(primals, tuple):
        raise RuntimeError("jet(f, primals, series): Expected primals to be a tuple, f(*primals) is called")
    if not isinstance(series, (tuple, list)) or len(series) != len(primals):
        raise ValueError(f"jet: expected a series for each of the {len(primals)} primals")
    orders = {len(coefficients) for coefficients in series}
    if len(orders) > 1:
        raise ValueError(f"jet: all series must be of the same length, but they have {sorted(orders)}")
    elements, structure = flatten(primals)
    elements = list(map(tensor_of, elements))
    for element in elements:
        if not isinstance(element, Tensor):
            raise RuntimeError(f"jet: Expected primals to only contain Tensors, got {type(element)}")
        check_inexact("primal", element)
    return elements, structure, [fitting(elements, structure, tuple(row)) for row in zip(*series)]


def fitting(elements: list[Any], structure: Any, tree: Any) -> list[Any]:
    """Return the derivatives of one order of all elements.

    Raises:
        RuntimeError: if their structure or a shape does not fit.
    """
    derivatives, other_structure = flatten(tree)
    derivatives = [direction_of(derivative, element) for derivative, element in zip(derivatives, elements)]
    if other_structure != structure:
        raise RuntimeError(
            f"jet: the derivatives must have the structure of the primals, {structure}, but have {other_structure}"
        )
    for element, entry in zip(elements, derivatives):
        if not isinstance(entry, Tensor) or entry.shape != element.shape:
            kind = tuple(entry.shape) if isinstance(entry, Tensor) else type(entry).__name__
            raise RuntimeError(
                f"jet: a derivative must be a tensor of the shape {tuple(element.shape)}, but got {kind}"
            )
    return derivatives
