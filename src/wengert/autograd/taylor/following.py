"""Propagation of power series of tensors through operators.

While a function runs, an observer sees each call and computes the series of the results from those of the arguments.
Three ways cover all operators. Linear operators are applied to each coefficient (products of matrices to each pair of
coefficients). A few basic operators have recurrences. For all others the forward rule, which computes the derivative y'
of a result from those of the arguments, is evaluated on series itself, by these three ways.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._core import door
from ..._core.calls.dual_memory import fitted
from ..._core.calls.forward import total
from ..._core.operators import sources
from ..._core.operators.forward_rules import shares_for
from ..._core.state.modes import Modes
from ..._core.tensor import tangents
from ..._core.tensor.base import Tensor
from ..observers import Observing
from .recurrences import RECURRENCES, Series, exponential, logarithm, plus, power, product


class Following(Observing):
    """Context in which the series of tensors are followed.

    Attributes:
        order: the highest power of a series.
        series: the series of each followed tensor, by the identity of its array. Tensors that stand for others (a saved
            tensor, a variable of a transform) share the array, a detached tensor has its own. The first coefficient is
            the tensor itself.
        kept: these arrays, so that their identities stay unique.
        levels: the levels of forward mode at the beginning.
    """

    __slots__ = ("kept", "levels", "order", "series")

    def __init__(self, order: int) -> None:
        self.order = order
        self.series: dict[int, Series] = {}
        self.kept: list[Any] = []

    def _before_(self, modes: Modes) -> Any:
        self.levels = list(modes.levels)
        return super()._before_(modes)

    def follow(self, tensor: Any, coefficients: Series) -> None:
        """Set the series of a tensor: itself, followed by these coefficients."""
        self.series[place(tensor)] = [
            tensor,
            *(None if coefficient is None else fitted(coefficient, tensor) for coefficient in coefficients),
        ]

    def series_of(self, value: Any) -> Series:
        """Return the series of a tensor or a constant; for a list those of its elements."""
        if isinstance(value, list):
            return [self.series_of(element) for element in value]
        return self.series.get(place(value)) or [value, *[None] * self.order]

    def is_followed(self, value: Any) -> bool:
        """Return whether a tensor, or a tensor in a list, has a series."""
        if isinstance(value, (list, tuple)):
            return any(place(item) in self.series for item in value)
        return place(value) in self.series

    def observe(self, op: Any, args: tuple[Any, ...], proceed: Callable[[], Any]) -> Any:
        """Observe the call of an operator, and compute the series of its results."""
        functional, written = getattr(op, "functional", op), op.written(args)
        # `out=` is reported by an object that is not an operator.
        slots = getattr(functional, "forward_slots", range(len(args)))
        followed = [position for position in slots if self.is_followed(args[position])]
        if not self.order or (not followed and not self.is_followed(written)):
            return proceed()
        if written is not None and not getattr(functional, "view", False):  # a view keeps the elements
            raise NotImplementedError(
                f"jet: {op.name} writes to a tensor in place, which has no Taylor series; use a form that returns a "
                "new tensor (torch.where, cat, stack, the name without the underscore)"
            )
        self.check_levels(op, args)
        if written is not None:
            (coefficients,) = self.linear(functional, args, followed, 1)
            output = proceed()
            self.follow(output, coefficients)
            return output
        output = proceed()
        if not op.rules:
            return output
        results = output if op.several else (output,)
        for result, coefficients in zip(results, self.result_series(op, args, followed, results)):
            if door.is_inexact(result._array_) and any(coefficient is not None for coefficient in coefficients):
                self.follow(result, coefficients)
        return output

    def check_levels(self, op: Any, args: tuple[Any, ...]) -> None:
        """Refuse forward mode inside the function: its tangents are computed unobserved.

        Raises:
            NotImplementedError: if an argument is dual at a level that began inside.
        """
        for value in args:
            for tensor in value if isinstance(value, (list, tuple)) else (value,):
                tangent = tangents.first_of(tensor) if isinstance(tensor, Tensor) else None
                if tangent is not None and tangent.level not in self.levels:
                    raise NotImplementedError(
                        f"jet: {op.name} was called with a dual tensor of forward mode that began inside the function "
                        "(jvp, jacfwd, hessian); use reverse mode or jet there"
                    )

    def function(self, name: str, args: tuple[Any, ...]) -> None:
        """Refuse a custom Function of followed tensors.

        Raises:
            NotImplementedError: if an argument is followed.
        """
        if any(self.is_followed(arg) for arg in args):
            raise NotImplementedError(f"jet: the custom Function {name} has no rule for Taylor series")

    def result_series(
        self, op: Any, args: tuple[Any, ...], followed: list[int], results: tuple[Any, ...]
    ) -> list[Series]:
        """Return the coefficients of the results, from the second on."""
        if op.name in COSTLY:
            raise NotImplementedError(f"jet: {op.name} has no rule for Taylor series; use nested jvp")
        linear = PRODUCTS.get(op.name, op.linear)
        if all(op.names[position] in linear for position in followed) and len(followed) <= 2:
            return self.linear(op, args, followed, len(results))
        if op.name == "convolution":
            return [self.with_bias(op, args, followed)]
        recurrence = RECURRENCES.get(op.name)
        if op.name == "pow" and len(followed) == 2:
            return [self.power_of(args, results[0])]
        if op.name in ADDING:
            return [self.added(ADDING[op.name](args[2]), *args[:2])]
        if op.name == "pow" and is_natural(args[1]):
            return [power(self.series_of(args[0]), int(args[1]))[1:]]
        if recurrence is not None:
            series: Series = [results[0], *[None] * self.order]
            recurrence(series, *(self.series_of(arg) for arg in args[: len(op.names)]))
            return [series[1:], *([None] * self.order for _ in results[1:])]
        return self.by_tangents(op, args, followed, results)

    def linear(self, op: Any, args: tuple[Any, ...], followed: list[int], count: int) -> list[Series]:
        """Apply an operator that is linear in each followed argument to the coefficients."""
        series: list[Series] = [[None] * self.order for _ in range(count)]
        for k in range(1, self.order + 1 if followed else 0):
            for split in [(k,)] if len(followed) == 1 else [(j, k - j) for j in range(k + 1)]:
                parts = [self.coefficient(args[position], power) for position, power in zip(followed, split)]
                if any(part is None for part in parts):
                    continue
                values = list(args)
                for position, part in zip(followed, parts):
                    values[position] = part
                results = op.call(tuple(values))
                for nr, part in enumerate(results if op.several else (results,)):
                    series[nr][k - 1] = part if series[nr][k - 1] is None else series[nr][k - 1] + part
        return series

    def with_bias(self, op: Any, args: tuple[Any, ...], followed: list[int]) -> Series:
        """Return the coefficients of a convolution whose bias is followed."""
        image, weight, bias, *rest = args
        product = self.linear(op, (image, weight, None, *rest), [position for position in followed if position < 2], 1)[
            0
        ]
        shape = (-1, *[1] * (weight.ndim - 2))
        shifts = [
            None if coefficient is None else coefficient.reshape(shape) for coefficient in self.series_of(bias)[1:]
        ]
        return [plus(value, other) for value, other in zip(product, shifts)]

    def power_of(self, args: tuple[Any, ...], result: Any) -> Series:
        """Return the coefficients of x^a = exp(a log x) where both are followed."""
        x, exponent = map(self.series_of, args)
        logs: Series = [x[0].log(), *[None] * self.order]
        logarithm(logs, x)
        inner = product(exponent, logs)
        series: Series = [result, *[None] * self.order]
        exponential(series, inner)
        return series[1:]

    def coefficient(self, value: Any, k: int) -> Any:
        """Return the coefficient of the k-th power of an argument, for a list those of its elements; None for zero."""
        if not isinstance(value, (list, tuple)):
            return self.series_of(value)[k]
        parts = [self.series_of(item)[k] for item in value]
        if all(part is None for part in parts):
            return None
        return [item.new_zeros(item.shape) if part is None else part for item, part in zip(value, parts)]

    def added(self, factors: tuple[Any, Any], a: Any, b: Any) -> Series:
        """Return the coefficients of a sum of multiples."""
        parts = [
            [
                None if coefficient is None else coefficient if factor == 1 else coefficient * factor
                for coefficient in self.series_of(value)[1:]
            ]
            for value, factor in zip((a, b), factors)
        ]
        return [plus(value, other) for value, other in zip(*parts)]

    def by_tangents(
        self, op: Any, args: tuple[Any, ...], followed: list[int], results: tuple[Any, ...]
    ) -> list[Series]:
        """Return the coefficients by the forward rule on series: y'[k] = (k + 1) y[k + 1].

        A rule that reads the result can only be evaluated as far as the result is known, power by power.
        """
        mask = sum(1 << slot for slot, position in enumerate(op.forward_slots) if position in followed)
        step_by_step = any(sources.FROM_OUTPUT in share.sources for share in shares_for(op, mask))
        series: list[Series] = [[None] * self.order for _ in results]
        for known in range(self.order) if step_by_step else (self.order - 1,):
            grads = self.derivatives(op, args, results, series, known)
            for nr, grad in enumerate(grads):
                for k in (known,) if step_by_step else range(self.order):
                    series[nr][k] = None if grad[k] is None else grad[k] / (k + 1)
        return series

    def derivatives(
        self, op: Any, args: tuple[Any, ...], results: tuple[Any, ...], known_series: list[Series], order: int
    ) -> list[Series]:
        """Return the series of the derivatives of the results, up to an order to which the results are known."""
        inner = Following(order)
        for value in args:
            for tensor in value if isinstance(value, (list, tuple)) else (value,):
                if place(tensor) in self.series:
                    inner.series[place(tensor)] = self.series[place(tensor)][: order + 1]
        for result, series in zip(results, known_series):
            if door.is_inexact(result._array_):
                known = (None if coefficient is None else fitted(coefficient, result) for coefficient in series[:order])
                inner.series[place(result)] = [result, *known]
        tangents = tuple([self.derivative_of(args[position], inner) for position in op.forward_slots])
        with inner:
            grads = total(op, args, tangents, results)
        empty: Series = [None] * (order + 1)
        return [empty if grad is None else inner.series_of(grad) for grad in grads]

    def derivative_of(self, value: Any, inner: Following) -> Any:
        """Return the derivative of an argument, which is followed from now on; None for zero."""
        if isinstance(value, (list, tuple)):
            grads = [self.derivative_of(item, inner) for item in value]
            return grads if any(grad is not None for grad in grads) else None
        if place(value) not in self.series:
            return None
        series = self.series[place(value)]
        first = series[1].view_as(series[1]) if series[1] is not None else value.new_zeros(value.shape)
        more = [
            None if coefficient is None else coefficient * (k + 2)
            for k, coefficient in enumerate(series[2 : inner.order + 2])
        ]
        inner.series[place(first)] = [first, *more]
        return first


def place(value: Any) -> int:
    """Return the key of the series of a tensor."""
    return id(value._array_) if isinstance(value, Tensor) else 0


PRODUCTS = {"vdot": ("self", "other"), "convolution": ("input", "weight")}
"""Operators that are linear in each of these arguments, for real factors, though their cards do not say so."""
COSTLY = {
    *(f"special_modified_bessel_i{order}" for order in (0, 1)),
    *(f"special_scaled_modified_bessel_k{order}" for order in (0, 1)),
    *("cumprod", "logcumsumexp", "recurrence", "scatter_reduce", "index_reduce"),
    *("i0", "special_i0e", "special_i1", "special_i1e"),
}
"""Operators whose forward rules call the operator twice or more: the cost would double with each order."""
ADDING: dict[str, Callable[[Any], tuple[Any, Any]]] = {
    "add": lambda alpha: (1, alpha),
    "sub": lambda alpha: (1, -alpha),
    "subtract": lambda alpha: (1, -alpha),
    "rsub": lambda alpha: (-alpha, 1),
}
"""Factors of both arguments of sums and differences, as functions of `alpha`."""


def is_natural(value: Any) -> bool:
    """Return whether an exponent is a non-negative integer."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0 and value == int(value)
